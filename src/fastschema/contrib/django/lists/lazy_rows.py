"""Rows written as JSON at once, which become stock's data if somebody asks for them."""

from __future__ import annotations

import contextvars
import json
from collections.abc import Iterator
from typing import Any

from django.db import Error
from django.db.models import QuerySet
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.bound_serializer import dispatch_for
from fastschema.contrib.django.class_state import class_state
from fastschema.contrib.django.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.json_encoding import engine
from fastschema.contrib.django.lists.captured_values import (
    KeptValues,
    NotRereadableError,
    kept_fields,
    no_queries,
)
from fastschema.contrib.django.lists.columns import Columns, by_row, check_errors, columns_of
from fastschema.contrib.django.lists.kept_relations import with_kept_relations
from fastschema.contrib.django.lists.prefetching import evaluate
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    Loaded,
    is_stock_queryset,
)
from fastschema.contrib.django.lists.row_layout import NotRowReadableError
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.encode import JsonArray
from fastschema.runtime.json_engine import JsonText
from fastschema.runtime.patching import stock_method

_DATA = stock_method(ListSerializer, "data")
_BASE_DATA = stock_method(BaseSerializer, "data")


class LazyRows:
    """The rows of a serializer as JSON, and what makes stock's data of them.

    :param serializer: the serializer, with ``many=True``; its ``data`` are the rows
    :param text: the JSON
    :param kept: the values that cannot be read again, if there are any
    """

    def __init__(self, serializer: Any, text: bytes, kept: KeptValues | None = None) -> None:
        self.text = JsonText(text)
        self._serializer = serializer
        self._rows = serializer.instance
        self._kept = kept
        # The time zone and the language of the view, for whoever reads the data later.
        self._context = contextvars.copy_context()
        # What BaseSerializer.data returns, from which ListSerializer.data makes a list.
        serializer._data = self

    @property
    def has_instances(self) -> bool:
        """Whether instances were made of the rows."""
        rows = self._evaluated
        return type(rows) is not LazyInstanceList or rows.fetched is None

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._evaluated)

    @property
    def _evaluated(self) -> Any:
        rows = self._rows
        return rows._result_cache if isinstance(rows, QuerySet) else rows

    def __iter__(self) -> Iterator[Any]:
        """Stock's data, made when somebody asks for them."""
        self._serializer._data = self._context.run(self._data)
        return iter(self._serializer._data)

    def data(self) -> Any:
        """Stock's data of the rows, as they were when they were written."""
        return self._serializer.data

    def _data(self) -> list[Any]:
        rows = list(self._rows)
        if self._kept is not None:
            return self._kept.data(rows)
        try:
            with no_queries():
                data: list[Any] = self._serializer.to_representation(rows)
            if FastJSONRenderer().render(data) == self.text.text:
                return data
        except Exception:
            pass  # the rows were in order when they were written
        # Something has changed the objects since then.
        read: list[Any] = json.loads(self.text.text)
        return read


def write(serializer: Any) -> LazyRows | None:
    """Write the rows of a serializer, or return None if stock must make data of them.

    Where values turn out not to last, the serializer gets its data, and the result is None.

    :raises Exception: what code of users raises for a row, as in stock
    """
    try:
        check_serializer(serializer)
    except NotRereadableError:
        return None
    rows = serializer.instance
    if isinstance(rows, QuerySet):
        rows = evaluate(rows)
    if not rows:
        return LazyRows(serializer, b"[]")
    child = serializer.child
    try:
        check_child(child)
        if not class_state(type(child)).is_in_use(len(rows)):
            return None
        dispatch, kept = dispatch_for_rows(child, classes_of(rows), loaded=loaded_with(rows))
    except (NotRereadableError, UnreadableError):
        return None
    reads = row_reads(dispatch, kept, rows)
    if reads is None:
        dispatch = with_kept_relations(dispatch, rows)
        source = give_instances(serializer)
    else:
        source = rows.rows()
    if kept:
        values = KeptValues(dispatch, kept, reads)
        text = values.write(source)
        if text is not None:
            return LazyRows(serializer, text, values)
        serializer._data = values.data(rows)
        return None
    if reads is not None:
        dispatch = by_row(dispatch, reads)
    try:
        text = JsonArray(source, dispatch.all_rows, engine().encode).join()
    except Error:
        raise  # asked again, the database might tell what came of the error, and not the error
    except Exception:
        return None  # stock raises its own
    return LazyRows(serializer, text)


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
        except NotRereadableError:
            return rows
        instances = list(evaluate(rows))
        rows._result_cache = instances
        return instances
    return rows


def classes_of(rows: list[Any]) -> set[type]:
    """Return the classes of the objects in a list, or of those that would be in it."""
    if type(rows) is LazyInstanceList and rows.fetched is not None:
        return {rows.fetched.model}
    return set(map(type, rows))


def loaded_with(rows: list[Any]) -> Loaded:
    """Return the relations to many of which the objects in a list, or those to be in
    it, know all.
    """
    if type(rows) is LazyInstanceList and rows.fetched is not None:
        return rows.fetched.loaded
    return {}


def row_reads(dispatch: Dispatch, kept: frozenset[int], rows: list[Any]) -> Columns | None:
    """How a serializer reads rows of the database; None if it is given instances.

    :param dispatch: what dumps the instances
    :param kept: the numbers of the fields whose values are kept
    """
    if type(rows) is not LazyInstanceList or rows.fetched is None:
        return None
    try:
        return reads_by_column(dispatch, kept, rows.fetched)
    except (NotRowReadableError, UnreadableError):
        return None


def reads_by_column(dispatch: Dispatch, kept: frozenset[int], fetched: FetchedRows) -> Columns:
    """How a serializer reads rows of the database.

    :param fetched: the rows
    :raises NotRowReadableError: if it must be given instances
    :raises UnreadableError: if a nested serializer cannot be compiled
    """
    reads = columns_of(dispatch.subject.options, dispatch.program.node, fetched.table)
    if kept:
        check_errors(reads)
    return reads


def check_serializer(serializer: Any) -> None:
    """Check that ``data`` of a serializer is what stock makes of rows that are there.

    :raises NotRereadableError: if not
    """
    if not isinstance(serializer, ListSerializer) or not is_stock_list(serializer):
        raise NotRereadableError(f"{type(serializer).__name__} is a list serializer of your own")
    if type(serializer).data is not _DATA or BaseSerializer.data is not _BASE_DATA:
        raise NotRereadableError("the serializer overrides data")
    own = vars(serializer)
    if "instance" not in own or any(
        name in own for name in ("_data", "_errors", "_validated_data", "initial_data")
    ):
        raise NotRereadableError("the serializer has been used before, or takes input")
    rows = serializer.instance
    if type(rows) not in (list, LazyInstanceList) and not is_stock_queryset(rows):
        raise NotRereadableError(f"a {type(rows).__name__} is neither a list nor a plain QuerySet")


def check_child(child: Any) -> None:
    """Check that a serializer represents rows as stock does.

    :raises NotRereadableError: if not
    """
    if not is_stock_serializer(child):
        raise NotRereadableError(f"to_representation of {type(child).__name__} is overridden")


def dispatch_for_rows(
    child: Any, classes: set[type], form: Form = Form.JSON, *, loaded: Loaded | None = None
) -> tuple[Dispatch, frozenset[int]]:
    """Return what writes rows of some classes, and the numbers of the fields whose values are kept.

    :param loaded: the relations to many of which the objects of the rows know all
    :raises NotRereadableError: if the rows cannot be read a second time
    :raises UnreadableError: if the serializer cannot be compiled
    """
    dispatch = dispatch_for(child, form)
    node, subject = dispatch.program.node, dispatch.subject
    kept: frozenset[int] = frozenset()
    for cls in classes:
        kept |= kept_fields(subject.options, node, cls, subject.context, loaded or {})
    return dispatch, kept
