"""The rows of a serializer: written as JSON, or made dictionaries, of what the database gave.

A serializer is given rows of the database if it reads nothing but their columns; else the instances
that are made of them, which may keep their rows for the relations that it reads.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, suppress
from typing import Any

from django.db.models import QuerySet
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.compiler.nodes import Form, NotRowReadableError, UnreadableError
from fastschema.contrib.django.front_end.bound_serializer import dispatch_for, nested_dumper_of
from fastschema.contrib.django.front_end.class_state import class_state
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.internals.queries import is_stock_queryset
from fastschema.contrib.django.lists.captured_values import WrittenRows
from fastschema.contrib.django.lists.columns import (
    Columns,
    calls_user_code,
    check_no_field_fails,
    columns_of,
)
from fastschema.contrib.django.lists.prefetching import evaluate
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList
from fastschema.contrib.django.lists.row_programs import by_row, with_kept_relations
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.patching import stock_method

_DATA = stock_method(ListSerializer, "data")
_BASE_DATA = stock_method(BaseSerializer, "data")


class ListDumper:
    """Dumps the rows of a list: as the database gave them if that will do, else as instances.

    To make one may let instances keep their rows, as long as there are none.

    :param dispatch: what dumps the instances
    :param rows: the instances, or a :class:`LazyInstanceList`
    """

    def __init__(self, dispatch: Dispatch, rows: list[Any]) -> None:
        columns = columns_of_rows(dispatch, rows)
        self.by_row = None if columns is None else by_row(dispatch, columns)
        """What dumps the rows of the database, if these will do."""
        self.by_instance = with_kept_relations(dispatch, rows) if columns is None else dispatch
        """What dumps the instances."""
        self.calls_user_code = columns is not None and calls_user_code(columns)
        """Whether code of users runs while rows of the database are dumped."""

    def all_rows(self, rows: LazyInstanceList) -> list[Any]:
        """Dump rows, in one way or the other.

        :raises Exception: what stock raises for one of them
        """
        if self.by_row is not None:
            try:
                return self.by_row.all_rows(rows.rows())
            except Exception:
                if self.calls_user_code:
                    raise  # none of it runs twice
        return self.by_instance.all_rows(list(rows))


def write(serializer: Any) -> WrittenRows | None:
    """Write the rows of a serializer, or return None if stock must make data of them.

    Where stock may write something else later (``is_final`` says so), the serializer has got its
    data.

    :raises Exception: what code of users raises for a row, as in stock
    """
    try:
        check_serializer(serializer)
    except NotRowReadableError:
        return None
    rows = serializer.instance
    if isinstance(rows, QuerySet):
        rows = evaluate(rows)
    if len(rows) < thresholds.rows_worth_writing_lazily:
        return None
    written = WrittenRows(serializer, len(rows))
    dispatch = _dispatch_of(serializer.child, len(rows), Form.JSON)
    if dispatch is None:
        return None
    dumper = ListDumper(written.capturing(dispatch), rows)
    written.of_database = dumper.by_row is not None  # before anything is bound
    if dumper.by_row is None:
        written.write(dumper.by_instance, list(rows))
    else:
        try:
            written.write(dumper.by_row, rows.rows())
        except Exception:
            if dumper.calls_user_code:
                raise
            return None  # stock raises its own, of an instance
    written.give_data()
    return written


def dump_rows(
    serializer: Any, data: Any, dispatch: Dispatch | None = None
) -> tuple[list[Any] | None, Any]:
    """Return what a serializer makes of each row, and the rows.

    The former is None if they do not come from the database, or the serializer is not compiled.

    :param serializer: a stock serializer, which represents one row
    :param data: anything that is iterated over; a queryset has its rows afterwards, as in stock
    :param dispatch: what dumps objects; None: the serializer as it is now
    :raises Exception: what running a query raises, or code of users, as in stock
    """
    if is_stock_queryset(data):
        data = evaluate(data)
    if type(data) is not LazyInstanceList:
        return None, data
    if dispatch is None:
        dispatch = _dispatch_of(serializer, len(data), Form.PYTHON)
    if dispatch is None:
        return None, list(data)
    return ListDumper(dispatch, data).all_rows(data), data


def _dispatch_of(serializer: Any, rows: int, form: Form) -> Dispatch | None:
    """Count rows, and return what dumps them by a serializer.

    None if stock must dump them, or takes less time.
    """
    state = class_state(type(serializer))
    state.count(rows)
    if not state.is_in_use:
        return None
    try:
        return dispatch_for(serializer, form)
    except UnreadableError:
        return None


def dump_in_blocks(
    blocks: Generator[FetchedRows], serializer: Any, form: Form, chunk_size: int
) -> Generator[list[Any]]:
    """Yield what a serializer makes of the rows of a query, some of them at a time.

    Closing it closes the blocks.

    :param blocks: the rows
    :param serializer: a stock serializer; its fields are not looked at before there is a row
    :param form: the form of the output
    :param chunk_size: how many rows to dump at a time, at most
    :raises Exception: what stock raises for one of them
    """
    by_stock = nested_dumper_of(serializer, form)
    dispatch: Dispatch | None = None
    with closing(blocks):
        for nth, block in enumerate(blocks):
            if nth == 0:
                with suppress(UnreadableError):
                    dispatch = dispatch_for(serializer, form)
            # What is prefetched beside the rows may have another layout than the last block's.
            dumper = None if dispatch is None else ListDumper(dispatch, LazyInstanceList(block))
            for start in range(0, len(block), chunk_size):
                numbers = range(start, min(start + chunk_size, len(block)))
                rows = LazyInstanceList(block, numbers)
                yield by_stock.all_rows(list(rows)) if dumper is None else dumper.all_rows(rows)


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


def read_by_column(dispatch: Dispatch, rows: FetchedRows) -> Columns:
    """Return how a serializer reads rows of the database.

    :raises NotRowReadableError: if it must be given instances
    :raises UnreadableError: if a nested serializer cannot be compiled
    """
    columns = columns_of(dispatch.bound_schema.exemplar_fields, dispatch.program.node, rows.layout)
    if calls_user_code(columns):
        # What such code raises is raised as it reads the rows: it must not run twice.
        check_no_field_fails(columns)
    return columns


def check_serializer(serializer: Any) -> None:
    """Check that ``data`` of a serializer is what stock makes of rows that are there.

    :raises NotRowReadableError: if not
    """
    if not isinstance(serializer, ListSerializer) or not is_stock_list(serializer):
        raise NotRowReadableError(f"{type(serializer).__name__} is a list serializer of your own")
    if type(serializer).data is not _DATA or BaseSerializer.data is not _BASE_DATA:
        raise NotRowReadableError("the serializer overrides data")
    own = vars(serializer)
    if "instance" not in own or any(
        name in own for name in ("_data", "_errors", "_validated_data", "initial_data")
    ):
        raise NotRowReadableError("the serializer has been used before, or takes input")
    rows = serializer.instance
    if type(rows) not in (list, LazyInstanceList) and not is_stock_queryset(rows):
        raise NotRowReadableError(f"a {type(rows).__name__} is neither a list nor a plain QuerySet")
    if not is_stock_serializer(serializer.child):
        raise NotRowReadableError(
            f"to_representation of {type(serializer.child).__name__} is overridden"
        )
