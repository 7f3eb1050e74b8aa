"""The rows of a queryset, dumped while the database gives them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.bound_serializer import dispatch_for, link_to
from fastschema.contrib.django.lists.columns import calls_user_code
from fastschema.contrib.django.lists.lazy_rows import columns_of_rows
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList, RowPlace
from fastschema.contrib.django.lists.row_programs import by_row, with_kept_relations
from fastschema.runtime.bound_program import Dispatch, RowDumper


class RowStream:
    """Dumps the rows of a query, block by block.

    :param fetched: what gives the blocks
    :param serializer: a stock serializer; its fields are not looked at before there is a row
    :param form: the form of the output
    """

    def __init__(self, fetched: FetchedRows, serializer: Any, form: Form) -> None:
        self._fetched = fetched
        self._serializer = serializer
        self._form = form
        self._dispatch: Dispatch | None = None
        """What dumps the instances of any block; None if stock represents them."""
        self._block: FetchedRows | None = None
        """The block that was begun last. What follows is for this one."""
        self._by_row: Dispatch | None = None
        self._calls_user_code = False
        self._by_instance: RowDumper = link_to(serializer, form)

    def source(self) -> Generator[RowPlace]:
        """Yield what stands for each row; closing it closes the cursor."""
        blocks = self._fetched.blocks()
        try:
            for block in blocks:
                yield from block.places()
        finally:
            blocks.close()

    def dump(self, places: Iterable[RowPlace]) -> list[Any]:
        """Return what the serializer makes of the rows for which some of the source stand.

        A block is not read before the rows of the one before it are dumped.

        :raises Exception: what stock raises for one of the rows
        """
        results: list[Any] = []
        numbers: list[int] = []
        for place in places:
            numbers.append(place.number)
            if place.number == len(place.fetched) - 1:
                results += self._dumped(place.fetched, numbers)
                numbers = []
        return results + self._dumped(place.fetched, numbers) if numbers else results

    def _dumped(self, block: FetchedRows, numbers: list[int]) -> list[Any]:
        rows = LazyInstanceList(block, numbers)
        if block is not self._block:
            self._begin(block)
        if self._by_row is not None:
            try:
                return self._by_row.all_rows(rows.rows())
            except Exception:
                if self._calls_user_code:
                    raise  # else stock raises its own, for instances
        return self._by_instance.all_rows(list(rows))

    def _begin(self, block: FetchedRows) -> None:
        """Find what dumps a block, whose layout may be another than that of the block before."""
        before, self._block = self._block, block
        if before is None:
            try:
                self._dispatch = dispatch_for(self._serializer, self._form)
            except UnreadableError:
                return
        elif self._dispatch is None or (before.table is block.table and self._by_row is not None):
            return
        self._by_row, self._by_instance = None, self._dispatch
        rows = LazyInstanceList(block)
        columns = columns_of_rows(self._dispatch, rows)
        if columns is None:
            self._by_instance = with_kept_relations(self._dispatch, rows)
        else:
            self._by_row = by_row(self._dispatch, columns)
            self._calls_user_code = calls_user_code(columns)
