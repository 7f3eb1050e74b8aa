"""Making ``Schema.dump`` use plans."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema

from fastschema.marshmallow.dumping import KNOWN_SERIALIZE, STOCK_SERIALIZE, serialize


def _serialize(self: Any, obj: Any, *, many: bool = False) -> Any:
    """``Schema._serialize``, compiled: what ``Schema.dump`` calls between its hooks."""
    if many and obj is not None and type(self)._serialize is not _serialize:
        # A subclass overrides it and called super(): stock calls the override for each object.
        return STOCK_SERIALIZE(self, obj, many=many)
    return serialize(self, obj, many)


KNOWN_SERIALIZE.add(_serialize)


def install() -> None:
    """Make ``Schema.dump`` use plans, for all schemas, defined before or after.

    Installing again does nothing.
    """
    Schema._serialize = _serialize  # type: ignore[method-assign]  # the point of it


def uninstall() -> None:
    """Give ``Schema`` its own methods back."""
    Schema._serialize = STOCK_SERIALIZE  # type: ignore[method-assign]  # as above
