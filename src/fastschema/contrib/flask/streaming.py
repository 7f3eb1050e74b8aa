"""Responses that are sent while their rows are read."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import Context, copy_context
from typing import Any

from flask import Flask, Response, after_this_request, current_app, has_request_context, request
from flask import globals as contexts
from flask.json.provider import DefaultJSONProvider
from flask.signals import got_request_exception

from fastschema.compiler.nodes import Form
from fastschema.contrib.flask.json_provider import (
    COMPACT,
    FastJSONProvider,
    jsonify_engine,
    writes_as_flask,
)
from fastschema.contrib.flask.responses import response_in, schema_and_rows
from fastschema.runtime.encode import JsonArray, JsonLines, checked_chunk_size
from fastschema.runtime.front_end import DumpingSchema, dumped_data
from fastschema.runtime.json_engine import Engine
from fastschema.runtime.switch import is_disabled

# Since Flask 3.2 a request has no context of its own, and the application's is given to methods.
_has_own_context = "request_ctx" in vars(contexts)
_request_context: Any = contexts.request_ctx if _has_own_context else contexts.app_ctx

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


class ResponseStream:
    """The body of a response, made while it is sent, within the context of its request.

    All chunks are made by the context variables that held in the view (``request``, marshmallow's
    ``Context``, the decimal context), whatever the thread does between them.

    After an error the server gets the exception, and has no way to complete the body: it cuts the
    connection. The exception is logged here, as Flask logs those of views, since it comes too late
    for Flask. ``close_rows`` is called at the end, whatever the end is.
    """

    def __init__(
        self,
        app: Flask,
        variables: Context,
        first: bytes,
        rest: Iterator[bytes],
        close_rows: Callable[[], None],
    ) -> None:
        self._app = app
        self._variables = variables
        self._first = first
        self._rest = rest
        self._close_rows = close_rows
        self._context: Any = None
        self._is_closed = False

    def keep_context(self, response: Response) -> None:
        """Keep the request's context until the body is sent.

        Called when the view is done, in the thread that sends the response: an ``async`` view runs
        elsewhere.
        """
        if response.response is not self:
            if self._context is not None:  # a later function failed: another response is sent
                self.close()
        elif request.method == "HEAD":  # no body is sent
            self.close()
        elif not self._is_closed:
            self._context = _request_context._get_current_object()
            self._context.push()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._is_closed:
            raise StopIteration
        if self._first:
            first, self._first = self._first, b""
            return first
        try:
            return self._variables.run(next, self._rest)
        except StopIteration:
            self.close()
            raise
        except Exception as error:
            self._variables.run(self._tell, error)
            self.close(error)
            raise

    def _tell(self, error: Exception) -> None:
        """Log an exception and send Flask's signal, as ``Flask.handle_exception`` does."""
        if has_request_context():
            log_exception: Any = self._app.log_exception
            arguments = [] if _has_own_context else [_request_context._get_current_object()]
            log_exception(*arguments, sys.exc_info())
        else:
            self._app.logger.error("Exception while streaming", exc_info=error)
        got_request_exception.send(self._app, _async_wrapper=self._app.ensure_sync, exception=error)

    def __del__(self) -> None:
        """Close what a client of a test, say, has never read to its end."""
        self.close()

    def close(self, error: BaseException | None = None) -> None:
        """Close the rows, and let go of the context; servers call it for lost clients, too."""
        if self._is_closed:
            return
        self._is_closed = True
        self._rest = iter(())
        try:
            self._variables.run(self._close_rows)
        finally:
            if self._context is not None:
                self._context.pop(error)
