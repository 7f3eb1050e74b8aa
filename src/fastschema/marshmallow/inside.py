"""Nested schemas inside of users' own fields: while such a field's method runs, generated code
answers for them.

A field with a method of its own may hold stock fields, in any attribute, and call their
``_serialize`` or ``deserialize``. That method runs as it is. Those of its inner fields in which a
schema is nested, alone or in lists, find in :data:`answers` what does their work; it is set for as
long as the method runs, in its thread or task only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from marshmallow import fields

from fastschema.runtime import thresholds
from fastschema.runtime.guard import are_same
from fastschema.runtime.patching import stock_method

STOCK: dict[tuple[type, str], Any] = {
    (cls, name): stock_method(cls, name)
    for cls in (fields.Nested, fields.List)
    for name in ("_serialize", "_deserialize")
}
"""The methods that ask for an answer once fastschema is installed."""


class Answer:
    """What does the work of a field, as long as nobody changes what that is.

    :param begin: lets the function find the nested schema anew
    :param partial: for loading, the ``partial`` that is meant
    """

    __slots__ = ("_begin", "_fields", "_schema", "_seen", "function", "partial")

    def __init__(
        self,
        field: Any,
        function: Callable[[Any], Any],
        begin: Callable[[], object],
        partial: Any = None,
    ) -> None:
        self._fields = [field]
        while type(field) is fields.List:
            field = field.inner
            self._fields.append(field)
        self._seen = [dict(vars(held)) for held in self._fields]
        self._schema: dict[str, Any] | None = None
        self._begin = begin
        self.function = function
        self.partial = partial

    def is_current(self) -> bool:
        """Return whether the fields and their schema have the attributes that they had."""
        attributes = [field.__dict__ for field in self._fields]
        schema = attributes[-1].get("_schema")
        if are_same(attributes, self._seen) and (
            schema is None or are_same(schema.__dict__, self._schema)
        ):
            return True
        if self._schema is not None or not are_same(_unbound(attributes), _unbound(self._seen)):
            return False
        if schema is None or "fields" in schema.__dict__:
            return False
        # What was found of a schema that nobody had found before is found anew.
        self._seen = [values.copy() for values in attributes]
        self._schema = schema.__dict__.copy()
        self._begin()
        return True


def _unbound(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*own[:-1], {**own[-1], "_schema": None}]


Answers = dict[int, Answer]
"""By the ids of fields."""
answers: ContextVar[Answers | None] = ContextVar("fastschema_answers", default=None)


class AnswersInside:
    """Lets answers be there while the method of a field runs."""

    __slots__ = ("_answer", "_answers", "_field", "_values")

    def __init__(self, field: Any, answer: Callable[[Any], Answer | None]) -> None:
        self._field = field
        self._answer = answer
        self._answers: Answers | None = None
        self._values = 0

    def call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        if self._answers is None:
            self._values += 1
            if self._values < thresholds.values_worth_answers:
                return method(*arguments)
            by_id = {id(field): self._answer(field) for field in fields_inside(self._field)}
            self._answers = {
                number: answer for number, answer in by_id.items() if answer is not None
            }
        token = answers.set(self._answers)
        try:
            return method(*arguments)
        finally:
            answers.reset(token)


def fields_inside(field: Any, above: frozenset[int] = frozenset()) -> Iterator[Any]:
    """Yield the nested fields, and lists of them, that a field of users' holds at any depth."""
    above |= {id(field)}
    for name, value in vars(field).items():
        if name not in ("parent", "root"):
            for member in value if type(value) in (list, tuple) else (value,):
                if _nests(member):
                    yield member
                elif issubclass(type(member), fields.Field) and id(member) not in above:
                    yield from fields_inside(member, above)


def holds_nested(field: Any) -> bool:
    return next(fields_inside(field), None) is not None


def _nests(field: Any) -> bool:
    while type(field) is fields.List:
        field = field.inner
    return type(field) is fields.Nested


def _serialize(cls: type) -> Callable[..., Any]:
    stock = STOCK[cls, "_serialize"]

    def _serialize(self: Any, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        current = answers.get()
        answer = None if current is None else current.get(id(self))
        if answer is not None and answer.is_current():
            return answer.function(value)
        return stock(self, value, attr, obj, **kwargs)

    return _serialize


def _deserialize(cls: type) -> Callable[..., Any]:
    stock = STOCK[cls, "_deserialize"]

    def _deserialize(self: Any, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        current = answers.get()
        answer = None if current is None else current.get(id(self))
        if answer is None or kwargs.get("partial") is not answer.partial or not answer.is_current():
            return stock(self, value, attr, data, **kwargs)
        # What it leaves to the field comes here again.
        token = answers.set(None)
        try:
            return answer.function(value)
        finally:
            answers.reset(token)

    return _deserialize


REPLACEMENTS = [
    (cls, name, stock, (_serialize if name == "_serialize" else _deserialize)(cls))
    for (cls, name), stock in STOCK.items()
]
"""For :class:`fastschema.runtime.patching.Replacements`."""
