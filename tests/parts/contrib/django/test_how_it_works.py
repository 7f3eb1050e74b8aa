"""docs/how-it-works.md names the modules that a call goes through, in the order of their calls."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import marshmallow
import pytest
from rest_framework import pagination, viewsets
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django import dump
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.runtime.json_engine import ENGINE, ORJSON
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer, FlightSerializer

SOURCE = Path(fastschema.__file__).parent
PAGE = SOURCE.parents[1] / "docs" / "how-it-works.md"
SECTION = re.compile(r"^### (.+?)\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
MOST_OBJECTS = 40
"""After so many calls, everything is compiled."""


class Pages(pagination.PageNumberPagination):
    page_size = 20


class Flights(viewsets.ModelViewSet):
    queryset = Flight.objects.select_related("airline", "origin", "destination", "plane").order_by(
        "pk"
    )
    serializer_class = FlightSerializer
    pagination_class = Pages
    filter_backends = ()
    renderer_classes = (FastJSONRenderer,)


class Airlines(viewsets.ModelViewSet):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer
    filter_backends = ()
    renderer_classes = (FastJSONRenderer,)


class AuthorSchema(marshmallow.Schema):
    name = marshmallow.fields.String()


class AlbumSchema(marshmallow.Schema):
    title = marshmallow.fields.String()
    released = marshmallow.fields.Date()
    author = marshmallow.fields.Nested(AuthorSchema)


def page_of_rows() -> None:
    response = Flights.as_view({"get": "list"})(APIRequestFactory().get("/"))
    assert len(response.render().data["results"]) == Pages.page_size


def one_object() -> None:
    response = Flights.as_view({"get": "retrieve"})(APIRequestFactory().get("/"), pk=1)
    assert response.render().data["id"] == 1


def post() -> None:
    airline = {"code": f"{Airline.objects.count():02}", "name": "New"}
    request = APIRequestFactory().post("/", airline, format="json")
    response = Airlines.as_view({"post": "create"})(request)
    assert response.render().data == airline


def new_schema() -> None:
    album = {"title": "Kind of Blue", "released": datetime.date(1959, 8, 17), "author": {}}
    assert AlbumSchema().dump(album)["released"] == "1959-08-17"


CALLS = {
    "A page of a list": page_of_rows,
    "One object": one_object,
    "A POST": post,
    "An object by a marshmallow schema": new_schema,
}


def modules_of(call: Callable[[], None]) -> list[str]:
    """Return the modules of fastschema that a call goes through, each once."""
    for _ in range(MOST_OBJECTS):
        call()
    modules: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE):
            modules[path.relative_to(SOURCE).as_posix()] = None

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return list(modules)


def modules_told(title: str) -> list[str]:
    return ROW.findall(dict(SECTION.findall(PAGE.read_text()))[title])


@pytest.fixture
def many_flights(flights: list[Flight]) -> None:
    for number in range(100, 130):
        flights[0].pk = number
        flights[0].save(force_insert=True)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(dump, "AROUND", [])  # the doctor's, of other tests
    fastschema.install()
    yield
    fastschema.uninstall()


@pytest.mark.django_db
@pytest.mark.usefixtures("many_flights", "installed")
@pytest.mark.skipif(ENGINE is not ORJSON, reason="other modules write JSON without orjson")
@pytest.mark.parametrize("title", CALLS)
def test_the_documentation_follows_a_call(title: str) -> None:
    assert modules_of(CALLS[title]) == modules_told(title)
