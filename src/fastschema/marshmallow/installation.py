"""Making ``Schema.dump`` and ``Schema.load`` use plans, and new schemas take less time to make."""

from __future__ import annotations

import copy
from importlib.metadata import version
from typing import Any

import marshmallow.schema
from marshmallow import RAISE, Schema
from marshmallow.fields import Field

from fastschema.marshmallow.construction import (
    STOCK_BIND_TO_SCHEMA,
    STOCK_DEEPCOPY,
    STOCK_INIT_FIELDS,
    bind_to_schema,
    deepcopy_field,
    fast_copy,
    init_fields,
)
from fastschema.marshmallow.dump import KNOWN_SERIALIZE, STOCK_SERIALIZE, serialize
from fastschema.marshmallow.load import deserialize
from fastschema.marshmallow.load_overrides import (
    KNOWN_DESERIALIZE,
    STOCK_DESERIALIZE,
    deserialize_as_stock,
)
from fastschema.runtime import policy
from fastschema.runtime.guard import ATTRIBUTE
from fastschema.runtime.stock import Replacements, warn_of_newer
from fastschema.statistics import recorder

_NEWEST_TESTED = (4, 4)


def _serialize(self: Any, obj: Any, *, many: bool = False) -> Any:
    """``Schema._serialize``, compiled: what ``Schema.dump`` calls between its hooks."""
    state = self.__dict__.get(ATTRIBUTE)
    if not many and state is not None and state.stock_below > 1:
        recorder.stock_row()
        return STOCK_SERIALIZE(self, obj)
    is_overridden = type(self)._serialize is not _serialize or "_serialize" in self.__dict__
    if many and obj is not None and is_overridden:
        # Whoever overrides it has called this one: stock calls the override for each object.
        return STOCK_SERIALIZE(self, obj, many=many)
    if many and type(obj) is list and state is not None and len(obj) < state.stock_below:
        recorder.stock(len(obj))
        return [STOCK_SERIALIZE(self, each) for each in obj]
    if not _replacements.are_installed:
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
    is_small = not many and type(data) is dict and len(data) < policy.keys_worth_loading
    if is_small and (not data or policy.has_plain_values(data)):
        recorder.stock_row()
        return STOCK_DESERIALIZE(
            self, data, error_store=error_store, partial=partial, unknown=unknown, index=index
        )
    is_overridden = type(self)._deserialize is not _deserialize or "_deserialize" in self.__dict__
    if (many and is_overridden) or not _replacements.are_installed:
        # Whoever overrides it has called this one: stock calls the override for each row.
        return deserialize_as_stock(self, data, error_store, many, partial, unknown, index)
    return deserialize(self, data, error_store, many, partial, unknown, index)


KNOWN_SERIALIZE.add(_serialize)
KNOWN_DESERIALIZE.add(_deserialize)

_replacements = Replacements(
    [
        (Schema, "_serialize", STOCK_SERIALIZE, _serialize),
        (Schema, "_deserialize", STOCK_DESERIALIZE, _deserialize),
        (Schema, "_init_fields", STOCK_INIT_FIELDS, init_fields),
        (Field, "__deepcopy__", STOCK_DEEPCOPY, deepcopy_field),
        (Field, "_bind_to_schema", STOCK_BIND_TO_SCHEMA, bind_to_schema),
        # By which Schema.__init__ copies fields.
        (marshmallow.schema, "copy", copy, fast_copy),
    ]
)


def install() -> None:
    """Make ``Schema.dump`` and ``Schema.load`` use plans, for all schemas, defined before or after.

    A method that another library has replaced stays as it is. Installing again does nothing.
    """
    if _replacements.are_installed:
        return
    warn_of_newer("marshmallow", version("marshmallow"), _NEWEST_TESTED)
    _replacements.install()


def uninstall() -> None:
    """Give marshmallow its own methods back, where ``install`` has replaced them."""
    _replacements.uninstall()
