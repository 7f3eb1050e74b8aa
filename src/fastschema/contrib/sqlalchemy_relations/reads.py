"""Which attributes a schema reads of each object, and of the objects behind those.

Found without code of users, before the first object is dumped: what only that code can tell is not
known. Whoever loads relations on demand is called with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from marshmallow import Schema
from marshmallow.fields import List, Nested

from fastschema.marshmallow.customization import (
    IS_MARSHMALLOW_3,
    has_hooks,
    makes_fields_as_stock,
    nested_class,
    unseen_schemas,
)
from fastschema.marshmallow.dump import DUMP, overrides_dump
from fastschema.marshmallow.schema_program import SchemaProgram
from fastschema.marshmallow.sqlalchemy import makes_schemas
from fastschema.marshmallow.states import find_compiled, find_nested
from fastschema.runtime import thresholds

Reads = Sequence[tuple[str, Callable[[], "Reads"]]]
"""Attributes, each with what gives those that are read of the objects there."""


def compiled_of(schema: Any) -> SchemaProgram | None:
    """Return what a schema runs; None if stock dumps by it."""
    compiled = find_compiled(schema, DUMP, thresholds.MANY)
    return None if compiled is None or compiled.program is None else compiled


def reads_of(schema: Any, compiled: SchemaProgram | None = None) -> Reads:
    """Return what a schema is sure to read of each object that it dumps."""
    compiled = compiled or compiled_of(schema)
    return [] if compiled is None or compiled.program is None else list(_reads(compiled))


def _reads(compiled: SchemaProgram) -> Iterator[tuple[str, Callable[[], Reads]]]:
    for number, node in enumerate(compiled.program.node.fields):
        if node.source.path:
            first, *rest = node.source.path
            is_nested = node.kind.nested_slot is not None or node.kind.item_slot is not None
            field = compiled.fields[number] if is_nested else None
            yield first, partial(_further, rest, field, compiled)


def _further(rest: list[str], field: Any, outer: SchemaProgram) -> Reads:
    """Return what is read behind an attribute: by the rest of the path, or a nested field."""
    if rest:
        return [(rest[0], partial(_further, rest[1:], field, outer))]
    while issubclass(type(field), List):
        field = field.inner
    schema = _schema_of(field) if issubclass(type(field), Nested) else None
    if schema is None or has_hooks(schema, "dump") or overrides_dump(schema) is not None:
        return []
    compiled = find_nested(schema, DUMP, outer.nested)
    return [] if compiled is None else reads_of(schema, compiled)


def _schema_of(field: Any) -> Any:
    """Return the schema of a nested field; None if code of users takes part in making it."""
    if vars(field).get("_schema") is not None:
        return field.schema
    root = type(field.root)
    cls = nested_class(field.nested, root)
    if cls is None or not (cls.__init__ is Schema.__init__ or makes_schemas(cls.__init__)):
        return None
    # marshmallow 3 gives it the context that its outer schema has by then.
    is_alike = not IS_MARSHMALLOW_3 or unseen_schemas(field, root, "dump") is not None
    return field.schema if is_alike and makes_fields_as_stock(cls) else None
