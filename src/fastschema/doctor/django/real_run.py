"""What the doctor finds of list views in a real run: queries for each row, and what fields cost."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from django.db import connections

from fastschema.doctor.diagnosis import RowQueries, fastest
from fastschema.doctor.django.list_report import why_unknown
from fastschema.doctor.django.survey import Survey
from fastschema.plan import compile


def run_lists(survey: Survey, paths: Collection[str], rows: int) -> list[str]:
    """Run list views: serialize the first rows of their querysets. What is found is added.

    Queries are counted in one run; the profile is the fastest of some more, of rows that are
    fetched anew, as the first of them keep what they asked for.

    :param paths: of the serializers whose views are run; none: all views
    :returns: why views were not run, a sentence each
    """
    notes = []
    for endpoint, view in survey.lists.items():
        finding = survey.views[endpoint]
        if paths and finding.schema not in paths:
            continue
        try:
            fetch = partial(_first_rows, view, rows)
            instances = fetch()
            if not instances:
                notes.append(f"{endpoint} is not profiled: its queryset has no rows.")
                continue
            plan = compile(view.get_serializer())
            with counting() as queries:
                plan.dump(instances, many=True)
            finding.profile = fastest(plan, fetch)
            by_users = tuple(queries.by_users(len(instances)))
            if finding.queries or by_users:
                finding.queries = replace(
                    finding.queries or RowQueries(),
                    by_users=by_users,
                    per_row=queries.count / len(instances),
                    seconds=queries.seconds,
                )
        except Exception as error:  # whatever the project's code raises without a real request
            notes.append(f"{endpoint} is not profiled: {why_unknown(error)}")
    return notes


def _first_rows(view: Any, count: int) -> list[Any]:
    return list(view.get_queryset()[:count])


_PASSED = ("django", "contextlib", "functools")
_FRAMEWORKS = ("", "rest_framework", "fastschema")  # generated code has no module
_TABLE = re.compile(r'\bFROM\s+["`\[]?([\w.]+)', re.IGNORECASE)


class QueryCounts:
    """What the database was asked, and how long it took to answer."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._asked: Counter[tuple[str, str]] = Counter()

    @property
    def count(self) -> int:
        return self._asked.total()

    def by_users(self, rows: int) -> list[str]:
        """Return what code of users asked for every other row at least: a sentence each."""
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
def counting() -> Iterator[QueryCounts]:
    """Count the queries that are made meanwhile."""
    counts = QueryCounts()
    with ExitStack() as stack:
        for connection in connections.all():
            stack.enter_context(connection.execute_wrapper(counts._note))
        yield counts


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
