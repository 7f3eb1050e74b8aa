"""How lists of input are validated and created, for people."""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import ListSerializer, Serializer

from fastschema.contrib.django.bulk.asking import asks_at_once
from fastschema.contrib.django.bulk.choosing import is_in_bulk
from fastschema.contrib.django.bulk.creating import OneByOneError, check_creating
from fastschema.contrib.django.schema_reader import field_mapping
from fastschema.contrib.django.validation.fields import way_of
from fastschema.contrib.django.validation.lists import warns_of_errors
from fastschema.contrib.django.validation.rows import has_stock_rows, is_stock_row
from fastschema.report import Above, FieldReport, Report, with_nested

_ROWS = "This is for lists; a single object, and a list of few, run as stock."


def loading_report(serializer: Any) -> Report | None:
    """How a serializer validates the rows of a list; None if it takes no input.

    :param serializer: a serializer, or one with ``many=True``
    """
    is_list = isinstance(serializer, ListSerializer)
    child = serializer.child if is_list else serializer
    if not any(not field.read_only for field in field_mapping(child).values()):
        return None
    if warns_of_errors():
        report = Report(type(child).__name__, [], "LIST_SERIALIZER_ERRORS_AS_DICT is False")
    else:
        report = _report(serializer, Above())
    notes = [*([] if report.why else [_ROWS]), *_notes_on_bulk(child, is_asked=not report.why)]
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
    if not is_stock_row(serializer):
        return Report(name, [], "it has its own way to validate a row")
    fields = [field for field in field_mapping(serializer).values() if not field.read_only]
    within = above.with_schema((type(serializer), *[field.field_name for field in fields]))
    nested = {
        field.field_name: _report(field, within)
        for field in fields
        if isinstance(field, Serializer | ListSerializer) and within is not None
    }
    return Report(name, with_nested([_field_report(field) for field in fields], nested))


def _field_report(field: Any) -> FieldReport:
    target = field.source
    if isinstance(field, Serializer | ListSerializer):
        kind = "nested list" if isinstance(field, ListSerializer) else "nested serializer"
        return FieldReport(field.field_name, target, True, kind)
    way = way_of(field)
    return FieldReport(field.field_name, target, not way.why, way.kind, way.why)


def _notes_on_bulk(serializer: Any, *, is_asked: bool) -> list[str]:
    """What is asked of the database at once, and how rows are created, if that is in bulk.

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
