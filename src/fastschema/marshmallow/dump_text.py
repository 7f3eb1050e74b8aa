"""``Schema.dumps`` with the text of stock, without dictionaries in between."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from marshmallow import Schema, missing

from fastschema.compiler.dump_text_code import is_written
from fastschema.marshmallow.dump import find_binding, has_hooks, overrides_dump, text_dispatch
from fastschema.runtime import policy
from fastschema.runtime.json_chunks import CHUNK_SIZE
from fastschema.runtime.json_engine import orjson
from fastschema.runtime.stock import stock_method
from fastschema.runtime.stock_text import StockText
from fastschema.switch import is_disabled

STOCK_DUMPS = stock_method(Schema, "dumps")
_JSON_DUMPS = json.dumps
_JSON_ENCODER = vars(json)["_default_encoder"]


def dumps(schema: Any, obj: Any, many: bool | None) -> str | None:
    """What ``Schema.dumps`` returns for rows, without further arguments.

    :param obj: the rows
    :param many: as for ``Schema.dumps``
    :returns: None if stock writes what ``Schema.dump`` returns
    :raises Exception: what stock raises
    """
    is_collection = schema.many if many is None else many is True
    if not is_collection or obj is None or not _writes_as_stock(schema):
        return None
    rows = len(obj) if type(obj) is list else policy.MANY
    if rows < policy.rows_worth_writing:
        return None
    # Where it is none, `dump` is called and counts the rows.
    binding = find_binding(schema, rows, counts=False)
    if binding is None or not is_written(binding.program.node):
        return None
    text = StockText(missing)
    dispatch = text_dispatch(binding, text)
    if type(obj) is not list:
        text.add(dispatch.all_rows(obj))
        return text.finished()
    each_row = iter(obj)
    while texts := dispatch.all_rows(islice(each_row, CHUNK_SIZE)):
        text.add(texts)
    return text.finished()


def _writes_as_stock(schema: Any) -> bool:
    """Whether ``json.dumps`` writes what stock's own code dumps."""
    return (
        orjson is not None
        and not is_disabled()
        and schema.opts.render_module is json
        and json.dumps is _JSON_DUMPS
        and vars(json)["_default_encoder"] is _JSON_ENCODER
        and overrides_dump(schema) is None
        and not has_hooks(schema)
    )
