"""Rows to chunks of bytes, written as the rows are read: one JSON array, or a line for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import islice
from typing import Any

CHUNK_SIZE = 150
"""Rows to a chunk: so few that their dictionaries are gone again before the garbage collector would
look at them, and that they fit the CPU's cache; enough to be fast."""


def checked_chunk_size(chunk_size: int) -> int:
    """The number of rows to write at a time.

    :raises ValueError: if it is no positive integer
    """
    if not isinstance(chunk_size, int) or isinstance(chunk_size, bool) or chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, not {chunk_size!r}")
    return chunk_size


class _Chunks:
    """Rows, a chunk of them at a time. Each row is dumped as soon as it is read.

    :param rows: the rows
    :param dump_many: from rows to what is written for each
    :param encode: from that to JSON
    :param chunk_size: how many rows to write at a time
    :raises ValueError: if ``chunk_size`` is no positive integer
    """

    def __init__(
        self,
        rows: Iterable[Any],
        dump_many: Callable[[Iterable[Any]], list[Any]],
        encode: Callable[[Any], bytes],
        chunk_size: int = CHUNK_SIZE,
    ) -> None:
        self._rows = rows
        self._dump_many = dump_many
        self._encode = encode
        self._chunk_size = checked_chunk_size(chunk_size)


class JsonLines(_Chunks):
    """Rows as newline-delimited JSON, one line for each; ``encode`` writes one row."""

    def __iter__(self) -> Iterator[bytes]:
        """The chunks. They are not empty; joined, they are the lines.

        The newline of the last row comes by itself, at the very end: without it, everybody sees
        that an answer was cut off.
        """
        rows = _once(self._rows)
        before = b""
        while dumped := self._dump_many(islice(rows, self._chunk_size)):
            yield before + b"\n".join([self._encode(row) for row in dumped])
            before = b"\n"
        if before:
            yield before


class JsonArray(_Chunks):
    """Rows as one JSON array; ``encode`` writes a list of rows."""

    def __iter__(self) -> Iterator[bytes]:
        """The chunks. They are not empty; joined, they are the array."""
        rows = _once(self._rows)
        opening = b"["
        while chunk := self._chunk(rows):
            yield b"".join([opening, chunk])
            opening = b","
        yield b"[]" if opening == b"[" else b"]"

    def join(self, ending: bytes = b"") -> bytes:
        """The whole array, and what is to follow it.

        Not by way of the iterator: Python lets no ``StopIteration`` of user code out of a
        generator.
        """
        if type(self._rows) is list and len(self._rows) <= self._chunk_size:
            return self._encode(self._dump_many(self._rows)) + ending
        rows = _once(self._rows)
        opening = b"["
        # Not a list of chunks: all of them would be in memory beside the text.
        text = BytesIO()
        while chunk := self._chunk(rows):
            text.write(opening)
            text.write(chunk)
            opening = b","
        text.write(b"[]" if opening == b"[" else b"]")
        text.write(ending)
        return text.getvalue()

    def _chunk(self, rows: Iterator[Any]) -> memoryview:
        """The next rows, without brackets and without a copy; empty if there are none left."""
        dumped = self._dump_many(islice(rows, self._chunk_size))
        return memoryview(self._encode(dumped) if dumped else b"")[1:-1]


def _once(rows: Iterable[Any]) -> Iterator[Any]:
    """An iterator that may be asked for its iterator again, which not every one allows."""
    if type(rows) is list or type(rows) is tuple:
        return iter(rows)
    return (row for row in rows)
