"""Django's fetch modes, of a queryset and by default: lists as in stock, with stock's queries."""

import django
import pytest
from django.db import models
from rest_framework import serializers

from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer
from tests.promises.django.list_views import assert_same_outcome, view_of

pytestmark = pytest.mark.skipif(django.VERSION < (6, 1), reason="fetch modes are new in Django 6.1")
MODES = ("FETCH_ONE", "FETCH_PEERS", "FETCH_RAISE")


class Plain(serializers.ModelSerializer):
    class Meta:
        model = Flight
        fields = ("id", "number", "airline", "date")


class Nested(serializers.ModelSerializer):
    airline = AirlineSerializer()
    to = serializers.CharField(source="destination.name", default=None)

    class Meta:
        model = Flight
        fields = ("id", "airline", "to")


class ByMethod(serializers.ModelSerializer):
    name = serializers.SerializerMethodField()
    peers = serializers.SerializerMethodField()

    class Meta:
        model = Flight
        fields = ("id", "number", "name", "peers")

    def get_name(self, flight):
        return flight.airline.name

    def get_peers(self, flight):
        return [str(flight._state.fetch_mode), len(flight._state.peers)]


class Fleet(serializers.ModelSerializer):
    flights = Nested(many=True, source="flight_set")

    class Meta:
        model = Airline
        fields = ("code", "flights")


def views():
    """Lists of all kinds, from what is loaded to what is not; made when querysets are to be."""
    flights = Flight.objects.order_by("id")
    airlines = Airline.objects.order_by("code")
    for serializer in (Plain, Nested, ByMethod):
        for queryset in (
            flights,
            flights.select_related("airline"),
            flights.select_related("airline", "destination"),
            flights.prefetch_related("airline", "destination"),
            flights.only("id", "airline"),
            flights.defer("number"),
        ):
            yield queryset, serializer
    for lookups in ([], ["flight_set"], ["flight_set__airline", "flight_set__destination"]):
        yield airlines.prefetch_related(*lookups), Fleet


def assert_same_lists(mode=None):
    for queryset, serializer in views():
        chosen = queryset if mode is None else queryset.fetch_mode(mode)
        assert_same_outcome(view_of(queryset=chosen, serializer_class=serializer))


@pytest.mark.parametrize("mode", MODES)
def test_lists_of_a_queryset_with_a_fetch_mode_are_those_of_stock(flights, mode):
    assert_same_lists(getattr(models, mode))


@pytest.mark.parametrize("mode", MODES)
def test_lists_are_those_of_stock_whatever_the_default_is(flights, mode, monkeypatch):
    monkeypatch.setattr("django.db.models.query.DEFAULT_FETCH_MODE", getattr(models, mode))
    assert_same_lists()
