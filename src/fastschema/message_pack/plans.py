"""MessagePack by plans: what ``Plan.packb`` and ``Plan.pack_stream`` return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastschema.message_pack.packing import MessagePackError, packed
from fastschema.runtime.encode import JsonLines, json_bytes
from fastschema.runtime.front_end import CompiledSchema, dumped_data


def message(schema: CompiledSchema, obj: Any, many: bool | None) -> bytes:
    """Return one message with the values of the JSON of what stock's dump returns."""
    name = type(schema.schema).__name__
    try:
        return packed(json_bytes(schema, obj, many), name)
    except UnicodeEncodeError as error:  # a lone surrogate, which DRF's JSON cannot hold either
        raise MessagePackError(f"{name}: {error}") from error


def messages(
    schema: CompiledSchema, rows: Any, chunk_size: int, *, is_stock: bool
) -> Iterator[bytes]:
    """Yield messages of rows, one for each, some at a time; packed while the rows are read."""
    engine, name = schema.engine(), type(schema.schema).__name__
    dumper = None if is_stock else schema.row_dumper(engine.form, None)
    if dumper is None:
        dumped = schema.stock_dump(rows, True) if is_stock else dumped_data(schema, rows, True)
        for row in dumped:
            yield packed(schema.stock_encode(row), name)
        return
    for lines in JsonLines(schema.rows(rows), dumper.all_rows, engine.encode, chunk_size):
        yield b"".join([packed(line, name) for line in lines.split(b"\n") if line])
