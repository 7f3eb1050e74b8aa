"""Views of adrf answer with the bytes that they answer with without fastschema."""

from functools import partial

import pytest
from adrf import generics, viewsets
from adrf.views import APIView
from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.test import AsyncRequestFactory
from django.test.utils import CaptureQueriesContext
from rest_framework import pagination
from rest_framework.response import Response

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline, Flight
from tests.promises.adrf.test_representation import (
    AirlineSerializer,
    FlightSerializer,
    OwnFields,
    airline,
)
from tests.promises.django.requests_in_turns import IN_TURNS


class Pages(pagination.PageNumberPagination):
    page_size = 2


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 2


class Open:
    authentication_classes = []
    permission_classes = []
    filter_backends = []
    renderer_classes = [FastJSONRenderer]


class Flights(Open, generics.ListCreateAPIView):
    queryset = Flight.objects.select_related("airline", "destination").order_by("id")
    serializer_class = FlightSerializer
    pagination_class = None


class PagesOfFlights(Flights):
    pagination_class = Pages


class OffsetsOfFlights(Flights):
    pagination_class = Offsets


class Unloaded(Flights):
    queryset = Flight.objects.order_by("id")


class Airlines(Open, viewsets.ModelViewSet):
    queryset = Airline.objects.order_by("code")
    serializer_class = AirlineSerializer
    pagination_class = None


class Own(Open, APIView):
    async def get(self, request):
        serializer = OwnFields([airline()] * 3, many=True, context={"request": request})
        return Response(await serializer.adata)


def answered(view, request, **kwargs):
    """What a view answers, and what it asks the database, which stays as it is."""
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        try:
            response = async_to_sync(view)(request, **kwargs).render()
            answer = response.status_code, response.content, response.headers
        except Exception as error:
            answer = type(error), str(error)
        transaction.set_rollback(True)
    return *answer, len(queries)


def assert_same(view, make_request, **kwargs):
    with fastschema.disabled():
        expected = answered(view, make_request(), **kwargs)
    for _ in range(2):
        assert answered(view, make_request(), **kwargs) == expected
    return expected


factory = AsyncRequestFactory()


@pytest.mark.parametrize("view", [Flights, PagesOfFlights, OffsetsOfFlights, Unloaded])
@pytest.mark.parametrize("query", ["", "?page=2", "?page=9", "?offset=3"])
def test_lists_are_answered_alike(flights, view, query):
    assert_same(view.as_view(), lambda: factory.get(f"/{query}"))


@pytest.mark.parametrize("code", ["UA", "none"])
def test_one_object_is_answered_alike(flights, code):
    view = Airlines.as_view({"get": "aretrieve"})
    assert_same(view, lambda: factory.get("/"), pk=code)


@pytest.mark.parametrize(("name", "is_right"), [("American", True), ("", False), (None, False)])
def test_what_is_sent_is_answered_alike(flights, name, is_right):
    view = Airlines.as_view({"put": "aupdate", "patch": "partial_aupdate", "post": "acreate"})

    def status(send, data, **kwargs):
        return assert_same(view, lambda: send("/", data, "application/json"), **kwargs)[0]

    assert status(factory.put, {"code": "UA", "name": name}, pk="UA") == (200 if is_right else 400)
    assert status(factory.patch, {"name": name}, pk="UA") == (200 if is_right else 400)
    assert status(factory.post, {"code": "BB", "name": name}) == (201 if is_right else 400)


@pytest.mark.django_db
def test_each_visitor_gets_the_answer_of_stock():
    for visitor in IN_TURNS:
        with visitor.visiting():
            assert_same(Own.as_view(), partial(factory.get, f"/?user={visitor.name}"))
