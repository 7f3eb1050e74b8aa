"""Making ``Schema.dump`` and ``Schema.load`` use plans."""

from __future__ import annotations

from typing import Any

from marshmallow import RAISE, Schema

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


def install() -> None:
    """Make ``Schema.dump`` and ``Schema.load`` use plans, for all schemas, defined before or after.

    Installing again does nothing.
    """
    Schema._serialize = _serialize  # type: ignore[method-assign]  # the point of it
    Schema._deserialize = _deserialize  # type: ignore[method-assign]  # the point of it


def uninstall() -> None:
    """Give ``Schema`` its own methods back."""
    Schema._serialize = STOCK_SERIALIZE  # type: ignore[method-assign]  # as above
    Schema._deserialize = STOCK_DESERIALIZE  # type: ignore[method-assign]  # as above
