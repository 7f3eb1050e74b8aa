"""The views that a URL configuration reaches, their serializers, and how list views make rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.admindocs.views import simplify_regex
from django.db import DatabaseError
from django.http import HttpRequest
from django.urls import URLPattern, get_resolver
from django.views import View
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, ListSerializer
from rest_framework.views import APIView

from fastschema.compiler.nodes import NotRowReadableError, UnreadableError
from fastschema.contrib.django.customization import is_stock_list
from fastschema.contrib.django.lists.captured_values import is_captured
from fastschema.contrib.django.lists.lazy_list import (
    data_were_needed,
    described_rows,
    dispatch_of,
    has_stock_pages,
    list_lazily,
    writes_fast,
)
from fastschema.contrib.django.lists.lazy_rows import NotLazyError, read_by_column
from fastschema.contrib.django.lists.n_plus_one import Unloaded, unloaded, view_of
from fastschema.contrib.django.lists.pagination import check_paginator
from fastschema.contrib.django.relations import loads_relations, with_relations
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.views import StreamingListMixin
from fastschema.plan import compile
from fastschema.report import Report
from fastschema.runtime.json_engine import orjson
from fastschema.switch import VARIABLE, is_disabled
from fastschema.tools.doctor import path_of, told

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
_PAGINATED = Reason("get_paginated_response is overridden", _PAGES)


class ListReport(NamedTuple):
    """How a view makes its list; as a string, a sentence for people.

    :param made_of: ``ROWS``, ``INSTANCES``, ``STOCK``, ``STREAMED``, or ``UNKNOWN``
    :param reasons: why it is not made of rows
    :param kept: the keys of the fields whose values are kept for those who ask for the data
    """

    made_of: str
    reasons: tuple[Reason, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """The reasons in one line."""
        return "; ".join(each.text for each in self.reasons)

    @property
    def is_lazy(self) -> bool:
        """Whether rows are written as JSON without being dictionaries in between."""
        return self.made_of in (ROWS, INSTANCES, STREAMED)

    def __str__(self) -> str:
        if self.made_of == STREAMED:
            return "rows are streamed"
        if self.made_of == UNKNOWN:
            return f"how rows are made is not known: {self.why}"
        if self.made_of == STOCK:
            return f"rows become dictionaries first, because {self.why}"
        made = f"instances are made, because {self.why}" if self.why else "no instances are made"
        return f"rows are written as JSON at once; {made}"


def why_unknown(error: Exception) -> str:
    """Return why a view could not be examined: what its code raises without a real request."""
    if isinstance(error, DatabaseError):
        return f"the database is not ready: run manage.py migrate ({type(error).__name__})"
    if "AnonymousUser" in str(error):
        return "it needs a user who is logged in: name one with --user"
    return told(error)


def list_report(view: Any) -> ListReport:
    """How a view makes its list.

    :param view: made as for a request
    """
    try:
        return _report(view)
    except Exception as error:  # whatever the project's own code raises without a real request
        return ListReport(UNKNOWN, (Reason(why_unknown(error)),))


def why_data(serializer: Any) -> str:
    """Return why the list of a view was not written as JSON at once; "" if nobody knows.

    :param serializer: what has represented the list, in a request
    """
    view = view_of(serializer)
    if not isinstance(serializer, ListSerializer) or not isinstance(view, ListModelMixin):
        return ""
    if getattr(view, "action", None) not in (None, "list"):
        return "only list() of a view writes JSON at once"
    request = view.request
    if not writes_fast(request.accepted_renderer, request.accepted_media_type, {}):
        return f"{type(request.accepted_renderer).__name__} renders it"
    if data_were_needed(type(view)):
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
    except (NotLazyError, UnreadableError) as error:
        return ListReport(STOCK, (*reasons, Reason(str(error)), *instances))
    if reasons:
        return ListReport(STOCK, tuple(reasons))
    if fetched is not None:
        try:
            read_by_column(dispatch, fetched)
        except NotRowReadableError as error:
            instances.append(Reason(str(error)))
    keys = tuple([field.key for field in dispatch.program.node.fields if is_captured(field)])
    return ListReport(INSTANCES if instances else ROWS, tuple(instances), keys)


def _reasons_of_view(view: Any) -> Iterator[Reason]:
    """Why a view makes dictionaries, whatever its serializer is."""
    if is_disabled():
        yield _DISABLED
    elif ListModelMixin.list is not list_lazily:
        yield _NOT_INSTALLED
    elif type(view).list is not list_lazily:
        yield _OVERRIDDEN
    renderer = view.get_renderers()[0]
    if not is_disabled() and not writes_fast(renderer, renderer.media_type, {}):
        yield _of_renderer(renderer)
    if view.paginator is not None and not has_stock_pages(view):
        yield _PAGINATED


def _of_renderer(renderer: Any) -> Reason:
    """Why a renderer does not write what orjson writes."""
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
    """Why instances are made of a queryset."""
    try:
        if view.paginator is not None:
            check_paginator(view)
    except NotRowReadableError:
        return Reason(str(error), _PAGES)
    return Reason(str(error))


_FORMAT_SUFFIX = re.compile(r"<(\w+:)?format>/?$")


class Endpoint(NamedTuple):
    """A method of a path.

    :param path: as people write it: ``/flights/<pk>/``
    :param method: in capitals
    :param callback: the view function
    """

    path: str
    method: str
    callback: Any

    @property
    def action(self) -> str | None:
        """What a viewset calls the method; None for other views."""
        actions = getattr(self.callback, "actions", None)
        return actions[self.method.lower()] if actions else None

    @property
    def takes_input(self) -> bool:
        """Whether its requests bring data."""
        return self.method in ("POST", "PUT", "PATCH")

    def __str__(self) -> str:
        action = f".{self.action}" if self.action else ""
        return f"{self.method} {self.path} ({self.callback.cls.__name__}{action})"


@dataclass(frozen=True, slots=True)
class Reached:
    """A serializer that is reached.

    :param serializer: the first of its class, with these fields
    :param report: how it is dumped, its nested serializers included
    :param uses: where: endpoints, and fields of other serializers
    """

    serializer: Any
    report: Report
    uses: list[str]

    @property
    def path(self) -> str:
        """Its class, as ``package.module:Name``."""
        return path_of(type(self.serializer))


@dataclass(slots=True)
class Survey:
    """What is reached.

    :param serializers: each once, in the order of the URL configuration; a class whose fields
        differ between endpoints, once for each set of fields
    :param endpoints: all endpoints with a serializer, and the path of that
    :param with_input: those of them whose requests bring data
    :param lists: how the list views among the endpoints make their lists
    :param views: the list views, made as for a request
    :param queries: what the list views among them ask of the database for each row
    :param not_looked_at: the list views of which that cannot be known without a real request, and
        why
    :param without: the endpoints whose serializer could not be found, and why
    """

    serializers: list[Reached] = field(default_factory=list)
    endpoints: dict[str, str] = field(default_factory=dict)
    with_input: set[str] = field(default_factory=set)
    lists: dict[str, ListReport] = field(default_factory=dict)
    views: dict[str, Any] = field(default_factory=dict)
    queries: dict[str, list[Unloaded]] = field(default_factory=dict)
    not_looked_at: dict[str, str] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)

    def add(self, serializer: Any, use: str, holders: tuple[type, ...] = ()) -> None:
        """Add a serializer, and those that it nests.

        :param use: where it is used
        :param holders: the classes that nest it, so that a cycle ends
        """
        if isinstance(serializer, ListSerializer):
            if not is_stock_list(serializer):
                self._is_new(serializer, use)
            serializer = serializer.child
        cls = type(serializer)
        if not isinstance(serializer, BaseSerializer) or cls in holders:
            return
        is_new = self._is_new(serializer, use)
        list_class = getattr(getattr(cls, "Meta", None), "list_serializer_class", None)
        if list_class is not None and not holders:
            self.add(list_class(child=serializer), use, (cls,))
        if not is_new:
            return
        for name, held in getattr(serializer, "fields", {}).items():
            nested = _nested(held)
            if nested is not None:
                self.add(nested, f"{path_of(cls)}.{name}", (*holders, cls))

    def add_list(self, view: Any, endpoint: str) -> None:
        """Add what there is to say of a list view."""
        is_streamed = type(view).list is StreamingListMixin.list
        self.lists[endpoint] = ListReport(STREAMED) if is_streamed else list_report(view)
        self.views[endpoint] = view
        try:
            queryset = view.get_queryset()
            if loads_relations(view):
                queryset = with_relations(view, queryset)
            found = unloaded(view.get_serializer(), queryset)
        except Exception as error:  # whatever the project's own code raises
            self.not_looked_at[endpoint] = why_unknown(error)
            return
        if found:
            self.queries[endpoint] = found

    def _is_new(self, serializer: Any, use: str) -> bool:
        """Add a serializer if there is none like it, and its use in any case."""
        report = compile(serializer).explain()
        same = (
            each
            for each in self.serializers
            if type(each.serializer) is type(serializer) and each.report == report
        )
        found = next(same, None)
        is_new = found is None
        if found is None:
            found = Reached(serializer, report, [])
            self.serializers.append(found)
        if use not in found.uses:
            found.uses.append(use)
        return is_new


def reached(urlconf: str | None = None, user: Any = None) -> Survey:
    """Return the serializers that a URL configuration reaches.

    Each view is made as for a request; its ``get_serializer`` is asked, or else its
    ``serializer_class``. Methods that delete answer with nothing, and are left out.

    :param urlconf: the module; None: ``ROOT_URLCONF``
    :param user: who makes the request; None: nobody, with ``swagger_fake_view`` set on the views,
        as OpenAPI tools do
    :raises ImportError: if there is no such module
    :raises ImproperlyConfigured: if there are no URL patterns in it
    """
    survey = Survey()
    for endpoint in endpoints(get_resolver(urlconf).url_patterns):
        if endpoint.method == "DELETE":
            continue
        try:
            view = _view(endpoint, user)
            serializer = _serializer(view)
            if not isinstance(serializer, BaseSerializer):
                survey.without[str(endpoint)] = "the view names no serializer"
            else:
                survey.add(serializer, str(endpoint))
                row_serializer = getattr(serializer, "child", serializer)
                survey.endpoints[str(endpoint)] = path_of(type(row_serializer))
                if endpoint.takes_input:
                    survey.with_input.add(str(endpoint))
            if _lists(view, endpoint):
                survey.add_list(view, str(endpoint))
        except Exception as error:  # whatever the project's own code raises
            survey.without[str(endpoint)] = why_unknown(error)
    return survey


def view_classes(urlconf: str | None = None) -> list[Any]:
    """Return the classes of DRF's views that a URL configuration reaches, each once.

    :param urlconf: as for :func:`reached`
    """
    patterns = get_resolver(urlconf).url_patterns
    return list(dict.fromkeys(each.callback.cls for each in endpoints(patterns)))


def endpoints(patterns: list[Any], prefix: str = "") -> Iterator[Endpoint]:
    """Yield the endpoints of DRF views below URL patterns, in their order."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if not isinstance(pattern, URLPattern):
            yield from endpoints(pattern.url_patterns, route)
            continue
        path = simplify_regex(route)
        cls = getattr(pattern.callback, "cls", None)
        if not isinstance(cls, type) or not issubclass(cls, APIView) or _FORMAT_SUFFIX.search(path):
            continue
        for method in _methods(pattern.callback):
            yield Endpoint(path, method, pattern.callback)


def _nested(field: Any) -> Any:
    """Return the serializer that a field is, or of which it holds a list or a
    dictionary; or None.
    """
    while field is not None and not isinstance(field, BaseSerializer):
        field = getattr(field, "child", None)
    return field


def _methods(callback: Any) -> list[str]:
    """Return the methods in the order of Django's: ``api_view`` keeps them in a set."""
    names = getattr(callback, "actions", None) or [
        name for name in callback.cls.http_method_names if hasattr(callback.cls, name)
    ]
    order = {name: position for position, name in enumerate(View.http_method_names)}
    found = sorted(names, key=lambda name: order.get(name, len(order)))
    return [name.upper() for name in found if name not in ("head", "options")]


def _view(endpoint: Endpoint, user: Any) -> Any:
    """Return an endpoint's view, made as for a request."""
    view = endpoint.callback.cls(**getattr(endpoint.callback, "initkwargs", {}))
    request = HttpRequest()
    request.META.update(SERVER_NAME=_host(), SERVER_PORT="80")
    request.method = endpoint.method
    request.path = endpoint.path
    view.args, view.kwargs, view.format_kwarg = (), {}, None
    view.request = Request(request)
    if user is None:
        view.swagger_fake_view = True
    else:
        view.request.user = user
    view.request.version = view.request.versioning_scheme = None
    view.action = endpoint.action
    view.action_map = getattr(endpoint.callback, "actions", None)
    return view


def _host() -> str:
    """Return a host that the project answers for: addresses in its answers begin with it."""
    named = [host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"]
    return named[0] if named else "localhost"


def _serializer(view: Any) -> Any:
    """Return the serializer with which a view answers, or None."""
    if hasattr(view, "get_serializer"):
        return view.get_serializer()
    serializer = getattr(view, "serializer_class", None)
    return serializer() if isinstance(serializer, type) else serializer


def _lists(view: Any, endpoint: Endpoint) -> bool:
    """Whether an endpoint lists rows, as far as its classes tell."""
    if not isinstance(view, ListModelMixin) or endpoint.method != "GET":
        return False
    return endpoint.action in (None, "list")
