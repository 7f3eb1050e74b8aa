"""Rows of the database, dumped as stock dumps the instances that would be made of them."""

from __future__ import annotations

from typing import Any

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.class_state import class_state
from fastschema.contrib.django.lists.captured_values import NotRereadableError
from fastschema.contrib.django.lists.columns import by_row
from fastschema.contrib.django.lists.lazy_rows import dispatch_for_rows, reads_by_column
from fastschema.contrib.django.lists.prefetching import evaluate
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList, is_stock_queryset
from fastschema.contrib.django.lists.row_layout import NotRowReadableError


def dump_rows(serializer: Any, data: Any) -> tuple[list[Any] | None, Any]:
    """Return what a serializer makes of each row of the database, and the rows.

    The former is None if the serializer must be given objects: those are the rows, then.

    :param serializer: a stock serializer, which represents one row
    :param data: anything that is iterated over; a queryset has its rows afterwards, as in stock
    :raises Exception: what running a query raises, or code of users, as in stock
    """
    queryset = data if is_stock_queryset(data) else None
    if queryset is not None:
        evaluate(queryset)
        data = queryset._result_cache
    if type(data) is not LazyInstanceList:
        return None, data
    results = _dumped(serializer, data)
    if results is None:
        data = list(data)
        if queryset is not None:
            queryset._result_cache = data
    return results, data


def _dumped(serializer: Any, rows: LazyInstanceList) -> list[Any] | None:
    fetched = rows.fetched
    if fetched is None or not class_state(type(serializer)).is_in_use(len(rows)):
        return None
    try:
        dispatch, kept = dispatch_for_rows(
            serializer, {fetched.model}, Form.PYTHON, loaded=fetched.loaded
        )
        dispatch = by_row(dispatch, reads_by_column(dispatch, kept, fetched))
    except (NotRowReadableError, NotRereadableError, UnreadableError):
        return None
    if kept:
        return dispatch.all_rows(rows.rows())
    try:
        return dispatch.all_rows(rows.rows())
    except Exception:
        return None  # stock raises its own, for instances
