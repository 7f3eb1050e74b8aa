"""List views whose rows become JSON without being dictionaries in between.

``ListModelMixin.list`` makes stock's data of all rows, for a renderer to write. Where that renderer
is ``FastJSONRenderer``, the rows are written at once instead, from the plan and chunk by chunk.
That happens where stock makes the data, so queries, exceptions, transactions, the active time zone
and the language are those of the view. The response only keeps the bytes; whoever reads its
``data`` gets stock's.
"""

from __future__ import annotations

import functools
from time import perf_counter
from typing import Any, NamedTuple
from weakref import WeakSet

from django.conf import settings
from rest_framework import pagination
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django import conf, dump_log
from fastschema.contrib.django.dump_log import Output
from fastschema.contrib.django.json_encoding import engine, json_value
from fastschema.contrib.django.lazy_reading import ReadOnceError
from fastschema.contrib.django.lazy_rows import (
    LazyRows,
    check_child,
    check_serializer,
    dispatch_for_rows,
    give_instances,
    reads_by_column,
    write,
)
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.rows.fetching import FetchedRows, Loaded, check_fetchable
from fastschema.contrib.django.rows.narrowing import narrowed, selects_only_what_is_read
from fastschema.contrib.django.rows.pages import GET_SERIALIZER, check_paginator, paginate
from fastschema.contrib.django.rows.prefetching import described
from fastschema.contrib.django.rows.tables import InstancesNeededError
from fastschema.contrib.django.shadow import follow
from fastschema.contrib.django.unloaded import warn_of_queries
from fastschema.runtime.dispatch import Dispatch
from fastschema.runtime.json_engine import JsonText, orjson
from fastschema.runtime.stock import stock_method
from fastschema.shadow import is_sampled
from fastschema.switch import is_disabled

STOCK_LIST = stock_method(ListModelMixin, "list")
_RENDER = FastJSONRenderer.render
_GET_PAGINATED_RESPONSE = stock_method(GenericAPIView, "get_paginated_response")
_PAGINATOR = stock_method(GenericAPIView, "paginator")
_PAGINATORS = tuple(
    stock_method(cls, "get_paginated_response")
    for cls in (
        pagination.PageNumberPagination,
        pagination.LimitOffsetPagination,
        pagination.CursorPagination,
    )
)
_engine = engine()
_need_data: WeakSet[type] = WeakSet()
"""Views of which data were needed before they were rendered: nothing is to be gained there."""


class LazyResponse(Response):
    """A ``Response`` whose rows are JSON already.

    Reading (or setting) its ``data`` makes it the ``Response`` that stock would have returned: with
    the same data, and rendered from them. So does pickling or copying it.

    Made by :meth:`of`.
    """

    _lazy: LazyRows
    _view_class: type
    _is_rendering = False

    @classmethod
    def of(cls, response: Response, rows: LazyRows, view_class: type) -> LazyResponse:
        """A response, turned into a lazy one.

        :param response: its data are the text of ``rows``, or a dictionary with that in it
        """
        response.__class__ = cls
        vars(response).update(_lazy=rows, _view_class=view_class)
        return response  # type: ignore[no-any-return]  # it is one now

    @property
    def data(self) -> Any:
        """Stock's data."""
        if self._is_rendering:
            data = self.__dict__["data"]
            return data if data is self._lazy.text else JsonText(_engine.encode(data))
        if not self.is_rendered:
            _need_data.add(self._view_class)
        data, rows = self.__dict__["data"], self._lazy.data()
        if isinstance(data, dict):
            for key, value in data.items():
                if value is self._lazy.text:
                    data[key] = rows
        else:
            data = rows
        self.data = data
        return data

    @data.setter
    def data(self, data: Any) -> None:
        for name in ("_lazy", "_view_class"):
            self.__dict__.pop(name, None)
        self.__class__ = Response
        self.__dict__["data"] = data

    @property
    def rendered_content(self) -> Any:
        """The body, as ``Response.rendered_content`` returns it."""
        self._is_rendering = self._is_written_for(
            getattr(self, "accepted_renderer", None),
            getattr(self, "accepted_media_type", None),
            getattr(self, "renderer_context", None),
        )
        try:
            return super().rendered_content
        finally:
            self.__dict__.pop("_is_rendering", None)

    def _is_written_for(self, renderer: Any, media_type: Any, context: Any) -> bool:
        if self.is_rendered or not _writes_fast(renderer, media_type, context):
            return False
        data = self.__dict__["data"]
        # What stands beside the rows may come from methods that a paginator overrides.
        text = self._lazy.text
        return data is text or all(
            value is text or json_value(value) is value for value in data.values()
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A lazy response is pickled as the stock one."""
        _ = self.data
        return self.__reduce_ex__(protocol)


@functools.wraps(STOCK_LIST)
def list_lazily(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
    """``ListModelMixin.list``; see :mod:`fastschema.contrib.django.lazy_list`."""
    renderer = getattr(request, "accepted_renderer", None)
    media_type = getattr(request, "accepted_media_type", None)
    if is_disabled() or not _writes_fast(renderer, media_type, {}):
        return STOCK_LIST(self, request, *args, **kwargs)
    queryset = self.filter_queryset(self.get_queryset())
    may_be_lazy = type(self) not in _need_data
    if may_be_lazy and selects_only_what_is_read(self):
        queryset = _with_columns_that_are_read(self, queryset)
    page = paginate(self, queryset)
    serializer = self.get_serializer(queryset if page is None else page, many=True)
    is_lazy = may_be_lazy and (page is None or _has_stock_pages(self))
    rows = _written(serializer, queryset) if is_lazy else None
    if rows is None:
        give_instances(serializer)
        if is_lazy and "_data" in vars(serializer):
            _need_data.add(type(self))
    data = serializer.data if rows is None else rows.text
    if settings.DEBUG:
        warn_of_queries(self, serializer, queryset)
    response = Response(data) if page is None else self.get_paginated_response(data)
    if rows is not None:
        response = LazyResponse.of(response, rows, type(self))
    share = conf.settings().shadow
    # An override of list may change the data, of which only a lazy response tells.
    if share and (rows is not None or type(self).list is list_lazily) and is_sampled(share):
        follow(response, self, serializer, data, renderer)
    return response


def _written(serializer: Any, queryset: Any) -> LazyRows | None:
    """What :func:`write` returns; it is logged if a log is open.

    :param queryset: what the rows come from
    :raises Exception: what code of users raises for a row, as in stock
    """
    log = dump_log.current_log() if dump_log.in_use else None
    if log is None:
        return write(serializer)
    started = perf_counter()
    rows = write(serializer)
    seconds = perf_counter() - started
    if rows is not None:
        output = Output.JSON if rows.has_instances else Output.JSON_OF_ROWS
        loaded = dump_log.loaded_with(queryset) if rows.has_instances else None
        log.add(serializer, output, loaded, is_compiled=True, rows=rows.count, seconds=seconds)
    elif "_data" in vars(serializer):
        loaded, count = dump_log.loaded_with(queryset), len(serializer._data)
        log.add(serializer, Output.DATA, loaded, is_compiled=True, rows=count, seconds=seconds)
    return rows


def _writes_fast(renderer: Any, media_type: Any, context: Any) -> bool:
    """Whether a renderer writes what orjson writes, and nobody stands in between."""
    return (
        orjson is not None
        and isinstance(renderer, FastJSONRenderer)
        and type(renderer).render is _RENDER
        and "render" not in vars(renderer)
        and renderer.strict == JSONRenderer.strict
        and renderer.is_fast(media_type, context)
    )


def _has_stock_pages(view: Any) -> bool:
    """Whether nobody but stock looks at the data of a page."""
    cls: Any = type(view)
    is_stock_view = (
        getattr(cls, "get_paginated_response", None) is _GET_PAGINATED_RESPONSE
        and cls.paginator is _PAGINATOR
        and "get_paginated_response" not in vars(view)
    )
    if not is_stock_view:
        return False
    paginator = view.paginator
    return getattr(
        type(paginator), "get_paginated_response", None
    ) in _PAGINATORS and "get_paginated_response" not in vars(paginator)


ROWS, INSTANCES, STOCK, STREAMED, UNKNOWN = "rows", "instances", "stock", "streamed", "unknown"
"""What a list view writes: rows of the database, instances, what stock makes, or a stream."""


class ListReport(NamedTuple):
    """How a view makes its list; as a string, a sentence for people.

    :param made_of: ``ROWS``, ``INSTANCES``, ``STOCK``, ``STREAMED``, or ``UNKNOWN``
    :param why: why it is not made of rows, or ""
    :param kept: the keys of the fields whose values are kept for those who ask for the data
    """

    made_of: str
    why: str = ""
    kept: tuple[str, ...] = ()

    @property
    def is_lazy(self) -> bool:
        """Whether rows are written as JSON without being dictionaries in between."""
        return self.made_of in (ROWS, INSTANCES, STREAMED)

    def __str__(self) -> str:
        if self.made_of == STREAMED:
            return "rows are streamed"
        if self.made_of == UNKNOWN:
            return f"how rows are made depends on the request ({self.why})"
        if self.made_of == STOCK:
            return f"rows become dictionaries first, because {self.why}"
        kept = f"; the values of {', '.join(self.kept)} are kept" if self.kept else ""
        made = f"instances are made, because {self.why}" if self.why else "no instances are made"
        return f"rows are written as JSON at once{kept}; {made}"


def list_report(view: Any) -> ListReport:
    """How a view makes its list.

    :param view: made as for a request
    """
    try:
        return _how_rows_are_written(view)
    except (ReadOnceError, UnreadableError) as error:
        return ListReport(STOCK, str(error))
    except Exception as error:  # whatever the project's own code raises without a real request
        return ListReport(UNKNOWN, f"{type(error).__name__}: {error}")


def _how_rows_are_written(view: Any) -> ListReport:
    """The same for a view whose rows are written at once.

    :raises ReadOnceError, UnreadableError: if they are not
    """
    if is_disabled():
        raise ReadOnceError("fastschema is disabled")
    if ListModelMixin.list is not list_lazily:
        raise ReadOnceError("fastschema is not installed for all views")
    if type(view).list is not list_lazily:
        raise ReadOnceError(
            "list is overridden; if it only calls super().list() and leaves response.data alone, "
            "they are written at once"
        )
    if orjson is None:
        raise ReadOnceError("orjson is not installed")
    renderer = view.get_renderers()[0]
    if not _writes_fast(renderer, renderer.media_type, {}):
        name = type(renderer).__name__
        raise ReadOnceError(f"its first renderer, {name}, is no FastJSONRenderer, or a changed one")
    queryset = view.get_queryset()
    if type(queryset) is list:
        raise ReadOnceError("get_queryset returns a list, of which nobody knows what is in it")
    why: Exception | None = None
    loaded: Loaded = {}
    try:
        fetched = _described(view, queryset)
        loaded = fetched.loaded
    except InstancesNeededError as error:
        why = error
    dispatch, kept = _dispatch(view, queryset, getattr(queryset, "model", None), loaded)
    keys = tuple(dispatch.program.node.fields[number].key for number in sorted(kept))
    try:
        if why is None:
            reads_by_column(dispatch, kept, fetched)
            return ListReport(ROWS, kept=keys)
    except InstancesNeededError as error:
        why = error
    return ListReport(INSTANCES, str(why), keys)


def _dispatch(view: Any, rows: Any, model: Any, loaded: Loaded) -> tuple[Dispatch, frozenset[int]]:
    """What writes a view's rows at once, and the numbers of the fields whose values are kept.

    :param rows: what the view's serializer is given
    :param loaded: the relations to many of which the rows know all
    :raises ReadOnceError, UnreadableError: if they are not written at once
    """
    if view.paginator is not None and not _has_stock_pages(view):
        raise ReadOnceError("get_paginated_response is overridden")
    serializer = view.get_serializer(rows, many=True)
    check_serializer(serializer)
    check_child(serializer.child)
    return dispatch_for_rows(serializer.child, {model}, loaded=loaded)


def _described(view: Any, queryset: Any) -> FetchedRows:
    """What is known of a view's rows; no query is run.

    :raises InstancesNeededError: if they are instances
    """
    if view.paginator is not None:
        check_paginator(view)
    check_fetchable(queryset)
    return described(queryset)


def _with_columns_that_are_read(view: Any, queryset: Any) -> Any:
    """The queryset of a view, which selects no other columns where that can be known."""
    if type(view).get_serializer is not GET_SERIALIZER or "get_serializer" in vars(view):
        return queryset
    if getattr(queryset, "_prefetch_related_lookups", ()):
        return queryset
    try:
        fetched = _described(view, queryset)
        dispatch, kept = _dispatch(view, [], queryset.model, fetched.loaded)
        return narrowed(queryset, reads_by_column(dispatch, kept, fetched), fetched.table)
    except Exception:
        return queryset  # stock raises its own, if it does
