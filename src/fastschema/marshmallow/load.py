"""Loading by marshmallow schemas: what stock does around the generated code."""

from __future__ import annotations

import inspect
import json as standard_json
from collections.abc import Callable
from typing import Any

from marshmallow import Schema, ValidationError
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES_SCHEMA

from fastschema import json
from fastschema.marshmallow.bound_load import (
    ErrorStore,
    Load,
    deserialize_as_stock,
    find_compiled_load,
    idle_loads,
    is_plain_partial,
    overrides_load,
)
from fastschema.marshmallow.pending import checked_unknown
from fastschema.marshmallow.schema_state import Compiled
from fastschema.marshmallow.sqlalchemy import load_instances, loads_instances
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.programs import programs
from fastschema.statistics import recorder, stock_row
from fastschema.switch import is_disabled

STOCK_LOADS = stock_method(Schema, "loads")
_LOADS = {"loads": STOCK_LOADS}
_VALIDATE = {"validate": stock_method(Schema, "validate")}
_JSON_LOADS = standard_json.loads
_JSON_DECODER = vars(standard_json)["_default_decoder"]


def parses_as_stock(schema: Any) -> bool:
    """Whether ``json.loads`` parses what the schema's ``loads`` is given."""
    return (
        schema.opts.render_module is standard_json
        and standard_json.loads is _JSON_LOADS
        and vars(standard_json)["_default_decoder"] is _JSON_DECODER
        and not is_disabled()
    )


def load(schema: Any, data: Any, compiled: Compiled | None = None, **options: Any) -> Any:
    """Return what ``Schema.load`` returns, compiled between its hooks, be it installed or not.

    :param compiled: that of a plan
    :param options: ``many``, ``partial`` and ``unknown``, as for ``Schema.load``
    :raises ValidationError: as stock
    """
    if overrides_load(schema) is not None:
        return schema.load(data, **options)
    return _load(schema, data, **options, compiled=compiled)


def _load(schema: Any, data: Any, **options: Any) -> Any:
    """Return what ``Schema.load`` returns, or that of marshmallow-sqlalchemy."""
    if loads_instances(type(schema).load):
        return load_instances(schema, lambda: do_load(schema, data, **options))
    return do_load(schema, data, **options)


def has_own_methods(schema: Any) -> bool:
    """Return whether a schema loads, or validates, by methods of its own."""
    return bool(overrides_load(schema) or overridden(schema, {**_LOADS, **_VALIDATE}))


def loads(
    schema: Any, text: str | bytes | bytearray, compiled: Compiled | None = None, **options: Any
) -> Any:
    """Return what :func:`load` returns for the value of a JSON text.

    A schema that overrides ``loads`` or ``load`` reads the text itself.

    :raises ValueError: what ``json.loads`` raises
    :raises ValidationError: as stock
    """
    if overrides_load(schema) or overridden(schema, _LOADS):
        return schema.loads(text, **options)
    return _load(schema, json.loads(text), **options, compiled=compiled)


def validate(schema: Any, data: Any, compiled: Compiled | None = None, **options: Any) -> Any:
    """Return what ``Schema.validate`` returns: the messages of all errors, or an empty dictionary.

    :param compiled: that of a plan
    :param options: ``many`` and ``partial``, as for ``Schema.validate``
    """
    if overrides_load(schema) or overridden(schema, _VALIDATE):
        return schema.validate(data, **options)
    try:
        do_load(schema, data, **options, postprocess=False, compiled=compiled)
    except ValidationError as error:
        return error.messages
    return {}


def do_load(
    schema: Any,
    data: Any,
    *,
    many: bool | None = None,
    partial: Any = None,
    unknown: Any = None,
    postprocess: bool = True,
    compiled: Compiled | None = None,
) -> Any:
    """Return what ``Schema._do_load`` returns, with compiled code for ``_deserialize``.

    :param compiled: that of a plan
    :raises ValidationError: as stock
    """
    many = schema.many if many is None else bool(many)
    unknown = schema.unknown if unknown is None else checked_unknown(unknown)
    partial = schema.partial if partial is None else partial
    options = {"many": many, "partial": partial, "unknown": unknown}
    errors: Any = {}
    result = None
    processed = data
    hooks = schema._hooks
    try:
        if hooks.get(PRE_LOAD):
            processed = _process(schema, PRE_LOAD, data, data, options)
    except ValidationError as error:
        errors = _normalized_messages(error)
        if not errors:
            raise  # stock fails, too, by an UnboundLocalError
    if not errors:
        store = ErrorStore()
        result = deserialize(schema, processed, store, many, partial, unknown, None, compiled)
        schema._invoke_field_validators(error_store=store, data=result, many=many)
        if hooks.get(VALIDATES_SCHEMA):
            _validate_schema(schema, result, data, store, options)
        errors = store.errors
        if not errors and postprocess and hooks.get(POST_LOAD):
            try:
                result = _process(schema, POST_LOAD, result, data, options)
            except ValidationError as error:
                errors = _normalized_messages(error)
    if errors:
        exception = ValidationError(errors, data=data, valid_data=result)
        schema.handle_error(exception, data, many=many, partial=partial)
        raise exception
    return result


def _parameters(method: Callable[..., Any]) -> Any:
    return inspect.signature(method).parameters


_normalized_messages: Any = ValidationError.normalized_messages  # it has no types
# marshmallow 3 and 4 pass their hooks different things.
_PROCESSORS_TAKE_UNKNOWN = "unknown" in _parameters(Schema._invoke_load_processors)
_VALIDATORS_TAKE_UNKNOWN = "unknown" in _parameters(Schema._invoke_schema_validators)
_PASS_COLLECTION = next(
    name
    for name in ("pass_collection", "pass_many")
    if name in _parameters(Schema._invoke_schema_validators)
)


def _process(schema: Any, tag: str, data: Any, original: Any, options: dict[str, Any]) -> Any:
    """Call the hooks of one sort."""
    if not _PROCESSORS_TAKE_UNKNOWN:
        options = {name: options[name] for name in ("many", "partial")}
    return schema._invoke_load_processors(tag, data, original_data=original, **options)


def _validate_schema(
    schema: Any, result: Any, data: Any, store: Any, options: dict[str, Any]
) -> None:
    """Call the ``validates_schema`` hooks, those for whole collections first."""
    if not _VALIDATORS_TAKE_UNKNOWN:
        options = {name: options[name] for name in ("many", "partial")}
    field_errors = bool(store.errors)
    for pass_collection in (True, False):
        schema._invoke_schema_validators(
            error_store=store,
            data=result,
            original_data=data,
            field_errors=field_errors,
            **{_PASS_COLLECTION: pass_collection},
            **options,
        )


def deserialize(
    schema: Any,
    data: Any,
    error_store: Any,
    many: bool,
    partial: Any,
    unknown: Any,
    index: int | None,
    compiled: Compiled | None = None,
) -> Any:
    """Return what ``Schema._deserialize`` returns, by generated code where the schema can be
    compiled.

    :param compiled: that of a plan
    """
    is_plain = type(data) is list or type(data) is tuple if many else type(data) is dict
    if is_plain and not is_disabled() and is_plain_partial(partial):
        if compiled is None:
            compiled = find_compiled_load(schema, len(data) if many else 1)
        if compiled is not None and compiled.program is not None:
            programs.used(compiled.program)
            idle = idle_loads(compiled, partial, unknown)
            try:
                load: Load = idle.pop() if idle else Load(compiled, partial, unknown, _load)
            except IndexError:  # another thread was faster
                load = Load(compiled, partial, unknown, _load)
            bound = load.begin(schema, error_store)
            if many:
                result = load.rows(bound, data)
            else:
                recorder.compiled_row(load.program)
                result = bound[0](data, index if schema.opts.index_errors else None)
            load.end(idle)
            return result
    result = deserialize_as_stock(schema, data, error_store, many, partial, unknown, index)
    recorder.stock(len(result)) if many else stock_row()
    return result
