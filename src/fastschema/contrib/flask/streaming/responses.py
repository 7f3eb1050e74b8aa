"""Responses that are sent while their rows are read."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextvars import copy_context
from typing import Any

from flask import Flask, Response, after_this_request, current_app, has_request_context
from flask.json.provider import DefaultJSONProvider

from fastschema.compiler.nodes import Form
from fastschema.contrib.flask.json_provider import (
    COMPACT,
    FastJSONProvider,
    jsonify_engine,
    writes_as_flask,
)
from fastschema.contrib.flask.responses import response_in, schema_and_rows
from fastschema.contrib.flask.streaming.body import ResponseStream
from fastschema.runtime.encode import JsonArray, JsonLines, checked_chunk_size
from fastschema.runtime.front_end import DumpingSchema, dumped_data
from fastschema.runtime.json_engine import Engine
from fastschema.runtime.switch import is_disabled

NDJSON_MIMETYPE = "application/x-ndjson"
FORMATS = ("json", "ndjson")


def _provider_engine(provider: Any) -> Engine:
    """Return any JSON provider of an application as an engine that writes a value in one line."""
    layout = {"separators": COMPACT} if isinstance(provider, DefaultJSONProvider) else {}

    def encode(data: Any) -> bytes:
        text: str = provider.dumps(data, **layout)
        return text.encode().strip().replace(b"\n", b"")  # never in a string: there it is escaped

    return Engine("provider", Form.PYTHON, encode)


def stream_response(
    schema: Any, rows: Any, form: str, chunk_size: int, session: Any = None
) -> Response:
    """Return a response that is sent in chunks while the rows are read.

    The first chunk is made here, so that its errors are those of the view. A JSON provider of the
    application's own that overrides methods writes an array in one piece.
    """
    close_rows = getattr(rows, "close", _nothing)
    variables = copy_context()
    try:
        _check(rows, form, chunk_size)
        compiled, rows = schema_and_rows(schema, rows, session, is_streamed=True)
        close_rows = getattr(rows, "close", _nothing)
        if form == "json" and not writes_as_flask(current_app.json):
            # Only the provider of the app knows what belongs around the rows.
            response = response_in("json", compiled, rows, many=True)
            close_rows()
            return response
        chunks = _chunks(compiled, rows, form, chunk_size)
        first = variables.run(next, chunks, b"")
    except BaseException:
        close_rows()
        raise
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # a proxy
    stream = ResponseStream(app, variables, first, chunks, close_rows)
    mimetype = NDJSON_MIMETYPE if form == "ndjson" else getattr(app.json, "mimetype", None)
    response = app.response_class(stream, mimetype=mimetype or "application/json")
    if has_request_context():
        keep = weakref.WeakMethod(stream.keep_context)  # the request does not hold its response
        after_this_request(lambda sent: _keep_context(keep, sent))
    return response


def _check(rows: Any, form: str, chunk_size: int) -> None:
    if form not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {form!r}")
    if isinstance(rows, (Mapping, str, bytes)):
        raise TypeError(
            f"rows must be an iterable of objects, not a {type(rows).__name__}. To answer with "
            "one object, use response(schema, obj)."
        )
    checked_chunk_size(chunk_size)


def _keep_context(keep: weakref.WeakMethod[Any], response: Response) -> Response:
    method = keep()
    if method is not None:
        method(response)
    return response


def _nothing() -> None:
    """Close rows that need not be closed."""


def _chunks(
    compiled: DumpingSchema, rows: Iterable[Any], form: str, chunk_size: int
) -> Iterator[bytes]:
    provider = current_app.json
    engine = _provider_engine(provider)
    if isinstance(provider, FastJSONProvider) and provider.is_fast:
        engine = jsonify_engine(provider)
    count = len(rows) if type(rows) is list else None
    dumper = None if is_disabled() else compiled.row_dumper(engine.form, count)
    if dumper is None:  # stock must see all rows
        engine = _provider_engine(provider)
        dumped = dumped_data(compiled, rows, True)
        if form == "json":
            return iter([engine.encode(dumped) + b"\n"])
        lines = dumped if isinstance(dumped, list) else [dumped]
        return iter(JsonLines(lines, list, engine.encode, chunk_size))
    each_row = compiled.rows(rows)
    if form == "ndjson":
        return iter(JsonLines(each_row, dumper.all_rows, engine.encode, chunk_size))
    return _with_newline(JsonArray(each_row, dumper.all_rows, engine.encode, chunk_size))


def _with_newline(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the chunks, and the newline that Flask's JSON ends with."""
    yield from chunks
    yield b"\n"
