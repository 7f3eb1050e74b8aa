"""Rows to chunks of bytes: one JSON array, written as the rows are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

CHUNK_SIZE = 1000
"""Rows to a chunk: few enough for the CPU's cache and for flat memory, enough to be fast."""


def json_array(
    rows: Iterable[Any],
    dump_many: Callable[[Iterable[Any]], list[Any]],
    encode: Callable[[Any], bytes],
    chunk_size: int = CHUNK_SIZE,
) -> Iterator[bytes]:
    """The rows as one JSON array, a chunk of rows at a time.

    Each row is dumped as soon as it is read.

    :param rows: the rows
    :param dump_many: from rows to what is written for each
    :param encode: from a list of those to JSON
    :param chunk_size: how many rows to write at a time
    :raises ValueError: if ``chunk_size`` is not positive
    """
    if chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
    return _json_array(iter(rows), dump_many, encode, chunk_size)


def _json_array(
    rows: Iterator[Any],
    dump_many: Callable[[Iterable[Any]], list[Any]],
    encode: Callable[[Any], bytes],
    chunk_size: int,
) -> Iterator[bytes]:
    opening = b"["
    while True:
        dumped = dump_many(islice(rows, chunk_size))
        if dumped:
            yield opening + encode(dumped)[1:-1]
            opening = b","
        if len(dumped) < chunk_size:
            break
    yield b"[]" if opening == b"[" else b"]"
