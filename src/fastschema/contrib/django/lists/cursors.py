"""Pages by cursor whose instances are made only if code asks for them.

``CursorPagination`` looks at the last row of a page, and makes its links of others. Here the query
gives a :class:`RowPlace` for each row, in whose place the page gets its instances later.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from rest_framework.pagination import CursorPagination

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.internals.queries import (
    give_iterable,
    instances_of,
    with_iterable,
)
from fastschema.contrib.django.lists.prefetching import fetch_instances
from fastschema.contrib.django.lists.query_plan import check_readable
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.switch import is_disabled

HOOKS = {
    name: stock_method(CursorPagination, name)
    for name in ("get_ordering", "_get_position_from_instance", "encode_cursor")
}
"""All that sees the queryset or its rows when paginate_queryset calls it, or a link."""
_OF_QUERYSETS = {name: stock_method(QuerySet, name) for name in ("__init__", "order_by", "filter")}
_ATTRIBUTES = frozenset(vars(QuerySet()))
"""What a queryset has, if no code adds to it."""


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


def _paginate_later(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``paginate_queryset`` for ``CursorPagination``."""

    def paginate_queryset(self: Any, queryset: Any, request: Any, view: Any = None) -> Any:
        if not _is_paged_unseen(self, queryset):
            return stock(self, queryset, request, view)
        page = stock(self, with_iterable(queryset, _places), request, view)
        if not page or type(page[0]) is not RowPlace:
            return page
        rows = LazyInstanceList(page[0].fetched, [place.number for place in page])
        if vars(self).get("page") is page:
            self.page = rows
        return rows

    return paginate_queryset


def _link_of_rows(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that makes a link of a page, which needs no instances of its items."""

    @functools.wraps(stock)
    def get_link(self: Any) -> Any:
        page = vars(self).get("page")
        if type(page) is not LazyInstanceList or page.fetched is None or overridden(self, HOOKS):
            return stock(self)
        self.page = _places_of(page)
        try:
            return stock(self)
        finally:
            self.page = page

    return get_link


CURSORS = [
    (CursorPagination, name, stock, replacement(stock))
    for name, replacement in (
        ("paginate_queryset", _paginate_later),
        ("get_next_link", _link_of_rows),
        ("get_previous_link", _link_of_rows),
    )
    for stock in [stock_method(CursorPagination, name)]
]
"""Methods of ``CursorPagination`` as stock has them, and what replaces them."""


def _is_paged_unseen(paginator: Any, queryset: Any) -> bool:
    """Return whether no code of users sees a queryset become a page: a copy will do then."""
    if is_disabled() or overridden(paginator, HOOKS):
        return False
    try:
        check_readable(queryset)
    except NotRowReadableError:
        return False
    is_seen = overridden(queryset, _OF_QUERYSETS)
    return not is_seen and _ATTRIBUTES.issuperset(vars(queryset))


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
