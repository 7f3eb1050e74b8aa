"""What the doctor finds of a project without a real request: its views and serializers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import get_resolver
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.schemas.generators import (
    BaseSchemaGenerator,
    EndpointEnumerator,
    is_api_view,
)
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.contrib.django.before_rows import loads_relations
from fastschema.contrib.django.front_end.customization import is_stock_list
from fastschema.contrib.django.internals.queries import is_nothing
from fastschema.contrib.django.unloaded_relations import Unloaded
from fastschema.doctor.diagnosis import (
    Diagnosis,
    RowQueries,
    SchemaFinding,
    ViewFinding,
    path_of,
)
from fastschema.doctor.django.list_report import (
    PLACEHOLDER,
    STREAMED,
    ListReport,
    list_report,
    why_unknown,
)
from fastschema.doctor.django.n_plus_one import (
    advice,
    left_on_demand,
    loaded_on_demand,
    loaded_with,
    unloaded_by,
)
from fastschema.plan import compile
from fastschema.runtime.plugins import plugin

_streaming = plugin("fastschema.contrib.django.streaming")


class Endpoints(EndpointEnumerator):
    """DRF's way to list endpoints, with those that an OpenAPI schema leaves out."""

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        """Return whether it is a view of DRF, and not one of the addresses with a format."""
        return is_api_view(callback) and not path.rstrip("/").endswith("{format}")

    def get_allowed_methods(self, callback: Any) -> list[str]:
        """Return the methods of a view, which need not be made for that: it may take arguments."""
        if hasattr(callback, "actions"):
            methods: list[str] = super().get_allowed_methods(callback)
            return methods
        cls = callback.cls
        names = sorted(cls.http_method_names)  # api_view has them in a set
        return [
            name.upper() for name in names if hasattr(cls, name) and name not in ("options", "head")
        ]


@dataclass(slots=True)
class Survey:
    """What is reached.

    :param serializers: each once, those of GET first; a class whose fields differ between
        endpoints, once for each set of fields. How one takes input is left out unless one of its
        endpoints takes any.
    :param lists: the list views among them, made as for a request
    :param without: the endpoints whose serializer could not be found, and why
    """

    serializers: list[SchemaFinding] = field(default_factory=list)
    views: dict[str, ViewFinding] = field(default_factory=dict)
    lists: dict[str, Any] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)

    def add(self, serializer: Any, use: str, holders: tuple[type, ...] = ()) -> None:
        """Add a serializer, and those that it nests; ``holders`` nest it, so that a cycle ends."""
        if isinstance(serializer, ListSerializer):
            if not is_stock_list(serializer):
                self._add_one(serializer, use)
            serializer = serializer.child
        cls = type(serializer)
        if not isinstance(serializer, BaseSerializer) or cls in holders:
            return
        is_new = self._add_one(serializer, use)
        list_class = getattr(getattr(cls, "Meta", None), "list_serializer_class", None)
        if list_class is not None and not holders:
            self.add(list_class(child=serializer), use, (cls,))
        if not is_new:
            return
        for name, held in getattr(serializer, "fields", {}).items():
            nested = _nested(held)
            if nested is not None:
                self.add(nested, f"{path_of(cls)}.{name}", (*holders, cls))

    def _add_one(self, serializer: Any, use: str) -> bool:
        """Add a serializer and its use; return whether there was none like it."""
        new = SchemaFinding(path_of(type(serializer)), compile(serializer).explain(), uses=[use])
        for finding in self.serializers:
            if (finding.path, finding.report) == (new.path, new.report):
                finding.uses.extend(new.uses)
                return False
        self.serializers.append(new)
        return True


def reached(urlconf: str | None = None, user: Any = None) -> Survey:
    """Return the serializers that a URL configuration reaches.

    Each view is made as for a request; its ``get_serializer`` is asked, or else its
    ``serializer_class``. Methods that delete answer with nothing, and are left out.

    :param user: who makes the request; None: an anonymous user, with ``swagger_fake_view`` set on
        the views, as OpenAPI tools do
    """
    survey = Survey()
    with_input = set()
    for paths, method, callback in _endpoints(urlconf):
        action = getattr(callback, "actions", {}).get(method.lower())
        view_name = f"{callback.cls.__name__}.{action}" if action else callback.cls.__name__
        endpoint = f"{method} {', '.join(paths)} ({view_name})"
        try:
            view = _view(paths[0], method, callback, user)
            serializer = _serializer(view)
            if not isinstance(serializer, BaseSerializer):
                survey.without[endpoint] = "the view names no serializer"
                continue
            survey.add(serializer, endpoint)
            schema = path_of(type(getattr(serializer, "child", serializer)))
            finding = survey.views[endpoint] = ViewFinding(endpoint, schema)
            if method in ("POST", "PUT", "PATCH"):
                with_input.add(endpoint)
            if isinstance(view, ListModelMixin) and method == "GET" and action in (None, "list"):
                _examine(view, finding)
                survey.lists[endpoint] = view
        except Exception as error:  # whatever the project's own code raises
            survey.without[endpoint] = why_unknown(error)
    survey.serializers = [
        entry.without_loading() if with_input.isdisjoint(entry.uses) else entry
        for entry in survey.serializers
    ]
    return survey


def _endpoints(urlconf: str | None) -> list[tuple[list[str], str, Any]]:
    """Return the endpoints of a URL configuration: paths (by version, say), a method, a view."""
    endpoints: list[tuple[list[str], str, Any]] = []
    enumerator = Endpoints(get_resolver(urlconf).url_patterns)
    for path, method, callback in enumerator.get_api_endpoints():
        if method == "DELETE":
            continue
        for paths, known_method, known_callback in endpoints:
            if known_method == method and _is_same_view(known_callback, callback):
                paths.append(path)
                break
        else:
            endpoints.append(([path], method, callback))
    return endpoints


def _is_same_view(one: Any, other: Any) -> bool:
    names = ("cls", "actions", "initkwargs")
    return all(getattr(one, name, None) == getattr(other, name, None) for name in names)


def _nested(field: Any) -> Any:
    """Return the serializer that a field is, or of which it holds a list or dictionary; or None."""
    while field is not None and not isinstance(field, BaseSerializer):
        field = getattr(field, "child", None)
    return field


def _with_fields(serializer: Any, holders: tuple[type, ...] = ()) -> Any:
    """Return a serializer that the doctor has made, with its fields and those nested in it."""
    cls = type(serializer)
    if cls not in holders:
        for field in getattr(serializer, "fields", {}).values():
            nested = _nested(field)
            if nested is not None:
                _with_fields(nested, (*holders, cls))
    return serializer


def _view(path: str, method: str, callback: Any, user: Any) -> Any:
    request = HttpRequest()
    request.META.update(SERVER_NAME=_host(), SERVER_PORT="80")
    request.path = path
    view = BaseSchemaGenerator().create_view(callback, method, Request(request))
    if user is None:
        view.swagger_fake_view = True
    else:
        view.request.user = user
    view.request.version = view.request.versioning_scheme = None
    return view


def _host() -> str:
    """Return a host that the project answers for: addresses in its answers begin with it."""
    named = [host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"]
    return named[0] if named else "localhost"


def _serializer(view: Any) -> Any:
    if hasattr(view, "get_serializer"):
        return view.get_serializer()
    serializer = getattr(view, "serializer_class", None)
    return serializer() if isinstance(serializer, type) else serializer


def _examine(view: Any, finding: ViewFinding) -> None:
    """Find out how a list view makes its list, and what it asks the database for each row."""
    is_streamed = _streaming is not None and type(view).list is _streaming.StreamingListMixin.list
    how = ListReport(STREAMED) if is_streamed else list_report(view)
    finding.is_list = True
    relations: list[Unloaded] = []
    try:
        queryset = view.get_queryset()
        if is_nothing(queryset):
            finding.why_not_looked_at = PLACEHOLDER
        else:
            loaded = loaded_with(queryset) if isinstance(queryset, QuerySet) else None
            if loaded is not None:
                serializer = _with_fields(view.get_serializer())
                on_demand = loaded_on_demand(serializer, loaded, view)
                relations = unloaded_by(serializer, loaded, on_demand)
    except Exception as error:  # whatever the project's own code raises
        finding.why_not_looked_at = why_unknown(error)
    why_filters = _why_filters(view)
    finding.how = str(how)
    if why_filters:
        finding.how += f"; filters are made for each request, because {why_filters}"
    finding.facts = {
        "rows": how.made_of,
        "why": how.why,
        "renderer": how.why_stock_writes,
        "filters": why_filters,
        "unloaded": [relation._asdict() for relation in relations],
    }
    finding.advice = how.advice
    if relations:
        left = left_on_demand(relations, queryset.model)
        setting = "" if loads_relations(view) else ", or set LOAD_RELATIONS"
        what = f"Add {advice(relations)} to the view's queryset{setting}{left}."
        finding.queries = RowQueries(
            what, tuple(dict.fromkeys(relation.lookup for relation in relations))
        )


def diagnosis_of_project(survey: Survey) -> Diagnosis:
    notes = [] if survey.serializers else ["The URL configuration reaches no serializer."]
    views = list(survey.views.values())
    return Diagnosis(survey.serializers, views, unknown=survey.without, notes=notes)


def _why_filters(view: Any) -> str:
    filters = plugin("fastschema.contrib.django_filter")
    if filters is None or not filters.is_available():
        return ""
    from fastschema.contrib.django_filter.on_demand import why_filters_are_made

    try:
        return why_filters_are_made(view) or ""
    except Exception:
        return ""  # list_report has told it
