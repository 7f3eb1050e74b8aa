"""Views that take one object or a list of them."""

import json

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from rest_framework import generics, serializers
from rest_framework.test import APIRequestFactory

from fastschema.contrib.django.bulk.mixins import BulkCreateModelMixin, FastBulkMixin
from fastschema.contrib.django.parsers import FastJSONParser
from fastschema.contrib.django.renderers import FastJSONRenderer
from tests.promises.django.bulk.test_batch_lookup import PlainBook, by_row
from tests.promises.django.bulk.test_create import rows
from tests.promises.django.input.models import Book

pytestmark = pytest.mark.usefixtures("books")


class Books(BulkCreateModelMixin, generics.ListCreateAPIView):
    queryset = Book.objects.order_by("pk")
    serializer_class = PlainBook
    parser_classes = [FastJSONParser]
    renderer_classes = [FastJSONRenderer]
    pagination_class = None
    filter_backends = []


def post(body, content_type="application/json", view_class=Books):
    request = APIRequestFactory().generic("POST", "/", body, content_type)
    return view_class.as_view()(request).render()


def test_a_list_is_created_and_answered():
    with CaptureQueriesContext(connection) as queries:
        response = post(json.dumps(rows()))
    assert response.status_code == 201
    assert [book["isbn"] for book in json.loads(response.content)] == [r["isbn"] for r in rows()]
    assert sum("INSERT" in each["sql"] for each in queries.captured_queries) == 1
    assert Book.objects.count() == 7


def test_one_object_is_created_as_ever():
    response = post(json.dumps(rows()[0]))
    assert response.status_code == 201
    assert json.loads(response.content)["isbn"] == "new 0"


def test_errors_are_answered_by_row_and_nothing_is_saved():
    data = rows()
    data[3]["author"] = 9
    response = post(json.dumps(data))
    assert response.status_code == 400
    found = json.loads(response.content)
    assert by_row(found) == {3: {"author": ['Invalid pk "9" - object does not exist.']}}
    assert Book.objects.count() == 2


@pytest.mark.parametrize(
    "body",
    [
        *("", "5", "null", "[5]", "[[]]", "[null]", "{}", "[", "[{}]", "[NaN]"),
        '[{"isbn": NaN, "author": Infinity}]',
        '[{"isbn": "a", "isbn": "b", "author": 1, "author": {}}]',
        *(f'[{{"isbn": "a", "author": {10**400}, "number": -{10**400}}}]', "[" * 100_000),
        *('[{"isbn": ' * 50_000, "[" * 100_000 + "]" * 100_000),
        *('[{"isbn": "\\ud800", "author": "\\u0000"}]', b"\xff\xfe[", b'[{"isbn": "\xe9"}]'),
    ],
    ids=lambda body: ascii(body)[:20],
)
def test_bad_input_is_status_400(body):
    response = post(body)
    assert response.status_code == 400
    assert json.loads(response.content)
    assert Book.objects.count() == 2


def test_a_list_that_is_put_is_stocks_error():
    class BookDetail(BulkCreateModelMixin, generics.RetrieveUpdateAPIView):
        queryset = Book.objects.all()
        serializer_class = PlainBook
        parser_classes = [FastJSONParser]
        renderer_classes = [FastJSONRenderer]

    request = APIRequestFactory().generic("PUT", "/", "[{}]", "application/json")
    response = BookDetail.as_view()(request, pk=1).render()
    assert response.status_code == 400


def test_a_serializer_that_wants_no_bulk_gets_none():
    class Not(PlainBook):
        fastschema_bulk_input = False

    with CaptureQueriesContext(connection) as queries:
        response = post(
            json.dumps(rows()), view_class=type("V", (Books,), {"serializer_class": Not})
        )
    assert response.status_code == 201
    assert sum("INSERT" in each["sql"] for each in queries.captured_queries) == 5


def test_a_list_serializer_of_ones_own_saves_in_bulk():
    class Own(serializers.ListSerializer):
        pass

    class Listed(PlainBook):
        class Meta(PlainBook.Meta):
            list_serializer_class = Own

    with CaptureQueriesContext(connection) as queries:
        response = post(
            json.dumps(rows()), view_class=type("V", (Books,), {"serializer_class": Listed})
        )
    assert response.status_code == 201
    assert sum("INSERT" in each["sql"] for each in queries.captured_queries) == 1


def test_where_fastschema_is_not_installed_rows_are_created_one_by_one():
    class Bulk(FastBulkMixin, PlainBook):
        pass

    view_class = type("V", (Books,), {"serializer_class": Bulk})
    with (
        override_settings(FASTSCHEMA={"INSTALL": False}),
        CaptureQueriesContext(connection) as queries,
    ):
        response = post(json.dumps(rows()), view_class=view_class)
    assert response.status_code == 201
    assert sum("INSERT" in each["sql"] for each in queries.captured_queries) == 5
