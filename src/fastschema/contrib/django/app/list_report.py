"""How list views make their rows, and what to change: for the doctor and the toolbar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import DatabaseError
from rest_framework.mixins import ListModelMixin
from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import NotRowReadableError, UnreadableError
from fastschema.contrib.django.lists.lazy_list import (
    described_rows,
    dispatch_of,
    list_lazily,
    views_whose_data_is_read,
    writes_fast,
)
from fastschema.contrib.django.lists.n_plus_one import view_of
from fastschema.contrib.django.lists.pagination import check_paginator
from fastschema.contrib.django.lists.row_programs import read_by_column
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.runtime import thresholds
from fastschema.runtime.json_engine import orjson
from fastschema.switch import VARIABLE, is_disabled
from fastschema.tools.doctor import told

ROWS, INSTANCES, STOCK, STREAMED, UNKNOWN = "rows", "instances", "stock", "streamed", "unknown"
"""What a list view writes: rows of the database, instances, what stock makes, or a stream."""


class Reason(NamedTuple):
    """Why a list is not made in the fastest way.

    :param text: the reason, as it follows "because"
    :param what: what to change, a sentence; or ""
    """

    text: str
    what: str = ""


_PAGES = "Use one of DRF's paginators as it comes, if you can."
_DISABLED = Reason("fastschema is disabled", f"Unset {VARIABLE}.")
_NOT_INSTALLED = Reason(
    "fastschema is not installed for all views",
    "Set FASTSCHEMA['INSTALL'] to True, or use FastViewMixin.",
)
_OVERRIDDEN = Reason(
    "list is overridden",
    "If the view's list only calls super().list(), all is well; if it reads response.data, move "
    "what it does to filter_queryset, get_queryset or the serializer.",
)


class ListReport(NamedTuple):
    """How a view makes its list; as a string, a sentence for people.

    :param made_of: ``ROWS``, ``INSTANCES``, ``STOCK``, ``STREAMED``, or ``UNKNOWN``
    :param reasons: why it is not made of rows
    """

    made_of: str
    reasons: tuple[Reason, ...] = ()

    @property
    def why(self) -> str:
        """The reasons in one line."""
        return "; ".join(each.text for each in self.reasons)

    def __str__(self) -> str:
        if self.made_of == STREAMED:
            return "rows are streamed"
        if self.made_of == UNKNOWN:
            return f"how rows are made is not known: {self.why}"
        if self.made_of == STOCK:
            return f"rows become dictionaries first, because {self.why}"
        if self.made_of == INSTANCES:
            return f"a model instance is built for each row, because {self.why}"
        return "no model instances are built"


def why_unknown(error: Exception) -> str:
    """Return why a view could not be examined: what its code raises without a real request."""
    if isinstance(error, DatabaseError):
        return f"the database is not ready: run manage.py migrate ({type(error).__name__})"
    if "AnonymousUser" in str(error):
        return "it needs a user who is logged in: name one with --user"
    return told(error)


def list_report(view: Any) -> ListReport:
    """Return how a view makes its list.

    :param view: made as for a request
    """
    try:
        return _report(view)
    except Exception as error:  # whatever the project's own code raises without a real request
        return ListReport(UNKNOWN, (Reason(why_unknown(error)),))


def why_data(serializer: Any, rows: int | None) -> str:
    """Return why the list of a view was not written as JSON at once, if that would be faster.

    :param serializer: what has represented the list, in a request
    :param rows: how many rows it has, if that is known
    """
    view = view_of(serializer)
    if not isinstance(serializer, ListSerializer) or not isinstance(view, ListModelMixin):
        return ""
    if view.paginator is not None or (rows or 0) < thresholds.rows_worth_writing_lazily:
        return ""
    if getattr(view, "action", None) not in (None, "list"):
        return "only list() of a view writes JSON at once"
    request = view.request
    if not writes_fast(request.accepted_renderer, request.accepted_media_type, {}):
        return f"{type(request.accepted_renderer).__name__} renders it"
    if type(view) in views_whose_data_is_read:
        return "response.data was read before it was rendered"
    report = list_report(view)
    return report.why if report.made_of == STOCK else ""


def _report(view: Any) -> ListReport:
    reasons = list(_reasons_of_view(view))
    queryset = view.get_queryset()
    if type(queryset) is list:
        text = "get_queryset returns a list, which may hold anything"
        return ListReport(STOCK, (*reasons, Reason(text)))
    instances: list[Reason] = []
    fetched = None
    try:
        fetched = described_rows(view, queryset)
    except NotRowReadableError as error:
        instances.append(_of_instances(view, error))
    try:
        dispatch = dispatch_of(view, queryset)
    except (NotRowReadableError, UnreadableError) as error:
        return ListReport(STOCK, (*reasons, Reason(str(error)), *instances))
    if reasons:
        return ListReport(STOCK, tuple(reasons))
    if fetched is not None:
        try:
            read_by_column(dispatch, fetched)
        except NotRowReadableError as error:
            instances.append(Reason(str(error)))
    return ListReport(INSTANCES if instances else ROWS, tuple(instances))


def _reasons_of_view(view: Any) -> Iterator[Reason]:
    """Return why a view makes dictionaries, whatever its serializer is."""
    if is_disabled():
        yield _DISABLED
    elif ListModelMixin.list is not list_lazily:
        yield _NOT_INSTALLED
    elif type(view).list is not list_lazily:
        yield _OVERRIDDEN
    renderer = view.get_renderers()[0]
    if not is_disabled() and not writes_fast(renderer, renderer.media_type, {}):
        yield _of_renderer(renderer)


def _of_renderer(renderer: Any) -> Reason:
    """Return why a renderer does not write what orjson writes."""
    name = type(renderer).__name__
    if not isinstance(renderer, FastJSONRenderer):
        return Reason(
            f"its first renderer is {name}, not FastJSONRenderer",
            "Name fastschema.contrib.django.renderers.FastJSONRenderer first in the view's "
            "renderer_classes, or in DEFAULT_RENDERER_CLASSES.",
        )
    if orjson is None:
        return Reason("orjson is not installed", "Install orjson.")
    if not renderer.compact:
        return Reason(
            "JSON is written with spaces, which orjson cannot",
            "Leave REST_FRAMEWORK['COMPACT_JSON'] as it is (True).",
        )
    return Reason(
        f"{name} changes how FastJSONRenderer writes",
        "Use FastJSONRenderer as it comes.",
    )


def _of_instances(view: Any, error: NotRowReadableError) -> Reason:
    """Return why instances are made of a queryset."""
    try:
        if view.paginator is not None:
            check_paginator(view)
    except NotRowReadableError:
        return Reason(str(error), _PAGES)
    return Reason(str(error))
