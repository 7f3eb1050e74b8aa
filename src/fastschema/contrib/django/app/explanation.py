"""How a serializer is dumped and validates its input, field by field: for ``explain()``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.bound_serializer import read_now
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.front_end.schema_reader import field_mapping
from fastschema.contrib.django.input.batch_lookup import uses_batch_lookup
from fastschema.contrib.django.input.bulk_create import OneByOneError, check_creating, is_in_bulk
from fastschema.contrib.django.input.code import InputField
from fastschema.contrib.django.input.validation import (
    STOCK,
    has_stock_rows,
    is_readable,
    read_validation,
    runs_as_a_whole,
)
from fastschema.report import Above, FieldReport, Report, field_reports, with_nested
from fastschema.runtime.patching import calls_super, is_stock


def explain(schema: Any) -> Report:
    """Return how a serializer, with what it nests, is dumped and how it takes lists."""
    return replace(_explain(schema, Above()), loading=_explain_loading(schema))


def _explain(schema: Any, above: Above) -> Report:
    """Return how a serializer is dumped.

    :param above: those in which it is nested
    """
    if isinstance(schema, ListSerializer):
        if is_stock_list(schema):
            return _explain(schema.child, above)
        if not calls_super(schema, "to_representation", ListSerializer):
            return Report(type(schema).__name__, [], "to_representation is overridden")
        report = _explain(schema.child, above)
        return replace(report, schema=type(schema).__name__, override="to_representation")
    name = type(schema).__name__
    is_overridden = not is_stock_serializer(schema)
    if is_overridden and not calls_super(schema, "to_representation", Serializer):
        return Report(name, [], "to_representation is overridden")
    try:
        program, fields = read_now(schema)
    except UnreadableError as error:
        return Report(name, [], str(error))
    except Exception as error:  # it may need a request, say, or name a column that is not there
        reason = f"its fields cannot be made here: {type(error).__name__}: {error}"
        return Report(name, [], reason)
    within = above.with_schema(program)
    nested = {
        node.key: _explain(field, within)
        for node, field in zip(program.node.fields, fields, strict=True)
        if within is not None and (node.kind.link is not None or isinstance(field, Serializer))
    }
    override = "to_representation" if is_overridden else ""
    return Report(name, with_nested(field_reports(program.node), nested), override=override)


def _explain_loading(schema: Any) -> Report | None:
    try:
        return _loading_report(schema)
    except Exception:
        return None  # a serializer that is broken, or no such; stock raises its own


def _loading_report(serializer: Any) -> Report | None:
    """Return how a serializer validates its input; None if it takes none.

    :param serializer: a serializer, or one with ``many=True``
    """
    is_list = isinstance(serializer, ListSerializer)
    child = serializer.child if is_list else serializer
    if not any(not field.read_only for field in field_mapping(child).values()):
        return None
    report = _report_input(serializer, Above())
    is_asked = not report.why and runs_as_a_whole(type(child))
    notes = _notes_on_own_methods(type(child)) + _notes_on_bulk(child, is_asked=is_asked)
    return Report(report.schema, report.fields, report.why, notes=notes)


def _report_input(serializer: Any, above: Above) -> Report:
    """Return how a serializer, or a list serializer, validates a row.

    :param above: those in which it is nested
    """
    if isinstance(serializer, ListSerializer):
        if not has_stock_rows(serializer):
            name = type(serializer).__name__
            return Report(name, [], "the list serializer has its own way to validate rows")
        serializer = serializer.child
    name = type(serializer).__name__
    if not is_readable(type(serializer)):
        return Report(name, [], "it overrides how a row is validated")
    fields = field_mapping(serializer)
    try:
        nodes = read_validation(serializer, list(fields.values()), []).program.node.fields
    except UnreadableError as error:
        return Report(name, [], str(error))
    within = above.with_schema((type(serializer), *[node.name for node in nodes]))
    nested = {
        node.name: _report_input(fields[node.name], within)
        for node in nodes
        if isinstance(fields[node.name], Serializer | ListSerializer) and within is not None
    }
    return Report(name, with_nested(list(map(_input_field_report, nodes)), nested))


def _input_field_report(node: InputField) -> FieldReport:
    source = ".".join(node.source_attrs) or "*"
    return FieldReport(
        node.name, source, node.reason is None, node.conversion.kind, node.reason or ""
    )


def _notes_on_own_methods(cls: Any) -> list[str]:
    own = [name for name, stock in STOCK.items() if not is_stock(getattr(cls, name), stock)]
    return [f"{cls.__name__} has its own {name}, which is called as in stock." for name in own]


def _notes_on_bulk(serializer: Any, *, is_asked: bool) -> list[str]:
    """Return what is asked of the database at once, and how rows are created, if that is in bulk.

    :param is_asked: whether rows are validated in a way that lets anything be asked at once
    """
    if not is_in_bulk(serializer):
        return []
    notes = []
    fields = [field for field in field_mapping(serializer).values() if not field.read_only]
    asked = [field.field_name for field in fields if is_asked and uses_batch_lookup(field)]
    if asked:
        notes.append(f"In bulk, the database is asked once for all rows of {', '.join(asked)}.")
    try:
        check_creating(serializer)
    except OneByOneError as error:
        return [*notes, f"Rows are created one by one, because {error}."]
    return [*notes, "Rows are created by bulk_create."]
