"""Shadow mode for list views: stock renders a share of the answers as well.

It does so right after the response was rendered, from the very rows that the answer was written
from: no query of the view is run again. The transaction of the view has ended by then; its time
zone, its language and its other context variables hold.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from itertools import chain
from operator import is_
from typing import Any

from django.db import connections, transaction
from django.db.models import QuerySet
from django.dispatch import Signal
from rest_framework.response import Response
from rest_framework.serializers import ListSerializer
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from fastschema.contrib.django import conf
from fastschema.contrib.django.front_end.customization import is_stock_list
from fastschema.contrib.django.internals.queries import results_of
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.contrib.django.renderers import writes_fast
from fastschema.runtime.patching import stock_method
from fastschema.shadow import Difference, compare, in_shadow, is_sampled

shadow_differed = Signal()
"""Sent for each difference, with the class of the view as the sender and a ``difference``."""

_DATA = stock_method(ListSerializer, "data")
_LISTS = (list, tuple, ReturnList)
_DICTIONARIES = (dict, OrderedDict, ReturnDict)
_END = object()


def schedule_comparison(
    response: Any, view: Any, serializer: Any, rows: Any, request: Any, share: float
) -> None:
    """Compare a share of the answers of views with stock's, once they are rendered.

    Does nothing for what stock could not render alike: rows that can be read only once, a list
    serializer with methods of its own, a response that is none of DRF's, another renderer than
    ``FastJSONRenderer``. Data that are changed before they are rendered, in place too, are not
    compared.

    :param rows: what stands for the rows in the data of the response
    """
    if not is_sampled(share):
        return
    renderer = getattr(request, "accepted_renderer", None)
    if not writes_fast(renderer, getattr(request, "accepted_media_type", None), {}):
        return
    if not isinstance(response, Response) or not isinstance(serializer, ListSerializer):
        return
    if type(serializer).data is not _DATA or not is_stock_list(serializer):
        return
    kept = _rows_read(serializer.instance)
    cls, data = type(response), vars(response).get("data")
    is_around = type(data) is dict and any(value is rows for value in data.values())
    if kept is None or not (data is rows or is_around):
        return
    try:
        parts = list(_parts(data))
    except RecursionError:  # data that hold themselves: rendering them is an error, too
        return
    context = copy_context()
    context.run(in_shadow.set, True)

    def follow(response: Any) -> None:
        is_as_made = (
            type(response) is cls
            and vars(response).get("data") is data
            and response.accepted_renderer is renderer
        )
        if is_as_made:
            now = list(_parts(data))
            if len(now) == len(parts) and all(map(is_, now, parts)):
                context.run(_compare, response, view, serializer, rows, kept)

    response.add_post_render_callback(follow)


def _rows_read(rows: Any) -> Any:
    """Return the list of rows that were read; None if they would have to be read a second time."""
    if isinstance(rows, QuerySet):
        rows = results_of(rows)
    return rows if isinstance(rows, (list, tuple)) else None


def _parts(data: Any) -> Iterator[Any]:
    """All that data consist of, in order: the same objects, as long as they are not changed.

    Only lists and dictionaries are looked into: others may be read only once.
    """
    yield data
    inner: Iterable[Any] = ()
    if type(data) in _LISTS:
        inner = data
    elif type(data) in _DICTIONARIES:
        inner = chain.from_iterable(data.items())
    for member in inner:
        yield from _parts(member)
    yield _END


def _compare(response: Any, view: Any, serializer: Any, rows: Any, kept: Any) -> None:
    view_class = type(view)

    def by_stock() -> bytes:
        with _savepoints():
            data: Any = serializer.to_representation(_instances(kept))
            answered = vars(response)["data"]
            if answered is not rows:
                data = {key: data if value is rows else value for key, value in answered.items()}
            rendered: bytes = response.accepted_renderer.render(
                data, response.accepted_media_type, response.renderer_context
            )
        return rendered

    def tell(difference: Difference) -> None:
        shadow_differed.send_robust(sender=view_class, difference=difference)

    compare(
        response.content,
        by_stock,
        schema=type(serializer.child).__name__,
        view=f"{view_class.__module__}.{view_class.__qualname__}",
        has_values=conf.settings().shadow_values,
        tell=tell,
    )


def _instances(rows: Any) -> list[Any]:
    """Return the objects of rows; made by Django where the answer did without them."""
    if isinstance(rows, LazyInstanceList) and rows.fetched is not None:
        return rows.made_by_django()
    return list(rows)


@contextmanager
def _savepoints() -> Iterator[None]:
    """Within it, an error of the database leaves the transactions around it as they are."""
    with ExitStack() as stack:
        for connection in connections.all(initialized_only=True):
            if connection.in_atomic_block:
                stack.enter_context(transaction.atomic(using=connection.alias))
        yield
