"""One contender of the flights benchmark, with Django REST framework.

python benchmarks/flights_worker.py CONTENDER FLIGHTS

``FASTSCHEMA=0`` or ``1`` tells the example project's settings whether fastschema is there.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import django

import drf_peers
from harness.measuring import Contender, Run, installed, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))

PAGE = 20


def view_measures(count: int) -> dict[str, Run]:
    """Whole requests to the example project's views, by Django's test client."""
    from django.test import Client

    client = Client()

    def get(path: str, **query: Any) -> bytes:
        response = client.get(path, query)
        assert response.status_code == 200, response.content
        content: bytes = response.content
        return content

    return {
        "request": partial(get, "/api/flights/bulk/", limit=count),
        "request.page": partial(get, "/api/flights/", page_size=PAGE),
    }


def drf_measures(count: int) -> dict[str, Run]:
    from django.conf import settings
    from django.utils.module_loading import import_string
    from rest_framework import serializers

    from flights.models import Flight
    from flights.serializers import FlightSerializer
    from flights.views import FLIGHTS

    rows = list(FLIGHTS[:count])
    renderer = import_string(settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"][0])
    columns = [field.name for field in Flight._meta.fields if not field.is_relation][:12]

    class FlatSerializer(serializers.ModelSerializer):
        class Meta:
            model = Flight
            fields = columns

    class WithMethod(FlightSerializer):
        route = serializers.SerializerMethodField()

        def get_route(self, flight: Any) -> str:
            return f"{flight.origin_id}-{flight.destination_code}"

    return {
        "one": lambda: FlightSerializer(rows[0]).data,
        "request.flat": list_view(FlatSerializer, Flight.objects.order_by("pk")[:count]),
        "request.method": list_view(WithMethod, FLIGHTS.order_by("pk")[:count]),
        "import": imported(min(1_000, count)),
        "lazy": list_view(FlightSerializer, rows),
        "rendering": lambda: renderer().render(FlightSerializer(rows, many=True).data),
        "serializer": lambda: FlightSerializer(rows, many=True).data,
    }


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
        assert response.status_code == 201, response.content
        content: bytes = response.content
        return content

    return run


def parts(contender: str, count: int, ending: str) -> dict[str, Run]:
    """What a request is made of; each part gives how many rows it had to do with.

    In stock the rows of the database become model instances, those become dictionaries, and those
    JSON. With fastschema the rows are converted only, and become dictionaries, too.
    """
    from flights.serializers import FlightSerializer
    from flights.views import FLIGHTS

    flights = FLIGHTS[:count]

    def database() -> int:
        compiler = flights.query.get_compiler(using=flights.db)
        return sum(map(len, compiler.execute_sql()))

    read, dump, render = (_of_stock if contender == "stock" else _of_fastschema)(FlightSerializer)
    rows = read(flights.all())
    data = dump(rows)
    return {
        f"parts.database{ending}": database,
        f"parts.instances{ending}": lambda: len(read(flights.all())),
        f"parts.serialization{ending}": lambda: len(dump(rows)),
        f"parts.rendering{ending}": lambda: len(render(data)),
    }


def _of_stock(serializer_class: Any) -> Any:
    from rest_framework.renderers import JSONRenderer

    return list, lambda rows: serializer_class(rows, many=True).data, JSONRenderer().render


def _of_fastschema(serializer_class: Any) -> Any:
    from fastschema.compiler.nodes import Form
    from fastschema.contrib.django.front_end.states import bound_now
    from fastschema.contrib.django.internals.queries import CompiledQuery
    from fastschema.contrib.django.lists.columns import columns_of
    from fastschema.contrib.django.lists.query_plan import plan_of
    from fastschema.contrib.django.lists.queryset_rows import FetchedRows
    from fastschema.contrib.django.lists.row_programs import by_row
    from fastschema.contrib.django.renderers import FastJSONRenderer
    from fastschema.runtime.bound_program import Dispatch
    from flights.views import FLIGHTS

    dispatch = bound_now(serializer_class()).dispatch(Form.PYTHON)
    plan = plan_of(FLIGHTS.all())
    program = by_row(dispatch.program, columns_of(dispatch, plan.selection.layout))

    def dump(rows: Any) -> Any:
        return Dispatch(program, Form.PYTHON, dispatch.bound_schema).all_rows(rows)

    def read(queryset: Any) -> Any:
        query = CompiledQuery(queryset, is_run=True)
        results = query.execute(None)
        return FetchedRows(query, results, plan.selection).converted

    return read, dump, FastJSONRenderer().render


def measures(contender: str, count: int) -> dict[str, Run]:
    if contender == "django-ninja":
        drf_peers.serve_ninja()
        return {"request": view_measures(count)["request"]}
    found = {**view_measures(count), **drf_measures(count)}
    if contender in ("stock", "fastschema"):
        found |= parts(contender, count, "") | parts(contender, PAGE, ".page")
    return found


def main() -> None:
    contender, count = sys.argv[1:]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    drf_peers.switch_on(contender)
    found = measures(contender, int(count))
    packages = drf_peers.PACKAGES[contender]
    serve(Contender(contender, found, found.__getitem__, installed(*packages)))


if __name__ == "__main__":
    main()
