"""How list views make their rows, and what to change: for the doctor and the toolbar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import DatabaseError
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import JSONRenderer
from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import Form, NotRowReadableError, UnreadableError
from fastschema.contrib.django.front_end.bound_serializer import bound_now
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.front_end.json_encoding import encodes_as_stock
from fastschema.contrib.django.internals.queries import is_nothing
from fastschema.contrib.django.lists.list_plan import why_instances
from fastschema.contrib.django.lists.pagination import check_paginator
from fastschema.contrib.django.lists.query_plan import plan_of
from fastschema.contrib.django.lists.views import list_rows
from fastschema.contrib.django.renderers import FastJSONRenderer, writes_fast
from fastschema.doctor.diagnosis import told
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.json_engine import orjson
from fastschema.runtime.patching import calls_super
from fastschema.runtime.switch import VARIABLE, is_disabled

ROWS, INSTANCES, STREAMED, UNKNOWN = "rows", "instances", "streamed", "unknown"
"""What a list view is made of: rows of the database, instances, or a stream."""


class Reason(NamedTuple):
    """Why a list is not made in the fastest way, as it follows "because", and what to change."""

    text: str
    what: str = ""


_RENDERER = (
    "Name fastschema.contrib.django.renderers.FastJSONRenderer first in the view's "
    "renderer_classes, or in DEFAULT_RENDERER_CLASSES."
)
_PAGES = "Use one of DRF's paginators as it comes, if you can."
_DISABLED = Reason("fastschema is disabled", f"Unset {VARIABLE}.")
_NOT_INSTALLED = Reason("fastschema is not installed", "Set FASTSCHEMA['INSTALL'] to True.")


PLACEHOLDER = "its queryset is none() without a real request"


class ListReport(NamedTuple):
    """How a view makes its list; as a string, a sentence for people.

    :param made_of: ``ROWS``, ``INSTANCES``, ``STREAMED``, or ``UNKNOWN``
    :param renderer: why its JSON is not written by orjson, if it is not
    """

    made_of: str
    reasons: tuple[Reason, ...] = ()
    renderer: Reason | None = None

    @property
    def why(self) -> str:
        return "; ".join(reason.text for reason in self.reasons)

    @property
    def why_stock_writes(self) -> str:
        return self.renderer.text if self.renderer else ""

    @property
    def advice(self) -> list[str]:
        reasons = [*self.reasons, self.renderer] if self.renderer else self.reasons
        return [reason.what for reason in reasons]

    def __str__(self) -> str:
        if self.made_of == STREAMED:
            return "rows are streamed"
        if self.made_of == UNKNOWN:
            return f"how rows are made is not known: {self.why}"
        written = f"; orjson does not write it, because {self.why_stock_writes}"
        if self.made_of == INSTANCES:
            text = f"a model instance is built for each row, because {self.why}"
        else:
            text = "no model instances are built"
        return f"{text}{written if self.renderer else ''}"


def why_unknown(error: Exception) -> str:
    """Return why a view could not be examined: what its code raises without a real request."""
    if isinstance(error, DatabaseError):
        return f"the database is not ready: run manage.py migrate ({type(error).__name__})"
    if "AnonymousUser" in str(error):
        return "it needs a user who is logged in: name one with --user"
    return told(error)


def list_report(view: Any) -> ListReport:
    """Return how a view, made as for a request, makes its list."""
    try:
        return _report(view)
    except Exception as error:  # whatever the project's own code raises without a real request
        return ListReport(UNKNOWN, (Reason(why_unknown(error)),))


def _report(view: Any) -> ListReport:
    renderer = why_stock_writes(view.get_renderers()[0])
    queryset = view.get_queryset()
    if is_nothing(queryset):
        return ListReport(UNKNOWN, (Reason(PLACEHOLDER),), renderer)
    reasons = [*_reasons_of_view(), *_reasons_of_rows(view, queryset)]
    return ListReport(INSTANCES if reasons else ROWS, tuple(reasons), renderer)


def _reasons_of_view() -> Iterator[Reason]:
    if is_disabled():
        yield _DISABLED
    elif ListModelMixin.list is not list_rows:
        yield _NOT_INSTALLED


def _reasons_of_rows(view: Any, queryset: Any) -> Iterator[Reason]:
    plan = None
    what = _PAGES
    try:
        if view.paginator is not None:
            check_paginator(view)
        what = ""
        plan = plan_of(queryset)
    except NotRowReadableError as error:
        yield Reason(str(error), what)
    try:
        dispatch = _dispatch_of(view, queryset)
        why = None if plan is None else why_instances(dispatch, plan)
    except (NotRowReadableError, UnreadableError) as error:
        why = str(error)
    if why is not None:
        yield Reason(why)


def _dispatch_of(view: Any, queryset: Any) -> Dispatch:
    """Return what dumps a view's rows, or raise if code of users does."""
    serializer = view.get_serializer(queryset, many=True)
    if not isinstance(serializer, ListSerializer) or not is_stock_list(serializer):
        raise NotRowReadableError(f"{type(serializer).__name__} is a list serializer of your own")
    if not is_stock_serializer(serializer.child):
        raise NotRowReadableError(
            f"to_representation of {type(serializer.child).__name__} is overridden"
        )
    return bound_now(serializer.child).dispatch(Form.PYTHON)


def why_stock_writes(renderer: Any) -> Reason | None:
    """Return why a renderer does not write by orjson; None if it does, or is disabled."""
    if is_disabled() or writes_fast(renderer, renderer.media_type, {}):
        return None
    name = type(renderer).__name__
    if isinstance(renderer, JSONRenderer) and not encodes_as_stock(renderer.encoder_class):
        return Reason(
            f"{name} has an encoder of its own",
            "Let a field's to_representation give what it writes, and leave out encoder_class.",
        )
    if not isinstance(renderer, FastJSONRenderer):
        return Reason(f"its first renderer is {name}, not FastJSONRenderer", _to_change(renderer))
    if orjson is None:
        return Reason("orjson is not installed", "Install orjson.")
    if not renderer.compact:
        return Reason(
            "JSON is written with spaces, which orjson cannot",
            "Leave REST_FRAMEWORK['COMPACT_JSON'] as it is (True).",
        )
    is_fast = renderer.is_fast(renderer.media_type, {})
    if is_fast and calls_super(renderer, "render", FastJSONRenderer):
        return None
    return Reason(
        f"{name} changes how FastJSONRenderer writes",
        "Use FastJSONRenderer as it comes.",
    )


def _to_change(renderer: Any) -> str:
    """Return how another renderer becomes one that writes by orjson; "" if it writes no JSON."""
    cls = type(renderer)
    if cls is JSONRenderer:
        return _RENDERER
    by_plugin = _OF_PLUGINS.get(f"{cls.__module__}.{cls.__qualname__}")
    if by_plugin is not None:
        return f"Name {by_plugin} in its place."
    if not isinstance(renderer, JSONRenderer):
        return ""
    name = cls.__name__
    return (
        f"Derive {name} from FastJSONRenderer in place of JSONRenderer, or name a class of "
        f"your own in its place: class Fast{name}({name}, FastJSONRenderer)."
    )


_OF_PLUGINS = {
    "djangorestframework_camel_case.render.CamelCaseJSONRenderer": (
        "fastschema.contrib.camel_case.renderers.FastCamelCaseJSONRenderer"
    )
}
"""What to name in the place of renderers of other packages."""
