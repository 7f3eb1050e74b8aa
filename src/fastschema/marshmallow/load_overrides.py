"""What of loading a marshmallow schema does by itself, and what as stock."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from marshmallow import Schema
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from fastschema.marshmallow.pending import for_stock
from fastschema.marshmallow.sqlalchemy import loads_instances
from fastschema.runtime.patching import stock_method

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


CALL_AND_STORE = stock_method(Schema, "_call_and_store")
_METHODS = ("load", "_do_load", "_call_and_store", "_invoke_field_validators", "_deserialize")
_KNOWN = [{stock_method(Schema, name)} for name in _METHODS[:-1]] + [KNOWN_DESERIALIZE]
_methods_of = attrgetter(*_METHODS)


def overrides_load(schema: Any) -> str | None:
    """Why a schema's own code loads instead of stock's, or None."""
    own = schema.__dict__
    for name, method, known in zip(_METHODS, _methods_of(type(schema)), _KNOWN, strict=True):
        is_known = method in known or (name == "load" and loads_instances(method))
        if not is_known or name in own:
            return f"{name} is overridden"
    return None


def has_load_hooks(schema: Any) -> bool:
    """Whether a schema has hooks that take part in loading."""
    hooks = schema._hooks
    if not hooks:
        return False
    get = hooks.get
    return bool(get(PRE_LOAD) or get(POST_LOAD) or get(VALIDATES) or get(VALIDATES_SCHEMA))
