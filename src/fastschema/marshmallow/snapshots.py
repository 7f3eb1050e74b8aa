"""What the fields of a made schema are like, compared with those of others and what they were.

Two objects of a class whose fields are alike run the same program. An object whose fields are what
they were runs what it ran. That is found out in less time: the attributes of all fields are
compared with copies of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import is_, methodcaller
from typing import Any

from marshmallow import missing

from fastschema.marshmallow import validators
from fastschema.marshmallow.customization import (
    FIELD_CLASSES,
    INNER,
    OPTIONS,
    computes_attributes,
    inner_fields,
)
from fastschema.marshmallow.exemplars import METHODS
from fastschema.runtime.guard import STATE_KEY, are_same

_LISTS = ("validators", "pre_load", "post_load")
_HELD = frozenset([*INNER, "tuple_fields", *METHODS])
"""Attributes of which matters only whether there is something: fields inside of a field, which are
compared beside it, and methods of its schema, which are looked up for each dump."""
_DEFAULTS = ("dump_default", "load_default")
"""Of defaults matters only of which sort they are: their values are looked up, too."""
_OF_ONE_SCHEMA = ("parent", "root", "_schema", "_field_cache", "_creation_index", "metadata")
"""Attributes that differ from schema to schema, and say nothing of what a field does."""
_OF_ONE_DUMP = (*_OF_ONE_SCHEMA, *_LISTS, "validate", "error_messages")
"""The same for what a field dumps."""
_values = methodcaller("values")


class MadeFields:
    """The fields of one made schema as they are, for one direction."""

    __slots__ = ("_fields", "_held", "_is_load", "_lengths", "_lists", "_names", "_values", "every")

    def __init__(self, fields: dict[str, Any], direction: str) -> None:
        self._fields = [*fields, *fields.values()]
        self._is_load = direction == "load"
        self.every = list(_with_inner(fields.values()))
        """The fields, and those inside of them."""
        attributes = [field.__dict__ for field in self.every]
        self._names = list(map(list, attributes))
        self._values = list(self._now(attributes))
        names = ("tuple_fields", *_LISTS) if self._is_load else ("tuple_fields",)
        of_names = [values.get(name) for values in attributes for name in names]
        self._lists = [value for value in of_names if type(value) is list]
        """The lists among the values that matter, with what is in them."""
        self._lengths = list(map(len, self._lists))
        self._held = list(chain.from_iterable(self._lists))

    def are_current(self, fields: dict[str, Any]) -> bool:
        """Return whether these are the fields of the schema, and as they were.

        Their attributes are the very same objects: nobody's ``__eq__`` is asked.
        """
        attributes = [field.__dict__ for field in self.every]
        return (
            list(map(list, attributes)) == self._names
            and list(map(len, self._lists)) == self._lengths
            and all(map(is_, chain(fields, fields.values()), self._fields))
            and len(fields) * 2 == len(self._fields)
            and all(map(is_, self._now(attributes), self._values))
            and all(map(is_, chain.from_iterable(self._lists), self._held))
        )

    def _now(self, attributes: list[dict[str, Any]]) -> Iterator[Any]:
        return chain(map(type, self.every), chain.from_iterable(map(_values, attributes)))

    def deciding(self) -> list[dict[str, Any]]:
        return [_deciding(field, is_load=self._is_load) for field in self.every]


class SchemaSnapshot:
    """A schema object that fields nest, as it is: schemas copy it when they are dumped first."""

    __slots__ = ("_deciding", "_fields", "_made", "_own", "_schema")

    def __init__(self, schema: Any) -> None:
        attributes = schema.__dict__
        self._schema = schema
        self._own = {**attributes, STATE_KEY: None}
        self._fields = list(attributes.get("fields", {}).items())
        declared = attributes.get("declared_fields", {})
        self._made = MadeFields(declared, "load")
        self._deciding = list(declared), self._made.deciding()

    def is_current(self) -> bool:
        attributes = self._schema.__dict__
        if not are_same({**attributes, STATE_KEY: None}, self._own):
            return False
        declared = attributes.get("declared_fields")
        if declared is None:
            return True  # nobody has looked at them
        if not are_same(list(attributes.get("fields", {}).items()), self._fields):
            return False
        if not self._made.are_current(declared):
            # Whoever copies it binds them anew.
            made_fields = MadeFields(declared, "load")
            if not are_same((list(declared), made_fields.deciding()), self._deciding):
                return False
            self._made = made_fields
        return True


def _with_inner(fields: Iterable[Any]) -> Iterator[Any]:
    for field in fields:
        if computes_attributes(field):
            continue  # its schema runs as stock
        yield field
        if not _HELD.isdisjoint(field.__dict__):
            yield from _with_inner(inner_fields(field))


def _deciding(field: Any, *, is_load: bool) -> dict[str, Any]:
    """Return the attributes of a field that say what it does, and its class.

    They hold nothing of the schema that it belongs to. What a field of users keeps for itself says
    nothing: its own methods are called.
    """
    cls: Any = type(field)
    deciding: dict[str, Any] = field.__dict__.copy()
    for name in _OF_ONE_SCHEMA if is_load else _OF_ONE_DUMP:
        deciding.pop(name, None)
    if is_load:
        deciding.pop("validate", None)
        deciding |= {name: bool(deciding.get(name)) for name in _LISTS}
        deciding["validators"] = validators.describe(field)
    for name in _DEFAULTS:
        default = deciding.get(name, missing)
        deciding[name] = "none" if default is missing else "call" if callable(default) else "value"
    if not _HELD.isdisjoint(deciding):
        deciding |= {name: deciding[name] is None for name in _HELD.intersection(deciding)}
    if cls not in FIELD_CLASSES:
        names = [name for name in deciding if name not in OPTIONS and not hasattr(cls, name)]
        for name in names:
            del deciding[name]
    deciding["__class__"] = cls
    return deciding
