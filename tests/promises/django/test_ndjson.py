"""NDJSONRenderer: a line for each row, each as JSONRenderer writes it."""

import datetime
import json
import uuid
from decimal import Decimal

import pytest
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer, NDJSONRenderer
from tests.promises.django.differential import shown

ROWS = [
    {"id": 1, "name": "é \u2028\n", "when": datetime.datetime(2013, 1, 1, tzinfo=datetime.UTC)},
    {"id": uuid.UUID(int=1), "price": Decimal("1.50"), "huge": 2**70, "small": 1e-9},
    {},
    [],
    None,
    "text",
    1.5,
]


def expected(rows, renderer_class=JSONRenderer):
    return b"".join((renderer_class().render(row) or b"null") + b"\n" for row in rows)


@pytest.mark.parametrize("rows", [ROWS, tuple(ROWS), ROWS[:1], []], ids=len)
def test_each_row_is_a_line(rows):
    written = NDJSONRenderer().render(rows)
    assert written == expected(rows)
    assert written.count(b"\n") == len(rows)
    with fastschema.disabled():
        assert NDJSONRenderer().render(rows) == written


@pytest.mark.parametrize("data", [{"detail": "Not found."}, {}, "text", 0, False])
def test_what_is_no_list_is_one_line(data):
    assert NDJSONRenderer().render(data) == JSONRenderer().render(data) + b"\n"


def test_nothing_is_written_for_none():
    assert NDJSONRenderer().render(None) == b""


def test_the_data_of_a_serializer_become_lines():
    class Row(serializers.Serializer):
        id = serializers.IntegerField()

    data = Row([{"id": 1}, {"id": 2}], many=True).data
    assert NDJSONRenderer().render(data) == b'{"id":1}\n{"id":2}\n'
    assert NDJSONRenderer().render(Row({"id": 3}).data) == b'{"id":3}\n'


@pytest.mark.parametrize("media_type", [None, "application/x-ndjson; indent=4"])
def test_lines_are_never_indented(media_type):
    written = NDJSONRenderer().render([{"a": [1, 2]}], media_type, {"indent": 4})
    assert written == b'{"a":[1,2]}\n'


@pytest.mark.parametrize(
    "options", [{"ensure_ascii": True}, {"compact": False}, {"strict": False}], ids=repr
)
def test_the_settings_of_the_renderer_hold_for_each_line(options):
    rows = [{"a": ["é", 1]}, *([{"b": float("nan")}] if "strict" in options else [])]
    renderer_class = type("Renderer", (NDJSONRenderer,), options)
    stock = type("Stock", (JSONRenderer,), options)
    assert renderer_class().render(rows) == expected(rows, stock)


@pytest.mark.parametrize("row", [{"a": float("nan")}, {"a": object()}, {(1, 2): 3}], ids=shown)
def test_what_cannot_be_written_raises_the_error_of_stock(row):
    with pytest.raises((TypeError, ValueError)) as stock:
        JSONRenderer().render(row)
    with pytest.raises(stock.type) as raised:
        NDJSONRenderer().render([{}, row])
    assert str(raised.value) == str(stock.value)


class RowsView(APIView):
    renderer_classes = [FastJSONRenderer, NDJSONRenderer]

    def get(self, request):
        if "fail" in request.GET:
            raise serializers.ValidationError({"fail": ["as asked"]})
        return Response([{"id": 1}, {"id": 2}])


@pytest.mark.parametrize(
    ("path", "accept"), [("/", "application/x-ndjson"), ("/?format=ndjson", "*/*")]
)
def test_a_client_may_ask_for_it(path, accept):
    response = RowsView.as_view()(APIRequestFactory().get(path, headers={"accept": accept}))
    response.render()
    assert response["Content-Type"] == "application/x-ndjson"
    assert [json.loads(line) for line in response.content.splitlines()] == [{"id": 1}, {"id": 2}]


def test_an_error_is_one_line():
    response = RowsView.as_view()(APIRequestFactory().get("/?fail&format=ndjson")).render()
    assert (response.status_code, response.content) == (400, b'{"fail":["as asked"]}\n')
