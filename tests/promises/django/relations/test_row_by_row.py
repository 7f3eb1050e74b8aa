"""LOAD_RELATIONS where code of users represents a list row by row."""

import pytest
from rest_framework import pagination, serializers, viewsets
from rest_framework.response import Response

import fastschema
from flights.models import Airline, Flight
from flights.serializers import FlightSerializer
from tests.instruments.core import thresholds
from tests.promises.django.relations.test_on_demand import WithFlights, asked
from tests.promises.django.relations.test_on_demand import view_of as list_view_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("flights")]


class RowByRow(serializers.ListSerializer):
    def to_representation(self, data):
        return [self.child.to_representation(row) for row in data]


class Backwards(serializers.ListSerializer):
    def to_representation(self, data):
        return [self.child.to_representation(row) for row in reversed(data)]


class OnlyTheFirst(serializers.ListSerializer):
    def to_representation(self, data):
        return [self.child.to_representation(data[0])]


def represented_by(list_serializer_class, base=FlightSerializer):
    attributes = {"list_serializer_class": list_serializer_class}
    return type("Own", (base,), {"Meta": type("Meta", (base.Meta,), attributes)})


OneByOne = represented_by(RowByRow)


class Pages(pagination.PageNumberPagination):
    page_size = 3


class Noted(FlightSerializer):
    """Its rows are represented by code of users', which calls that of DRF."""

    def to_representation(self, instance):
        return {**super().to_representation(instance), "is_noted": True}


def in_order(model):
    return model.objects.order_by("pk")


def view_of(serializer, rows=lambda: list(in_order(Flight))):
    """A view that is no list view."""

    def get(self, request):
        return Response(serializer(rows(), many=True, context={"view": self}).data)

    return type(*("View", (viewsets.ViewSet,)), {"list": get, "fastschema_load_relations": True})


class Listed:
    """A view set as ``asked`` calls it."""

    def __init__(self, view):
        self._view = view

    def as_view(self):
        return self._view.as_view({"get": "list"})


def queries_of(view):
    """How many queries stock takes, and fastschema, at first and later; the answers are equal."""
    with fastschema.disabled():
        body, stock = asked(view)
    found = [asked(view) for _ in range(4)]
    assert {answer for answer, _ in found} == {body}
    return len(stock), [len(queries) for _, queries in found]


def test_relations_to_one_object_are_loaded_for_all_rows_with_the_first():
    stock, fast = queries_of(Listed(view_of(OneByOne)))
    assert stock > 10
    assert fast == [5] * 4


def test_rows_may_be_a_queryset():
    assert queries_of(Listed(view_of(OneByOne, lambda: in_order(Flight))))[1] == [5] * 4


def test_a_page_of_a_list_view_is_a_list():
    assert queries_of(list_view_of(serializer_class=OneByOne))[1] == [5] * 4


def test_so_is_one_whose_rows_are_read_by_column(monkeypatch):
    monkeypatch.setattr(thresholds, "few_for_django", 2)
    view = list_view_of(serializer_class=OneByOne, pagination_class=Pages)
    assert queries_of(view)[1] == [6] * 4


@pytest.mark.at_once
def test_a_serializer_may_call_drfs_representation_for_each_row():
    assert queries_of(Listed(view_of(Noted)))[1] == [5] * 4


def test_no_row_but_the_first_need_be_represented():
    stock, fast = queries_of(Listed(view_of(represented_by(OnlyTheFirst))))
    assert fast == [stock] * 4 == [5] * 4


def test_where_another_row_comes_first_each_asks_for_itself():
    stock, fast = queries_of(Listed(view_of(represented_by(Backwards))))
    assert fast == [stock] * 4


@pytest.mark.at_once
def test_lists_are_left_to_a_query_for_each_row():
    """Objects forget them when they are dumped: code of users may ask for them in between."""
    airlines = represented_by(RowByRow, WithFlights)
    stock, fast = queries_of(Listed(view_of(airlines, lambda: list(in_order(Airline)))))
    assert fast == [stock] * 4


def test_a_single_row_asks_for_itself():
    stock, fast = queries_of(Listed(view_of(OneByOne, lambda: list(in_order(Flight)[:1]))))
    assert fast == [stock] * 4
