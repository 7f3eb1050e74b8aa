"""List views, and what can be seen of their answers, beside stock's."""

import re

from django.db import transaction
from rest_framework import generics, pagination, renderers
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Flight
from flights.serializers import FlightSerializer
from tests.promises.django.differential import assert_equal, exactly, outcome
from tests.promises.django.requests_in_turns import ADMINISTRATOR

FLIGHTS = Flight.objects.select_related("airline", "origin", "destination", "plane")


class FlightList(generics.ListAPIView):
    queryset = FLIGHTS
    serializer_class = FlightSerializer
    pagination_class = None
    filter_backends = []
    renderer_classes = [FastJSONRenderer, renderers.BrowsableAPIRenderer]


class Numbered(pagination.PageNumberPagination):
    page_size = 4
    page_size_query_param = "size"


class Limited(pagination.LimitOffsetPagination):
    default_limit = 4


class Cursor(pagination.CursorPagination):
    page_size = 4
    ordering = "pk"


def view_of(base=FlightList, **attributes):
    """A view class with other attributes."""
    return type("View", (base,), attributes)


def list_of(queryset, serializer_class):
    """A list view."""
    return view_of(serializer_class=serializer_class, get_queryset=lambda self: queryset.all())


def get(view_class, path="/", **extra):
    """The view's answer, rendered."""
    return view_class.as_view()(APIRequestFactory().get(path, **extra)).render()


def without_token(body):
    """A page without what is random in it."""
    return re.sub(rb'"csrfToken": "\w+"', b"", bytes(body))


def answer(view_class, path="/", **extra):
    """What can be seen of the view's answer."""
    response = get(view_class, path, **extra)
    return {
        "body": without_token(response.content),
        "headers": dict(response.headers),
        "data": exactly(response.data),
        "class": type(response),
    }


def assert_same_answer(view_class, path="/", calls=None, **extra):
    """Assert that a view answers as in stock; return the answer's data."""
    assert_same_outcome(view_class, path, calls, **extra)
    return get(view_class, path, **extra).data


def assert_same_outcome(view_class, path="/", calls=None, **extra):
    """Assert that a view answers as in stock, or raises as in stock."""
    calls = [] if calls is None else calls

    def answered(**extra):
        with transaction.atomic():  # after an error, the database would refuse what follows
            found = outcome(lambda: answer(view_class, path, **extra), calls)
            transaction.set_rollback(True)
        return found

    def in_stock(**extra):
        with fastschema.disabled():
            return answered(**extra)

    expected = in_stock(**extra)
    assert_equal(answered(**extra), expected)
    with ADMINISTRATOR.visiting():  # another user asks in between
        others = {"headers": ADMINISTRATOR.headers, **extra}
        assert_equal(answered(**others), in_stock(**others))
    assert_equal(answered(**extra), expected)
