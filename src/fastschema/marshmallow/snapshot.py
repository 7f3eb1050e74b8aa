"""Snapshots of a schema's fields: whether they are still what they were, attribute by attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastschema.marshmallow.customization import FIELD_CLASSES, OPTIONS, inner_fields

_ABSENT = object()
_FOUND_LATER = "_schema"
"""Where a nested field keeps its schema, once that was needed."""
_METHODS = ("_serialize_method", "_deserialize_method")
"""Where a ``Method`` keeps the methods of the schema that it was bound to last."""
_HOLDING = frozenset(["inner", "key_field", "value_field", "tuple_fields"])
"""Where a field has fields inside of it."""
_LISTS = ("validators", "pre_load", "post_load", "tuple_fields")


class Snapshot:
    """The fields of a schema as they are when it is taken.

    :param made: from attributes of the schema to the fields that they hold by name
    """

    __slots__ = ("_attributes", "_items")

    def __init__(self, made: Mapping[str, dict[str, Any]]) -> None:
        self._items = {name: list(fields.items()) for name, fields in made.items()}
        self._attributes: list[tuple[Any, dict[str, Any], type]] = []
        seen: set[int] = set()
        for items in self._items.values():
            for _, field in items:
                if id(field) not in seen:
                    seen.add(id(field))
                    self._add(field)

    def _add(self, field: Any) -> None:
        own = field.__dict__
        self._attributes.append((field, _copied(own), type(field)))
        if not _HOLDING.isdisjoint(own):
            for inner in inner_fields(field):
                self._add(inner)

    def is_current(self, name: str, fields: dict[str, Any]) -> bool:
        """Return whether a schema still has those fields, and these the attributes that they had.

        :param name: an attribute of the schema
        :param fields: the fields that it holds now
        """
        if list(fields.items()) != self._items[name]:
            return False
        for field, seen, cls in self._attributes:
            if type(field) is not cls:
                return False
            if field.__dict__ != seen and not _is_alike(field.__dict__, seen, cls):
                return False
        return True


def _copied(own: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a field's attributes, with lists of its own."""
    seen = own.copy()
    for name in _LISTS:
        if name in seen:
            value = seen[name]
            if type(value) is list:
                seen[name] = value.copy()
    return seen


def _is_alike(own: dict[str, Any], seen: dict[str, Any], cls: type) -> bool:
    """Return whether no attribute that says what a field does has changed.

    What else has changed, such as what a user's field keeps for itself, is not compared again.
    """
    for name in own.keys() | seen.keys():
        value, before = own.get(name, _ABSENT), seen.get(name, _ABSENT)
        if value is before or name == _FOUND_LATER:
            continue
        if name in _METHODS:
            value, before = (getattr(each, "__func__", each) for each in (value, before))
        is_deciding = cls in FIELD_CLASSES or name in OPTIONS or hasattr(cls, name)
        if is_deciding and (type(value) is not type(before) or value != before):
            return False
    seen.clear()
    seen.update(_copied(own))
    return True
