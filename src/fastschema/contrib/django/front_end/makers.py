"""What makers make for fields of DRF: see :func:`fastschema.register`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from typing import Any

from rest_framework.fields import Field
from rest_framework.serializers import BaseSerializer

from fastschema.compiler.nodes import Form, Slot
from fastschema.compiler.source import GeneratedFunction
from fastschema.compiler.value_code import generate_dump
from fastschema.contrib.django.front_end.access import SerializerPath
from fastschema.contrib.django.front_end.fields import describe, inner_fields, kind
from fastschema.contrib.django.front_end.schema_reader import NAMES
from fastschema.runtime.guard import State
from fastschema.runtime.plain_values import is_a
from fastschema.runtime.programs import CACHE_SIZE, OWN_METHOD, Description
from fastschema.runtime.registration import Function, Refused, Registered, function_of, registered

_KEY = "_fastschema_made"
"""The attribute of a field with what was made for it last."""


class MakerFunction(State):
    """The function made for a field; copies of the field, which may differ, do not have it."""

    __slots__ = ("call", "field", "registered")

    def __init__(self, field: Any, registered: Registered, call: Function) -> None:
        self.field, self.registered, self.call = field, registered, call


class MakerMethod:
    """A method of fields, done by what its maker makes, or else by the method itself.

    :param compiled: what the maker is given
    """

    def __init__(
        self, registered: Registered, method: str, compiled: Callable[[Any], Function]
    ) -> None:
        self._registered = registered
        self._method = method
        self._compiled = compiled

    def __call__(self, field: Any, value: Any) -> Any:
        kept = field.__dict__.get(_KEY)
        if kept is None or kept.field is not field or kept.registered is not self._registered:
            function = function_of(self._registered, field, self._compiled)
            kept = field.__dict__[_KEY] = MakerFunction(field, self._registered, function)
        try:
            return kept.call(value)
        except Refused:
            return getattr(field, self._method)(value)


def drop_maker_functions(fields: Iterable[Any]) -> None:
    """Drop what makers made for fields, and for what is inside of them: they may have changed."""
    for field in fields if registered else ():
        field.__dict__.pop(_KEY, None)
        drop_maker_functions(getattr(field, name) for name in inner_fields(field))


def represented(inner: Any) -> Callable[[Any], Any]:
    """Return what represents a value as a field or a serializer inside of another does.

    :raises TypeError: if it is neither
    """
    if not is_a(inner, Field):
        raise TypeError(f"compiled() takes a field or a serializer, not {inner!r}")
    if not is_a(inner, BaseSerializer):
        generated = _value_function(describe(inner))
        if generated is not None:
            values = [slot.resolve([inner], None, Form.PYTHON) for slot in generated.slots]
            return generated.function(*values)  # type: ignore[no-any-return]  # a function
    represent: Callable[[Any], Any] = inner.to_representation
    return represent


@lru_cache(maxsize=CACHE_SIZE)
def _value_function(description: Description) -> GeneratedFunction | None:
    """Return what represents values by a description and the list of their field.

    None if the field's own method does: options, say, are looked up for each dump.
    """
    slots: list[Slot] = []
    if description[0] == OWN_METHOD:
        return None
    value_kind = kind(description, SerializerPath("fields[0]", itemgetter(0)), slots)
    if slots:
        return None
    of_fields = Slot("fields", lambda bound, cls, form: bound)
    return generate_dump(replace(value_kind, none_stays=False), [of_fields], NAMES)
