"""Middleware that asks, for each request, whether fastschema answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.utils.decorators import sync_and_async_middleware

from fastschema.contrib.django.app import conf
from fastschema.settings import chooser
from fastschema.switch import DISABLED_AT_START, switched

PATH = f"{__name__}.switch_by_request"
"""What belongs into ``MIDDLEWARE``."""


@sync_and_async_middleware  # type: ignore[untyped-decorator]  # Django has no types
def switch_by_request(get_response: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Answer the requests that ``FASTSCHEMA["ENABLED"]`` chooses by fastschema, others by stock.

    The callable of that name is given Django's request; it may be ``async``. Where
    ``FASTSCHEMA_DISABLED`` is set, it is not asked. What it raises is an error of a middleware. A
    list that fastschema streams keeps the choice (:mod:`fastschema.contrib.django.streaming`).

    :param get_response: answers a request
    :raises MiddlewareNotUsed: if there is nothing to ask
    :raises ImproperlyConfigured: if the setting does not lead to a callable
    """
    path = conf.settings().enabled
    if path is None or DISABLED_AT_START:
        raise MiddlewareNotUsed("nobody chooses requests")
    choose = choosing_callable(path)
    if iscoroutinefunction(get_response):
        # It may ask the database, for the user say.
        choose_later = choose if iscoroutinefunction(choose) else sync_to_async(choose)

        async def async_middleware(request: Any) -> Any:
            with switched(is_on=bool(await choose_later(request))):
                return await get_response(request)

        return async_middleware

    choose_now = async_to_sync(choose) if iscoroutinefunction(choose) else choose

    def middleware(request: Any) -> Any:
        with switched(is_on=bool(choose_now(request))):
            return get_response(request)

    return middleware


def choosing_callable(path: str) -> Callable[[Any], Any]:
    """Return the callable that a setting names.

    :raises ImproperlyConfigured: if there is none
    """
    try:
        return chooser(path, f"{conf.NAME}['ENABLED']")
    except ValueError as error:
        raise ImproperlyConfigured(str(error)) from error
