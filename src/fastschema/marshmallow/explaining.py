"""How a marshmallow schema is dumped and loaded, field by field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from marshmallow.fields import List, Nested

from fastschema.marshmallow import load_reader, reader
from fastschema.marshmallow.dumping import overrides_dump
from fastschema.marshmallow.load_overrides import overrides_load
from fastschema.nodes import UnreadableError
from fastschema.report import FieldReport, Report, field_reports, load_field_reports, with_nested

Explain = Callable[[Any, tuple[Any, ...]], Report]
"""Tells of a schema; what it finds in the programs of the schemas above was told already."""


def explain(schema: Any) -> Report:
    """How a schema is dumped and loaded, nested schemas included."""
    return replace(_explain_dump(schema, ()), loading=_explain_load(schema, ()))


def _explain_dump(schema: Any, above: tuple[Any, ...]) -> Report:
    name = type(schema).__name__
    reason = overrides_dump(schema)
    if reason is not None:
        return Report(name, [], reason)
    try:
        program, fields = reader.read(schema)
    except UnreadableError as error:
        return Report(name, [], str(error))
    reports = field_reports(program.node)
    return Report(name, _with_nested(reports, fields, program, above, _explain_dump))


def _explain_load(schema: Any, above: tuple[Any, ...]) -> Report:
    name = type(schema).__name__
    reason = overrides_load(schema)
    if reason is not None:
        return Report(name, [], reason)
    try:
        program, fields = load_reader.read(schema)
    except UnreadableError as error:
        return Report(name, [], str(error))
    reports = load_field_reports(program.node)
    return Report(name, _with_nested(reports, fields, program, above, _explain_load))


def _with_nested(
    reports: list[FieldReport],
    fields: list[Any],
    program: Any,
    above: tuple[Any, ...],
    explain_schema: Explain,
) -> list[FieldReport]:
    nested: dict[str, Report] = {}
    if program not in above:  # a schema that nests itself is told of once
        for report, field in zip(reports, fields, strict=True):
            if report.compiled:
                key, above_it = report.key, (*above, program)
                nested.update(_explain_nested(key, field, above_it, explain_schema))
    return with_nested(reports, nested)


def _explain_nested(
    key: str, field: Any, above: tuple[Any, ...], explain_schema: Explain
) -> dict[str, Report]:
    """The report on a field's nested schema, by the field's key; empty if it has none."""
    while isinstance(field, List):
        field = field.inner
    if not isinstance(field, Nested):
        return {}
    try:
        schema = field.schema
    except Exception as error:  # stock raises it when the first object is dumped
        return {key: Report(str(field.nested), [], f"its schema cannot be found: {error}")}
    return {key: explain_schema(schema, above)}
