"""Relations that querysets do not load: what is said of them, beside the queries that they cost."""

import logging

import pytest
from django import VERSION
from django.db import connection, models
from django.db.models import Prefetch
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps
from rest_framework import generics, pagination, serializers
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.unloaded_relations import LoadedRelations
from fastschema.doctor.django.n_plus_one import advice, loaded_with, unloaded_by
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer, CompactFlightSerializer, FlightSerializer
from tests.marks import needs_orjson
from tests.promises.django.differential import serializer_of as of
from tests.promises.django.lists.models import City
from tests.promises.django.relations.test_on_demand import WithFlights

pytestmark = pytest.mark.django_db
ALL = ("airline", "origin", "destination", "plane")
OR_PEERS = ", or fetch_mode(models.FETCH_PEERS)" if VERSION >= (6, 1) else ""


class Pages(pagination.PageNumberPagination):
    page_size = 30


CASES = {
    "nested": (
        FlightSerializer,
        lambda: Flight.objects.all(),
        "select_related('airline', 'origin', 'destination', 'plane')",
    ),
    "keys": (CompactFlightSerializer, lambda: Flight.objects.all(), ""),
    "dotted": (
        of(name=serializers.CharField(source="airline.name")),
        lambda: Flight.objects.all(),
        "select_related('airline')",
    ),
    "strings and slugs": (
        of(
            airline=serializers.StringRelatedField(),
            origin=serializers.SlugRelatedField("name", read_only=True),
            destination=serializers.PrimaryKeyRelatedField(read_only=True),
        ),
        lambda: Flight.objects.all(),
        "select_related('airline', 'origin')",
    ),
    "a reverse relation": (
        WithFlights,
        lambda: Airline.objects.all(),
        "prefetch_related('flights__origin', 'flights__destination', 'flights__plane')",
    ),
    "a reverse relation that is prefetched": (
        WithFlights,
        lambda: Airline.objects.prefetch_related("flights__plane", "flights"),
        "prefetch_related('flights__origin', 'flights__destination')",
    ),
    "a prefetch with a queryset": (
        WithFlights,
        lambda: Airline.objects.prefetch_related(
            Prefetch("flights", Flight.objects.select_related(*ALL))
        ),
        "",
    ),
    "all that is select_related": (
        FlightSerializer,
        lambda: Flight.objects.select_related(),
        "select_related('airline', 'origin', 'destination', 'plane')",
    ),
    "write-only fields, methods and properties": (
        of(
            airline=AirlineSerializer(write_only=True),
            method=serializers.SerializerMethodField(),
            pk=serializers.IntegerField(),
            get_method=lambda self, obj: 1,
        ),
        lambda: Flight.objects.all(),
        "",
    ),
}


def unloaded(serializer, queryset):
    """What a serializer follows and a queryset does not load."""
    return unloaded_by(serializer, loaded_with(queryset))


def queries(serializer, queryset):
    """How many queries a dump of all rows takes."""
    with CaptureQueriesContext(
        connection,
    ) as captured:
        _ = serializer(queryset, many=True).data
    return len(captured)


@pytest.mark.filterwarnings("ignore:Calling select_related")  # without names: since Django 6.1
@pytest.mark.parametrize("case", CASES)
def test_the_advice_names_what_costs_a_query_for_each_row(case, flights):
    serializer, make, expected = CASES[case]
    found = unloaded(serializer(), make())
    assert advice(found) == expected
    if found:
        advised = eval(f"make().{advice(found).replace(' and ', '.')}", {"make": make})
        assert unloaded(serializer(), advised) == []
        assert queries(serializer, advised) < queries(serializer, make())
    else:
        queryset = make()
        prefetches = len(queryset._prefetch_related_lookups)
        assert queries(serializer, queryset) <= 1 + prefetches


@pytest.mark.parametrize("case", [case for case in CASES if case != "all that is select_related"])
def test_rows_tell_what_their_queryset_has_loaded(case, flights):
    serializer, make, expected = CASES[case]
    rows = list(make())
    with CaptureQueriesContext(connection) as captured:
        loaded = LoadedRelations.of_rows(rows)
    assert len(captured) == 0
    assert advice(unloaded_by(serializer(), (make().model, loaded))) == expected


def test_the_fields_are_named_by_their_keys_in_the_output():
    outer = of(by=FlightSerializer(source="*"), name=serializers.CharField(source="airline.name"))
    assert unloaded(outer(), Flight.objects.select_related("origin", "plane")) == [
        ("by.airline", "airline", "select_related"),
        ("by.destination", "destination", "select_related"),
        ("name", "airline", "select_related"),
    ]


class Selves(serializers.Serializer):
    """Cities, each with its twin and those of which it is the twin, each a city as well."""


Selves._declared_fields.update(twin=Selves(), twins=Selves(many=True))


def test_fields_that_code_of_users_is_still_to_make_are_not_made():
    class Chosen(serializers.Serializer):
        def get_fields(self):
            return {"airline": of(name=serializers.CharField())(), **super().get_fields()}

    serializer = Chosen()
    assert unloaded(serializer, Flight.objects.all()) == []
    assert [each.lookup for each in unloaded_after_a_look(serializer)] == ["airline"]
    outer = of(by=Chosen(source="*"))()
    assert unloaded(outer, Flight.objects.all()) == []
    _ = outer.fields["by"].fields
    assert [each.field for each in unloaded(outer, Flight.objects.all())] == ["by.airline"]


def unloaded_after_a_look(serializer):
    """What is found once the fields are made."""
    _ = serializer.fields
    return unloaded(serializer, Flight.objects.all())


@pytest.mark.filterwarnings("ignore:Calling select_related")  # without names: since Django 6.1
def test_serializers_that_nest_themselves_are_followed_as_far_as_something_is_loaded():
    def found(queryset):
        return [each.field for each in unloaded(Selves(), queryset)]

    cities = City.objects
    assert found(cities.all()) == ["twin", "twins"]
    assert found(cities.select_related("twin")) == ["twin.twin", "twin.twins", "twins"]
    assert found(cities.select_related("twin").prefetch_related("twins__twins")) == [
        *("twin.twin", "twin.twins"),
        *("twins.twins.twins",),  # Django knows the twin of each of them
    ]
    assert found(cities.select_related()) == ["twin", "twins"]  # which follows no key that is null
    itself = of(get_fields=lambda self: {"itself": type(self)(source="*")})
    assert unloaded(itself(), cities.all()) == []


@isolate_apps("flights")
def test_reverse_one_to_one_relations_and_relations_that_go_to_many():
    class Engine(models.Model):
        class Meta:
            app_label = "flights"

    class Part(models.Model):
        engines = models.ManyToManyField(Engine, related_name="parts")
        parent = models.OneToOneField("self", models.CASCADE, related_name="child", null=True)

        class Meta:
            app_label = "flights"

    class Rows(serializers.Serializer):
        child = of(engines=of(id=serializers.IntegerField())(many=True))()
        engines = of(parts=of(parent=of(id=serializers.IntegerField())())(many=True))(many=True)

    assert advice(unloaded(Rows(), Part.objects.all())) == (
        "select_related('child') and prefetch_related('child__engines', 'engines__parts__parent')"
    )
    loaded = Part.objects.select_related("child").prefetch_related(
        "child__engines", "engines__parts__parent"
    )
    assert unloaded(Rows(), loaded) == []


def test_rows_that_were_not_read_and_what_is_no_serializer_are_let_alone():
    assert loaded_with(iter([Flight()])) is None
    assert unloaded(None, Flight.objects.all()) == []


class TestWarning:
    def ask(self, view):
        return view.as_view()(APIRequestFactory().get("/")).render()

    def view(self, **attributes):
        own = {
            "queryset": Flight.objects.all(),
            "serializer_class": FlightSerializer,
            "pagination_class": None,
            "filter_backends": (),
            "renderer_classes": [FastJSONRenderer],
        }
        return type("Flights", (generics.ListAPIView,), {**own, **attributes})

    @needs_orjson
    def test_it_names_the_view_the_fields_and_what_to_add(self, flights, caplog):
        view = self.view()
        with override_settings(DEBUG=True), caplog.at_level(logging.WARNING, "fastschema"):
            body = self.ask(view).content
            assert self.ask(view).content == body
        assert caplog.messages == [
            "Flights asks the database again for each row (fields airline, origin, destination, "
            "plane). Add select_related('airline', 'origin', 'destination', 'plane') to its "
            f"queryset{OR_PEERS}."
        ]

    @pytest.mark.parametrize(
        "rows",
        [
            lambda view, flights: flights,
            lambda view, flights: flights[:3],
            lambda view, flights: list(flights),
            lambda view, flights: view.paginate_queryset(flights),
        ],
    )
    def test_it_names_who_builds_a_list_by_hand(self, flights, caplog, rows):
        class ByHand(FlightSerializer):
            pass

        def get(view, request):
            queryset = Flight.objects.select_related("airline", "origin").order_by("pk")
            _ = view.get_serializer(rows(view, queryset.all()), many=True).data
            return Response(ByHand(rows(view, queryset.all()), many=True).data)

        view = self.view(get=get, pagination_class=Pages)
        with override_settings(DEBUG=True), caplog.at_level(logging.WARNING, "fastschema"):
            body = self.ask(view).content
            assert self.ask(view).content == body
        advised = "Add select_related('destination', 'plane') to its queryset"
        assert [message.replace(OR_PEERS, "") for message in caplog.messages] == [
            f"{name} asks the database again for each row (fields destination, plane). {advised}."
            for name in ("Flights", "ByHand")
        ]

    @pytest.mark.skipif(VERSION < (6, 1), reason="fetch modes are new in Django 6.1")
    def test_peers_are_a_remedy(self, flights):
        peers = Flight.objects.fetch_mode(models.FETCH_PEERS)
        assert unloaded(FlightSerializer(), peers) == []
        assert unloaded(WithFlights(), Airline.objects.fetch_mode(models.FETCH_PEERS)) != []

    def test_it_says_nothing_of_what_is_loaded_on_demand(self, flights, caplog):
        with override_settings(DEBUG=True), caplog.at_level(logging.DEBUG, "fastschema"):
            self.ask(self.view(fastschema_load_relations=True))
        loaded = "Flight: loaded airline, origin, destination, plane on demand"
        assert caplog.messages == [loaded]

    @pytest.mark.parametrize("debug", [False, True])
    def test_it_says_nothing_where_there_is_nothing_or_debug_is_off(self, flights, caplog, debug):
        loaded = {"queryset": Flight.objects.select_related(*ALL)} if debug else {}
        with override_settings(DEBUG=debug), caplog.at_level(logging.WARNING, "fastschema"):
            self.ask(self.view(**loaded))
        assert caplog.messages == []

    def test_serializers_that_cannot_be_looked_at_do_not_end_the_request(self, flights, caplog):
        class Odd(serializers.PrimaryKeyRelatedField):
            def use_pk_only_optimization(self):
                if self.context["asked"]:
                    raise ValueError("again")
                return True

        view = self.view(serializer_class=of(airline=Odd(read_only=True)))
        view.get_serializer_context = lambda self: {"asked": asked}
        asked = []
        with override_settings(DEBUG=True), caplog.at_level(logging.WARNING, "fastschema"):
            response = view.as_view()(APIRequestFactory().get("/"))
            asked.append(1)
            assert response.render().content
        assert caplog.messages == []
