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
from fastschema.contrib.django.rows.tables import InstancesNeededError

_PAGINATE, _PAGINATOR = GenericAPIView.paginate_queryset, GenericAPIView.paginator
_COUNT = QuerySet.count
# All that is given the queryset, as it is when fastschema is imported.
_HOOKS = {
    cls: {name: getattr(cls, name) for name in names}
    for cls, names in (
        (PageNumberPagination, ("paginate_queryset", "get_page_number")),
        (LimitOffsetPagination, ("paginate_queryset", "get_count")),
    )
}
_PAGINATOR_HOOKS = {
    name: getattr(Paginator, name)
    for name in ("__init__", "page", "_get_page", "count", "_check_object_list_is_ordered")
}


def paginate(view: Any, queryset: Any) -> Any:
    """What ``paginate_queryset`` of a view returns: a page of the queryset, or None.

    :raises Exception: what stock raises
    """
    try:
        check_paginator(view)
        check_fetchable(queryset)
    except InstancesNeededError:
        return view.paginate_queryset(queryset)
    if type(queryset).count is not _COUNT:
        return view.paginate_queryset(queryset)
    sliced = queryset._chain()
    sliced._iterable_class = _Placeholders
    try:
        page = view.paginate_queryset(sliced)
    finally:
        sliced._iterable_class = ModelIterable
    if not page or type(page[0]) is not FetchedRows:
        return page
    rows = LaterInstances(page[0])
    if type(getattr(view.paginator, "page", None)) is Page:
        view.paginator.page.object_list = rows
    return rows


class _Placeholders(ModelIterable):
    """The rows of a queryset, once for each of them; or their instances, if they get prefetched
    objects at once.
    """

    def __iter__(self) -> Iterator[Any]:
        fetched = FetchedRows(self.queryset)
        if self.queryset._prefetch_related_lookups:
            return fetched.instances()
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
