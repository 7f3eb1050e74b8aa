"""How a marshmallow schema is dumped and loaded, field by field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from marshmallow.fields import List, Nested

from fastschema.marshmallow.bound_load import LOAD
from fastschema.marshmallow.customization import HOOKS, hook_names
from fastschema.marshmallow.dump import DUMP
from fastschema.marshmallow.schema_state import Compiled, Direction, read_once
from fastschema.report import Above, Report, field_reports, with_nested


def explain(dumping: Compiled, loading: Compiled) -> Report:
    """How a schema is dumped and loaded, nested schemas included.

    :param dumping: what the schema compiles to for dumping
    :param loading: and for loading
    """
    loading_report = _explain(loading, Above(), LOAD)
    return replace(_explain(dumping, Above(), DUMP), loading=loading_report)


def _explain(compiled: Compiled, above: Above, direction: Direction) -> Report:
    """Return the report on one direction.

    :param above: the schemas in which it is nested
    """
    schema = compiled.schema
    name = type(schema).__name__
    reason = direction.overrides(schema) or compiled.reason
    if reason:
        return Report(name, [], reason, notes=_by_super(reason, direction.name))
    reports = field_reports(compiled.program.node)
    nested: dict[str, Report] = {}
    within = above.with_schema(compiled.program)
    if within is not None:
        for report, field in zip(reports, compiled.fields, strict=True):
            if report.compiled:
                nested.update(_explain_nested(report.key, field, within, direction))
    return Report(name, with_nested(reports, nested), notes=_hooks(schema, HOOKS[direction.name]))


def _by_super(reason: str, method: str) -> list[str]:
    """Return what there is to know of a schema with a ``dump`` or a ``load`` of its own."""
    if reason != f"{method} is overridden":
        return []
    return [f"What it calls by super().{method}() is compiled, where fastschema is installed."]


def _hooks(schema: Any, tags: tuple[str, ...]) -> list[str]:
    """Return the hooks that a schema calls."""
    names = [f"{tag} {name}" for tag in tags for name in hook_names(schema, tag)]
    return [f"Hooks, called as by stock: {', '.join(names)}."] if names else []


def _explain_nested(key: str, field: Any, above: Above, direction: Direction) -> dict[str, Report]:
    """Return the report on a field's nested schema, by the field's key; empty if it has none."""
    while isinstance(field, List):
        field = field.inner
    if not isinstance(field, Nested):
        return {}
    try:
        schema = field.schema
    except Exception as error:  # stock raises it when the first object is dumped
        return {key: Report(str(field.nested), [], f"its schema cannot be found: {error}")}
    return {key: _explain(read_once(schema, direction), above, direction)}
