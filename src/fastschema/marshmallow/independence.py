"""Which schema classes dump and load without user code that sees a schema or a field.

All schemas of such a class can dump by one and the same: nobody can tell.
"""

from __future__ import annotations

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

from fastschema.marshmallow.plain_classes import FIELD_CLASSES, all_fields, makes_fields_as_stock

_HOOKS = {
    "dump": (PRE_DUMP, POST_DUMP),
    "load": (PRE_LOAD, POST_LOAD, VALIDATES, VALIDATES_SCHEMA),
}
_METHODS = {
    "dump": ("dump", "_serialize", "get_attribute"),
    "load": ("load", "_do_load", "_deserialize", "handle_error", "_invoke_field_validators"),
}
IS_MARSHMALLOW_3 = hasattr(fields.Function, "_call_or_raise")
_SEEING_FIELDS: set[type] = {fields.Method}
"""The classes of marshmallow whose fields call user code that sees a schema."""
if IS_MARSHMALLOW_3:  # they pass the schema's context
    _SEEING_FIELDS.add(fields.Function)


Nested = dict[Any, set[str]]
"""From nested schema classes to the names by which fields refer to them."""


def nested_classes(cls: Any, direction: str) -> Nested | None:
    """Return the classes nested in a schema class; None if user code sees a schema or a field.

    The hooks of the schema itself do not matter, as they are called outside of the generated code;
    those of nested schemas do.

    :param direction: "dump" or "load"
    """
    seen: Nested = {cls: set()}
    if _has_stock_methods(cls, direction) and _has_blind_fields(cls, direction, seen):
        return seen
    return None


def _has_stock_methods(cls: Any, direction: str) -> bool:
    return all(getattr(cls, name) is getattr(Schema, name) for name in _METHODS[direction])


def _has_blind_fields(cls: Any, direction: str, seen: Nested) -> bool:
    for field in all_fields(cls._declared_fields.values()):
        if type(field) not in FIELD_CLASSES or type(field) in _SEEING_FIELDS:
            return False
        if isinstance(field, fields.Nested):
            nested = _nested_class(field.nested, cls)
            if nested is None:
                return False
            is_new = nested not in seen
            names = seen.setdefault(nested, set())
            if isinstance(field.nested, str) and field.nested != "self":
                names.add(field.nested)
            if is_new and not _is_blind(nested, direction, seen):
                return False
    return True


def _is_blind(nested: Any, direction: str, seen: Nested) -> bool:
    hooks = nested._hooks
    return (
        not any(hooks.get(tag) for tag in _HOOKS[direction])
        and nested.__init__ is Schema.__init__
        and makes_fields_as_stock(nested)
        and _has_stock_methods(nested, direction)
        and _has_blind_fields(nested, direction, seen)
    )


def _nested_class(nested: Any, cls: Any) -> Any:
    """Return the class of a nested schema; None if user code gives it, or an object of it."""
    if isinstance(nested, str):
        if nested == "self" and IS_MARSHMALLOW_3:  # in marshmallow 3
            return cls
        return class_of_name(nested)
    return nested if isinstance(nested, type) and issubclass(nested, Schema) else None


def class_of_name(name: str) -> Any:
    """Return the schema class that a name refers to; None if there is none, or more than one."""
    try:
        return class_registry.get_class(name, all=False)
    except Exception:
        return None  # stock raises it when the nested schema is needed
