"""Dumping the rows of a JSON text over those that are written already.

To make a dictionary for each row, and to free it, takes longer than to fill it. A text is written
chunk by chunk, and when a chunk is written its dictionaries are of no more use: the next rows are
dumped into them. Their values are set as attributes (:mod:`fastschema.as_attributes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import length_hint
from typing import Any, Final, Protocol

from fastschema.as_attributes import AsAttributes, is_attribute
from fastschema.nodes import ObjectNode

_BUILT_FIRST: Final = 3
"""So many chunks are dumped into new dictionaries. Those to write over cost as much as they save in
about as many."""


DumpOver = Callable[[Iterator[Any], Iterator[AsAttributes], dict[AsAttributes, Any]], None]
"""Dumps rows over others. Whatever else comes of a row (a dictionary without some key, say) goes
into the dictionary, by the row that it stands in for."""


class ChunkDispatch(Protocol):
    """What dumps the rows, and counts them: a :class:`~fastschema.program.Dispatch`."""

    def all_rows(self, rows: Iterable[Any], /) -> list[Any]:
        """Dump each row, and count them."""
        ...

    def bind_over(self, cls: type, /) -> DumpOver:
        """The function that dumps rows, most of them of one class, over others."""
        ...

    def count(self, rows: int, /) -> None:
        """Count rows that were dumped."""
        ...


class ChunkDumper:
    """Dumps the rows of one text, chunk by chunk.

    :param dispatch: what dumps them
    :param node: the node of their schema, which :func:`can_be_written_over`
    """

    def __init__(self, dispatch: ChunkDispatch, node: ObjectNode) -> None:
        self._dispatch = dispatch
        self._node = node
        self._to_build = _BUILT_FIRST
        self._size = 0
        self._empty: dict[str, Any] = {}
        self._results: list[dict[str, Any]] = []
        self._rows: list[AsAttributes] = []
        self._class: type | None = None
        self._dump_over: DumpOver | None = None

    def __call__(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row, and count them.

        :param rows: the next chunk, of no more rows than the first one
        :returns: what is dumped; the next call may write over it
        """
        if self._to_build:
            self._to_build -= 1
            results = self._dispatch.all_rows(rows)
            self._size = max(self._size, len(results))
            return results
        iterator = iter(rows)
        for first in iterator:
            dump_over = self._function(type(first))
            all_rows = chain(iter((first,)), iterator)
            del first  # as any row, it goes when the next one is there
            return self._dump(dump_over, all_rows)
        self._release()
        return []

    def _function(self, cls: type) -> DumpOver:
        if self._dump_over is None or cls is not self._class:
            self._class, self._dump_over = cls, self._dispatch.bind_over(cls)
        return self._dump_over

    def _dump(self, dump_over: DumpOver, rows: Iterator[Any]) -> list[Any]:
        if not self._rows:
            self._empty = dict.fromkeys([field.key for field in self._node.fields])
            self._results = [self._empty.copy() for _ in range(self._size)]
            self._rows = [*map(AsAttributes, self._results)]
        written = iter(self._rows)
        others: dict[AsAttributes, Any] = {}
        dump_over(rows, written, others)
        count = len(self._rows) - length_hint(written)
        self._dispatch.count(count)
        results: list[Any] = self._results[:count]
        if others:
            self._place(others, results)
        return results

    def _place(self, others: dict[AsAttributes, Any], results: list[Any]) -> None:
        """Put what was not written over an earlier row where it belongs, and let that row go."""
        for number, row in enumerate(self._rows[: len(results)]):
            if row in others:
                results[number].update(self._empty)
                results[number] = others[row]
        if len(others) * 2 > len(results):
            self._to_build = -1  # it doesn't pay: build all that follow
            self._release()

    def _release(self) -> None:
        """Let all values of earlier rows go."""
        self._rows, self._results = [], []


def can_be_written_over(node: ObjectNode) -> bool:
    """Whether the values of a schema's dictionaries can be set as attributes."""
    return (
        node.dict_class is None
        and bool(node.fields)
        and all(field.key_slot is None and is_attribute(field.key) for field in node.fields)
    )
