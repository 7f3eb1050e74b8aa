"""Streamed lists that are written from the rows of the database."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.lazy_reading import ReadOnceError
from fastschema.contrib.django.lazy_rows import dispatch_for_rows
from fastschema.contrib.django.rows.fetching import FetchedRows
from fastschema.contrib.django.rows.programs import by_row
from fastschema.contrib.django.rows.reading import reads_of
from fastschema.contrib.django.rows.tables import InstancesNeededError
from fastschema.contrib.django.subjects import link_to
from fastschema.runtime.dispatch import Dispatch


class StreamedRows:
    """The rows of a queryset, read and dumped some at a time.

    :param queryset: see :func:`fastschema.contrib.django.rows.fetching.is_fetchable`
    :param serializer: what dumps each row
    :param form: the form of the output
    :param chunk_size: how many rows to read at a time
    :raises Exception: what running the query raises
    """

    def __init__(self, queryset: Any, serializer: Any, form: Form, chunk_size: int) -> None:
        self._fetched = FetchedRows(queryset, chunk_size)
        self._serializer = serializer
        self._form = form
        self._link = link_to(serializer, form)
        self._by_row: Dispatch | None = None
        self._is_begun = False
        self._has_instances = not self._may_be_rows()

    def source(self) -> Generator[Any]:
        """The rows, or their instances; closing it closes the cursor."""
        fetched = self._fetched
        return fetched.each_instance() if self._has_instances else fetched.each()

    def dump(self, rows: Iterable[Any]) -> list[Any]:
        """What the serializer makes of some of what :meth:`source` gives.

        :raises Exception: what stock raises for one of the rows
        """
        if self._has_instances:
            return self._link.all_rows(rows)
        chunk = list(rows)
        if not chunk:
            return []
        if not self._is_begun:
            self._by_row = self._find_dispatch()
            self._is_begun = True
        if self._by_row is not None:
            try:
                return self._by_row.all_rows(chunk)
            except Exception:
                pass  # stock raises its own, for instances
        return self._link.all_rows(self._fetched.made_of(chunk))

    def _may_be_rows(self) -> bool:
        """Whether nobody can tell when instances are made, and values converted."""
        try:
            _ = self._fetched.table
        except InstancesNeededError:
            return False
        return self._fetched.converters is not None

    def _find_dispatch(self) -> Dispatch | None:
        """What dumps rows; None if code of users sees instances, or is called for values."""
        try:
            dispatch, kept = dispatch_for_rows(self._serializer, {self._fetched.model}, self._form)
            if kept:
                return None
            options, node = dispatch.subject.options, dispatch.program.node
            return by_row(dispatch, reads_of(options, node, self._fetched.table))
        except (InstancesNeededError, ReadOnceError, UnreadableError):
            return None
