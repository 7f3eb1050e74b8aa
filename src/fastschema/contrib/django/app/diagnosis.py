"""What the doctor finds of a project: its views, serializers, and queries in a real run."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connections

from fastschema.contrib.django import filters
from fastschema.contrib.django.app.list_report import why_unknown
from fastschema.contrib.django.app.survey import ListView, Survey
from fastschema.contrib.django.lists.n_plus_one import advice
from fastschema.contrib.django.relations import loads_relations
from fastschema.plan import compile
from fastschema.tools.doctor import (
    Diagnosis,
    RowQueries,
    ViewFinding,
    fastest,
)

if TYPE_CHECKING:
    from fastschema.profiling import Profile


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
        survey.without,
        dict(sorted(queries.items(), key=lambda each: -each[1].seconds)),
        len(lists),
        Counter(each.why_unknown for each in lists.values() if each.why_unknown),
        [(each.what, endpoint) for endpoint in lists for each in lists[endpoint].how.reasons],
        {endpoint: each.profile for endpoint, each in runs.items()},
        [] if survey.serializers else ["The URL configuration reaches no serializer."],
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
        "kept": list(each.how.kept),
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
