"""List views whose rows become JSON without being dictionaries in between.

``ListModelMixin.list`` makes stock's data of all rows, for a renderer to write. Where that renderer
is ``FastJSONRenderer``, the rows are written at once instead, from the plan and chunk by chunk.
That happens where stock makes the data, so queries, exceptions, transactions, the active time zone
and the language are those of the view. The response only keeps the bytes; whoever reads its
``data`` gets stock's.
"""

from __future__ import annotations

import contextvars
import functools
import json
from typing import Any
from weakref import WeakSet

from django.db.models import QuerySet
from django.db.models.query import ModelIterable
from rest_framework import pagination
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.compiler.nodes import Form
from fastschema.contrib.django.construction import blueprint_of
from fastschema.contrib.django.json_encoding import engine, json_value
from fastschema.contrib.django.lazy_reading import can_be_read_again
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.stock_serializers import is_stock_list, is_stock_serializer
from fastschema.contrib.django.subjects import dispatch_for
from fastschema.runtime import policy
from fastschema.runtime.dispatch import Dispatch
from fastschema.runtime.json_chunks import JsonArray
from fastschema.runtime.json_engine import JsonText, orjson
from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_LIST = stock_method(ListModelMixin, "list")
# As they are when fastschema is imported: what is patched later is not stock's.
_DATA = ListSerializer.data
_BASE_DATA = BaseSerializer.data
_RENDER = FastJSONRenderer.render
_GET_PAGINATED_RESPONSE = GenericAPIView.get_paginated_response
_PAGINATOR = GenericAPIView.paginator
_PAGINATORS = (
    pagination.PageNumberPagination.get_paginated_response,
    pagination.LimitOffsetPagination.get_paginated_response,
    pagination.CursorPagination.get_paginated_response,
)
_ITER, _LEN, _FETCH_ALL = QuerySet.__iter__, QuerySet.__len__, QuerySet._fetch_all
_engine = engine()
_read_early: WeakSet[type] = WeakSet()
"""Views whose data were read before they were rendered: there is nothing to be gained there."""


class LazyResponse(Response):
    """A ``Response`` whose rows are JSON already.

    Reading (or setting) its ``data`` makes it the ``Response`` that stock would have returned: with
    the same data, and rendered from them. So does pickling or copying it.

    Made by :meth:`of`.
    """

    _written: JsonText
    _serializer: Any
    _view_class: type
    _context: contextvars.Context
    _is_rendering = False

    @classmethod
    def of(
        cls, response: Response, written: JsonText, serializer: Any, view_class: type
    ) -> LazyResponse:
        """A response, turned into a lazy one.

        :param response: its data are ``written``, or a dictionary with ``written`` in it
        :param written: the rows
        :param serializer: makes stock's data of the rows
        """
        response.__class__ = cls
        vars(response).update(
            _written=written,
            _serializer=serializer,
            _view_class=view_class,
            # The time zone and the language of the view, for whoever reads the data later.
            _context=contextvars.copy_context(),
        )
        return response  # type: ignore[no-any-return]  # it is one now

    @property
    def data(self) -> Any:
        """Stock's data."""
        if self._is_rendering:
            data = self.__dict__["data"]
            return data if data is self._written else JsonText(_engine.encode(data))
        if not self.is_rendered:
            _read_early.add(self._view_class)
        data, rows = self.__dict__["data"], self._context.run(self._rows)
        if isinstance(data, dict):
            for key, value in data.items():
                if value is self._written:
                    data[key] = rows
        else:
            data = rows
        self.data = data
        return data

    @data.setter
    def data(self, data: Any) -> None:
        for name in ("_written", "_serializer", "_view_class", "_context"):
            self.__dict__.pop(name, None)
        self.__class__ = Response
        self.__dict__["data"] = data

    def _rows(self) -> Any:
        """Stock's data of the rows, as they were when they were written."""
        serializer, text = self._serializer, self._written.text
        try:
            if FastJSONRenderer().render(serializer.data) == text:
                return serializer.data
        except Exception:
            pass  # the rows were in order when they were written
        # Something has changed the objects since then.
        serializer._data = json.loads(text)
        return serializer.data

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
        return data is self._written or all(
            value is self._written or json_value(value) is value for value in data.values()
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
    is_early = type(self) in _read_early
    if is_disabled() or is_early or not _writes_fast(renderer, media_type, {}):
        return STOCK_LIST(self, request, *args, **kwargs)
    queryset = self.filter_queryset(self.get_queryset())
    page = self.paginate_queryset(queryset)
    serializer = self.get_serializer(queryset if page is None else page, many=True)
    written = _write(serializer) if page is None or _has_stock_pages(self) else None
    data = serializer.data if written is None else written
    response = Response(data) if page is None else self.get_paginated_response(data)
    if written is None:
        return response
    return LazyResponse.of(response, written, serializer, type(self))


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


class _ReadsOnceError(Exception):
    """Rows whose reading runs code of users."""


class _PlainDispatch(Dispatch):
    """A dispatch for objects that can be read again; others stop the dump before they are read."""

    __slots__ = ()

    def access(self, cls: type) -> str:
        """As ever, where the objects can be read again.

        :raises _ReadsOnceError: where they cannot
        """
        if not can_be_read_again(self.subject.serializer, cls, self.subject.context):
            raise _ReadsOnceError
        return super().access(cls)


def _write(serializer: Any) -> JsonText | None:
    """The rows of a serializer as JSON, or None if stock must make data of them."""
    if not _has_stock_data(serializer):
        return None
    rows = serializer.instance
    if isinstance(rows, QuerySet):
        rows = list(rows)
    if not rows:
        return JsonText(b"[]")
    if not is_stock_serializer(serializer.child):
        return None
    try:
        if blueprint_of(serializer.child) is None and not policy.is_list_worth_reading(len(rows)):
            return None
        dispatch = dispatch_for(serializer.child, Form.JSON, make=_PlainDispatch)
        return JsonText(JsonArray(rows, dispatch.all_rows, _engine.encode).join())
    except Exception:
        return None  # stock raises its own


def _has_stock_data(serializer: Any) -> bool:
    """Whether ``data`` of a serializer is what stock makes of rows that are there."""
    if not isinstance(serializer, ListSerializer) or not is_stock_list(serializer):
        return False
    if type(serializer).data is not _DATA or BaseSerializer.data is not _BASE_DATA:
        return False
    own = vars(serializer)
    if "instance" not in own or any(
        name in own for name in ("_data", "_errors", "_validated_data", "initial_data")
    ):
        return False
    rows = serializer.instance
    if type(rows) is list:
        return True
    return (
        isinstance(rows, QuerySet)
        and type(rows).__iter__ is _ITER
        and type(rows).__len__ is _LEN
        and type(rows)._fetch_all is _FETCH_ALL
        and "_fetch_all" not in vars(rows)
        and rows._iterable_class is ModelIterable
    )
