"""Objects to JSON text, by generated code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastschema.runtime.dispatch import RowDumper
from fastschema.runtime.front_end import DumpingSchema
from fastschema.runtime.json_chunks import JsonArray
from fastschema.runtime.json_engine import Engine
from fastschema.switch import is_disabled


def dumper_of(
    schema: DumpingSchema, obj: Any, many: bool | None, engine: Engine
) -> tuple[bool, RowDumper | None]:
    """Whether stock dumps an object row by row, and what does so by generated code, if that can."""
    is_collection = schema.is_collection(obj, many)
    rows: int | None = 1
    if is_collection:
        rows = len(obj) if type(obj) is list else None
    return is_collection, schema.row_dumper(engine.form, rows)


def dumped_text(
    schema: DumpingSchema, obj: Any, many: bool | None, engine: Engine, ending: bytes = b""
) -> bytes | None:
    """The JSON text of what stock's dump returns, without dictionaries of all rows in between.

    :param obj: the object, or a collection of objects
    :param many: whether it is a collection; None: as the schema says
    :param engine: writes the JSON
    :param ending: what is to follow the text
    :returns: the text as UTF-8; None if the schema needs all that stock's dump does
    :raises Exception: what stock raises
    """
    is_collection, dumper = dumper_of(schema, obj, many, engine)
    if dumper is None:
        return None
    if is_collection:
        text = JsonArray(schema.rows(obj), dumper.all_rows, engine.encode).join(ending)
    else:
        text = engine.encode(dumper.one_row(obj)) + ending
    dumper.end()
    return text


def dumped_data(schema: DumpingSchema, obj: Any, many: bool | None) -> Any:
    """What stock's dump returns, by generated code unless that is switched off.

    :raises Exception: what stock's dump raises
    """
    return schema.stock_dump(obj, many) if is_disabled() else schema.dump(obj, many)


def json_text(schema: DumpingSchema, obj: Any, many: bool | None) -> bytes:
    """The JSON text of what stock's dump returns, by the schema's own engine.

    :raises Exception: what stock's dump or the framework's JSON encoder raises
    """
    text = None
    if not is_disabled():
        many = None if many is None else bool(many)  # asked once
        text = dumped_text(schema, obj, many, schema.engine())
    return schema.stock_encode(dumped_data(schema, obj, many)) if text is None else text


def json_stream(
    schema: DumpingSchema, rows: Any, chunk_size: int, *, is_stock: bool
) -> Iterator[bytes]:
    """The same for rows, as one JSON array in chunks that are written while the rows are read.

    :param chunk_size: how many rows to write at a time
    :param is_stock: whether stock dumps them, in one piece
    :raises Exception: what stock raises, when the row that causes it is reached
    """
    engine = schema.engine()
    dumper = None if is_stock else schema.row_dumper(engine.form, None)
    if dumper is not None:
        yield from JsonArray(schema.rows(rows), dumper.all_rows, engine.encode, chunk_size)
    elif is_stock:
        yield schema.stock_encode(schema.stock_dump(rows, True))
    else:
        yield schema.stock_encode(dumped_data(schema, rows, True))
