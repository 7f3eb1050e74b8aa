"""Makers for ``OneOfSchema``: what its ``dump`` and ``load`` do to one object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, ValidationError
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from fastschema.marshmallow.record import SchemaRecord
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.registration import Refused

OWN_DUMP = {"_dump": stock_method(OneOfSchema, "_dump")}
OWN_LOAD = {"_load": stock_method(OneOfSchema, "_load")}
"""What a schema that is compiled has not overridden."""
_HAS_CONTEXT = hasattr(Schema(), "context")  # marshmallow 3
Function = Callable[[Any], Any]


class _Schemas:
    """By the name of a type, what its schema does to an object.

    Stock makes a schema for each object, where a type has no schema object. One takes the place of
    all of them if no code of users sees or makes it.
    """

    def __init__(
        self,
        schema: Any,
        direction: str,
        compiled: Callable[[Any], Function],
        by_method: Callable[[Any, Any], Any],
    ) -> None:
        self._schema = schema
        self._direction = direction
        self._compiled = compiled
        self._by_method = by_method
        self._known: dict[Any, tuple[Any, Function]] = {}

    def find(self, name: Any) -> Function | None:
        type_schema = self._schema.type_schemas.get(name)
        if not type_schema:
            return None
        entry = self._known.get(name)
        if entry is None or entry[0] is not type_schema:
            entry = self._known[name] = type_schema, self._function(type_schema)
        return entry[1]

    def _function(self, type_schema: Any) -> Function:
        if isinstance(type_schema, Schema):
            schema = type_schema
        elif self._is_unseen(type_schema):
            schema = type_schema()
        else:
            return lambda value: self._by_method(self._in_context(type_schema()), value)
        function = self._compiled(schema)
        if not _HAS_CONTEXT:
            return function

        def in_context(value: Any) -> Any:
            self._in_context(schema)
            return function(value)

        return in_context

    def _is_unseen(self, type_schema: Any) -> bool:
        if not isinstance(type_schema, type):
            return False  # a function, say
        record = SchemaRecord.of(type_schema)
        return record.refresh() and record.is_unseen(self._direction)

    def _in_context(self, schema: Any) -> Any:
        if _HAS_CONTEXT:
            schema.context.update(self._schema.context)
        return schema


def dump_one_of(schema: Any, compiled: Any) -> Function:
    if overridden(schema, OWN_DUMP):
        raise Refused

    def by_method(type_schema: Any, obj: Any) -> Any:
        return type_schema.dump(obj, many=False)

    schemas = _Schemas(schema, "dump", compiled, by_method)

    def dump(obj: Any) -> Any:
        name = schema.get_obj_type(obj)
        if name is None:
            return None, {"_schema": f"Unknown object class: {obj.__class__.__name__}"}
        dump_by_type = schemas.find(name)
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
    return error.normalized_messages()


def load_by_type(schema: Any, compiled: Any) -> Function:
    """Return what loads data by the schema for their type, as ``OneOfSchema._load``."""
    options: dict[str, Any] = {}

    def by_options(type_schema: Any) -> Function:
        return compiled.with_options(type_schema, options)  # type: ignore[no-any-return]  # a function

    def by_method(type_schema: Any, data: Any) -> Any:
        return type_schema.load(data, many=False, **options)

    schemas = _Schemas(schema, "load", by_options, by_method)

    def load(data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValidationError({"_schema": f"Invalid data type: {data}"})
        data = dict(data)
        options.update(partial=schema.partial, unknown=schema.unknown)
        name = schema.get_data_type(data)
        if name is None:
            raise ValidationError({schema.type_field: ["Missing data for required field."]})
        try:
            load_typed = schemas.find(name)
        except TypeError as error:  # it cannot be hashed
            raise ValidationError({schema.type_field: [f"Invalid value: {name}"]}) from error
        if load_typed is None:
            raise ValidationError({schema.type_field: [f"Unsupported value: {name}"]})
        return load_typed(data)

    return load
