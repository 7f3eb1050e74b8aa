"""Making ``Schema.dump`` and ``Schema.load`` use plans, and new schemas take less time to make."""

from __future__ import annotations

import copy
from typing import Any

import marshmallow.schema
from marshmallow import RAISE, Schema
from marshmallow.fields import Field

from fastschema.marshmallow.binding import bind_to_schema, init_fields
from fastschema.marshmallow.copying import deepcopy_field, fast_copy
from fastschema.marshmallow.dumping import KNOWN_SERIALIZE, STOCK_SERIALIZE, serialize
from fastschema.marshmallow.initializing import ARE_MADE_FROM_TEMPLATES, forget, initialize
from fastschema.marshmallow.load_overrides import KNOWN_DESERIALIZE, deserialize_as_stock
from fastschema.marshmallow.loading import deserialize
from fastschema.marshmallow.noticing import delete_attribute, set_attribute
from fastschema.recognition import Recognizer
from fastschema.writes import writes


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
    if many and type(self)._deserialize is not _deserialize:
        # A subclass overrides it and called super(): stock calls the override for each row.
        return deserialize_as_stock(self, data, error_store, many, partial, unknown, index)
    return deserialize(self, data, error_store, many, partial, unknown, index)


KNOWN_SERIALIZE.add(_serialize)
KNOWN_DESERIALIZE.add(_deserialize)


_FAST: list[tuple[Any, str, Any]] = [
    (Schema, "_serialize", _serialize),
    (Schema, "_deserialize", _deserialize),
    (Schema, "_init_fields", init_fields),
    (Field, "__deepcopy__", deepcopy_field),
    (Field, "_bind_to_schema", bind_to_schema),
    (Field, "__setattr__", set_attribute),
    (Field, "__delattr__", delete_attribute),
]
if ARE_MADE_FROM_TEMPLATES:
    _FAST.append((Schema, "__init__", initialize))
if getattr(marshmallow.schema, "copy", None) is copy:  # by which Schema.__init__ copies fields
    _FAST.append((marshmallow.schema, "copy", fast_copy))
_REPLACEMENTS = [(owner, name, getattr(owner, name), fast) for owner, name, fast in _FAST]
_INHERITED = object()
_replaced: list[tuple[Any, str, Any]] = []


def install() -> None:
    """Make ``Schema.dump`` and ``Schema.load`` use plans, for all schemas, defined before or after.

    A method that somebody else has replaced since fastschema was imported stays as it is.
    Installing again does nothing.
    """
    for owner, name, stock, replacement in _REPLACEMENTS:
        if getattr(owner, name) is stock:
            _replaced.append((owner, name, vars(owner).get(name, _INHERITED)))
            setattr(owner, name, replacement)
    if (Field.__setattr__, Field.__delattr__) == (set_attribute, delete_attribute):
        writes.begin(set_attribute, delete_attribute)


def uninstall() -> None:
    """Give marshmallow its own methods back, where ``install`` has replaced them."""
    while _replaced:
        owner, name, stock = _replaced.pop()
        if stock is _INHERITED:
            delattr(owner, name)
        else:
            setattr(owner, name, stock)
    writes.end()
    Recognizer.let_go()
    forget()
