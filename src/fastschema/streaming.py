"""Rows to chunks of bytes: one JSON array, written as the rows are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

CHUNK_SIZE = 150
"""Rows to a chunk: so few that their dictionaries are gone again before the garbage collector would
look at them, and that they fit the CPU's cache; enough to be fast."""


class JsonArray:
    """Rows as one JSON array, a chunk of rows at a time.

    Each row is dumped as soon as it is read.

    :param rows: the rows
    :param dump_many: from rows to what is written for each
    :param encode: from a list of those to JSON
    :param chunk_size: how many rows to write at a time
    :raises ValueError: if ``chunk_size`` is not positive
    """

    def __init__(
        self,
        rows: Iterable[Any],
        dump_many: Callable[[Iterable[Any]], list[Any]],
        encode: Callable[[Any], bytes],
        chunk_size: int = CHUNK_SIZE,
    ) -> None:
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
        self._rows = rows
        self._dump_many = dump_many
        self._encode = encode
        self._chunk_size = chunk_size

    def __iter__(self) -> Iterator[bytes]:
        """The chunks. They are not empty; joined, they are the array."""
        rows = _once(self._rows)
        opening = b"["
        while chunk := self._chunk(rows):
            yield b"".join([opening, chunk])
            opening = b","
        yield b"[]" if opening == b"[" else b"]"

    def join(self) -> bytes:
        """The whole array.

        Not by way of the iterator: Python lets no ``StopIteration`` of user code out of a
        generator.
        """
        rows = _once(self._rows)
        opening = b"["
        parts: list[bytes | memoryview] = []
        while chunk := self._chunk(rows):
            parts += [opening, chunk]
            opening = b","
        return b"".join([*parts, b"]"]) if parts else b"[]"

    def _chunk(self, rows: Iterator[Any]) -> memoryview:
        """The next rows, without brackets and without a copy; empty if there are none left."""
        dumped = self._dump_many(islice(rows, self._chunk_size))
        return memoryview(self._encode(dumped) if dumped else b"")[1:-1]


def _once(rows: Iterable[Any]) -> Iterator[Any]:
    """An iterator that may be asked for its iterator again, which not every one allows."""
    if isinstance(rows, (list, tuple)):
        return iter(rows)
    return (row for row in rows)
