"""What the doctor finds of a project: its views, serializers, and queries in a real run."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from django.db import connections

from fastschema.contrib.django import filters
from fastschema.contrib.django.app.list_report import INSTANCES, STOCK, why_unknown
from fastschema.contrib.django.app.survey import Reached, Survey
from fastschema.contrib.django.lists.n_plus_one import advice
from fastschema.contrib.django.relations import loads_relations
from fastschema.plan import compile
from fastschema.tools.advice import Advice
from fastschema.tools.doctor import (
    VIEWS,
    Diagnosis,
    RowQueries,
    SchemaFinding,
    ViewFinding,
    fastest,
)

if TYPE_CHECKING:
    from fastschema.profiling import Profile


def diagnosis_of_project(survey: Survey) -> Diagnosis:
    """Return what there is to find of all views and serializers that are reached."""
    views = [_finding(survey, endpoint, path) for endpoint, path in survey.endpoints.items()]
    return Diagnosis(
        _findings(survey),
        views,
        survey.without,
        queries_of(survey),
        len(survey.lists),
        Counter(survey.not_looked_at.values()),
        [each for endpoint in survey.endpoints for each in _advice(survey, endpoint)],
        notes=[] if survey.serializers else ["The URL configuration reaches no serializer."],
    )


def _findings(survey: Survey) -> list[SchemaFinding]:
    """Return what there is to find of the serializers; of those that read alike, once."""
    found: list[SchemaFinding] = []
    for each in survey.serializers:
        new = finding(each, survey)
        same = next((old for old in found if replace(old, uses=new.uses) == new), None)
        if same is not None:
            found.remove(same)
            new = replace(new, uses=[*same.uses, *new.uses])
        found.append(new)
    return found


def finding(found: Reached, survey: Survey) -> SchemaFinding:
    """Return what there is to find of a serializer that is reached.

    How it takes input belongs to that only if one of its endpoints takes any.
    """
    report = found.report
    if survey.with_input.isdisjoint(found.uses):
        report = replace(report, loading=None)
    return SchemaFinding.of(found.path, found.serializer, report, found.uses)


def queries_of(
    survey: Survey, watched: Mapping[str, tuple[Watch, int]] | None = None
) -> dict[str, RowQueries]:
    """Return what list views ask the database for each row.

    :param watched: what was seen of real runs, and of how many rows; the costliest come first
    """
    found = {}
    for endpoint in survey.lists:
        unloaded = survey.queries.get(endpoint, [])
        what = f"Add {advice(unloaded)} to the view's queryset" if unloaded else ""
        if what:
            is_on = loads_relations(survey.views[endpoint])
            what += "." if is_on else ", or let fastschema load that: set LOAD_RELATIONS."
        relations = tuple(dict.fromkeys(each.lookup for each in unloaded))
        known = RowQueries(what, relations)
        if watched and endpoint in watched:
            seen, rows = watched[endpoint]
            by_users = tuple(seen.by_users(rows))
            known = RowQueries(what, relations, by_users, seen.count / rows, seen.seconds)
        if relations or known.by_users:
            found[endpoint] = known
    return dict(sorted(found.items(), key=lambda each: -each[1].seconds))


def profiled(
    survey: Survey, paths: Iterable[str] | None, rows: int
) -> tuple[dict[str, Profile], dict[str, tuple[Watch, int]], list[str]]:
    """Real runs of list views: the first rows of their querysets, by their serializers.

    Queries are counted in one run; the profile is the fastest of some more, of rows that are
    fetched anew, as the first of them keep what they asked for.

    :param paths: of the serializers whose views are run; None: all views
    :param rows: how many rows at most
    :returns: the runs by their views; their queries, and for how many rows; and why others were
        not run
    """
    profiles, watched, notes = {}, {}, []
    for endpoint, view in survey.views.items():
        if paths is not None and survey.endpoints[endpoint] not in paths:
            continue
        try:
            fetch = partial(_first_rows, view, rows)
            found = fetch()
            if found:
                plan = compile(view.get_serializer())
                with watch() as seen:
                    plan.dump(found, many=True)
                watched[endpoint] = seen, len(found)
                profiles[endpoint] = fastest(plan, fetch)
            else:
                notes.append(f"{endpoint} is not profiled: its queryset has no rows.")
        except Exception as error:  # whatever the project's code raises without a real request
            notes.append(f"{endpoint} is not profiled: {why_unknown(error)}")
    return profiles, watched, notes


def _first_rows(view: Any, count: int) -> list[Any]:
    return list(view.get_queryset()[:count])


def _finding(survey: Survey, endpoint: str, path: str) -> ViewFinding:
    report = survey.lists.get(endpoint)
    if report is None:
        return ViewFinding(endpoint, path)
    facts: dict[str, Any] = {
        "rows": report.made_of,
        "why": report.why,
        "filters": _why_filters(survey.views[endpoint]),
        "reasons": [each.text for each in report.reasons],
        "unloaded": [each._asdict() for each in survey.queries.get(endpoint, ())],
    }
    is_slower = report.made_of in (INSTANCES, STOCK)
    how = str(report)
    if facts["filters"]:
        how += f"; filters are made for each request, because {facts['filters']}"
    return ViewFinding(endpoint, path, how, facts, is_slower)


def _why_filters(view: Any) -> str:
    """Return why a view makes its filters for each request, or ""."""
    if not filters.is_available():
        return ""
    from fastschema.contrib.django.filters.on_demand import why_filters_are_made

    try:
        return why_filters_are_made(view) or ""
    except Exception:
        return ""  # list_report has told it


def _advice(survey: Survey, endpoint: str) -> list[Advice]:
    """Return what to change about how a view makes its rows."""
    report = survey.lists.get(endpoint)
    reasons = () if report is None else report.reasons
    return [Advice((endpoint,), each.what, VIEWS) for each in reasons if each.what]


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
