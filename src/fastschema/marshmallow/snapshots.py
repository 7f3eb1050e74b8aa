"""What the fields of a made schema are like, compared with those of others and what they were.

Two objects of a class whose fields are alike run the same program. An object whose fields are what
they were runs what it ran. That is found out in less time: all that generated code depends on is
compared at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import attrgetter, is_
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
from fastschema.marshmallow.pending import METHODS
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.plain_values import are_same
from fastschema.runtime.registration import registered

_LISTS = ("validators", "pre_load", "post_load")
_HELD = frozenset([*INNER, "tuple_fields", *METHODS])
"""Attributes of which matters only whether there is something: fields inside of a field, which are
compared beside it, and methods of its schema, which are looked up for each dump."""
_DEFAULTS = ("dump_default", "load_default")
"""Of defaults matters only of which sort they are: their values are looked up, too."""
_OF_ONE_SCHEMA = ("parent", "root", "_schema", "_field_cache", "_creation_index")
"""Attributes that differ from schema to schema, and say nothing of what a field does."""
_UNREAD = (*_OF_ONE_SCHEMA, "metadata", "validate")
_UNREAD_FOR = {
    "dump": (
        *(*_UNREAD, "name", "load_only", "dump_only", *_LISTS),
        *("error_messages", "load_default", "allow_none", "required"),
    ),
    "load": (*_UNREAD, "name", "load_only", "dump_only", "dump_default"),
    "both": _UNREAD,
}
"""By direction, the attributes that generated code does not depend on."""
_LISTS_FOR = {"dump": ("tuple_fields",), "load": ("tuple_fields", *_LISTS)}
_LISTS_FOR["both"] = _LISTS_FOR["load"]
"""By direction, the attributes of fields that hold lists whose members matter."""
_attributes = attrgetter("__dict__")


class MadeFields:
    """The fields of one made schema as they are.

    :param direction: for which they are looked at: "dump", "load" or "both"
    """

    __slots__ = (
        *("_attributes", "_direction", "_holders", "_keys", "_lengths", "_lists", "_names"),
        *("_objects", "_options", "every"),
    )

    def __init__(self, fields: dict[str, Any], direction: str) -> None:
        self._direction = direction
        self._keys = list(fields)
        self.every = list(_with_inner(fields.values()))
        """The fields, and those inside of them."""
        self._attributes = list(map(_attributes, self.every))
        self._names = list(map(list, self._attributes))
        # A maker may have read anything.
        unread = _OF_ONE_SCHEMA if registered else _UNREAD_FOR[direction]
        options = [
            (attributes, name)
            for attributes in self._attributes
            for name in attributes
            if name not in unread
        ]
        self._holders = [attributes for attributes, _ in options]
        self._options = [name for _, name in options]
        self._lists = [
            attributes[name]
            for attributes in self._attributes
            for name in _LISTS_FOR[direction]
            if type(attributes.get(name)) is list
        ]
        self._lengths = list(map(len, self._lists))
        self._objects = list(self._found(fields))

    def _found(self, fields: dict[str, Any]) -> Iterator[Any]:
        """Return all that has to be the very same object to be as it was."""
        return chain(
            fields.values(),
            map(type, self.every),
            map(_attributes, self.every),
            map(dict.get, self._holders, self._options),
            *self._lists,
        )

    def is_current(self, fields: dict[str, Any]) -> bool:
        """Return whether these are the fields of the schema, and their options as they were.

        They are the very same objects: ``__eq__`` is not called.
        """
        return (
            list(fields) == self._keys
            and list(map(list, self._attributes)) == self._names
            and list(map(len, self._lists)) == self._lengths
            and all(map(is_, self._found(fields), self._objects))
        )

    def fingerprint(self) -> list[dict[str, Any]]:
        return [_fingerprint(field, self._direction) for field in self.every]


class SchemaSnapshot:
    """A schema object that fields nest, as it is: schemas copy it when they are dumped first."""

    __slots__ = ("_fingerprint", "_made", "_own", "_schema")

    def __init__(self, schema: Any) -> None:
        _ = schema.declared_fields  # a pending one gets its fields when it is copied
        attributes = schema.__dict__
        self._schema = schema
        self._own = {
            name: value.copy() if type(value) is set else value
            for name, value in _own(schema).items()
        }
        declared = attributes.get("declared_fields", {})
        self._made = MadeFields(declared, "both")
        self._fingerprint = list(declared), self._made.fingerprint()

    def is_current(self) -> bool:
        attributes = self._schema.__dict__
        if not are_same(_own(self._schema), self._own):
            return False
        declared = attributes.get("declared_fields", {})
        if not self._made.is_current(declared):
            # Whoever copies it binds them anew.
            made_fields = MadeFields(declared, "both")
            if not are_same((list(declared), made_fields.fingerprint()), self._fingerprint):
                return False
            self._made = made_fields
        return True


def _own(schema: Any) -> dict[str, Any]:
    """Return the attributes of a schema, and its class in the place of its state."""
    return {**schema.__dict__, STATE_KEY: type(schema)}


def _with_inner(fields: Iterable[Any]) -> Iterator[Any]:
    for field in fields:
        if computes_attributes(field):
            continue  # its schema runs as stock
        yield field
        if not _HELD.isdisjoint(field.__dict__):
            yield from _with_inner(inner_fields(field))


def _fingerprint(field: Any, direction: str) -> dict[str, Any]:
    """Return the attributes of a field that say what it does, and its class, to compare them.

    They hold nothing of the schema that it belongs to. What a field of users keeps for itself says
    nothing: its own methods are called.
    """
    cls: Any = type(field)
    fingerprint: dict[str, Any] = field.__dict__.copy()
    for name in _UNREAD_FOR[direction]:
        fingerprint.pop(name, None)
    if direction != "dump":
        fingerprint |= {name: bool(fingerprint.get(name)) for name in _LISTS}
        fingerprint["validators"] = validators.describe(field)
    for name in _DEFAULTS:
        default = fingerprint.get(name, missing)
        fingerprint[name] = (
            "none" if default is missing else "call" if callable(default) else "value"
        )
    if not _HELD.isdisjoint(fingerprint):
        fingerprint |= {name: fingerprint[name] is None for name in _HELD.intersection(fingerprint)}
    if cls not in FIELD_CLASSES:
        names = [name for name in fingerprint if name not in OPTIONS and not hasattr(cls, name)]
        for name in names:
            del fingerprint[name]
    fingerprint["__class__"] = cls
    return fingerprint
