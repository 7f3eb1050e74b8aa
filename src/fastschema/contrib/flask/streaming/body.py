"""The body of a response that is made while it is sent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextvars import Context
from typing import Any

from flask import Flask, Response, has_request_context, request
from flask import globals as contexts
from flask.signals import got_request_exception

# Since Flask 3.2 a request has no context of its own, and the application's is given to methods.
_has_own_context = "request_ctx" in vars(contexts)
_request_context: Any = contexts.request_ctx if _has_own_context else contexts.app_ctx


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
