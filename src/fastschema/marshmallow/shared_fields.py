"""The fields that a schema shares with its copies."""

from __future__ import annotations

from typing import Any

from fastschema.marshmallow.exemplars import METHODS, Exemplar, clone

NAMES = ("declared_fields", "fields", "load_fields", "dump_fields")
"""The attributes of a schema that hold its fields."""
_Made = dict[str, dict[str, Any]]
_METHOD_NAMES = frozenset(METHODS)


class SharedFields:
    """The fields of a schema and of its copies: stock copies a schema, but not its fields.

    Methods are given the schema that was there first, which is the parent of all fields.
    """

    made: _Made | None = None
    """The fields by :data:`NAMES`, once somebody has looked at them."""

    def __init__(self, exemplar: Exemplar) -> None:
        self.exemplar = exemplar
        self._clones: dict[int, Any] = {}
        self._method_owner: Any = None
        """The copy that was bound last, if a field has methods of its schema."""

    def field(self, schema: Any, field: Any) -> Any:
        """Return the field that is like one of the exemplar."""
        cloned = self._clones.get(id(field))
        if cloned is None:
            cloned = clone(field, self.exemplar.schema, schema, schema)
            if self._method_owner is not None and not _METHOD_NAMES.isdisjoint(cloned.__dict__):
                cloned._bind_to_schema(cloned.name, self._method_owner)
            cloned = self._clones.setdefault(id(field), cloned)
        return cloned

    def fields(self, schema: Any, name: str) -> dict[str, Any]:
        originals = self.exemplar.schema.__dict__[name]
        fields: dict[str, Any] = type(originals)()
        for key, field in originals.items():
            fields[key] = self.field(schema, field)
        return fields

    def make(self, schema: Any) -> _Made:
        """Return all fields, by :data:`NAMES`: the same for threads that ask at the same time."""
        if self.made is None:
            vars(self).setdefault("made", {name: self.fields(schema, name) for name in NAMES})
        assert self.made is not None
        return self.made

    def bind_methods(self, copied: Any) -> None:
        """Let fields that nobody has looked at call the methods of a copy, as stock does."""
        if not self.exemplar.binds_methods:
            return
        self._method_owner = copied
        for field in list(self._clones.values()):
            if not _METHOD_NAMES.isdisjoint(field.__dict__):
                field._bind_to_schema(field.name, copied)
