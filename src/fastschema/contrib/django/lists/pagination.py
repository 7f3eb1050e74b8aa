"""Pages of a queryset whose instances are made only if code asks for them.

``paginate_queryset`` of DRF's paginators by number and by offset is written down here line by line,
with :func:`listed` in the place of ``list``. What users override sees the queryset of the view, and
a list. If DRF's own differs, as a later release's may, it stays. ``cursors`` has those by cursor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.paginator import InvalidPage, Page
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import (
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.lists.cursors import HOOKS
from fastschema.contrib.django.lists.prefetching import fetch_rows
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.runtime.patching import calls_super, overridden, stock_method

_OF_VIEWS = {
    name: stock_method(GenericAPIView, name) for name in ("paginate_queryset", "paginator")
}
_PAGINATORS = (PageNumberPagination, LimitOffsetPagination, CursorPagination)


def listed(objects: Any) -> list[Any]:
    """Return a list of a queryset or a page, which makes its instances when code looks into it."""
    is_page = type(objects) is Page
    try:
        rows = fetch_rows(objects.object_list if is_page else objects)
    except TypeError:
        if not is_page:
            raise
        return list(iter(objects))  # list() ignores it where it asks a page for its length
    if type(rows) is not LazyInstanceList:
        return list(objects)
    if is_page:
        objects.object_list = rows.once_more()
    return rows.once_more()


def _by_number(self: Any, queryset: Any, request: Any, view: Any = None) -> Any:
    """``PageNumberPagination.paginate_queryset``."""
    self.request = request
    page_size = self.get_page_size(request)
    if not page_size:
        return None

    paginator = self.django_paginator_class(queryset, page_size)
    page_number = self.get_page_number(request, paginator)

    try:
        self.page = paginator.page(page_number)
    except InvalidPage as exc:
        msg = self.invalid_page_message.format(page_number=page_number, message=str(exc))
        raise NotFound(msg)  # noqa: B904  # as in DRF

    if paginator.num_pages > 1 and self.template is not None:
        # The browsable API should display pagination controls.
        self.display_page_controls = True

    return listed(self.page)


def _by_offset(self: Any, queryset: Any, request: Any, view: Any = None) -> Any:
    # As that of LimitOffsetPagination, it has no docstring, which would be a constant.
    self.request = request
    self.limit = self.get_limit(request)
    if self.limit is None:
        return None

    self.count = self.get_count(queryset)
    self.offset = self.get_offset(request)
    if self.count > self.limit and self.template is not None:
        self.display_page_controls = True

    if self.count == 0 or self.offset > self.count:
        return []
    return listed(queryset[self.offset : self.offset + self.limit])


def is_written_from(written: Callable[..., Any], stock: Any) -> bool:
    """Return whether a function does what a function of DRF does, but for its lists.

    Both were compiled by the same Python, so this is to be seen in their code.
    """
    code, of_stock = written.__code__, getattr(stock, "__code__", None)
    if of_stock is None or code.co_code != of_stock.co_code:
        return False
    names = tuple(["list" if name == "listed" else name for name in code.co_names])
    constants = [
        [constant for constant in function.__code__.co_consts if constant != function.__doc__]
        for function in (written, stock)
    ]
    return names == of_stock.co_names and constants[0] == constants[1]


PAGINATE = [
    (cls, "paginate_queryset", stock, written)
    for cls, written in ((PageNumberPagination, _by_number), (LimitOffsetPagination, _by_offset))
    for stock in [stock_method(cls, "paginate_queryset")]
    if is_written_from(written, stock)
]
"""Methods of DRF's paginators as stock has them, and what replaces them."""


def check_paginator(view: Any) -> None:
    """Raise NotRowReadableError unless stock makes the page, and no code of users looks at it."""
    if overridden(view, _OF_VIEWS):
        raise NotRowReadableError("paginate_queryset is overridden")
    paginator = view.paginator
    cls = next((cls for cls in _PAGINATORS if isinstance(paginator, cls)), None)
    if cls is None:
        raise NotRowReadableError(f"{type(paginator).__name__} may look at the objects of the page")
    reason = overridden(paginator, HOOKS) if cls is CursorPagination else None
    if reason:
        raise NotRowReadableError(f"{reason} in {type(paginator).__name__}")
    if not calls_super(paginator, "paginate_queryset", cls):
        raise NotRowReadableError(f"paginate_queryset of {type(paginator).__name__} is overridden")
