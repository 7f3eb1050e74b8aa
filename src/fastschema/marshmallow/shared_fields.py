"""The fields that a schema shares with its copies, and what they were like when somebody looked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastschema.marshmallow.customization import (
    FIELD_CLASSES,
    INNER,
    OPTIONS,
    computes_attributes,
    inner_fields,
)
from fastschema.marshmallow.exemplars import METHODS, Exemplar, clone

NAMES = ("declared_fields", "fields", "load_fields", "dump_fields")
"""The attributes of a schema that hold its fields."""
_Made = dict[str, dict[str, Any]]
_METHOD_NAMES = frozenset(METHODS)


class SharedFields:
    """The fields of a schema and of its copies: stock copies a schema, but not its fields.

    Methods are given the schema that was there first, which is the parent of all fields.

    :param exemplar: the exemplar of which the fields are, or would be, clones
    """

    _looked_at: tuple[_Made, FieldsSnapshot] | None = None
    """The fields by :data:`NAMES` and what they were like, once somebody has looked at them."""

    def __init__(self, exemplar: Exemplar) -> None:
        self.exemplar = exemplar
        self._clones: dict[int, Any] = {}
        self._method_owner: Any = None
        """The copy that was bound last, if a field has methods of its schema."""
        self.bindings = 0
        """How often copies were bound since somebody has looked: each time, lists and the like get
        new inner fields."""

    @property
    def made(self) -> _Made | None:
        """The fields by :data:`NAMES`; None as long as nobody has looked at them."""
        return None if self._looked_at is None else self._looked_at[0]

    @property
    def snapshot(self) -> FieldsSnapshot | None:
        """What they were like when somebody looked."""
        return None if self._looked_at is None else self._looked_at[1]

    def field(self, schema: Any, field: Any) -> Any:
        """Return the field that is like one of the exemplar.

        :param schema: the schema
        :param field: the exemplar's field
        """
        own = self._clones.get(id(field))
        if own is None:
            own = clone(field, self.exemplar.schema, schema, schema)
            if self._method_owner is not None and not _METHOD_NAMES.isdisjoint(own.__dict__):
                own._bind_to_schema(own.name, self._method_owner)
            own = self._clones.setdefault(id(field), own)
        return own

    def fields(self, schema: Any, name: str) -> dict[str, Any]:
        """Return what the schema is to have as one of :data:`NAMES`, in a dictionary of its own."""
        originals = self.exemplar.schema.__dict__[name]
        clones = self._clones
        fields: dict[str, Any] = type(originals)()
        for each, field in originals.items():
            fields[each] = clones.get(id(field)) or self.field(schema, field)
        return fields

    def make(self, schema: Any) -> _Made:
        """Return all fields, by :data:`NAMES`: the same for threads that ask at the same time."""
        if self._looked_at is None:
            made = {name: self.fields(schema, name) for name in NAMES}
            vars(self).setdefault("_looked_at", (made, FieldsSnapshot(made)))
        assert self._looked_at is not None
        return self._looked_at[0]

    def take_again(self) -> None:
        """Take what the fields are like now, after a copy was bound, for what they were like."""
        assert self.made is not None
        self._looked_at = self.made, FieldsSnapshot(self.made)
        self.bindings += 1

    def bind_methods(self, copied: Any) -> None:
        """Let fields that nobody has looked at call the methods of a copy, as stock does."""
        declared = self.exemplar.schema.__dict__["declared_fields"]
        if all(_METHOD_NAMES.isdisjoint(field.__dict__) for field in declared.values()):
            return
        self._method_owner = copied
        for field in list(self._clones.values()):
            if not _METHOD_NAMES.isdisjoint(field.__dict__):
                field._bind_to_schema(field.name, copied)


_ABSENT = object()
_FOUND_LATER = "_schema"
"""Where a nested field keeps its schema, once that was needed."""
_HOLDING = frozenset([*INNER, "tuple_fields"])
"""Where a field has fields inside of it."""
_LISTS = ("validators", "pre_load", "post_load", "tuple_fields")


class FieldsSnapshot:
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
        if computes_attributes(field):
            return  # its schema runs as stock
        own = field.__dict__
        self._attributes.append((field, _copied(own), type(field)))
        if not _HOLDING.isdisjoint(own):
            for inner in inner_fields(field):
                self._add(inner)

    def is_current(self, made: Mapping[str, dict[str, Any]]) -> bool:
        """Return whether a schema still has those fields, and these the attributes that they had.

        :param made: as for the snapshot; some of the attributes of the schema may be left out
        """
        for name, fields in made.items():
            if list(fields.items()) != self._items[name]:
                return False
        for field, seen, cls in self._attributes:
            if type(field) is not cls:
                return False
            if field.__dict__ != seen and not _accept_if_alike(field.__dict__, seen, cls):
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


def _accept_if_alike(own: dict[str, Any], seen: dict[str, Any], cls: type) -> bool:
    """Return whether no attribute that says what a field does has changed.

    Then the snapshot takes what else has changed, such as what a user's field keeps for itself.
    """
    for name in own.keys() | seen.keys():
        value, before = own.get(name, _ABSENT), seen.get(name, _ABSENT)
        if value is before or name == _FOUND_LATER:
            continue
        if name in METHODS:
            value, before = (getattr(each, "__func__", each) for each in (value, before))
        is_deciding = cls in FIELD_CLASSES or name in OPTIONS or hasattr(cls, name)
        if is_deciding and (type(value) is not type(before) or value != before):
            return False
    for name in seen.keys() - own.keys():
        seen.pop(name, None)
    seen.update(_copied(own))  # never empty: another thread may be comparing
    return True
