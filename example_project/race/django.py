"""The race for Django: its page, and what times a request and its queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.servers.basehttp import WSGIRequestHandler
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from rest_framework.filters import BaseFilterBackend

from fastschema.runtime.switch import is_disabled
from race.stopwatch import HEADER, LANES, in_phase, phase, running, timed_lane

# Else the body of a short response waits 40 ms until the browser has acknowledged its head.
WSGIRequestHandler.disable_nagle_algorithm = True


def page(request: HttpRequest) -> HttpResponse:
    """Answer with the page of the race."""
    pages, bulk = reverse("flight-list"), reverse("flight-bulk")
    context = {
        "framework": "Django REST framework",
        "static": static("race"),
        "is_on": settings.WITH_FASTSCHEMA and not is_disabled(),
        "endpoints": [
            (f"{pages}?carrier=UA&month=1&page_size=20", "A page of 20, filtered", 20),
            (reverse("flight-detail", args=[1]), "One flight", 1),
            (f"{bulk}?limit=1000", "1,000 flights", 1000),
            (f"{bulk}?limit=20000", "20,000 flights", 20_000),
        ],
        "api": reverse("api-root"),
    }
    return render(request, "race/race.html", context)


def raced(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Run and time requests as their lane says; without one, nothing changes. A middleware."""

    def answer(request: HttpRequest) -> HttpResponse:
        lane = request.headers.get(HEADER)
        if lane not in LANES:
            return get_response(request)
        with timed_lane(lane) as stopwatch, connection.execute_wrapper(time_query):
            response = get_response(request)
        response["Server-Timing"] = stopwatch.header()
        return response

    return answer


def time_query(
    execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: dict[str, Any]
) -> Any:
    """Run a query in the phase ``database``, and later fetch its rows in that phase.

    SQLite finds most rows only when they are fetched.
    """
    with phase("database"):
        result = execute(sql, parameters, many, context)
    cursor = context["cursor"]
    cursor.fetchmany = in_phase("database", cursor.fetchmany)
    return result


class InstancesFirst(BaseFilterBackend):
    """Filters nothing, but tells making model instances from serializing them in stock's lane.

    Stock makes the instances when its list serializer begins; here they are made just before. What
    fastschema does with a queryset is left alone.
    """

    def filter_queryset(
        self, request: HttpRequest, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """Return the same queryset, evaluated in stock's lane."""
        stopwatch = running()
        if stopwatch is not None and stopwatch.lane == "stock":
            with phase("instances"):
                len(queryset)
        return queryset
