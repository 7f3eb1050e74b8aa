"""Pages and streams of a queryset whose instances are made only if somebody looks.

DRF's paginators turn a slice of the queryset into a list. Here that slice runs its query and gives
placeholders, one for each row, in whose place the list gets its instances later.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.db.models.query import ModelIterable
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.bound_serializer import link_to
from fastschema.contrib.django.lists.captured_values import NotRereadableError
from fastschema.contrib.django.lists.columns import by_row, columns_of
from fastschema.contrib.django.lists.lazy_rows import dispatch_for_rows
from fastschema.contrib.django.lists.prefetching import fetch, is_all_fetched
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    check_fetchable,
)
from fastschema.contrib.django.lists.row_layout import NotRowReadableError
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.patching import stock_method

_PAGINATE = stock_method(GenericAPIView, "paginate_queryset")
_PAGINATOR = stock_method(GenericAPIView, "paginator")
GET_SERIALIZER = stock_method(GenericAPIView, "get_serializer")
# All that is given the queryset.
_HOOKS = {
    cls: {name: stock_method(cls, name) for name in names}
    for cls, names in (
        (PageNumberPagination, ("paginate_queryset", "get_page_number")),
        (LimitOffsetPagination, ("paginate_queryset", "get_count")),
    )
}
_PAGINATOR_HOOKS = {
    name: stock_method(Paginator, name)
    for name in ("__init__", "page", "_get_page", "count", "_check_object_list_is_ordered")
}
_QUERYSET_HOOKS = {name: stock_method(QuerySet, name) for name in ("__init__", "count")}
_ATTRIBUTES = frozenset(vars(QuerySet()))
"""What a queryset has, if nobody adds to it."""


def paginate(view: Any, queryset: Any) -> Any:
    """Return what ``paginate_queryset`` of a view returns: a page of the queryset, or None.

    :raises Exception: what stock raises
    """
    try:
        check_paginator(view)
        check_fetchable(queryset)
        _check_hooks(type(queryset), _QUERYSET_HOOKS, vars(queryset))
        if not vars(queryset).keys() <= _ATTRIBUTES:
            raise NotRowReadableError("the queryset has attributes that a copy of it has not")
    except NotRowReadableError:
        return view.paginate_queryset(queryset)
    copied = queryset._chain()
    copied._iterable_class = _Placeholders
    try:
        page = view.paginate_queryset(copied)
    finally:
        copied._iterable_class = ModelIterable
    if not page or not isinstance(page[0], FetchedRows):
        return page
    paged: Any = getattr(view.paginator, "page", None)
    if type(paged) is Page:
        paged.object_list = LazyInstanceList(page[0])
        paged.paginator.object_list = queryset
    # Another method may do with a page what it likes.
    is_stock = type(view).get_serializer is GET_SERIALIZER and "get_serializer" not in vars(view)
    return LazyInstanceList(page[0]) if is_stock else list(page[0].instances())


class _Placeholders(ModelIterable):
    """The rows of a queryset, once for each of them.

    Where Django adds prefetched objects, the rows are instances now; where code of users converts
    values, they are converted now: that is when it happens in stock.
    """

    def __iter__(self) -> Iterator[Any]:
        fetched = fetch(self.queryset)
        if not is_all_fetched(self.queryset):
            return iter(fetched.instances())
        if fetched.converters is None:
            fetched.converted()
        return iter([fetched] * len(fetched))


def check_paginator(view: Any) -> None:
    """Check that nobody but stock looks at a queryset before it is a page.

    :raises NotRowReadableError: if somebody may
    """
    cls: Any = type(view)
    is_stock = getattr(cls, "paginate_queryset", None) is _PAGINATE and cls.paginator is _PAGINATOR
    if not is_stock or "paginate_queryset" in vars(view):
        raise NotRowReadableError("paginate_queryset is overridden")
    paginator = view.paginator
    known = next((each for each in _HOOKS if isinstance(paginator, each)), None)
    if known is None:
        raise NotRowReadableError(f"{type(paginator).__name__} may look at them")
    _check_hooks(type(paginator), _HOOKS[known], vars(paginator))
    if known is PageNumberPagination:
        _check_hooks(paginator.django_paginator_class, _PAGINATOR_HOOKS, {})


def _check_hooks(cls: Any, hooks: dict[str, Any], own: dict[str, Any]) -> None:
    for name, hook in hooks.items():
        if getattr(cls, name, None) is not hook or name in own:
            raise NotRowReadableError(f"{name} of {cls.__name__} is overridden")


class StreamedRows:
    """The rows of a queryset, read and dumped some at a time.

    :param queryset: see :func:`fastschema.contrib.django.lists.queryset_rows.is_fetchable`
    :param serializer: what dumps each row
    :param form: the form of the output
    :param chunk_size: how many rows to read at a time
    :raises Exception: what running the query raises
    """

    def __init__(self, queryset: Any, serializer: Any, form: Form, chunk_size: int) -> None:
        self._fetched = FetchedRows(queryset, chunk_size)
        self._serializer = serializer
        self._form = form
        self._link = link_to(serializer, form)
        self._by_row: Dispatch | None = None
        self._is_begun = False
        self._has_instances = not self._may_be_rows()

    def source(self) -> Generator[Any]:
        """Return the rows, or their instances; closing it closes the cursor."""
        fetched = self._fetched
        return fetched.each_instance() if self._has_instances else fetched.each()

    def dump(self, rows: Iterable[Any]) -> list[Any]:
        """Return what the serializer makes of some of what :meth:`source` gives.

        :raises Exception: what stock raises for one of the rows
        """
        if self._has_instances:
            return self._link.all_rows(rows)
        chunk = list(rows)
        if not chunk:
            return []
        if not self._is_begun:
            self._by_row = self._find_dispatch()
            self._is_begun = True
        if self._by_row is not None:
            try:
                return self._by_row.all_rows(chunk)
            except Exception:
                pass  # stock raises its own, for instances
        return self._link.all_rows(self._fetched.made_of(chunk))

    def _may_be_rows(self) -> bool:
        """Whether nobody can tell when instances are made, and values converted."""
        try:
            _ = self._fetched.table
        except NotRowReadableError:
            return False
        return self._fetched.converters is not None

    def _find_dispatch(self) -> Dispatch | None:
        """Return what dumps rows; None if code of users sees instances, or is called for values."""
        try:
            dispatch, kept = dispatch_for_rows(self._serializer, {self._fetched.model}, self._form)
            if kept:
                return None
            options, node = dispatch.subject.options, dispatch.program.node
            return by_row(dispatch, columns_of(options, node, self._fetched.table))
        except (NotRowReadableError, NotRereadableError, UnreadableError):
            return None
