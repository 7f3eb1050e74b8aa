"""How a marshmallow schema is dumped and loaded, field by field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from marshmallow.decorators import (
    POST_DUMP,
    POST_LOAD,
    PRE_DUMP,
    PRE_LOAD,
    VALIDATES,
    VALIDATES_SCHEMA,
)
from marshmallow.fields import List, Nested

from fastschema.marshmallow import bound_load
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


class _Direction(NamedTuple):
    """One of the two things that schemas do.

    :param method: "dump" or "load"
    :param hooks: the sorts of its hooks
    :param overrides: why a schema's own code does it, or None
    :param read: from a schema to what it compiles to
    :param fields: from a node to the reports on its fields
    """

    method: str
    hooks: tuple[str, ...]
    overrides: Callable[[Any], str | None]
    read: Callable[[Any], Compiled]
    fields: Callable[[Any], list[FieldReport]]


_DUMP = _Direction("dump", (PRE_DUMP, POST_DUMP), overrides_dump, read_for_plan, field_reports)
_LOAD = _Direction(
    "load",
    (PRE_LOAD, VALIDATES, VALIDATES_SCHEMA, POST_LOAD),
    overrides_load,
    bound_load.read_for_plan,
    load_field_reports,
)


def explain(dumping: Compiled, loading: Compiled) -> Report:
    """How a schema is dumped and loaded, nested schemas included.

    :param dumping: what the schema compiles to for dumping
    :param loading: and for loading
    """
    loading_report = _explain(loading, Above(), _LOAD)
    return replace(_explain(dumping, Above(), _DUMP), loading=loading_report)


def _explain(compiled: Compiled, above: Above, direction: _Direction) -> Report:
    """Return the report on one direction.

    :param above: the schemas in which it is nested
    """
    schema = compiled.schema
    name = type(schema).__name__
    reason = direction.overrides(schema) or compiled.reason
    if reason:
        return Report(name, [], reason, notes=_by_super(reason, direction.method))
    reports = direction.fields(compiled.program.node)
    nested: dict[str, Report] = {}
    within = above.with_schema(compiled.program)
    if within is not None:
        for report, field in zip(reports, compiled.fields, strict=True):
            if report.compiled:
                nested.update(_explain_nested(report.key, field, within, direction))
    return Report(name, with_nested(reports, nested), notes=_hooks(schema, direction.hooks))


def _by_super(reason: str, method: str) -> list[str]:
    """Return what there is to know of a schema with a ``dump`` or a ``load`` of its own."""
    if reason != f"{method} is overridden":
        return []
    return [f"What it calls by super().{method}() is compiled, where fastschema is installed."]


def _hooks(schema: Any, tags: tuple[str, ...]) -> list[str]:
    """Return the hooks that a schema calls."""
    names = [f"{tag} {name}" for tag in tags for name in hook_names(schema, tag)]
    return [f"Hooks, called as by stock: {', '.join(names)}."] if names else []


def hook_names(schema: Any, tag: str) -> list[str]:
    """Return the names of a schema's hooks of one sort."""
    return [name for name, *_ in schema._hooks.get(tag) or ()]


def _explain_nested(key: str, field: Any, above: Above, direction: _Direction) -> dict[str, Report]:
    """Return the report on a field's nested schema, by the field's key; empty if it has none."""
    while isinstance(field, List):
        field = field.inner
    if not isinstance(field, Nested):
        return {}
    try:
        schema = field.schema
    except Exception as error:  # stock raises it when the first object is dumped
        return {key: Report(str(field.nested), [], f"its schema cannot be found: {error}")}
    return {key: _explain(direction.read(schema), above, direction)}
