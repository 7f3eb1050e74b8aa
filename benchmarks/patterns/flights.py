"""The flights of the example project with Django REST framework.

Imported when Django is set up.
"""

from __future__ import annotations

import functools
from typing import Any

from django.conf import settings
from django.test import Client
from django.utils.module_loading import import_string
from rest_framework import serializers

import contenders
from flights.models import Flight
from flights.serializers import FlightSerializer
from flights.views import FLIGHTS
from harness.measuring import Run
from patterns import CONTENDER, ONE, PAGE, ROWS, Collection

PATTERNS = Collection("flights")
add = PATTERNS.add
BOTH, MANY = (PAGE, ROWS), (ROWS,)
RENDERER = import_string(settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"][0])
COLUMNS = [field.name for field in Flight._meta.fields if not field.is_relation][:12]
in_memory = functools.cache(lambda count: list(FLIGHTS[:count]))
client = Client()


class FlatSerializer(serializers.ModelSerializer):
    class Meta:
        model = Flight
        fields = COLUMNS


class WithMethod(FlightSerializer):
    route = serializers.SerializerMethodField()

    def get_route(self, flight: Any) -> str:
        return f"{flight.origin_id}-{flight.destination_code}"


def requested(count: int) -> Run:
    """A request to the example project, by Django's test client."""
    url = "/api/flights/bulk/", {"limit": count}
    if count == PAGE:
        url = "/api/flights/", {"page_size": PAGE}

    def get() -> bytes:
        response = client.get(*url)
        assert response.status_code == 200, response.content
        content: bytes = response.content
        return content

    return get


def list_view(serializer_class: Any, rows: Any) -> Run:
    """A list view of rows in memory, or of a queryset: asked, and its answer rendered."""
    from rest_framework.generics import ListAPIView
    from rest_framework.test import APIRequestFactory

    class Rows(ListAPIView):
        pagination_class = None
        filter_backends: list[Any] = []

        def get_queryset(self) -> Any:
            return rows if isinstance(rows, list) else rows.all()

    view = Rows.as_view(serializer_class=serializer_class)
    request = APIRequestFactory().get("/")
    return lambda: view(request).render().content


def imported(count: int) -> Run:
    """A list of so many flights, posted under new keys; what it saves is taken back."""
    from django.db import transaction
    from rest_framework.renderers import JSONRenderer

    from flights.serializers import FlightInputSerializer

    flights = FlightInputSerializer(Flight.objects.order_by("pk")[:count], many=True).data
    for flight in flights:
        flight["id"] += 10_000_000
    body = JSONRenderer().render(flights)

    def run() -> bytes:
        with transaction.atomic():
            response = client.post("/api/flights/import/", body, content_type="application/json")
            transaction.set_rollback(True)
        assert response.status_code == 201, response.content
        content: bytes = response.content
        return content

    return run


if CONTENDER == "django-ninja":
    contenders.serve_ninja()
    add("whole request, each with four objects", requested, MANY)
else:
    add("whole request, each with four objects", requested, BOTH)
    add("`.data` of one flight", lambda n: lambda: FlightSerializer(in_memory(n)[0]).data, ONE)
    add(
        "whole request, twelve plain columns",
        lambda n: list_view(FlatSerializer, Flight.objects.order_by("pk")[:n]),
        MANY,
    )
    add(
        "whole request, with a method field",
        lambda n: list_view(WithMethod, FLIGHTS.order_by("pk")[:n]),
        MANY,
    )
    add("whole request: posted, validated, saved in bulk", imported, (min(1_000, ROWS),))
    add("a list view of rows in memory", lambda n: list_view(FlightSerializer, in_memory(n)), MANY)
    add(
        "serializer and renderer, rows in memory",
        lambda n: lambda: RENDERER().render(FlightSerializer(in_memory(n), many=True).data),
        MANY,
    )
    add(
        "the serializer alone, rows in memory",
        lambda n: lambda: FlightSerializer(in_memory(n), many=True).data,
        MANY,
    )
