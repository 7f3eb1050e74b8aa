"""Middleware that asks, for each request, whether fastschema answers it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.http import FileResponse
from django.utils.decorators import sync_and_async_middleware

from fastschema.contrib.django.app import conf
from fastschema.settings import chooser
from fastschema.switch import DISABLED_AT_START, is_disabled, switched

PATH = f"{__name__}.switch_by_request"
"""What belongs into ``MIDDLEWARE``."""


@sync_and_async_middleware  # type: ignore[untyped-decorator]  # Django has no types
def switch_by_request(get_response: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Answer the requests that ``FASTSCHEMA["ENABLED"]`` chooses by fastschema, others by stock.

    The callable of that name is given Django's request; it may be ``async``. Where
    ``FASTSCHEMA_DISABLED`` is set, it is not asked. What it raises is an error of a middleware.

    :param get_response: answers a request
    :raises MiddlewareNotUsed: if there is nothing to ask
    :raises ImproperlyConfigured: if the setting does not lead to a callable
    """
    path = conf.settings().enabled
    if path is None or DISABLED_AT_START:
        raise MiddlewareNotUsed("nobody chooses requests")
    choose = choosing_callable(path)
    if iscoroutinefunction(get_response):
        return _async_middleware(get_response, choose)

    choose_now = async_to_sync(choose) if iscoroutinefunction(choose) else choose

    def middleware(request: Any) -> Any:
        is_on = bool(choose_now(request))
        if is_on is not is_disabled():
            return get_response(request)
        with switched(is_on=is_on):
            return _kept(get_response(request), is_on)

    return middleware


def _async_middleware(
    get_response: Callable[[Any], Awaitable[Any]], choose: Callable[[Any], Any]
) -> Callable[[Any], Awaitable[Any]]:
    # It may ask the database, for the user say.
    choose_later = choose if iscoroutinefunction(choose) else sync_to_async(choose)

    async def middleware(request: Any) -> Any:
        is_on = bool(await choose_later(request))
        if is_on is not is_disabled():
            return await get_response(request)
        with switched(is_on=is_on):
            return _kept(await get_response(request), is_on)

    return middleware


def choosing_callable(path: str) -> Callable[[Any], Any]:
    """Return the callable that a setting names.

    :raises ImproperlyConfigured: if there is none
    """
    try:
        return chooser(path, f"{conf.NAME}['ENABLED']")
    except ValueError as error:
        raise ImproperlyConfigured(str(error)) from error


def _kept(response: Any, is_on: bool) -> Any:
    """Return the response; if it is streamed, the choice holds until its last chunk."""
    # Of a file, no chunk is made by a schema, and servers have a way of their own to send it.
    if getattr(response, "streaming", False) and not isinstance(response, FileResponse):
        switch = _switched_async if getattr(response, "is_async", False) else _switched
        response.streaming_content = switch(response.streaming_content, is_on)
    return response


def _switched(chunks: Any, is_on: bool) -> Iterator[bytes]:
    end = object()
    iterator = iter(chunks)
    while True:
        with switched(is_on=is_on):
            chunk: Any = next(iterator, end)
        if chunk is end:
            return
        yield chunk


async def _switched_async(chunks: Any, is_on: bool) -> AsyncIterator[bytes]:
    iterator = aiter(chunks)
    while True:
        try:
            with switched(is_on=is_on):
                chunk = await anext(iterator)
        except StopAsyncIteration:
            return
        yield chunk
