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

from fastschema.runtime.patching import stock_method

STOCK: dict[tuple[type, str], Any] = {
    (cls, name): stock_method(cls, name)
    for cls in (fields.Nested, fields.List)
    for name in ("_serialize", "_deserialize")
}
"""The methods that ask for an answer once fastschema is installed."""


class Answer:
    """What does the work of a field, as long as nobody changes the field.

    :param field: the field, which stays alive with it
    :param function: from a value to what its method makes of it
    :param partial: for loading, the ``partial`` that is meant
    """

    __slots__ = ("_field", "_seen", "function", "partial")

    def __init__(self, field: Any, function: Callable[[Any], Any], partial: Any = None) -> None:
        self._field = field
        self._seen = _copied(field)
        self.function = function
        self.partial = partial

    def is_current(self) -> bool:
        """Return whether the attributes of the field are what they were."""
        own = self._field.__dict__
        if own == self._seen:
            return True
        # Its schema is found when it is needed first.
        is_same = {**own, "_schema": None} == {**self._seen, "_schema": None}
        if is_same:
            self._seen = _copied(self._field)
        return is_same


def _copied(field: Any) -> dict[str, Any]:
    return dict(field.__dict__)


Answers = dict[int, Answer]
"""By the ids of fields."""
answers: ContextVar[Answers | None] = ContextVar("fastschema_answers", default=None)


def fields_inside(field: Any, above: frozenset[int] = frozenset()) -> Iterator[Any]:
    """Yield the nested fields and lists that a field of users' holds: in its attributes, in lists
    there, or in other fields that it holds so.

    :param above: the ids of those that it is inside of
    """
    above |= {id(field)}
    for name, value in vars(field).items():
        if name not in ("parent", "root"):
            for each in value if type(value) in (list, tuple) else (value,):
                if type(each) in (fields.Nested, fields.List):
                    yield each
                elif issubclass(type(each), fields.Field) and id(each) not in above:
                    yield from fields_inside(each, above)


def holds_nested(field: Any) -> bool:
    """Return whether one of the fields that a field holds is a nested one, alone or in lists."""
    return any(map(_nests, fields_inside(field)))


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
