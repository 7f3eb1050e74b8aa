"""LOAD_RELATIONS costs next to nothing where everything is loaded: functions are counted."""

import cProfile
import pstats
import sys

import pytest
from django.test import override_settings
from rest_framework import pagination, serializers, viewsets
from rest_framework.test import APIRequestFactory

from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer, FlightSerializer
from tests.instruments.core import thresholds
from tests.promises.django.differential import serializer_of as of
from tests.promises.django.relations.test_on_demand import Told, WithFlights

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("flights"),
    pytest.mark.skipif(not hasattr(sys, "setprofile"), reason="this Python counts no calls"),
]
ROWS = Flight.objects.select_related("airline", "origin", "destination", "plane").order_by("pk")
SETTINGS = [False, True, "all"]
MOST = 1.02


class Pages(pagination.PageNumberPagination):
    page_size = 20


class Views(viewsets.ModelViewSet):
    queryset = ROWS
    serializer_class = FlightSerializer
    pagination_class = Pages
    filter_backends = ()
    renderer_classes = (FastJSONRenderer,)


class Chosen(FlightSerializer):
    """Its fields are made for each object, by a method of users."""

    def get_fields(self):
        fields = super().get_fields()
        fields["also"] = serializers.CharField(source="number", read_only=True)
        return fields


AIRLINES = Airline.objects.order_by("pk").prefetch_related(
    *("flights__airline", "flights__origin", "flights__destination", "flights__plane")
)


REQUESTS = {
    "a page": ("list", {}),
    "a page of instances": ("list", {"serializer_class": Told}),
    "a page of fields of its own": ("list", {"serializer_class": Chosen}),
    "a page of nested lists": ("list", {"queryset": AIRLINES, "serializer_class": WithFlights}),
    "a detail": ("retrieve", {}),
    "a detail of fields of its own": ("retrieve", {"serializer_class": Chosen}),
    "a detail with a list": ("retrieve", {"queryset": AIRLINES, "serializer_class": WithFlights}),
    "a detail whose relations are not loaded": ("retrieve", {"queryset": Flight.objects.all()}),
    "a change": (
        "partial_update",
        {"queryset": Airline.objects.all(), "serializer_class": AirlineSerializer},
    ),
}


def asking(action, attributes):
    """What asks a view once."""
    view = type("Of", (Views,), attributes).as_view({"get": action, "patch": action})
    key = "UA" if attributes.get("queryset", ROWS).model is Airline else 1

    def ask():
        if action == "list":
            response = view(APIRequestFactory().get("/"))
        elif action == "retrieve":
            response = view(APIRequestFactory().get("/"), pk=key)
        else:
            request = APIRequestFactory().patch("/", {"name": "changed"}, format="json")
            response = view(request, pk=key)
        assert response.render().status_code == 200

    return ask


def calls_of(function):
    """How many functions one calls when everything is compiled."""
    for _ in range(40):
        function()
    counts = []
    for _ in range(3):
        profile = cProfile.Profile()
        profile.runcall(function)
        counts.append(pstats.Stats(profile).total_calls)
    return min(counts)


def calls_by_setting(function):
    counts = []
    for setting in SETTINGS:
        with override_settings(FASTSCHEMA={"LOAD_RELATIONS": setting}):
            counts.append(calls_of(function))
    return counts


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_calls_no_more_functions(name):
    off, *on = calls_by_setting(asking(*REQUESTS[name]))
    assert max(on) <= off * MOST


@pytest.mark.parametrize("name", ["a page", "a page of instances", "a page of nested lists"])
def test_nor_does_one_of_rows_that_are_read_by_column(name, monkeypatch):
    monkeypatch.setattr(thresholds, "few_for_django", 1)
    off, *on = calls_by_setting(asking(*REQUESTS[name]))
    assert max(on) <= off * MOST


def test_a_kept_serializer_asks_for_the_setting_and_what_it_reads():
    flight = ROWS.get(pk=1)
    for serializer in (Chosen(), FlightSerializer(), of(number=serializers.IntegerField())()):
        off, *on = calls_by_setting(lambda kept=serializer: kept.to_representation(flight))
        assert max(on) <= off + 45
