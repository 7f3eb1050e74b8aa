"""How input is validated, and lists of it are created, for people."""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.input.batch_lookup import asks_at_once
from fastschema.contrib.django.input.bulk_create import OneByOneError, check_creating, is_in_bulk
from fastschema.contrib.django.input.class_validation import (
    STOCK,
    is_readable,
    read_validation,
    runs_as_a_whole,
)
from fastschema.contrib.django.input.code import InputField
from fastschema.contrib.django.input.serializers import has_stock_rows
from fastschema.contrib.django.schema_reader import field_mapping
from fastschema.report import Above, FieldReport, Report, with_nested
from fastschema.runtime.patching import is_stock


def loading_report(serializer: Any) -> Report | None:
    """How a serializer validates its input; None if it takes none.

    :param serializer: a serializer, or one with ``many=True``
    """
    is_list = isinstance(serializer, ListSerializer)
    child = serializer.child if is_list else serializer
    if not any(not field.read_only for field in field_mapping(child).values()):
        return None
    report = _report(serializer, Above())
    is_asked = not report.why and runs_as_a_whole(type(child))
    notes = _notes_on_own_methods(type(child)) + _notes_on_bulk(child, is_asked=is_asked)
    return Report(report.schema, report.fields, report.why, notes=notes)


def _report(serializer: Any, above: Above) -> Report:
    """How a serializer, or a list serializer, validates a row.

    :param above: those in which it is nested
    """
    if isinstance(serializer, ListSerializer):
        if not has_stock_rows(serializer):
            name = type(serializer).__name__
            return Report(name, [], "the list serializer has its own way to validate rows")
        serializer = serializer.child
    name = type(serializer).__name__
    if not is_readable(type(serializer)):
        return Report(name, [], "it has its own way to validate a row")
    fields = field_mapping(serializer)
    try:
        nodes = read_validation(serializer, list(fields.values()), []).program.node.fields
    except UnreadableError as error:
        return Report(name, [], str(error))
    within = above.with_schema((type(serializer), *[node.name for node in nodes]))
    nested = {
        node.name: _report(fields[node.name], within)
        for node in nodes
        if isinstance(fields[node.name], Serializer | ListSerializer) and within is not None
    }
    return Report(name, with_nested(list(map(_field_report, nodes)), nested))


def _field_report(node: InputField) -> FieldReport:
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
    asked = [field.field_name for field in fields if is_asked and asks_at_once(field)]
    if asked:
        notes.append(f"In bulk, the database is asked once for all rows of {', '.join(asked)}.")
    try:
        check_creating(serializer)
    except OneByOneError as error:
        return [*notes, f"Rows are created one by one, because {error}."]
    return [*notes, "Rows are created by bulk_create."]
