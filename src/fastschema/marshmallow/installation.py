"""Making ``Schema.dump`` and ``Schema.load`` use plans, and new schemas take less time to make."""

from __future__ import annotations

import copy
from typing import Any

import marshmallow.schema
from marshmallow import RAISE, Schema
from marshmallow.fields import Field

from fastschema.marshmallow.binding import init_fields
from fastschema.marshmallow.copying import Copy, deepcopy_field
from fastschema.marshmallow.dumping import KNOWN_SERIALIZE, STOCK_SERIALIZE, serialize
from fastschema.marshmallow.loading import KNOWN_DESERIALIZE, STOCK_DESERIALIZE, deserialize


def _serialize(self: Any, obj: Any, *, many: bool = False) -> Any:
    """``Schema._serialize``, compiled: what ``Schema.dump`` calls between its hooks."""
    if many and obj is not None and type(self)._serialize is not _serialize:
        # A subclass overrides it and called super(): stock calls the override for each object.
        return STOCK_SERIALIZE(self, obj, many=many)
    return serialize(self, obj, many)


def _deserialize(
    self: Any,
    data: Any,
    *,
    error_store: Any,
    many: bool = False,
    partial: Any = None,
    unknown: Any = RAISE,
    index: int | None = None,
) -> Any:
    """``Schema._deserialize``, compiled: what ``Schema.load`` calls between its hooks."""
    options: dict[str, Any] = {"many": many, "partial": partial, "unknown": unknown, "index": index}
    if many and type(self)._deserialize is not _deserialize:
        # A subclass overrides it and called super(): stock calls the override for each row.
        return STOCK_DESERIALIZE(self, data, error_store=error_store, **options)
    return deserialize(self, data, error_store, **options)


KNOWN_SERIALIZE.add(_serialize)
KNOWN_DESERIALIZE.add(_deserialize)


_FAST: list[tuple[Any, str, Any]] = [
    (Schema, "_serialize", _serialize),
    (Schema, "_deserialize", _deserialize),
    (Schema, "_init_fields", init_fields),
    (Field, "__deepcopy__", deepcopy_field),
]
if getattr(marshmallow.schema, "copy", None) is copy:  # by which Schema.__init__ copies fields
    _FAST.append((marshmallow.schema, "copy", Copy()))
_REPLACEMENTS = [(owner, name, getattr(owner, name), fast) for owner, name, fast in _FAST]
_replaced: list[tuple[Any, str, Any]] = []


def install() -> None:
    """Make ``Schema.dump`` and ``Schema.load`` use plans, for all schemas, defined before or after.

    A method that somebody else has replaced since fastschema was imported stays as it is.
    Installing again does nothing.
    """
    for owner, name, stock, replacement in _REPLACEMENTS:
        if getattr(owner, name) is stock:
            setattr(owner, name, replacement)
            _replaced.append((owner, name, stock))


def uninstall() -> None:
    """Give marshmallow its own methods back, where ``install`` has replaced them."""
    while _replaced:
        owner, name, stock = _replaced.pop()
        setattr(owner, name, stock)
