"""The rows of a queryset, dumped while the database gives them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing, suppress
from typing import Any

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.bound_serializer import dispatch_for, link_to
from fastschema.contrib.django.lists.lazy_rows import RowDumper
from fastschema.contrib.django.lists.prefetching import blocks
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList, RowPlace
from fastschema.runtime.bound_program import Dispatch


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
        self._by_stock = link_to(serializer, form)
        self._dispatch: Dispatch | None = None
        """What dumps the instances of any block; None if stock represents them."""
        self._block: FetchedRows | None = None
        """The block that was begun last."""
        self._dumper: RowDumper | None = None
        """What dumps the rows of that block, whose layout may be another than the last one's."""

    def source(self) -> Generator[RowPlace]:
        """Yield what stands for each row; closing it closes the cursor."""
        with closing(blocks(self._fetched)) as found:
            for block in found:
                yield from block.places()

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
        if block is not self._block:
            self._begin(block)
        rows = LazyInstanceList(block, numbers)
        if self._dumper is None:
            return self._by_stock.all_rows(list(rows))
        return self._dumper.all_rows(rows)

    def _begin(self, block: FetchedRows) -> None:
        if self._block is None:
            with suppress(UnreadableError):
                self._dispatch = dispatch_for(self._serializer, self._form)
        self._block = block
        if self._dispatch is not None:
            self._dumper = RowDumper(self._dispatch, LazyInstanceList(block))
