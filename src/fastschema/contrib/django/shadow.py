"""Shadow mode for list views: stock makes a share of the lists as well.

It does so right after the response was rendered, from the very rows that the list was made from: no
query of the view is run again. The transaction of the view has ended by then; its time zone, its
language and its other context variables hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from typing import Any

from django.db import connections, transaction
from django.db.models import QuerySet
from django.dispatch import Signal
from rest_framework.response import Response
from rest_framework.serializers import ListSerializer
from rest_framework.utils.encoders import JSONEncoder

from fastschema.contrib.django.app import conf
from fastschema.contrib.django.app.dump_log import stop_logging
from fastschema.contrib.django.front_end.customization import is_stock_list
from fastschema.contrib.django.front_end.json_encoding import encode, stock_encode
from fastschema.contrib.django.internals.queries import results_of
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.runtime.json_engine import JsonText
from fastschema.runtime.patching import stock_method
from fastschema.shadow import Difference, compare

shadow_differed = Signal()
"""Sent for each difference, with the class of the view as the sender and a ``difference``."""

_DATA = stock_method(ListSerializer, "data")


def schedule_comparison(response: Any, view: Any, serializer: Any, rows: Any) -> None:
    """Compare a list with stock's, once the response is rendered.

    What is compared is the list that the serializer made, as it was made: a view may change it
    afterwards. Does nothing for what stock could not make again: rows, or values, that can be read
    only once, a list serializer with methods of its own.

    :param response: what the view returns
    :param serializer: has the rows, with ``many=True``
    :param rows: its data, or their JSON
    """
    if not isinstance(response, Response) or not isinstance(serializer, ListSerializer):
        return
    if type(serializer).data is not _DATA or not is_stock_list(serializer):
        return
    kept = _rows_read(serializer.instance)
    written = None if kept is None else _json_of(rows)
    if written is None:
        return
    context = copy_context()
    context.run(stop_logging)  # what stock does in the shadow is no part of the answer
    response.add_post_render_callback(
        lambda _: context.run(_compare, written, view, serializer, kept)
    )


def _rows_read(rows: Any) -> Any:
    """Return the list of rows that were read; None if they would have to be read a second time."""
    if isinstance(rows, QuerySet):
        rows = results_of(rows)
    return rows if isinstance(rows, (list, tuple)) else None


class _Encoder(JSONEncoder):
    """DRF's encoder, which leaves alone what can be read only once."""

    def default(self, obj: Any) -> Any:
        if hasattr(obj, "__next__"):
            raise TypeError("the response is to read this")
        return super().default(obj)


def _json_of(rows: Any) -> bytes | None:
    """Return the JSON of a list; None if only the response may read it, or nothing can write it."""
    if type(rows) is JsonText:
        return rows.text
    for write in (encode, partial(stock_encode, encoder=_Encoder)):
        with suppress(Exception):  # of the last one: rendering may raise it again
            return write(rows)
    return None


def _compare(written: bytes, view: Any, serializer: Any, kept: Any) -> None:
    """Compare the JSON of a list with stock's.

    :param kept: the rows that were read
    """
    view_class = type(view)

    def by_stock() -> bytes:
        with _savepoints():
            return stock_encode(serializer.to_representation(_instances(kept)))

    def tell(difference: Difference) -> None:
        shadow_differed.send_robust(sender=view_class, difference=difference)

    compare(
        written,
        by_stock,
        schema=type(serializer.child).__name__,
        view=f"{view_class.__module__}.{view_class.__qualname__}",
        has_values=conf.settings().shadow_values,
        tell=tell,
    )


def _instances(rows: Any) -> list[Any]:
    """Return the objects of rows that were read; made by Django where the answer did
    without them.
    """
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
