"""Which schema classes dump and load without user code that sees a schema or a field.

All schemas of such a class can dump by one and the same: nobody can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from marshmallow import Schema, class_registry, fields
from marshmallow.decorators import (
    POST_DUMP,
    POST_LOAD,
    PRE_DUMP,
    PRE_LOAD,
    VALIDATES,
    VALIDATES_SCHEMA,
)

from fastschema.marshmallow.plain_classes import FIELD_CLASSES, inner_fields, makes_fields_as_stock

_HOOKS = {
    "dump": (PRE_DUMP, POST_DUMP),
    "load": (PRE_LOAD, POST_LOAD, VALIDATES, VALIDATES_SCHEMA),
}
_METHODS = {
    "dump": ("dump", "_serialize", "get_attribute"),
    "load": ("load", "_do_load", "_deserialize", "handle_error", "_invoke_field_validators"),
}
_SEEING_FIELDS: set[type] = {fields.Method}
"""The classes of marshmallow whose fields call user code that sees a schema."""
if hasattr(fields.Function, "_call_or_raise"):  # in marshmallow 3 they pass the schema's context
    _SEEING_FIELDS.add(fields.Function)


def is_independent(cls: Any, direction: str) -> bool:
    """Return whether no user code that takes part sees a schema of a class, or a field.

    The hooks of the schema itself do not matter, as they are called outside of the generated code;
    those of nested schemas do.

    :param direction: "dump" or "load"
    """
    return _has_stock_methods(cls, direction) and _has_blind_fields(cls, direction, {cls})


def _has_stock_methods(cls: Any, direction: str) -> bool:
    return all(getattr(cls, name) is getattr(Schema, name) for name in _METHODS[direction])


def _has_blind_fields(cls: Any, direction: str, seen: set[Any]) -> bool:
    for field in _all_fields(cls._declared_fields.values()):
        if type(field) not in FIELD_CLASSES or type(field) in _SEEING_FIELDS:
            return False
        if isinstance(field, fields.Nested):
            nested = _nested_class(field.nested, cls)
            if nested is None:
                return False
            if nested in seen:
                continue
            seen.add(nested)
            if not _is_blind(nested, direction, seen):
                return False
    return True


def _is_blind(nested: Any, direction: str, seen: set[Any]) -> bool:
    hooks = nested._hooks
    return (
        not any(hooks.get(tag) for tag in _HOOKS[direction])
        and nested.__init__ is Schema.__init__
        and makes_fields_as_stock(nested)
        and _has_stock_methods(nested, direction)
        and _has_blind_fields(nested, direction, seen)
    )


def _nested_class(nested: Any, cls: Any) -> Any:
    """Return the class of a nested schema; None if user code says which one it is."""
    if isinstance(nested, str):
        if nested == "self" and hasattr(Schema, "context"):  # in marshmallow 3
            return cls
        try:
            return class_registry.get_class(nested, all=False)
        except Exception:
            return None  # stock raises it when the nested schema is needed
    if isinstance(nested, type) and issubclass(nested, Schema):
        return nested
    return type(nested) if isinstance(nested, Schema) else None


def _all_fields(declared: Any) -> Iterator[Any]:
    for field in declared:
        yield field
        yield from _all_fields(inner_fields(field))
