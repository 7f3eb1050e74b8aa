"""Asking, for each request of an application, whether fastschema answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import Context, ContextVar, copy_context
from functools import partial
from typing import Any

from flask import Flask, request
from werkzeug.utils import import_string
from werkzeug.wsgi import FileWrapper

from fastschema.switch import as_function, switch_for_rest

_has_own_context = ContextVar("fastschema_has_own_context", default=False)
"""Whether the request that runs has context variables of its own."""


def switch_by_request(app: Flask, choose: Callable[[Any], Any]) -> None:
    """Answer the requests of an application that a function chooses by fastschema, others by stock.

    The choice holds until the last chunk of the response.

    :param choose: given Flask's request, ``async`` or not; called before the view, in the order of
        ``before_request``; what it raises is an error of the view
    """
    app.wsgi_app = OwnContext(app.wsgi_app)  # type: ignore[method-assign]  # as Flask says

    def switch() -> None:
        is_on = bool(app.ensure_sync(choose)(request))
        if _has_own_context.get():  # a request of a server or a test client
            switch_for_rest(is_on=is_on)

    app.before_request(switch)


def switch_off(app: Flask) -> None:
    """Answer all requests of an application by stock, until the last chunk of each response."""
    app.wsgi_app = OwnContext(app.wsgi_app, is_off=True)  # type: ignore[method-assign]  # as Flask says


class OwnContext:
    """A WSGI application, each of whose requests runs in context variables of its own.

    What is set there ends with the request, whenever that is, and nobody has to set it back.

    :param wsgi_app: the application
    :param is_off: whether stock answers all of its requests
    """

    def __init__(self, wsgi_app: Callable[..., Iterable[bytes]], *, is_off: bool = False) -> None:
        self._wsgi_app = wsgi_app
        self._is_off = is_off

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request."""
        context = copy_context()
        context.run(_has_own_context.set, True)
        if self._is_off:
            context.run(partial(switch_for_rest, is_on=False))
        body = context.run(self._wsgi_app, environ, start_response)
        if isinstance(body, (list, tuple)) or _is_file(body, environ):
            return body
        return _Body(body, context)


def _is_file(body: Any, environ: dict[str, Any]) -> bool:
    """Whether a body is a file, which servers have a way of their own to send."""
    wrapper = environ.get("wsgi.file_wrapper")
    wrappers = (FileWrapper, wrapper) if isinstance(wrapper, type) else FileWrapper
    return isinstance(body, wrappers)


class _Body(Iterator[bytes]):
    """The body of a response, made and closed in the context of its request."""

    def __init__(self, body: Iterable[bytes], context: Context) -> None:
        self._body = body
        self._iterator = context.run(iter, body)
        self._context = context

    def __next__(self) -> bytes:
        return self._context.run(next, self._iterator)

    def close(self) -> None:
        """Close the response."""
        close = getattr(self._body, "close", None)
        if close is not None:
            self._context.run(close)


def imported(value: Any) -> Callable[[Any], Any]:
    """Return a callable, or what a dotted path names.

    :raises ValueError: if that is no callable
    """
    try:
        found = import_string(value) if isinstance(value, str) else value
    except ImportError as error:
        raise ValueError(f"FASTSCHEMA_ENABLED cannot be imported: {error}") from error
    if not callable(found):
        raise ValueError(
            "FASTSCHEMA_ENABLED must be False, a callable that is given a request, or the path of "
            f"one, not {value!r}"
        )
    return as_function(found)
