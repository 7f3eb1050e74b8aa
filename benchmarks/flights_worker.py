"""One contender of the flights benchmark.

python benchmarks/flights_worker.py CONTENDER FLIGHTS

``FASTSCHEMA=0`` or ``1`` tells the example project's settings whether fastschema is there. What
else a contender changes is in ``flights_variants``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import django

from flights_parts import PAGE, parts
from worker import Measure, Run, installed, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))

FRAMEWORKS = ["django", "djangorestframework"]
PACKAGES = {
    "stock": FRAMEWORKS,
    "fastschema": ["fastschema", *FRAMEWORKS, "orjson"],
    "by hand": ["django", "orjson"],
    "drf-orjson-renderer": ["drf-orjson-renderer", *FRAMEWORKS, "orjson"],
    "drf-accelerator": ["drf-accelerator", *FRAMEWORKS],
    "drf-fastserializers": ["drf-fastserializers", *FRAMEWORKS, "pydantic"],
    "serpy": ["serpy", *FRAMEWORKS],
    "django-ninja": ["django-ninja", "django", "pydantic"],
}
"""By contender, what it consists of."""


def flights_and_planes(count: int) -> tuple[list[Any], list[Any]]:
    """So many flights with what they refer to, and as many planes, some of them twice."""
    from flights.models import Plane
    from flights.views import FLIGHTS

    planes = list(Plane.objects.all())
    return list(FLIGHTS[:count]), (planes * (count // len(planes) + 1))[:count]


def drf_measures(contender: str, count: int) -> dict[str, Measure]:
    """What only serializers of DRF can do: stock's and fastschema's."""
    from flights.models import Flight
    from flights.serializers import FlightSerializer, PlaneSerializer
    from flights.views import FLIGHTS

    rows, planes = flights_and_planes(count)
    methods = methods_serializer()
    names = [*PlaneSerializer().fields]
    dictionaries = [{name: getattr(plane, name) for name in names} for plane in planes]
    return {
        "serializer": lambda: FlightSerializer(rows, many=True).data,
        "lazy": list_view(FlightSerializer, rows),
        "planes.lazy": list_view(PlaneSerializer, planes),
        "planes.serializer": lambda: PlaneSerializer(planes, many=True).data,
        "planes.plan": by_plan(PlaneSerializer, planes, contender),
        "planes.dictionaries": lambda: PlaneSerializer(dictionaries, many=True).data,
        "methods": lambda: methods(rows, many=True).data,
        "one": lambda: FlightSerializer(rows[0]).data,
        "methods.one": lambda: methods(rows[0]).data,
        "request.flat": list_view(flat_serializer(), Flight.objects.order_by("pk")[:count]),
        "request.method": list_view(serializer_with_method(), FLIGHTS.order_by("pk")[:count]),
        "import": imported(min(1_000, count)),
        **parts(contender, count),
    }


def imported(count: int) -> Run:
    """A list of so many flights, posted under new keys; what it saves is taken back."""
    from django.db import transaction
    from django.test import Client
    from rest_framework.renderers import JSONRenderer

    from flights.models import Flight
    from flights.serializers import FlightInputSerializer

    flights = FlightInputSerializer(Flight.objects.order_by("pk")[:count], many=True).data
    for flight in flights:
        flight["id"] += 10_000_000
    body, client = JSONRenderer().render(flights), Client()

    def run() -> bytes:
        with transaction.atomic():
            response = client.post("/api/flights/import/", body, content_type="application/json")
            transaction.set_rollback(True)
        if response.status_code != 201:
            raise RuntimeError(f"the endpoint answered {response.status_code}")
        content: bytes = response.content
        return content

    return run


def by_plan(serializer_class: Any, rows: list[Any], contender: str) -> Run:
    """A plan that dumps rows, beside stock's serializer, which has no plan."""
    if contender == "stock":
        return lambda: serializer_class(rows, many=True).data

    import fastschema

    plan = fastschema.compile(serializer_class)
    return lambda: plan.dump(rows, many=True)


def methods_serializer() -> Any:
    """A serializer that only calls its own methods."""
    from rest_framework import serializers

    class MethodsSerializer(serializers.Serializer):
        route = serializers.SerializerMethodField()
        late = serializers.SerializerMethodField()
        number = serializers.SerializerMethodField()

        def get_route(self, flight: Any) -> str:
            return f"{flight.origin_id}-{flight.destination_code}"

        def get_late(self, flight: Any) -> bool:
            return (flight.arrival_delay or 0) > 15

        def get_number(self, flight: Any) -> int:
            return flight.number

    return MethodsSerializer


def flat_serializer() -> Any:
    """A serializer of twelve plain columns."""
    from flights.models import Flight
    from flights.serializers import FlightSerializer

    columns = [field.name for field in Flight._meta.fields if not field.is_relation][:12]
    meta = type("Meta", (), {"model": Flight, "fields": columns})
    return type("FlatSerializer", (FlightSerializer.__bases__[0],), {"Meta": meta})


def serializer_with_method() -> Any:
    """The serializer of flights, and a method field."""
    from rest_framework import serializers

    from flights.serializers import FlightSerializer

    class WithMethod(FlightSerializer):
        route = serializers.SerializerMethodField()

        def get_route(self, flight: Any) -> str:
            return f"{flight.origin_id}-{flight.destination_code}"

    return WithMethod


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

    def run() -> bytes:
        body: bytes = view(request).render().content
        return body

    return run


def hand_measures(count: int) -> dict[str, Measure]:
    """What only functions written by hand do: lists without a view around them."""
    from flights_by_hand import flights_body, planes_body

    rows, planes = flights_and_planes(count)
    return {"lazy": lambda: flights_body(rows), "planes.lazy": lambda: planes_body(planes)}


def shared_measures(body: Callable[[list[Any]], bytes], count: int) -> dict[str, Measure]:
    """What all contenders do: flights in memory to JSON, and whole requests."""
    from django.test import Client

    rows, _ = flights_and_planes(count)
    client = Client()

    def request(path: str, **query: Any) -> bytes:
        response = client.get(path, query)
        if response.status_code != 200:
            raise RuntimeError(f"the endpoint answered {response.status_code}")
        content: bytes = response.content
        return content

    return {
        "rendering": partial(body, rows),
        "rendering.page": partial(body, rows[:50]),
        "request": lambda: request("/api/flights/bulk/", limit=count),
        "page": lambda: request("/api/flights/"),
        "request.page": lambda: request("/api/flights/", page_size=PAGE),
    }


def measures(contender: str, count: int) -> dict[str, Measure]:
    """The measures by name."""
    import flights_variants

    variant = flights_variants.VARIANTS[contender]()
    found = shared_measures(variant.body, count)
    if not variant.has_pages:
        del found["page"], found["request.page"]
    if contender in ("stock", "fastschema"):
        found |= drf_measures(contender, count)
    if contender == "by hand":
        found |= hand_measures(count)
    return found


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    name, number = sys.argv[1:]
    serve(measures(name, int(number)), installed(*PACKAGES[name]))
