"""Objects to JSON by generated code: whole, and in chunks as rows are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import islice
from typing import Any

from fastschema.runtime.front_end import DumpingSchema, dumped_data
from fastschema.runtime.json_engine import Engine
from fastschema.runtime.switch import is_disabled


def dumped_bytes(
    schema: DumpingSchema, obj: Any, many: bool | None, engine: Engine, ending: bytes = b""
) -> bytes | None:
    """Return the JSON of what stock's dump returns; None if the schema needs all that that does."""
    is_collection = schema.is_collection(obj, many)
    rows: int | None = 1
    if is_collection:
        rows = len(obj) if type(obj) is list else None
    dumper = schema.row_dumper(engine.form, rows)
    if dumper is None:
        return None
    if is_collection:
        text = JsonArray(schema.rows(obj), dumper.all_rows, engine.encode).join(ending)
    else:
        (row,) = schema.rows([obj])
        text = engine.encode(dumper.one_row(row)) + ending
    dumper.end()
    return text


def json_bytes(schema: DumpingSchema, obj: Any, many: bool | None) -> bytes:
    """Return the JSON text of what stock's dump returns, by the schema's own engine."""
    text = None
    if not is_disabled():
        many = None if many is None else bool(many)  # asked once
        text = dumped_bytes(schema, obj, many, schema.engine())
    return schema.stock_encode(dumped_data(schema, obj, many)) if text is None else text


def json_stream(
    schema: DumpingSchema, rows: Any, chunk_size: int, *, is_stock: bool
) -> Iterator[bytes]:
    """Yield rows as one JSON array, in chunks that are written while rows are read."""
    engine = schema.engine()
    dumper = None if is_stock else schema.row_dumper(engine.form, None)
    if dumper is not None:
        yield from JsonArray(schema.rows(rows), dumper.all_rows, engine.encode, chunk_size)
    else:
        dumped = schema.stock_dump(rows, True) if is_stock else dumped_data(schema, rows, True)
        yield schema.stock_encode(dumped)


CHUNK_SIZE = 150
"""Rows to a chunk: so few that their dictionaries are gone again before the garbage collector would
look at them, and that they fit the CPU's cache; enough to be fast."""


def checked_chunk_size(chunk_size: int) -> int:
    """Return how many rows to write at a time."""
    if not isinstance(chunk_size, int) or isinstance(chunk_size, bool) or chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, not {chunk_size!r}")
    return chunk_size


class _Chunks:
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
        """Yield the lines in chunks, none of which is empty.

        The newline of the last row comes by itself, at the very end: without it, clients see
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

    separator = b","

    def __iter__(self) -> Iterator[bytes]:
        rows = _once(self._rows)
        opening = b"["
        while chunk := self._chunk(rows):
            yield b"".join([opening, chunk])
            opening = self.separator
        yield b"[]" if opening == b"[" else b"]"

    def join(self, ending: bytes = b"") -> bytes:
        """Return the whole array, and what is to follow it.

        The iterator would not do: no ``StopIteration`` of user code comes out of a generator.
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
            opening = self.separator
        text.write(b"[]" if opening == b"[" else b"]")
        text.write(ending)
        return text.getvalue()

    def _chunk(self, rows: Iterator[Any]) -> memoryview:
        """Return the next rows, without brackets and without a copy; empty if there are none."""
        dumped = self._dump_many(islice(rows, self._chunk_size))
        return memoryview(self._encode(dumped) if dumped else b"")[1:-1]


def _once(rows: Iterable[Any]) -> Iterator[Any]:
    """Return an iterator that may be asked for its iterator again, which not every one allows."""
    if type(rows) is list or type(rows) is tuple:
        return iter(rows)
    return (row for row in rows)
