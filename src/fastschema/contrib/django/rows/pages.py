"""Pages of a queryset whose instances are made only if somebody looks at them.

DRF's paginators turn a slice of the queryset into a list. Here that slice runs its query and gives
placeholders, one for each row, in whose place the list gets its instances later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.db.models.query import ModelIterable
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination

from fastschema.contrib.django.rows.fetching import (
    FetchedRows,
    LaterInstances,
    check_fetchable,
)
from fastschema.contrib.django.rows.prefetching import fetch, is_all_fetched
from fastschema.contrib.django.rows.tables import InstancesNeededError
from fastschema.runtime.stock import stock_method

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
    """What ``paginate_queryset`` of a view returns: a page of the queryset, or None.

    :raises Exception: what stock raises
    """
    try:
        check_paginator(view)
        check_fetchable(queryset)
        _check_hooks(type(queryset), _QUERYSET_HOOKS, vars(queryset))
        if not vars(queryset).keys() <= _ATTRIBUTES:
            raise InstancesNeededError("the queryset has attributes that a copy of it has not")
    except InstancesNeededError:
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
        paged.object_list = LaterInstances(page[0])
        paged.paginator.object_list = queryset
    # Another method may do with a page what it likes.
    is_stock = type(view).get_serializer is GET_SERIALIZER and "get_serializer" not in vars(view)
    return LaterInstances(page[0]) if is_stock else list(page[0].instances())


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

    :raises InstancesNeededError: if somebody may
    """
    cls: Any = type(view)
    is_stock = getattr(cls, "paginate_queryset", None) is _PAGINATE and cls.paginator is _PAGINATOR
    if not is_stock or "paginate_queryset" in vars(view):
        raise InstancesNeededError("paginate_queryset is overridden")
    paginator = view.paginator
    known = next((each for each in _HOOKS if isinstance(paginator, each)), None)
    if known is None:
        raise InstancesNeededError(f"{type(paginator).__name__} may look at them")
    _check_hooks(type(paginator), _HOOKS[known], vars(paginator))
    if known is PageNumberPagination:
        _check_hooks(paginator.django_paginator_class, _PAGINATOR_HOOKS, {})


def _check_hooks(cls: Any, hooks: dict[str, Any], own: dict[str, Any]) -> None:
    for name, hook in hooks.items():
        if getattr(cls, name, None) is not hook or name in own:
            raise InstancesNeededError(f"{name} of {cls.__name__} is overridden")
