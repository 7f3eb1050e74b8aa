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

    :param field: the field, which stays alive with it
    :param function: from a value to what its method makes of it
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
        self._seen = [dict(vars(each)) for each in self._fields]
        self._schema: dict[str, Any] | None = None
        self._begin = begin
        self.function = function
        self.partial = partial

    def is_current(self) -> bool:
        """Return whether the fields have the attributes that they had, and their schema, too.

        Nobody may have looked at the fields of that.
        """
        own = [each.__dict__ for each in self._fields]
        schema = own[-1].get("_schema")
        if are_same(own, self._seen) and (
            schema is None or are_same(schema.__dict__, self._schema)
        ):
            return True
        if self._schema is not None or not are_same(_unbound(own), _unbound(self._seen)):
            return False
        if schema is None or "fields" in schema.__dict__:
            return False
        # What was found of a schema that nobody had found before is found anew.
        self._seen = [each.copy() for each in own]
        self._schema = schema.__dict__.copy()
        self._begin()
        return True


def _unbound(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*own[:-1], {**own[-1], "_schema": None}]


Answers = dict[int, Answer]
"""By the ids of fields."""
answers: ContextVar[Answers | None] = ContextVar("fastschema_answers", default=None)


class AnswersInside:
    """Lets answers be there while the method of a field runs.

    :param field: the field
    :param answer: from a field inside of it to its answer; None if it has none
    """

    __slots__ = ("_answer", "_answers", "_field", "_values")

    def __init__(self, field: Any, answer: Callable[[Any], Answer | None]) -> None:
        self._field = field
        self._answer = answer
        self._answers: Answers | None = None
        self._values = 0

    def call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call the method."""
        if self._answers is None:
            self._values += 1
            if self._values < thresholds.values_worth_answers:
                return method(*arguments)
            found = {id(each): self._answer(each) for each in fields_inside(self._field)}
            self._answers = {number: each for number, each in found.items() if each is not None}
        token = answers.set(self._answers)
        try:
            return method(*arguments)
        finally:
            answers.reset(token)


def fields_inside(field: Any, above: frozenset[int] = frozenset()) -> Iterator[Any]:
    """Yield the nested fields, and lists of them, that a field of users' holds: in its attributes,
    in lists there, or in other fields that it holds so.

    :param above: the ids of those that it is inside of
    """
    above |= {id(field)}
    for name, value in vars(field).items():
        if name not in ("parent", "root"):
            for each in value if type(value) in (list, tuple) else (value,):
                if _nests(each):
                    yield each
                elif issubclass(type(each), fields.Field) and id(each) not in above:
                    yield from fields_inside(each, above)


def holds_nested(field: Any) -> bool:
    """Return whether one of the fields that a field holds is a nested one, alone or in lists."""
    return next(fields_inside(field), None) is not None


def _nests(field: Any) -> bool:
    while type(field) is fields.List:
        field = field.inner
    return type(field) is fields.Nested


def _serialize(cls: type) -> Callable[..., Any]:
    stock = STOCK[cls, "_serialize"]

    def _serialize(self: Any, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        """Return what stock's method returns; generated code may do it."""
        found = answers.get()
        answer = None if found is None else found.get(id(self))
        if answer is not None and answer.is_current():
            return answer.function(value)
        return stock(self, value, attr, obj, **kwargs)

    return _serialize


def _deserialize(cls: type) -> Callable[..., Any]:
    stock = STOCK[cls, "_deserialize"]

    def _deserialize(self: Any, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        """Return what stock's method returns; generated code may do it."""
        found = answers.get()
        answer = None if found is None else found.get(id(self))
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
