"""Pages of a queryset whose instances are made only if somebody looks.

DRF's paginators turn a slice of the queryset into a list. Here that slice runs its query and gives
a :class:`RowPlace` for each row, in whose place the list gets its instances later. What users
override sees the queryset of the view, and a list.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.core.paginator import Page
from django.db.models import QuerySet
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import (
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.internals.queries import (
    give_iterable,
    instances_of,
    iterates_as_django,
    with_iterable,
)
from fastschema.contrib.django.lists.prefetching import fetch_instances
from fastschema.contrib.django.lists.query_plan import check_readable
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList
from fastschema.runtime.patching import calls_super, overridden, stock_method
from fastschema.runtime.switch import is_disabled

_OF_VIEWS = {
    name: stock_method(GenericAPIView, name) for name in ("paginate_queryset", "paginator")
}
# All that sees the queryset or its rows when paginate_queryset of a paginator calls it, or a link.
_HOOKS: dict[Any, dict[str, Any]] = {
    PageNumberPagination: {},
    LimitOffsetPagination: {},
    CursorPagination: {
        name: stock_method(CursorPagination, name)
        for name in ("get_ordering", "_get_position_from_instance", "encode_cursor")
    },
}
_CURSOR_HOOKS = {name: stock_method(QuerySet, name) for name in ("__init__", "order_by", "filter")}
_ATTRIBUTES = frozenset(vars(QuerySet()))
"""What a queryset has, if nobody adds to it."""


class RowPlace(dict[str, Any]):
    """Stands for the instance of a row, and gives its attributes as items: of a dictionary,
    ``CursorPagination`` reads items, which no attribute of this class can hide.
    """

    __slots__ = ("fetched", "number")

    def __init__(self, fetched: FetchedRows, number: int) -> None:
        self.fetched = fetched
        self.number = number

    def __missing__(self, name: str) -> Any:
        fetched = self.fetched
        if not fetched.has_instances:
            try:
                return fetched.rows()[self.number][fetched.layout.column(name)]
            except NotRowReadableError:
                pass
        return getattr(fetched.instances()[self.number], name)


def paginate(view: Any, queryset: Any) -> Any:
    """Return what ``paginate_queryset`` of a view returns, be fastschema installed or not."""
    paginator = None if overridden(view, _OF_VIEWS) else view.paginator
    stock, paginate_queryset = PAGINATE.get(_stock_class(paginator), (None, None))
    if paginate_queryset is None or overridden(paginator, {"paginate_queryset": stock}):
        return view.paginate_queryset(queryset)
    return paginate_queryset(paginator, queryset, view.request, view=view)


class _Stage:
    """A paginator as its stock ``paginate_queryset`` sees it: the page makes its instances later.

    Whatever users override is called with the paginator itself, and with the queryset of the view.
    Nothing but the slice of it that becomes the page gives rows.
    """

    __slots__ = ("_paginator",)

    def __init__(self, paginator: Any) -> None:
        object.__setattr__(self, "_paginator", paginator)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._paginator, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._paginator, name, value)
        if type(value) is Page and vars(self._paginator).get("page") is value:
            _give_rows(value.object_list)

    def get_count(self, sliceable: _Sliceable) -> Any:
        return self._paginator.get_count(sliceable.queryset)


class _Sliceable:
    """A queryset of which ``LimitOffsetPagination`` takes its page."""

    __slots__ = ("queryset",)

    def __init__(self, queryset: Any) -> None:
        self.queryset = queryset

    def __getitem__(self, where: slice) -> Any:
        page = self.queryset[where]
        _give_rows(page)
        return page


def _give_rows(page: Any) -> None:
    """Let the slice of a queryset give a :class:`RowPlace` for each row, if its rows are read."""
    with suppress(NotRowReadableError):
        check_readable(page)
        give_iterable(page, _places)


def _by_number(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``paginate_queryset`` for paginators that slice the queryset of the view."""

    def paginate_queryset(self: Any, queryset: Any, request: Any, view: Any = None) -> Any:
        if is_disabled() or not iterates_as_django(queryset):
            return stock(self, queryset, request, view)
        is_limited = _stock_class(self) is LimitOffsetPagination
        source = _Sliceable(queryset) if is_limited else queryset
        return _filled_later(self, stock(_Stage(self), source, request, view))

    return paginate_queryset


def _by_cursor(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``paginate_queryset`` for ``CursorPagination``, which orders and filters, too."""

    def paginate_queryset(self: Any, queryset: Any, request: Any, view: Any = None) -> Any:
        if is_disabled() or not _is_paged_unseen(self, queryset):
            return stock(self, queryset, request, view)
        return _filled_later(self, stock(self, with_iterable(queryset, _places), request, view))

    return paginate_queryset


def _filled_later(paginator: Any, page: Any) -> Any:
    """Return a page that makes its instances when somebody looks into it."""
    if not page or type(page[0]) is not RowPlace:
        return page
    fetched, numbers = page[0].fetched, [place.number for place in page]
    paged: Any = getattr(paginator, "page", None)
    if type(paged) is Page:
        paged.object_list = LazyInstanceList(fetched, numbers)
    rows = LazyInstanceList(fetched, numbers)
    if paged is page:
        paginator.page = rows
    return rows


PAGINATE = {
    cls: (stock, (_by_cursor if cls is CursorPagination else _by_number)(stock))
    for cls in _HOOKS
    for stock in [stock_method(cls, "paginate_queryset")]
}
"""``paginate_queryset`` of DRF's paginators as stock has it, and what replaces it."""


def _link_of_rows(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that makes a link of a page, which needs no instances of its items."""

    @functools.wraps(stock)
    def get_link(self: Any) -> Any:
        page = vars(self).get("page")
        if type(page) is not LazyInstanceList or page.fetched is None:
            return stock(self)
        try:
            _check_hooks_of(self)
        except NotRowReadableError:
            return stock(self)
        self.page = _places_of(page)
        try:
            return stock(self)
        finally:
            self.page = page

    return get_link


LINKS = {
    name: (method, _link_of_rows(method))
    for name in ("get_next_link", "get_previous_link")
    for method in [stock_method(CursorPagination, name)]
}
"""Methods of ``CursorPagination`` as stock has them, and what replaces them."""


def _is_paged_unseen(paginator: Any, queryset: Any) -> bool:
    """Return whether nobody sees a queryset become a page by cursor: a copy of it will do then."""
    try:
        _check_hooks_of(paginator)
        check_readable(queryset)
        _check_hooks(queryset, _CURSOR_HOOKS)
    except NotRowReadableError:
        return False
    return _ATTRIBUTES.issuperset(vars(queryset))


def _places(queryset: Any, **arguments: Any) -> list[Any]:
    """Return what stands for the rows of a queryset, or their instances."""
    give_iterable(queryset)
    try:
        rows = fetch_instances(queryset)
    except NotRowReadableError:
        return instances_of(queryset, **arguments)
    return _places_of(rows) if type(rows) is LazyInstanceList else rows


def _places_of(rows: LazyInstanceList) -> list[RowPlace]:
    fetched: Any = rows.fetched
    return [RowPlace(fetched, number) for number in rows.numbers()]


def check_paginator(view: Any) -> None:
    """Raise NotRowReadableError unless stock makes the page, and nobody else looks at its rows."""
    if overridden(view, _OF_VIEWS):
        raise NotRowReadableError("paginate_queryset is overridden")
    paginator = view.paginator
    _check_hooks_of(paginator)
    if not calls_super(paginator, "paginate_queryset", _stock_class(paginator)):
        raise NotRowReadableError(f"paginate_queryset of {type(paginator).__name__} is overridden")


def _stock_class(paginator: Any) -> Any:
    return next((cls for cls in _HOOKS if isinstance(paginator, cls)), None)


def _check_hooks_of(paginator: Any) -> None:
    """Raise NotRowReadableError if anybody but stock looks at what a paginator makes a page of."""
    cls = _stock_class(paginator)
    if cls is None:
        raise NotRowReadableError(f"{type(paginator).__name__} may look at the objects of the page")
    _check_hooks(paginator, _HOOKS[cls])


def _check_hooks(obj: Any, hooks: dict[str, Any]) -> None:
    reason = overridden(obj, hooks)
    if reason:
        cls = obj if isinstance(obj, type) else type(obj)
        raise NotRowReadableError(f"{reason} in {cls.__name__}")
