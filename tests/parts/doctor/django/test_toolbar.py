"""The panel of django-debug-toolbar, on real views."""

import asyncio
import re

import pytest
from django.test import AsyncClient, Client, override_settings
from django.urls import include, path
from rest_framework import generics, pagination, renderers, serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from fastschema.contrib.django.dump import AROUND
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.streaming import StreamingListMixin
from fastschema.doctor.django.dumps import DumpLog, current_log
from fastschema.runtime import thresholds
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer, CompactFlightSerializer, FlightSerializer
from tests.marks import needs_orjson

pytest.importorskip("debug_toolbar", reason="django-debug-toolbar is not installed")
pytestmark = pytest.mark.django_db
PANEL = "fastschema.doctor.django.toolbar.FastSchemaPanel"
SETTINGS = {
    "MIDDLEWARE": ["debug_toolbar.middleware.DebugToolbarMiddleware"],
    "DEBUG_TOOLBAR_PANELS": [PANEL],
    "DEBUG_TOOLBAR_CONFIG": {"SHOW_TOOLBAR_CALLBACK": lambda request: True},
}
ALL = ("airline", "origin", "destination", "plane")


class Pages(pagination.PageNumberPagination):
    page_size = 3


class OwnAirline(AirlineSerializer):
    def to_representation(self, instance):
        return {**super().to_representation(instance), "own": True}


class OtherAirline(AirlineSerializer):
    def to_representation(self, instance):
        return {"code": instance.code}


class Shout(serializers.CharField):
    def to_representation(self, value):
        return value.upper()


class WithMethod(serializers.ModelSerializer):
    name = Shout()
    flights = serializers.SerializerMethodField()

    class Meta:
        model = Airline
        fields = ("code", "name", "flights")

    def get_flights(self, airline):
        return CompactFlightSerializer(airline.flights.all(), many=True).data


class OwnList(serializers.ListSerializer):
    def to_representation(self, data):
        return super().to_representation(data)[::-1]


class Listed(AirlineSerializer):
    class Meta(AirlineSerializer.Meta):
        list_serializer_class = OwnList


def list_view(queryset, serializer, base=generics.ListAPIView, **attributes):
    """A list view class."""
    own = {
        "queryset": queryset,
        "serializer_class": serializer,
        "pagination_class": None,
        "filter_backends": [],
        "renderer_classes": [FastJSONRenderer, renderers.BrowsableAPIRenderer],
        **attributes,
    }
    return type("View", (base,), own)


def seen(view, accept="application/json", client=Client, url="/"):
    """The panel of the toolbar after a request to a view, and the response."""
    from debug_toolbar.toolbar import DebugToolbar

    as_view = view.as_view() if hasattr(view, "as_view") and not hasattr(view, "cls") else view
    urls = [
        path("", as_view),
        path("<pk>/", as_view, name="one"),
        path("__debug__/", include("debug_toolbar.urls")),
    ]
    toolbars = []

    def created(sender, toolbar, **kwargs):
        toolbars.append(toolbar)

    DebugToolbar._created.connect(created)
    try:
        with override_settings(ROOT_URLCONF=type("Urls", (), {"urlpatterns": urls})):
            if client is AsyncClient:
                response = asyncio.run(client().get(url, headers={"accept": accept}))
            else:
                response = client().get(url, headers={"accept": accept})
            [toolbar] = toolbars
            panel = toolbar.get_panel_by_id("FastSchemaPanel")
            _ = panel.content  # while there are URLs
    finally:
        DebugToolbar._created.disconnect(created)
    assert response.status_code == 200
    return panel, response


def dumps(view, **options):
    """What the panel has recorded, without times."""
    panel, _ = seen(view, **options)
    recorded = panel.get_stats()["dumps"]
    for each in recorded:
        milliseconds = each.pop("milliseconds")
        assert milliseconds is None or milliseconds > 0
    return recorded


def of(view, *names, **options):
    """Some of what the panel has recorded."""
    return [tuple(each[name] for name in names) for each in dumps(view, **options)]


@pytest.fixture(autouse=True)
def toolbar_is_on():
    from django.conf import settings

    with override_settings(INSTALLED_APPS=[*settings.INSTALLED_APPS, "debug_toolbar"], **SETTINGS):
        from debug_toolbar.toolbar import DebugToolbar

        before, DebugToolbar._panel_classes = DebugToolbar._panel_classes, None
        yield
        DebugToolbar._panel_classes = before


@needs_orjson
def test_rows_without_instances_are_told(flights, monkeypatch):
    monkeypatch.setattr(thresholds, "few_for_django", 1)
    view = list_view(Flight.objects.select_related(*ALL), FlightSerializer)
    [found] = dumps(view)
    assert found == {
        "serializer": "flights.serializers.FlightSerializer",
        "is_compiled": True,
        "why": "",
        "output": "data, from database rows without instances",
        "times": 1,
        "rows": 4,
        "fields": found["fields"],
        "stock_fields": [],
        "queries": None,
        "on_demand": [],
    }


def test_relations_that_were_loaded_on_demand_are_told(flights):
    view = list_view(Flight.objects.all(), FlightSerializer, fastschema_load_relations=True)
    assert of(view, "queries", "on_demand") == [(None, list(ALL))]


def test_the_title_counts_serializers_and_those_as_stock(flights):
    @api_view()
    def view(request):
        airlines = Airline.objects.all()
        return Response(
            {
                "a": AirlineSerializer(airlines, many=True).data,
                "b": OtherAirline(airlines, many=True).data,
                "c": FlightSerializer(Flight.objects.select_related(*ALL), many=True).data,
            }
        )

    panel, _ = seen(view)
    assert panel.nav_subtitle == "3 serializers, 1 as stock"
    assert panel.title == "fastschema: 3 serializers, 1 as stock"


@needs_orjson
def test_what_is_overridden_ran_as_stock(flights):
    view = list_view(Airline.objects.all(), OtherAirline)
    assert of(view, "is_compiled", "why", "rows", "output") == [
        (False, "to_representation is overridden", 3, "data")
    ]


def test_an_own_method_around_compiled_code_is_told(flights):
    view = list_view(Airline.objects.all(), OwnAirline)
    assert of(view, "is_compiled", "why", "times", "rows") == [
        (True, "inside your to_representation", 1, 3)
    ]


def test_a_list_that_is_too_short_ran_as_stock(flights, users_thresholds):
    few = type("Few", (AirlineSerializer,), {})
    view = list_view(Airline.objects.all(), few)
    assert of(view, "is_compiled", "why") == [(False, "stock is faster for so few rows")]


def test_fields_that_ran_as_stock_are_named_with_their_reasons(flights):
    view = list_view(Airline.objects.all(), WithMethod)
    found = {each["serializer"].rpartition(".")[2]: each for each in dumps(view)}
    assert [each["key"] for each in found["WithMethod"]["stock_fields"]] == ["name"]
    assert "to_representation" in found["WithMethod"]["stock_fields"][0]["why"]


@pytest.mark.parametrize(
    ("lookups", "advice"), [(ALL[1:], "select_related('airline')"), (ALL, None)]
)
def test_relations_that_each_row_of_a_query_asks_for_are_named(
    flights, monkeypatch, lookups, advice
):
    monkeypatch.setattr(thresholds, "few_for_django", 1)

    class WithUpperCode(FlightSerializer):
        shout = serializers.SerializerMethodField()

        def get_shout(self, flight):
            return flight.airline.code.upper()

    for serializer in (FlightSerializer, WithUpperCode):
        queryset = Flight.objects.select_related(*lookups).order_by("id")
        view = list_view(queryset, serializer, pagination_class=Pages)
        [(found,)] = of(view, "queries")
        assert (found and found["advice"]) == advice


def test_a_stream_is_told_before_its_rows_are_sent(flights):
    view = list_view(Airline.objects.all(), AirlineSerializer, StreamingListView)
    panel, response = seen(view)
    [found] = panel.get_stats()["dumps"]
    assert (found["is_compiled"], found["output"], found["rows"]) == (True, "a stream", None)
    assert found["milliseconds"] is None
    assert b"United" in response.getvalue()


class StreamingListView(StreamingListMixin, generics.GenericAPIView):
    def get(self, request):
        return self.list(request)


def test_the_page_shows_it(flights):
    view = list_view(Flight.objects.all(), FlightSerializer)
    panel, response = seen(view, accept="text/html")
    assert "1 serializer" in re.sub(r"\s+", " ", response.content.decode())
    text = re.sub(r"\s+|<[^>]+>", " ", panel.content)
    assert "flights.serializers.FlightSerializer" in text
    assert "select_related(&#x27;airline&#x27;," in text


def test_a_panel_from_the_store_shows_the_same(flights):
    from debug_toolbar import VERSION
    from debug_toolbar.toolbar import DebugToolbar

    if int(VERSION.partition(".")[0]) < 6:
        pytest.skip("the store keeps data since django-debug-toolbar 6")
    panel, _ = seen(list_view(Airline.objects.all(), WithMethod))
    stored = DebugToolbar.fetch(panel.toolbar.request_id).get_panel_by_id("FastSchemaPanel")
    assert (stored.title, stored.content) == (panel.title, panel.content)


def test_an_asynchronous_request_is_told():
    @api_view()
    def view(request):
        return Response(AirlineSerializer([Airline(code="AA")], many=True).data)

    assert of(view, "is_compiled", "rows", client=AsyncClient) == [(True, 1)]


def test_requests_are_told_apart(flights):
    view = list_view(Airline.objects.all(), AirlineSerializer)
    assert of(view, "times") == of(view, "times") == [(1,)]
    assert current_log() is None


@pytest.mark.parametrize(
    "serializer", [AirlineSerializer, OwnAirline, OtherAirline, WithMethod, Listed]
)
def test_who_watches_changes_no_answer(flights, serializer):
    view = list_view(Airline.objects.order_by("code"), serializer, pagination_class=Pages)
    _, watched = seen(view)
    with override_settings(MIDDLEWARE=[]):
        unwatched = view.as_view()(APIRequestFactory().get("/", headers={"host": "testserver"}))
        unwatched.render()
    assert watched.content == unwatched.content


def test_what_runs_in_the_shadow_is_not_told(flights):
    view = list_view(Airline.objects.all(), AirlineSerializer)
    with override_settings(FASTSCHEMA={"SHADOW": 1.0}):
        assert of(view, "is_compiled", "times") == [(True, 1)]


def test_a_single_object_is_told(flights):
    class Detail(generics.RetrieveAPIView):
        queryset = Airline.objects.all()
        serializer_class = AirlineSerializer
        renderer_classes = [FastJSONRenderer]

        def get_object(self):
            return self.queryset.get(code="UA")

    assert of(Detail, "is_compiled", "times", "rows", "queries") == [(True, 1, 1, None)]


def test_nothing_is_logged_where_no_log_is_open(flights):
    log = DumpLog()
    log.open()
    log.close()
    assert AirlineSerializer(Airline.objects.all(), many=True).data
    assert AROUND
    assert log.dumps == []
