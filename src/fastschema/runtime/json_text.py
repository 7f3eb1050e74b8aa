"""Objects to JSON text, by generated code."""

from __future__ import annotations

from typing import Any

from fastschema.runtime.front_end import CompiledSchema
from fastschema.runtime.json_chunks import JsonArray
from fastschema.runtime.json_engine import Engine


def dumped_text(
    schema: CompiledSchema, obj: Any, many: bool | None, engine: Engine, ending: bytes = b""
) -> bytes | None:
    """The JSON text of what stock's dump returns, without dictionaries of all rows in between.

    :param obj: the object, or a collection of objects
    :param many: whether it is a collection; None: as the schema says
    :param engine: writes the JSON
    :param ending: what is to follow the text
    :returns: the text as UTF-8; None if the schema needs all that stock's dump does
    :raises Exception: what stock raises
    """
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
        text = engine.encode(dumper.one_row(obj)) + ending
    dumper.end()
    return text
