"""What the doctor finds of a project: its views, their rows, and their serializers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastschema.advice import Advice
from fastschema.contrib.django import filters
from fastschema.contrib.django.endpoints import Reached, Survey
from fastschema.contrib.django.lazy_list import INSTANCES, STOCK, ListReport
from fastschema.contrib.django.unloaded import advice
from fastschema.doctor import Diagnosis, SchemaFinding, ViewFinding
from fastschema.plan import compile

if TYPE_CHECKING:
    from fastschema.profiling import Profile

_HEADING = "List views"
_WHAT_TO_CHANGE = {
    "is no FastJSONRenderer, or a changed one": "Name fastschema.contrib.django.renderers."
    "FastJSONRenderer first in the view's renderer_classes, or in DEFAULT_RENDERER_CLASSES.",
    "fastschema is disabled": "Unset FASTSCHEMA_DISABLED.",
    "fastschema is not installed": "Set FASTSCHEMA['INSTALL'] to True, or use FastViewMixin.",
    "list is overridden": "If the view's list reads response.data, move what it does to "
    "filter_queryset, get_queryset or the serializer.",
    "get_paginated_response is overridden": "Use one of DRF's paginators as it comes, if you can.",
    "may look at them": "Use a PageNumberPagination or LimitOffsetPagination, if you can.",
}
"""What to change about a list view, by what its reason contains."""


def diagnosis_of_project(survey: Survey) -> Diagnosis:
    """What there is to find of all views and serializers that are reached."""
    views = [_finding(survey, endpoint, path) for endpoint, path in survey.endpoints.items()]
    return Diagnosis(
        [finding(each, survey) for each in survey.serializers],
        views,
        survey.without,
        [each for endpoint in survey.endpoints for each in _advice(survey, endpoint)],
        notes=[] if survey.serializers else ["The URL configuration reaches no serializer."],
    )


def finding(found: Reached, survey: Survey) -> SchemaFinding:
    """What there is to find of a serializer that is reached.

    How it takes input belongs to that only if one of its endpoints takes any.
    """
    report = found.report
    if survey.with_input.isdisjoint(found.uses):
        report = replace(report, loading=None)
    return SchemaFinding.of(found.path, found.serializer, report, found.uses)


def profiled(
    survey: Survey, paths: Iterable[str] | None, rows: int
) -> tuple[dict[str, Profile], list[str]]:
    """Real runs of list views: the first rows of their querysets, by their serializers.

    :param paths: of the serializers whose views are run; None: all views
    :param rows: how many rows at most
    :returns: the runs by their views, and why others were not run
    """
    profiles, notes = {}, []
    for endpoint, view in survey.views.items():
        if paths is not None and survey.endpoints[endpoint] not in paths:
            continue
        try:
            found = list(view.get_queryset()[:rows])
            if found:
                profiles[endpoint] = compile(view.get_serializer()).profile(found)
            else:
                notes.append(f"{endpoint} is not profiled: its queryset has no rows.")
        except Exception as error:  # whatever the project's code raises without a real request
            notes.append(f"{endpoint} is not profiled: {type(error).__name__}: {error}")
    return profiles, notes


def _finding(survey: Survey, endpoint: str, path: str) -> ViewFinding:
    report = survey.lists.get(endpoint)
    if report is None:
        return ViewFinding(endpoint, path)
    facts: dict[str, Any] = {
        "rows": report.made_of,
        "lazy": report.is_lazy,
        "why": report.why,
        "filters": _why_filters(survey.views[endpoint]),
        "unloaded": [each._asdict() for each in survey.queries.get(endpoint, ())],
    }
    is_slower = report.made_of in (INSTANCES, STOCK)
    how = str(report)
    if facts["filters"]:
        how += f"; filters are made for each request, because {facts['filters']}"
    return ViewFinding(endpoint, path, how, facts, is_slower)


def _why_filters(view: Any) -> str:
    """Why a view makes its filters for each request, or ""."""
    if not filters.is_available():
        return ""
    from fastschema.contrib.django.filters.filter_set_classes import why_filters_are_made

    try:
        return why_filters_are_made(view) or ""
    except Exception:
        return ""  # list_report has told it


def _advice(survey: Survey, endpoint: str) -> list[Advice]:
    """What to change about a view."""
    told = []
    if endpoint in survey.queries:
        calls = advice(survey.queries[endpoint])
        told.append(f"Add {calls} to the view's queryset, which asks the database for each row.")
    report = survey.lists.get(endpoint, ListReport(""))
    told += [what for reason, what in _WHAT_TO_CHANGE.items() if reason in report.why]
    return [Advice((endpoint,), what, _HEADING) for what in told]
