"""What the doctor finds of a project: its views, serializers, and queries in a real run."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.db import connections
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

from fastschema.contrib.django import filters
from fastschema.contrib.django.app.list_report import STREAMED, ListReport, list_report, why_unknown
from fastschema.contrib.django.front_end.customization import is_stock_list
from fastschema.contrib.django.lists.n_plus_one import Unloaded, advice, unloaded
from fastschema.contrib.django.relations import loads_relations, with_relations
from fastschema.contrib.django.views import StreamingListMixin
from fastschema.plan import compile
from fastschema.tools.doctor import (
    Diagnosis,
    RowQueries,
    SchemaFinding,
    ViewFinding,
    fastest,
    path_of,
)

if TYPE_CHECKING:
    from fastschema.profiling import Profile


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


class ListView(NamedTuple):
    """A list view.

    :param view: made as for a request
    :param how: how it makes its list
    :param unloaded: what it asks the database for each row
    :param why_unknown: why that cannot be known without a real request; or ""
    """

    view: Any
    how: ListReport
    unloaded: list[Unloaded]
    why_unknown: str = ""


@dataclass(slots=True)
class Survey:
    """What is reached.

    :param serializers: each once, those of GET first; a class whose fields differ between
        endpoints, once for each set of fields. How one takes input is left out unless one of its
        endpoints takes any.
    :param endpoints: all endpoints with a serializer, and the path of that
    :param lists: the list views among them
    :param without: the endpoints whose serializer could not be found, and why
    """

    serializers: list[SchemaFinding] = field(default_factory=list)
    endpoints: dict[str, str] = field(default_factory=dict)
    lists: dict[str, ListView] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)

    def add(self, serializer: Any, use: str, holders: tuple[type, ...] = ()) -> None:
        """Add a serializer, and those that it nests.

        :param use: where it is used
        :param holders: the classes that nest it, so that a cycle ends
        """
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
        for found in self.serializers:
            if (found.path, found.report) == (new.path, new.report):
                found.uses.extend(new.uses)
                return False
        self.serializers.append(new)
        return True


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
    with_input = set()
    for path, method, callback in Endpoints(get_resolver(urlconf).url_patterns).get_api_endpoints():
        if method == "DELETE":
            continue
        action = getattr(callback, "actions", {}).get(method.lower())
        view_name = f"{callback.cls.__name__}.{action}" if action else callback.cls.__name__
        endpoint = f"{method} {path} ({view_name})"
        try:
            view = _view(path, method, callback, user)
            serializer = _serializer(view)
            if not isinstance(serializer, BaseSerializer):
                survey.without[endpoint] = "the view names no serializer"
            else:
                survey.add(serializer, endpoint)
                row_serializer = getattr(serializer, "child", serializer)
                survey.endpoints[endpoint] = path_of(type(row_serializer))
                if method in ("POST", "PUT", "PATCH"):
                    with_input.add(endpoint)
            if isinstance(view, ListModelMixin) and method == "GET" and action in (None, "list"):
                survey.lists[endpoint] = _list_view(view)
        except Exception as error:  # whatever the project's own code raises
            survey.without[endpoint] = why_unknown(error)
    survey.serializers = [
        each.without_loading() if with_input.isdisjoint(each.uses) else each
        for each in survey.serializers
    ]
    return survey


def _nested(field: Any) -> Any:
    """Return the serializer that a field is, or of which it holds a list or a
    dictionary; or None.
    """
    while field is not None and not isinstance(field, BaseSerializer):
        field = getattr(field, "child", None)
    return field


def _view(path: str, method: str, callback: Any, user: Any) -> Any:
    """Return the view of an endpoint, made as for a request."""
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
    """Return the serializer with which a view answers, or None."""
    if hasattr(view, "get_serializer"):
        return view.get_serializer()
    serializer = getattr(view, "serializer_class", None)
    return serializer() if isinstance(serializer, type) else serializer


def _list_view(view: Any) -> ListView:
    is_streamed = type(view).list is StreamingListMixin.list
    how = ListReport(STREAMED) if is_streamed else list_report(view)
    try:
        queryset = view.get_queryset()
        if loads_relations(view):
            queryset = with_relations(view, queryset)
        return ListView(view, how, unloaded(view.get_serializer(), queryset))
    except Exception as error:  # whatever the project's own code raises
        return ListView(view, how, [], why_unknown(error))


class Run(NamedTuple):
    """A real run of a list view.

    :param profile: what its fields cost
    :param watch: what the database was asked
    :param rows: how many rows were serialized
    """

    profile: Profile
    watch: Watch
    rows: int


def diagnosis_of_project(survey: Survey, runs: Mapping[str, Run] | None = None) -> Diagnosis:
    """Return what there is to find of all views and serializers that are reached.

    :param runs: real runs of list views
    """
    runs = {} if runs is None else runs
    lists = survey.lists
    queries = {
        endpoint: found
        for endpoint, each in lists.items()
        if (found := _queries(each, runs.get(endpoint))) is not None
    }
    views = [_finding(survey, endpoint, path) for endpoint, path in survey.endpoints.items()]
    return Diagnosis(
        survey.serializers,
        views,
        unknown=survey.without,
        queries=dict(sorted(queries.items(), key=lambda each: -each[1].seconds)),
        lists=len(lists),
        not_looked_at=Counter(each.why_unknown for each in lists.values() if each.why_unknown),
        view_advice=[
            (reason.what, endpoint)
            for endpoint, each in lists.items()
            for reason in each.how.reasons
        ],
        profiles={endpoint: each.profile for endpoint, each in runs.items()},
        notes=[] if survey.serializers else ["The URL configuration reaches no serializer."],
    )


def _queries(each: ListView, run: Run | None) -> RowQueries | None:
    """Return what a list view asks the database for each row; None if nothing is known."""
    what = f"Add {advice(each.unloaded)} to the view's queryset" if each.unloaded else ""
    if what:
        what += "." if loads_relations(each.view) else ", or set LOAD_RELATIONS."
    relations = tuple(dict.fromkeys(unloaded.lookup for unloaded in each.unloaded))
    if run is None:
        return RowQueries(what, relations) if relations else None
    by_users = tuple(run.watch.by_users(run.rows))
    if not relations and not by_users:
        return None
    return RowQueries(what, relations, by_users, run.watch.count / run.rows, run.watch.seconds)


def run_lists(
    survey: Survey, paths: Collection[str], rows: int
) -> tuple[dict[str, Run], list[str]]:
    """Run list views: serialize the first rows of their querysets.

    Queries are counted in one run; the profile is the fastest of some more, of rows that are
    fetched anew, as the first of them keep what they asked for.

    :param paths: of the serializers whose views are run; none: all views
    :param rows: how many rows at most
    :returns: the runs, and why other views were not run
    """
    runs, notes = {}, []
    for endpoint, each in survey.lists.items():
        if paths and survey.endpoints[endpoint] not in paths:
            continue
        try:
            fetch = partial(_first_rows, each.view, rows)
            found = fetch()
            if not found:
                notes.append(f"{endpoint} is not profiled: its queryset has no rows.")
                continue
            plan = compile(each.view.get_serializer())
            with watch() as seen:
                plan.dump(found, many=True)
            runs[endpoint] = Run(fastest(plan, fetch), seen, len(found))
        except Exception as error:  # whatever the project's code raises without a real request
            notes.append(f"{endpoint} is not profiled: {why_unknown(error)}")
    return runs, notes


def _first_rows(view: Any, count: int) -> list[Any]:
    return list(view.get_queryset()[:count])


def _finding(survey: Survey, endpoint: str, path: str) -> ViewFinding:
    if endpoint not in survey.lists:
        return ViewFinding(endpoint, path)
    each = survey.lists[endpoint]
    why_filters = _why_filters(each.view)
    facts = {
        "rows": each.how.made_of,
        "why": each.how.why,
        "filters": why_filters,
        "unloaded": [unloaded._asdict() for unloaded in each.unloaded],
    }
    how = str(each.how)
    if why_filters:
        how += f"; filters are made for each request, because {why_filters}"
    return ViewFinding(endpoint, path, how, facts)


def _why_filters(view: Any) -> str:
    """Return why a view makes its filters for each request, or ""."""
    if not filters.is_available():
        return ""
    from fastschema.contrib.django.filters.on_demand import why_filters_are_made

    try:
        return why_filters_are_made(view) or ""
    except Exception:
        return ""  # list_report has told it


_PASSED = ("django", "contextlib", "functools")
_FRAMEWORKS = ("", "rest_framework", "fastschema")  # generated code has no module
_TABLE = re.compile(r'\bFROM\s+["`\[]?([\w.]+)', re.IGNORECASE)


class Watch:
    """What the database was asked.

    :param seconds: how long it took to answer
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._asked: Counter[tuple[str, str]] = Counter()

    @property
    def count(self) -> int:
        """How many queries there were."""
        return self._asked.total()

    def by_users(self, rows: int) -> list[str]:
        """Return what code of users asked for every other row at least: a sentence each.

        :param rows: how many rows were serialized
        """
        return [
            f"{place} asks {table} {count} times"
            for (place, table), count in self._asked.most_common()
            if place and count > max(1, rows // 2)
        ]

    def _note(self, execute: Callable[..., Any], sql: Any, *args: Any) -> Any:
        table = _TABLE.search(str(sql))
        self._asked[_place(), table[1] if table else "the database"] += 1
        start = perf_counter()
        try:
            return execute(sql, *args)
        finally:
            self.seconds += perf_counter() - start


@contextmanager
def watch() -> Iterator[Watch]:
    """Count the queries that are made meanwhile."""
    found = Watch()
    with ExitStack() as stack:
        for each in connections.all():
            stack.enter_context(each.execute_wrapper(found._note))
        yield found


def _place() -> str:
    """Return the function of users that asks, or "" if a framework does so by itself."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        package = module.partition(".")[0]
        if package not in _PASSED:
            return "" if package in _FRAMEWORKS else f"{module}.{frame.f_code.co_qualname}"
        frame = frame.f_back
    return ""
