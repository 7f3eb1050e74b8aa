"""Rows of the database, dumped as stock dumps the instances that would be made of them."""

from __future__ import annotations

from typing import Any

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.bound_serializer import dispatch_for
from fastschema.contrib.django.class_state import class_state
from fastschema.contrib.django.lists.captured_values import NotRereadableError, kept_fields
from fastschema.contrib.django.lists.columns import by_row
from fastschema.contrib.django.lists.kept_relations import with_kept_relations
from fastschema.contrib.django.lists.lazy_rows import reads_by_column
from fastschema.contrib.django.lists.prefetching import evaluate
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    is_stock_queryset,
)
from fastschema.contrib.django.lists.row_layout import NotRowReadableError
from fastschema.runtime.bound_program import Dispatch


def dump_rows(
    serializer: Any, data: Any, dispatch: Dispatch | None = None
) -> tuple[list[Any] | None, Any]:
    """Return what a serializer makes of each row of the database, and the rows.

    The former is None if the serializer must be given objects: those are the rows, then.

    :param serializer: a stock serializer, which represents one row
    :param data: anything that is iterated over; a queryset has its rows afterwards, as in stock
    :param dispatch: what dumps objects; None: the serializer as it is now
    :raises Exception: what running a query raises, or code of users, as in stock
    """
    queryset = data if is_stock_queryset(data) else None
    if queryset is not None:
        evaluate(queryset)
        data = queryset._result_cache
    if type(data) is not LazyInstanceList:
        return None, data
    fetched = data.fetched
    if fetched is not None:
        if dispatch is None:
            dispatch = _dispatch_of(serializer, len(data))
        results = None if dispatch is None else _dumped(dispatch, fetched, data)
        if results is not None:
            return results, data
    if dispatch is not None:
        dispatch = with_kept_relations(dispatch, data)
    data = list(data)
    if queryset is not None:
        queryset._result_cache = data
    return None if dispatch is None else dispatch.all_rows(data), data


def _dispatch_of(serializer: Any, rows: int) -> Dispatch | None:
    """Return what dumps objects by a serializer; None if stock must, or for so few rows should."""
    if not class_state(type(serializer)).is_in_use(rows):
        return None
    try:
        return dispatch_for(serializer, Form.PYTHON)
    except UnreadableError:
        return None


def _dumped(dispatch: Dispatch, fetched: FetchedRows, rows: LazyInstanceList) -> list[Any] | None:
    """Return what is made of rows; None if instances are needed."""
    node, subject = dispatch.program.node, dispatch.subject
    try:
        of_users = kept_fields(
            subject.options, node, fetched.model, subject.context, fetched.loaded
        )
    except NotRereadableError:
        of_users = frozenset(range(len(node.fields)))
    try:
        dispatch = by_row(dispatch, reads_by_column(dispatch, of_users, fetched))
    except (NotRowReadableError, UnreadableError):
        return None
    try:
        return dispatch.all_rows(rows.rows())
    except Exception:
        if of_users:
            raise
        return None  # stock raises its own, for instances
