"""What of loading a marshmallow schema does by itself, and what as stock."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from fastschema.marshmallow.pending import for_stock
from fastschema.marshmallow.sqlalchemy_rules import loads_instances
from fastschema.runtime.stock import stock_method

STOCK_DESERIALIZE = stock_method(Schema, "_deserialize")
KNOWN_DESERIALIZE = {STOCK_DESERIALIZE}
"""``Schema._deserialize`` as stock has it, and as installed."""


def deserialize_as_stock(
    schema: Any,
    data: Any,
    error_store: Any,
    many: bool,
    partial: Any,
    unknown: Any,
    index: int | None,
) -> Any:
    """Return what stock's ``Schema._deserialize`` returns; a pending schema stays pending."""
    return STOCK_DESERIALIZE(
        for_stock(schema, "load_fields"),
        data,
        error_store=error_store,
        many=many,
        partial=partial,
        unknown=unknown,
        index=index,
    )


_STOCK_METHODS = {
    name: stock_method(Schema, name)
    for name in ("load", "_do_load", "_call_and_store", "_invoke_field_validators")
}
_LOAD, _DO_LOAD, CALL_AND_STORE, _INVOKE_FIELD_VALIDATORS = _STOCK_METHODS.values()


def overrides_load(schema: Any) -> str | None:
    """Why a schema's own code loads instead of stock's, or None."""
    if loads_as_stock(schema):
        return None
    cls, own = type(schema), schema.__dict__
    for name, function in _STOCK_METHODS.items():
        if getattr(cls, name) is not function or name in own:
            return f"{name} is overridden"
    return "_deserialize is overridden"


def has_load_hooks(schema: Any) -> bool:
    """Whether a schema has hooks that take part in loading."""
    hooks = schema._hooks
    if not hooks:
        return False
    get = hooks.get
    return bool(get(PRE_LOAD) or get(POST_LOAD) or get(VALIDATES) or get(VALIDATES_SCHEMA))


def loads_as_stock(schema: Any) -> bool:
    """Whether all that loads is stock's own: asked for each load, so without a loop."""
    cls, own = type(schema), schema.__dict__
    return (
        (cls.load is _LOAD or loads_instances(cls.load))
        and cls._do_load is _DO_LOAD
        and cls._call_and_store is CALL_AND_STORE
        and cls._invoke_field_validators is _INVOKE_FIELD_VALIDATORS
        and cls._deserialize in KNOWN_DESERIALIZE
        and "load" not in own
        and "_do_load" not in own
        and "_call_and_store" not in own
        and "_invoke_field_validators" not in own
        and "_deserialize" not in own
    )
