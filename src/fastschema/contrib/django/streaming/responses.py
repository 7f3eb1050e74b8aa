"""Lists that are sent to the client while the database is read.

The bytes are those of the answer that is not streamed. What may go wrong before the first of them
is raised while a normal error response can still be given. After that the answer is cut off.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from contextvars import copy_context
from functools import partial
from itertools import chain, islice
from typing import Any

from asgiref.sync import sync_to_async
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIRequest
from django.core.signals import got_request_exception
from django.db import connections
from django.db.models import QuerySet, query
from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, ListSerializer
from rest_framework.utils.encoders import JSONEncoder

from fastschema.contrib.django import conf
from fastschema.contrib.django.before_rows import before_rows, loads_relations
from fastschema.contrib.django.front_end.access import rows
from fastschema.contrib.django.front_end.bound_serializer import nested_dumper_of
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.front_end.json_encoding import ENGINE
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    evaluates_as_stock,
    iterates_as_stock,
    prefetch_lookups,
    results_of,
)
from fastschema.contrib.django.renderers import FastJSONRenderer, NDJSONRenderer
from fastschema.contrib.django.streaming.blocks import dump_in_blocks, fetch_in_blocks
from fastschema.runtime.encode import CHUNK_SIZE, JsonArray, JsonLines, checked_chunk_size
from fastschema.runtime.switch import is_disabled

logger = logging.getLogger("django.request")
STREAMED: list[Callable[[Any, bool], object]] = []
"""Called with the serializer of each stream, and whether it is compiled. Plugins add theirs."""


def stream(request: Any, serializer: Any, chunk_size: int | None = None) -> Any:
    """Answer with the rows of a ``many=True`` serializer, written while they are read.

    The rows of a queryset are read by ``QuerySet.iterator(chunk_size)``: on PostgreSQL by a
    server-side cursor, with what ``prefetch_related`` asks for fetched for each chunk. A client
    that disconnects closes it. A queryset class that overrides ``__iter__`` (or ``_fetch_all``)
    but not ``iterator`` is iterated over as in stock, and so read whole.

    The answer is streamed where its bytes are sure to be those of ``Response(serializer.data)``:
    as JSON (not indented) or as newline-delimited JSON, by a renderer that overrides nothing of
    the writing, and if the list serializer overrides neither ``to_representation`` nor ``data``.
    Otherwise it is that response.

    :param request: DRF's request
    :param serializer: made with the rows and ``many=True``, as for ``Response(serializer.data)``
    :param chunk_size: how many rows to read from the database at a time; None: as
        ``FASTSCHEMA["STREAM_CHUNK_SIZE"]`` says
    :returns: a ``StreamingHttpResponse``, asynchronous if the request is ASGI's; or a ``Response``
    :raises ValueError: if ``chunk_size`` is not positive
    :raises TypeError: for a request that is none of DRF's, or a serializer that is none
    :raises Exception: what the first rows raise
    :raises ImproperlyConfigured: on PostgreSQL, if the view's transaction (``ATOMIC_REQUESTS``)
        would end before the rows are read
    """
    if not hasattr(request, "accepted_renderer"):
        raise TypeError(
            f"stream() needs the request of a DRF view, or of a function with @api_view(), not a "
            f"{type(request).__name__}: that one knows the renderer that the client accepts."
        )
    if not isinstance(serializer, BaseSerializer):
        raise TypeError(
            f"stream() needs a serializer made with many=True, not a {type(serializer).__name__}."
        )
    size = conf.settings().stream_chunk_size if chunk_size is None else chunk_size
    checked_chunk_size(size)
    by_renderer = _by_renderer(request)
    if by_renderer is None or not _is_streamable(serializer):
        return Response(serializer.data)
    data = rows(serializer.instance)
    if _has_iterator(data):
        _check_transaction(request, data.db)
    renderer = request.accepted_renderer
    is_compiled = not is_disabled() and _writes_as_engine(renderer)
    for told in STREAMED:
        told(serializer, is_compiled)
    in_chunks, encode = by_renderer
    if is_compiled:
        encode = ENGINE.encode
    written = _written(data, serializer.child, size, in_chunks, encode, is_compiled=is_compiled)
    chunks = Chunks(written, request)
    if request.method == "HEAD":
        chunks.close()
    media_type, charset = renderer.media_type, renderer.charset
    return StreamingHttpResponse(
        AsyncChunks(chunks) if isinstance(request._request, ASGIRequest) else chunks,
        content_type=media_type if charset is None else f"{media_type}; charset={charset}",
    )


_ARRAY_RENDERS = {JSONRenderer.render, FastJSONRenderer.render}


class SpacedJsonArray(JsonArray):
    """Rows as a JSON array, by an ``encode`` that writes a space after each comma."""

    separator = b", "


InChunks = type[JsonArray] | type[JsonLines]
Encode = Callable[[Any], bytes]


def _by_renderer(request: Any) -> tuple[InChunks, Encode] | None:
    """Return what writes rows as the accepted renderer: the chunks, and from what was dumped (of an
    array several rows, or else one) to JSON; None if its lists cannot be written row by row.
    """
    renderer, media_type = request.accepted_renderer, request.accepted_media_type
    view = request.parser_context.get("view")
    context = {} if view is None else view.get_renderer_context()
    render = partial(renderer.render, accepted_media_type=media_type, renderer_context=context)
    if type(renderer).render is NDJSONRenderer.render:
        return JsonLines, lambda row: render([row])[:-1]
    is_array = type(renderer).render in _ARRAY_RENDERS
    if is_array and renderer.get_indent(media_type, context) is None:
        return JsonArray if renderer.compact else SpacedJsonArray, render
    return None


def _writes_as_engine(renderer: Any) -> bool:
    return (
        renderer.compact
        and not renderer.ensure_ascii
        and renderer.encoder_class is JSONEncoder
        and renderer.strict == JSONRenderer.strict
    )


def _is_streamable(serializer: Any) -> bool:
    """Return whether ``data`` is what the child makes of each row."""
    return (
        isinstance(serializer, ListSerializer)
        and type(serializer).data is ListSerializer.data
        and is_stock_list(serializer)
        and serializer.instance is not None
        and not hasattr(serializer, "initial_data")
        and not hasattr(serializer, "_data")
    )


def _written(
    data: Any,
    child: Any,
    chunk_size: int,
    in_chunks: InChunks,
    encode: Encode,
    *,
    is_compiled: bool,
) -> Generator[bytes]:
    """Yield the answer in chunks. Each row is read once, and only when it is needed. Closing it
    closes a cursor or a generator behind the rows.
    """
    form, size = ENGINE.form, min(chunk_size, CHUNK_SIZE)
    blocks = None
    if is_compiled and is_stock_serializer(child):
        blocks = fetch_in_blocks(data, chunk_size)
    each_row: Iterable[Any]
    dump_many: Callable[[Iterable[Any]], list[Any]]
    if blocks is not None:
        source: Any = dump_in_blocks(blocks, child, form, size)
        each_row, dump_many = chain.from_iterable(source), list
    else:
        source = _source(data, chunk_size)
        each_row = _loaded(source, child, chunk_size) if _has_iterator(data) else source
        compiled = nested_dumper_of(child, form).all_rows
        dump_many = compiled if is_compiled else partial(_represented, child)
    with closing(source):
        yield from in_chunks(each_row, dump_many, encode, size)


def _loaded(source: Generator[Any], serializer: Any, chunk_size: int) -> Generator[Any]:
    """Yield rows; the relations that a serializer reads are loaded before, if that is set."""
    if not loads_relations(conf.view_of(serializer)):
        yield from source
        return
    while chunk := list(islice(source, chunk_size)):
        with before_rows(serializer, chunk) or nullcontext():
            yield from chunk


def _represented(serializer: Any, rows: Iterable[Any]) -> list[Any]:
    return [serializer.to_representation(row) for row in rows]


def _source(data: Any, chunk_size: int) -> Generator[Any]:
    if not _has_iterator(data):
        return _each(data)
    if iterates_as_stock(data):
        return _iterated(data, chunk_size)
    iterated: Generator[Any] = data.iterator(chunk_size)
    return iterated


def _iterated(queryset: Any, chunk_size: int) -> Generator[Any]:
    """Yield what ``QuerySet.iterator`` gives, and close the cursor before an exception leaves."""
    lookups = prefetch_lookups(queryset)
    with closing(CompiledQuery(queryset, is_run=True).iterate(chunk_size)) as source:
        if not lookups:
            yield from source
            return
        while chunk := list(islice(source, chunk_size)):
            query.prefetch_related_objects(chunk, *lookups)
            yield from chunk


def _has_iterator(data: Any) -> bool:
    """Return whether ``QuerySet.iterator`` reads rows: it is stock's, or the queryset's own."""
    if not isinstance(data, QuerySet) or results_of(data) is not None:
        return False
    cls = type(data)
    is_stock = cls.__iter__ is QuerySet.__iter__ and evaluates_as_stock(cls)
    return is_stock or cls.iterator is not QuerySet.iterator


def _each(data: Iterable[Any]) -> Generator[Any]:
    yield from data  # which hands on close(), unlike a for loop


def _check_transaction(request: Any, alias: str) -> None:
    connection = connections[alias]
    if not connection.settings_dict["ATOMIC_REQUESTS"]:
        return
    if connection.vendor != "postgresql":
        return
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        return
    view = getattr(request.resolver_match, "func", None)
    if alias not in getattr(view, "_non_atomic_requests", ()):
        raise ImproperlyConfigured(
            "This list cannot be streamed: with ATOMIC_REQUESTS, the transaction of the view ends, "
            "and its server-side cursor with it, before the rows are read. Exempt the view: "
            '@method_decorator(transaction.non_atomic_requests, name="dispatch").'
        )


class Chunks(Iterator[bytes]):
    """The chunks of an answer, for WSGI.

    The first one is made at once. The others are made when the view and the middleware have long
    returned, but as if they had not: by the time zone, the language and all other context variables
    that hold where this object is made.
    """

    def __init__(self, chunks: Generator[bytes], request: Any) -> None:
        self._chunks = chunks
        self._request = request
        self._context = copy_context()
        self._first: bytes | None = self._context.run(next, chunks, b"")

    def __next__(self) -> bytes:
        """Return the next chunk; what making it raises is logged as errors of views are."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            return self._context.run(next, self._chunks)
        except StopIteration:
            raise
        except Exception:
            self._report()
            raise

    def close(self) -> None:
        """Stop reading; the database cursor is closed."""
        self._first = None
        self._context.run(self._chunks.close)

    def _report(self) -> None:
        request = self._request._request
        got_request_exception.send(sender=type(self), request=request)
        logger.exception(
            "Answer cut off: %s", request.path, extra={"status_code": 500, "request": request}
        )


class AsyncChunks(AsyncIterator[bytes]):
    """The chunks for ASGI; each is made in the thread of the request's synchronous code."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks

    async def __anext__(self) -> bytes:
        """Return the next chunk; what making it raises is logged, a TypeError as a RuntimeError."""
        try:
            # No StopIteration can come out of a thread.
            chunk: bytes | None = await sync_to_async(self._next)()
        except TypeError as error:
            # Django would take it for the sign of a synchronous iterator, and begin again.
            raise RuntimeError("the answer was cut off") from error
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    def _next(self) -> bytes | None:
        return next(self._chunks, None)

    def close(self) -> None:
        """Stop reading; Django calls it in the same thread."""
        self._chunks.close()
