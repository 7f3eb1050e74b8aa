"""The rows of a serializer: written as JSON, or made dictionaries, of what the database gave.

A serializer is given rows of the database if it reads nothing but their columns; else the instances
that are made of them, which may keep their rows for the relations that it reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.bound_serializer import dispatch_for
from fastschema.contrib.django.front_end.class_state import class_state
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.lists.captured_values import WrittenRows
from fastschema.contrib.django.lists.columns import (
    Columns,
    calls_user_code,
    check_errors,
    columns_of,
)
from fastschema.contrib.django.lists.prefetching import evaluate
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    is_stock_queryset,
)
from fastschema.contrib.django.lists.row_layout import NotRowReadableError
from fastschema.contrib.django.lists.row_programs import by_row, with_kept_relations
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.json_engine import JsonText
from fastschema.runtime.patching import stock_method

_DATA = stock_method(ListSerializer, "data")
_BASE_DATA = stock_method(BaseSerializer, "data")


class NotLazyError(Exception):
    """Rows that are not written at once, and why."""


class LazyRows:
    """The rows of a serializer as JSON, which become stock's data if somebody asks for them.

    :param serializer: the serializer, with ``many=True``; its ``data`` are the rows
    :param rows: the objects that it was given, or a :class:`LazyInstanceList`
    :param written: what was written; None: there are no rows
    """

    def __init__(self, serializer: Any, rows: list[Any], written: WrittenRows | None) -> None:
        self.text = JsonText(b"[]" if written is None else written.text)
        self.count = len(rows)
        self.has_instances = not (written is not None and written.of_database)
        self._serializer = serializer
        self._written = written
        # What BaseSerializer.data returns, from which ListSerializer.data makes a list.
        serializer._data = self

    def __iter__(self) -> Iterator[Any]:
        """Stock's data, made when somebody asks for them."""
        data = self._serializer._data = [] if self._written is None else self._written.data()
        return iter(data)

    def data(self) -> Any:
        """Stock's data of the rows, as they were when they were written."""
        return self._serializer.data


def write(serializer: Any) -> LazyRows | None:
    """Write the rows of a serializer, or return None if stock must make data of them.

    Where stock may write something else later, the serializer gets its data, and the result is
    None.

    :raises Exception: what code of users raises for a row, as in stock
    """
    try:
        check_serializer(serializer)
    except NotLazyError:
        return None
    rows = serializer.instance
    if isinstance(rows, QuerySet):
        rows = evaluate(rows)
    if not rows:
        return LazyRows(serializer, rows, None)
    child = serializer.child
    try:
        check_child(child)
        if not class_state(type(child)).is_in_use(len(rows)):
            return None
        dispatch = dispatch_for(child, Form.JSON)
    except (NotLazyError, UnreadableError):
        return None
    columns = columns_of_rows(dispatch, rows)
    written = WrittenRows(of_database=columns is not None)
    dispatch = written.capturing(dispatch)
    if columns is None:
        dispatch = with_kept_relations(dispatch, rows)
        source = give_instances(serializer)
    else:
        dispatch = by_row(dispatch, columns)
        source = rows.rows()
    try:
        written.write(dispatch, source)
    except Exception:
        if columns is None or calls_user_code(columns):
            raise
        return None  # stock raises its own, for instances
    if written.is_final:
        return LazyRows(serializer, rows, written)
    serializer._data = written.data()
    return None


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
    if dispatch is None:
        dispatch = _dispatch_of(serializer, len(data))
    results = None if dispatch is None else _dumped(dispatch, data)
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


def _dumped(dispatch: Dispatch, rows: LazyInstanceList) -> list[Any] | None:
    """Return what is made of rows; None if instances are needed."""
    columns = columns_of_rows(dispatch, rows)
    if columns is None:
        return None
    try:
        return by_row(dispatch, columns).all_rows(rows.rows())
    except Exception:
        if calls_user_code(columns):
            raise
        return None  # stock raises its own, for instances


def give_instances(serializer: Any) -> Any:
    """Give a serializer the instances that it would find in stock.

    :param serializer: any serializer; its query is run only if it is sure to look at the rows
    :returns: its rows
    """
    rows = getattr(serializer, "instance", None)
    if type(rows) is LazyInstanceList:
        serializer.instance = rows = list(rows)
    elif isinstance(rows, QuerySet):
        try:
            check_serializer(serializer)
        except NotLazyError:
            return rows
        instances = list(evaluate(rows))
        rows._result_cache = instances
        return instances
    return rows


def columns_of_rows(dispatch: Dispatch, rows: list[Any]) -> Columns | None:
    """Return how a serializer reads rows of the database; None if it is given instances.

    :param dispatch: what dumps the instances
    """
    if type(rows) is not LazyInstanceList or rows.fetched is None:
        return None
    try:
        return read_by_column(dispatch, rows.fetched)
    except (NotRowReadableError, UnreadableError):
        return None


def read_by_column(dispatch: Dispatch, fetched: FetchedRows) -> Columns:
    """Return how a serializer reads rows of the database.

    :raises NotRowReadableError: if it must be given instances
    :raises UnreadableError: if a nested serializer cannot be compiled
    """
    columns = columns_of(dispatch.subject.options, dispatch.program.node, fetched.table)
    if calls_user_code(columns):
        check_errors(columns)  # they are raised from the rows then: no such code runs twice
    return columns


def check_serializer(serializer: Any) -> None:
    """Check that ``data`` of a serializer is what stock makes of rows that are there.

    :raises NotLazyError: if not
    """
    if not isinstance(serializer, ListSerializer) or not is_stock_list(serializer):
        raise NotLazyError(f"{type(serializer).__name__} is a list serializer of your own")
    if type(serializer).data is not _DATA or BaseSerializer.data is not _BASE_DATA:
        raise NotLazyError("the serializer overrides data")
    own = vars(serializer)
    if "instance" not in own or any(
        name in own for name in ("_data", "_errors", "_validated_data", "initial_data")
    ):
        raise NotLazyError("the serializer has been used before, or takes input")
    rows = serializer.instance
    if type(rows) not in (list, LazyInstanceList) and not is_stock_queryset(rows):
        raise NotLazyError(f"a {type(rows).__name__} is neither a list nor a plain QuerySet")


def check_child(child: Any) -> None:
    """Check that a serializer represents rows as stock does.

    :raises NotLazyError: if not
    """
    if not is_stock_serializer(child):
        raise NotLazyError(f"to_representation of {type(child).__name__} is overridden")
