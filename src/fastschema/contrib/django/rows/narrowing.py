"""Fewer columns for lists that read fewer: the setting ``ONLY_COLUMNS``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from fastschema.contrib.django import conf
from fastschema.contrib.django.rows.reading import Reads
from fastschema.contrib.django.rows.tables import Table

PER_VIEW = "fastschema_only_columns"
"""The attribute of a view that says more than the setting."""


def selects_only_what_is_read(view: Any) -> bool:
    """Whether a view's list asks the database for no more columns than its serializer reads."""
    return bool(getattr(view, PER_VIEW, conf.settings().only_columns))


def narrowed(queryset: QuerySet[Any], reads: Reads, table: Table) -> QuerySet[Any]:
    """A queryset that selects only what is read of its rows, keys, and what joins need.

    :param reads: how a serializer reads the rows that the queryset selects now
    :param table: what stands where in them
    :returns: the queryset itself if its rows are others with fewer columns
    """
    query = queryset.query
    if query.distinct or query.combinator or query.group_by is not None:
        return queryset
    names = list(_names(table, set(_positions(reads))))
    narrow = queryset._chain()
    narrow.query.add_immediate_loading(names)  # as only() does
    return narrow


def _positions(reads: Reads) -> Iterator[int]:
    for read in reads:
        yield read.position
        yield from _positions(read.nested)


def _names(table: Table, positions: set[int], path: str = "") -> Iterator[str]:
    """The columns at some positions, by the names that ``only()`` takes."""
    joins = [field for field, _ in table.relations]
    for field in table.model._meta.concrete_fields:
        position = table.columns.get(field.attname)
        if position is not None and (
            position in positions or position == table.key or field in joins
        ):
            yield f"{path}{field.name}"
    for (field, is_reverse), relation in table.relations.items():
        name = field.remote_field.name if is_reverse else field.name
        if is_reverse:
            yield f"{path}{name}__{field.name}"
        yield from _names(relation.table, positions, f"{path}{name}__")
