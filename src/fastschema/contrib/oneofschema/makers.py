"""Makers for ``OneOfSchema``: what its ``dump`` and ``load`` do to one object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, ValidationError
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from fastschema.marshmallow.exemplars import STOCK_INIT
from fastschema.registration import Refused
from fastschema.runtime.patching import is_stock, overridden, stock_method

OWN_DUMP = {"_dump": stock_method(OneOfSchema, "_dump")}
OWN_LOAD = {"_load": stock_method(OneOfSchema, "_load")}
"""What a schema that is compiled has not overridden."""
_HAS_CONTEXT = hasattr(Schema(), "context")  # marshmallow 3
Function = Callable[[Any], Any]


class _Schemas(dict[Any, Function | None]):
    """By the name of a type, what its schema does to an object; None if there is no such type.

    :param schema: the ``OneOfSchema``
    :param compiled: from a schema to what it does to an object
    :param by_new: from the class of a schema, whose objects code of users makes, to the same
    """

    def __init__(
        self, schema: Any, compiled: Callable[[Any], Function], by_new: Callable[[Any], Function]
    ) -> None:
        self._schema = schema
        self._compiled = compiled
        self._by_new = by_new

    def __missing__(self, name: Any) -> Function | None:
        type_schema = self._schema.type_schemas.get(name)
        if not type_schema:
            return None
        init = getattr(type_schema, "__init__")  # noqa: B009  # of a class
        if isinstance(type_schema, type) and not is_stock(init, STOCK_INIT):
            function = self._by_new(type_schema)
        else:
            found = type_schema if isinstance(type_schema, Schema) else type_schema()
            function = self._in_context(found, self._compiled(found))
        self[name] = function
        return function

    def _in_context(self, schema: Any, function: Function) -> Function:
        if not _HAS_CONTEXT:
            return function

        def in_context(value: Any) -> Any:
            schema.context.update(self._schema.context)
            return function(value)

        return in_context

    def made(self, schema_class: Any) -> Any:
        """Return a new schema, as stock makes one for each object."""
        schema = schema_class()
        if _HAS_CONTEXT:
            schema.context.update(self._schema.context)
        return schema


def dump_one_of(schema: Any, compiled: Any) -> Function:
    """Return what dumps an object by the schema for its type."""
    if overridden(schema, OWN_DUMP):
        raise Refused

    def by_new(schema_class: Any) -> Function:
        return lambda obj: schemas.made(schema_class).dump(obj, many=False)

    schemas = _Schemas(schema, compiled, by_new)

    def dump(obj: Any) -> Any:
        name = schema.get_obj_type(obj)
        if name is None:
            return None, {"_schema": f"Unknown object class: {obj.__class__.__name__}"}
        dump_by_type = schemas[name]
        if dump_by_type is None:
            return None, {"_schema": f"Unsupported object type: {name}"}
        result = dump_by_type(obj)
        if result is not None:
            result[schema.type_field] = name
        return result

    return dump


def load_one_of(schema: Any, compiled: Any) -> Function:
    """Return what ``OneOfSchema.load`` does to data, which puts what is valid into a list."""
    if overridden(schema, OWN_LOAD):
        raise Refused
    load_row = load_by_type(schema, compiled)

    def load(data: Any) -> Any:
        try:
            return load_row(data)
        except ValidationError as error:
            errors, valid_data = messages_of(error), [error.valid_data]
        if not errors:
            return valid_data
        raise ValidationError(errors, data=data, valid_data=valid_data)

    return load


def messages_of(error: Any) -> Any:
    """Return the messages of an error, for which marshmallow has no types."""
    return error.normalized_messages()


def load_by_type(schema: Any, compiled: Any) -> Function:
    """Return what loads data by the schema for their type, as ``OneOfSchema._load``."""
    options = {"partial": schema.partial, "unknown": schema.unknown}

    def by_new(schema_class: Any) -> Function:
        return lambda data: schemas.made(schema_class).load(data, many=False, **options)

    schemas = _Schemas(schema, lambda found: compiled.with_options(found, options), by_new)

    def load(data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValidationError({"_schema": f"Invalid data type: {data}"})
        data = dict(data)
        name = schema.get_data_type(data)
        if name is None:
            raise ValidationError({schema.type_field: ["Missing data for required field."]})
        try:
            load_typed = schemas[name]
        except TypeError as error:  # it cannot be hashed
            raise ValidationError({schema.type_field: [f"Invalid value: {name}"]}) from error
        if load_typed is None:
            raise ValidationError({schema.type_field: [f"Unsupported value: {name}"]})
        return load_typed(data)

    return load
