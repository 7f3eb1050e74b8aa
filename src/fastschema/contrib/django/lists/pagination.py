"""Pages of a queryset whose instances are made only if somebody looks.

DRF's paginators turn a slice of the queryset into a list. Here that slice runs its query and gives
a :class:`RowPlace` for each row, in whose place the list gets its instances later.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import (
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.internals.queries import with_instances, with_iterable
from fastschema.contrib.django.lists.prefetching import fetch_instances
from fastschema.contrib.django.lists.query_plan import Plans
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    check_readable,
)
from fastschema.runtime.patching import overridden, stock_method
from fastschema.switch import is_disabled

_OF_VIEWS = {
    name: stock_method(GenericAPIView, name) for name in ("paginate_queryset", "paginator")
}
# All that sees the queryset or its rows when paginate_queryset of a paginator calls it, or a link.
_HOOKS: dict[Any, dict[str, Any]] = {
    cls: {name: stock_method(cls, name) for name in names}
    for cls, names in (
        (PageNumberPagination, ["get_page_number"]),
        (LimitOffsetPagination, ["get_count"]),
        (CursorPagination, ["get_ordering", "_get_position_from_instance", "encode_cursor"]),
    )
}
_PAGINATOR_HOOKS = {
    name: stock_method(Paginator, name)
    for name in ("__init__", "page", "_get_page", "count", "_check_object_list_is_ordered")
}
_QUERYSET_HOOKS = {name: stock_method(QuerySet, name) for name in ("__init__", "count")}
_CURSOR_HOOKS = {name: stock_method(QuerySet, name) for name in ("order_by", "filter")}
_ATTRIBUTES = frozenset(vars(QuerySet()))
"""What a queryset has, if nobody adds to it."""


class RowPlace(dict[str, Any]):
    """Stands for the instance of a row, and gives its attributes as items.

    Of a dictionary, ``CursorPagination`` reads items. No column can have the name of one of its
    attributes then.

    :param fetched: the rows
    :param number: which of them it is
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
    """Return what ``paginate_queryset`` of a view returns, be fastschema installed or not.

    :raises Exception: what stock raises
    """
    try:
        check_paginator(view)
    except NotRowReadableError:
        return view.paginate_queryset(queryset)
    paginator = view.paginator
    _, paginate_queryset = PAGINATE[_known(paginator)]
    return paginate_queryset(paginator, queryset, view.request, view=view)


def _lazily(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``paginate_queryset`` for paginators, whose pages may get their instances later.

    :param stock: the method as stock has it
    """

    def paginate_queryset(self: Any, queryset: Any, request: Any, view: Any = None) -> Any:
        if is_disabled() or not _is_paged_by_stock(self, queryset):
            return stock(self, queryset, request, view)
        copied = with_iterable(queryset, _places)
        try:
            page = stock(self, copied, request, view)
        finally:
            with_instances(copied)
        if not page or type(page[0]) is not RowPlace:
            return page
        fetched, numbers = page[0].fetched, [each.number for each in page]
        paged: Any = getattr(self, "page", None)
        if type(paged) is Page:
            paged.object_list = LazyInstanceList(fetched, numbers)
            paged.paginator.object_list = queryset
        rows = LazyInstanceList(fetched, numbers)
        if paged is page:
            self.page = rows
        return rows

    return paginate_queryset


_STOCK = [(cls, stock_method(cls, "paginate_queryset")) for cls in _HOOKS]
PAGINATE = {cls: (stock, _lazily(stock)) for cls, stock in _STOCK}
"""``paginate_queryset`` of DRF's paginators as stock has it, and what replaces it."""


def _link_of_rows(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that makes a link of a page, which needs no instances of its items.

    :param stock: the method as stock has it
    """

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


def _is_paged_by_stock(paginator: Any, queryset: Any) -> bool:
    """Return whether nobody looks at a queryset while it becomes a page, so a copy will do."""
    try:
        _check_hooks_of(paginator)
        check_readable(queryset)
        Plans(queryset).known()
        _check_hooks(queryset, _QUERYSET_HOOKS)
        if _known(paginator) is CursorPagination:
            _check_hooks(queryset, _CURSOR_HOOKS)
    except NotRowReadableError:
        return False
    return _ATTRIBUTES.issuperset(vars(queryset))


def _places(queryset: Any, **arguments: Any) -> list[Any]:
    """Return what stands for the rows of a queryset."""
    with_instances(queryset)
    rows = fetch_instances(queryset)
    return _places_of(rows) if type(rows) is LazyInstanceList else rows


def _places_of(rows: LazyInstanceList) -> list[RowPlace]:
    """Return what stands for the instances of rows, while ``fetched`` is not None."""
    fetched: Any = rows.fetched
    return [RowPlace(fetched, number) for number in rows.numbers()]


def check_paginator(view: Any) -> None:
    """Check that nobody but stock looks at a queryset before it is a page.

    :raises NotRowReadableError: if somebody may
    """
    if overridden(view, _OF_VIEWS):
        raise NotRowReadableError("paginate_queryset is overridden")
    paginator = view.paginator
    _check_hooks_of(paginator)
    is_stock = type(paginator).paginate_queryset in PAGINATE[_known(paginator)]
    if not is_stock or "paginate_queryset" in vars(paginator):
        raise NotRowReadableError(f"paginate_queryset of {type(paginator).__name__} is overridden")


def _known(paginator: Any) -> Any:
    """Return the class of DRF's from which a paginator derives; None if there is none."""
    return next((each for each in _HOOKS if isinstance(paginator, each)), None)


def _check_hooks_of(paginator: Any) -> None:
    """Check that nobody but stock looks at what a paginator makes a page of.

    :raises NotRowReadableError: if somebody may
    """
    known = _known(paginator)
    if known is None:
        raise NotRowReadableError(f"{type(paginator).__name__} may look at the objects of the page")
    _check_hooks(paginator, _HOOKS[known])
    if known is PageNumberPagination:
        _check_hooks(paginator.django_paginator_class, _PAGINATOR_HOOKS)


def _check_hooks(obj: Any, hooks: dict[str, Any]) -> None:
    reason = overridden(obj, hooks)
    if reason:
        cls = obj if isinstance(obj, type) else type(obj)
        raise NotRowReadableError(f"{reason} in {cls.__name__}")
