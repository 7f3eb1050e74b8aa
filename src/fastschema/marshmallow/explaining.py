"""How a marshmallow schema is dumped and loaded, field by field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from marshmallow.decorators import (
    POST_DUMP,
    POST_LOAD,
    PRE_DUMP,
    PRE_LOAD,
    VALIDATES,
    VALIDATES_SCHEMA,
)
from marshmallow.fields import List, Nested

from fastschema.marshmallow import load_run
from fastschema.marshmallow.dump import overrides_dump, read_for_plan
from fastschema.marshmallow.load_overrides import overrides_load
from fastschema.marshmallow.schema_state import Compiled
from fastschema.report import (
    Above,
    FieldReport,
    Report,
    field_reports,
    load_field_reports,
    with_nested,
)

_LOAD_HOOKS = (PRE_LOAD, VALIDATES, VALIDATES_SCHEMA, POST_LOAD)


def explain(dumping: Compiled, loading: Compiled) -> Report:
    """How a schema is dumped and loaded, nested schemas included.

    :param dumping: what the schema compiles to for dumping
    :param loading: and for loading
    """
    return replace(_explain_dump(dumping, Above()), loading=_explain_load(loading, Above()))


def _explain_dump(compiled: Compiled, above: Above) -> Report:
    reason = overrides_dump(compiled.schema) or compiled.reason
    if reason:
        return Report(type(compiled.schema).__name__, [], reason, notes=_by_super(reason, "dump"))
    report = _report(compiled, field_reports(compiled.program.node), above, _explain_nested_dump)
    return replace(report, notes=_hooks(compiled.schema, (PRE_DUMP, POST_DUMP)))


def _explain_load(compiled: Compiled, above: Above) -> Report:
    reason = overrides_load(compiled.schema) or compiled.reason
    if reason:
        return Report(type(compiled.schema).__name__, [], reason, notes=_by_super(reason, "load"))
    report = _report(
        compiled, load_field_reports(compiled.program.node), above, _explain_nested_load
    )
    return replace(report, notes=_hooks(compiled.schema, _LOAD_HOOKS))


def _by_super(reason: str, method: str) -> list[str]:
    """What there is to know of a schema with a ``dump`` or a ``load`` of its own."""
    if reason != f"{method} is overridden":
        return []
    return [f"What it calls by super().{method}() is compiled, where fastschema is installed."]


def _hooks(schema: Any, tags: tuple[str, ...]) -> list[str]:
    """The hooks that a schema calls."""
    names = [f"{tag} {name}" for tag in tags for name in hook_names(schema, tag)]
    return [f"Hooks, called as by stock: {', '.join(names)}."] if names else []


def hook_names(schema: Any, tag: str) -> list[str]:
    """The names of a schema's hooks of one sort."""
    return [name for name, *_ in schema._hooks.get(tag) or ()]


def _explain_nested_dump(schema: Any, above: Above) -> Report:
    return _explain_dump(read_for_plan(schema), above)


def _explain_nested_load(schema: Any, above: Above) -> Report:
    return _explain_load(load_run.read_for_plan(schema), above)


def _report(
    compiled: Compiled,
    reports: list[FieldReport],
    above: Above,
    explain_schema: Callable[[Any, Above], Report],
) -> Report:
    """The report on a schema that is compiled.

    :param above: the schemas in which it is nested
    """
    nested: dict[str, Report] = {}
    within = above.with_schema(compiled.program)
    if within is not None:
        for report, field in zip(reports, compiled.fields, strict=True):
            if report.compiled:
                nested.update(_explain_nested(report.key, field, within, explain_schema))
    return Report(type(compiled.schema).__name__, with_nested(reports, nested))


def _explain_nested(
    key: str,
    field: Any,
    above: Above,
    explain_schema: Callable[[Any, Above], Report],
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
