"""List views without pages whose rows become JSON without being dictionaries in between.

``ListModelMixin.list`` makes stock's data of all rows, for a renderer to write. Where that renderer
is ``FastJSONRenderer``, a compiled program writes the rows at once instead, chunk by chunk. That
happens where stock makes the data, so queries, exceptions, transactions, the active time zone and
the language are those of the view. The response only keeps the bytes; whoever reads its ``data``
gets stock's.
"""

from __future__ import annotations

import functools
from time import perf_counter
from typing import Any
from weakref import WeakSet

from django.conf import settings
from django.db.models import QuerySet
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.compiler.nodes import Form, NotRowReadableError
from fastschema.contrib.django.app import conf, dump_log
from fastschema.contrib.django.app.dump_log import Output
from fastschema.contrib.django.front_end.bound_serializer import dispatch_for
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.internals.queries import is_stock_queryset
from fastschema.contrib.django.lists.captured_values import WrittenRows
from fastschema.contrib.django.lists.n_plus_one import warn_of_queries
from fastschema.contrib.django.lists.pagination import check_paginator, paginate
from fastschema.contrib.django.lists.prefetching import described, evaluate
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    check_fetchable,
)
from fastschema.contrib.django.lists.row_programs import ListDumper, dispatch_for_rows
from fastschema.contrib.django.relations import loads_relations, with_relations
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.shadow import schedule_comparison
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.json_engine import orjson
from fastschema.runtime.patching import stock_method
from fastschema.shadow import is_sampled
from fastschema.switch import is_disabled

STOCK_LIST = stock_method(ListModelMixin, "list")
_RENDER = FastJSONRenderer.render
_DATA = stock_method(ListSerializer, "data")
_BASE_DATA = stock_method(BaseSerializer, "data")
views_whose_data_is_read: WeakSet[type] = WeakSet()
"""Views of which data were needed before they were rendered: nothing is to be gained there."""


class LazyResponse(Response):
    """A ``Response`` whose rows are JSON already.

    Reading (or setting) its ``data`` makes it the ``Response`` that stock would have returned: with
    the same data, and rendered from them. So does pickling or copying it.

    Made by :meth:`of`.
    """

    _lazy: WrittenRows
    _view_class: type
    _is_rendering = False

    @classmethod
    def of(cls, rows: WrittenRows, view_class: type) -> LazyResponse:
        """Return the response to a request for some rows."""
        response = Response(rows.text)
        response.__class__ = cls
        vars(response).update(_lazy=rows, _view_class=view_class)
        return response  # type: ignore[no-any-return]  # it is one now

    @property
    def data(self) -> Any:
        """Stock's data."""
        if self._is_rendering:
            return self._lazy.text
        if not self.is_rendered:
            views_whose_data_is_read.add(self._view_class)
        self.data = data = self._lazy.data()
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
        self._is_rendering = not self.is_rendered and writes_fast(
            getattr(self, "accepted_renderer", None),
            getattr(self, "accepted_media_type", None),
            getattr(self, "renderer_context", None),
        )
        try:
            return super().rendered_content
        finally:
            self.__dict__.pop("_is_rendering", None)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return what pickles the response as the stock one, with its data."""
        _ = self.data
        return self.__reduce_ex__(protocol)


@functools.wraps(STOCK_LIST)
def list_lazily(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
    """``ListModelMixin.list``; see :mod:`fastschema.contrib.django.lists.lazy_list`."""
    renderer = getattr(request, "accepted_renderer", None)
    media_type = getattr(request, "accepted_media_type", None)
    is_fast = writes_fast(renderer, media_type, {})
    if is_disabled() or not (is_fast or loads_relations(self)):
        return STOCK_LIST(self, request, *args, **kwargs)
    queryset = self.filter_queryset(self.get_queryset())
    if loads_relations(self):
        queryset = with_relations(self, queryset)
    may_be_lazy = is_fast and type(self) not in views_whose_data_is_read
    page = paginate(self, queryset)
    serializer = self.get_serializer(queryset if page is None else page, many=True)
    rows = _written(serializer, queryset) if may_be_lazy and page is None else None
    if rows is not None and not rows.is_final:
        views_whose_data_is_read.add(type(self))
        rows = None
    data = serializer.data if rows is None else rows.text
    if settings.DEBUG:
        warn_of_queries(self, serializer, queryset)
    if rows is not None:
        response: Any = LazyResponse.of(rows, type(self))
    else:
        response = Response(data) if page is None else self.get_paginated_response(data)
    share = conf.settings().shadow
    # An override of list may change the data, of which only a lazy response tells.
    may_be_compared = is_fast and (rows is not None or type(self).list is list_lazily)
    if share and may_be_compared and is_sampled(share):
        schedule_comparison(response, self, serializer, data, renderer)
    return response


def _written(serializer: Any, queryset: Any) -> WrittenRows | None:
    """Return what :func:`write` returns; it is logged if a log is open.

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
        output = Output.JSON_OF_ROWS if rows.of_database else Output.JSON
        output = output if rows.is_final else Output.DATA
        loaded = None if output is Output.JSON_OF_ROWS else dump_log.loaded_with(queryset)
        log.add(serializer, output, loaded, is_compiled=True, rows=rows.count, seconds=seconds)
    return rows


def writes_fast(renderer: Any, media_type: Any, context: Any) -> bool:
    """Return whether a renderer writes what orjson writes, and nobody stands in between."""
    return (
        orjson is not None
        and isinstance(renderer, FastJSONRenderer)
        and type(renderer).render is _RENDER
        and "render" not in vars(renderer)
        and renderer.strict == JSONRenderer.strict
        and renderer.is_fast(media_type, context)
    )


# What the doctor asks


def dispatch_of(view: Any, rows: Any) -> Dispatch:
    """Return what writes a view's rows at once.

    :param rows: what the view's serializer is given
    :raises NotRowReadableError, UnreadableError: if they are not written at once
    """
    serializer = view.get_serializer(rows, many=True)
    _check_serializer(serializer)
    return dispatch_for(serializer.child, Form.JSON)


def described_rows(view: Any, queryset: Any) -> FetchedRows:
    """Return what is known of a view's rows; no query is run.

    :raises NotRowReadableError: if they are instances
    """
    if view.paginator is not None:
        check_paginator(view)
    check_fetchable(queryset)
    return described(queryset)


# Rows as JSON


def write(serializer: Any) -> WrittenRows | None:
    """Write the rows of a serializer, or return None if stock must make data of them.

    Where stock may write something else later (``is_final`` says so), the serializer has got its
    data.

    :raises Exception: what code of users raises for a row, as in stock
    """
    try:
        _check_serializer(serializer)
    except NotRowReadableError:
        return None
    rows = serializer.instance
    if isinstance(rows, QuerySet):
        rows = evaluate(rows)
    if len(rows) < thresholds.rows_worth_writing_lazily:
        return None
    written = WrittenRows(serializer, len(rows))
    dispatch = dispatch_for_rows(serializer.child, len(rows), Form.JSON)
    if dispatch is None:
        return None
    dumper = ListDumper(written.captured.capturing(dispatch), rows)
    written.of_database = dumper.by_row is not None  # before anything is bound
    if dumper.by_row is None:
        written.write(dumper.by_instance, list(rows))
    else:
        try:
            written.write(dumper.by_row, rows.rows())
        except Exception:
            if dumper.calls_user_code:
                raise
            return None  # stock raises its own, of an instance
    written.give_data()
    return written


def _check_serializer(serializer: Any) -> None:
    """Check that ``data`` of a serializer is what stock makes of rows that are there.

    :raises NotRowReadableError: if not
    """
    if not isinstance(serializer, ListSerializer) or not is_stock_list(serializer):
        raise NotRowReadableError(f"{type(serializer).__name__} is a list serializer of your own")
    if type(serializer).data is not _DATA or BaseSerializer.data is not _BASE_DATA:
        raise NotRowReadableError("the serializer overrides data")
    own = vars(serializer)
    if "instance" not in own or any(
        name in own for name in ("_data", "_errors", "_validated_data", "initial_data")
    ):
        raise NotRowReadableError("the serializer has been used before, or takes input")
    rows = serializer.instance
    if type(rows) not in (list, LazyInstanceList) and not is_stock_queryset(rows):
        raise NotRowReadableError(f"a {type(rows).__name__} is neither a list nor a plain QuerySet")
    if not is_stock_serializer(serializer.child):
        raise NotRowReadableError(
            f"to_representation of {type(serializer.child).__name__} is overridden"
        )
