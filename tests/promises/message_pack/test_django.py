"""MessagePack holds the values of JSON, as responses and as requests."""

import datetime
import decimal
import io
import json

import msgpack
import pytest
from django.utils.translation import gettext_lazy
from hypothesis import example, given
from hypothesis import strategies as st
from rest_framework import generics, serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.parsers import FastJSONParser
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.message_pack.django import FastMessagePackParser, FastMessagePackRenderer
from flights.models import Airline
from tests.promises.django.differential import exactly

pytestmark = pytest.mark.django_db
finite = st.floats(allow_nan=False, allow_infinity=False)
MESSAGE_PACK = "application/vnd.msgpack"


class AirlineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Airline
        fields = ("code", "name")


class Airlines(generics.ListCreateAPIView):
    queryset = Airline.objects.order_by("pk")
    serializer_class = AirlineSerializer
    renderer_classes = (FastJSONRenderer, FastMessagePackRenderer)
    parser_classes = (FastJSONParser, FastMessagePackParser)


class AnySerializer(serializers.Serializer):
    id = serializers.IntegerField()
    moment = serializers.DateTimeField()
    price = serializers.DecimalField(max_digits=8, decimal_places=2)
    uuid = serializers.UUIDField(required=False)
    data = serializers.JSONField()


def row(**changed):
    return {
        "id": 1,
        "moment": datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC),
        "price": decimal.Decimal("1.5"),
        "data": {"a": [1, None]},
        **changed,
    }


@pytest.mark.parametrize("accept", [MESSAGE_PACK, "application/json"])
def test_a_posted_message_is_saved(accept):
    content = msgpack.packb({"code": "ZZ", "name": "é"})
    request = APIRequestFactory().post(
        "/", content, content_type=MESSAGE_PACK, headers={"accept": accept}
    )
    response = Airlines.as_view()(request).render()
    assert response.status_code == 201
    assert Airline.objects.get().name == "é"


@pytest.mark.parametrize("value", [b"\xff", msgpack.Timestamp(1, 2), msgpack.ExtType(5, b"x")])
def test_a_value_that_json_does_not_have_is_a_parse_error(value):
    for data in (value, {"a": [value]}, {"a": [{"b": value}]}):
        with pytest.raises(ParseError, match=r"MessagePack parse error - .* not a value of JSON"):
            FastMessagePackParser().parse(io.BytesIO(msgpack.packb(data)))


class TagSerializer(serializers.Serializer):
    """Fields whose stock code fails on bytes, or keeps them."""

    price = serializers.DecimalField(max_digits=8, decimal_places=2, required=False)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    counts = serializers.DictField(required=False)


class Tags(generics.CreateAPIView):
    serializer_class = TagSerializer
    parser_classes = (FastMessagePackParser,)
    renderer_classes = (FastJSONRenderer,)

    def perform_create(self, serializer):
        serializer.instance = serializer.validated_data


@pytest.mark.parametrize(
    "data", [{"price": b"\xff"}, {"tags": [b"\xff"]}, {"counts": {b"\xff": 1}}, {b"tags": []}]
)
def test_binary_data_in_a_request_is_status_400(data):
    request = APIRequestFactory().post("/", msgpack.packb(data), content_type=MESSAGE_PACK)
    response = Tags.as_view()(request).render()
    assert response.status_code == 400
    assert response.data["detail"].startswith("MessagePack parse error - ")


def test_numbers_that_json_lacks_are_read_where_the_json_parser_reads_them():
    stock, fast = JSONParser(), FastMessagePackParser()
    stock.strict = fast.strict = False
    packed = io.BytesIO(msgpack.packb({"a": [float("inf")]}))
    assert fast.parse(packed) == stock.parse(io.BytesIO(b'{"a": [Infinity]}'))


def parsed(content):
    """The value of a message, or None where it is refused."""
    try:
        return FastMessagePackParser().parse(io.BytesIO(content))
    except ParseError:
        return None


@given(st.binary(max_size=12))
@example(b"\xd6\xff\x00\x00\x00\x01")  # a timestamp
@example(b"\xc4\x01a")  # binary
@example(b"\x81\xc4\x01a\x01")  # a binary key
@example(b"\xa1\xff")  # a text that is no UTF-8
def test_any_bytes_are_a_value_of_json_or_a_parse_error(content):
    value = parsed(content)
    written = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    assert exactly(JSONParser().parse(io.BytesIO(written))) == exactly(value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | finite,
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_of_json_is_read(value):
    assert exactly(parsed(msgpack.packb(value))) == exactly(value)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        "text",
        5,
        {"a": [1, 2.5, None, True]},
        {"a": datetime.date(2024, 1, 2), "b": decimal.Decimal("1.50")},
        {"a": gettext_lazy("Monday"), 5: (1, 2)},
        [{"a": {1, 2}}],
        {"a": 1e-9, "b": 1e300},
    ],
    ids=lambda data: type(data).__name__,
)
def test_the_values_are_those_of_the_json_renderer(data):
    packed = FastMessagePackRenderer().render(data)
    assert msgpack.unpackb(packed) == json.loads(JSONRenderer().render(data))


def test_what_json_cannot_hold_raises_what_the_json_renderer_raises():
    for data in ({"a": object()}, {"a": float("nan")}):
        with pytest.raises((TypeError, ValueError)) as expected:
            JSONRenderer().render(data)
        with pytest.raises(type(expected.value), match="JSON"):
            FastMessagePackRenderer().render(data)


@pytest.mark.parametrize("many", [True, False])
def test_a_value_that_does_not_fit_is_named(many):
    data = row(data={"big": 2**70})
    serializer = AnySerializer([data] if many else data, many=many)
    place = "0.data.big" if many else "data.big"
    with pytest.raises(ValueError, match=f"AnySerializer, field '{place}': MessagePack"):
        FastMessagePackRenderer().render(serializer.data)
    with pytest.raises(ValueError, match=f"AnySerializer, field '{place}': MessagePack"):
        fastschema.compile(AnySerializer()).packb([data] if many else data, many=many)


@pytest.mark.parametrize("count", [0, 1, 20, 400])
def test_a_plan_packs_what_its_json_holds(count):
    plan = fastschema.compile(AnySerializer())
    rows = [row(id=number, price=decimal.Decimal(number)) for number in range(count)]
    expected = json.loads(plan.dumps(rows, many=True))
    assert msgpack.unpackb(plan.packb(rows, many=True)) == expected
    assert msgpack.unpackb(plan.packb(iter(rows), many=True)) == expected
    unpacker = msgpack.Unpacker(io.BytesIO(b"".join(plan.pack_stream(iter(rows), 7))))
    assert list(unpacker) == expected
    with fastschema.disabled():
        assert msgpack.unpackb(plan.packb(rows, many=True)) == expected
        assert list(msgpack.Unpacker(io.BytesIO(b"".join(plan.pack_stream(rows))))) == expected


def test_nothing_is_rendered_as_nothing():
    assert FastMessagePackRenderer().render(None) == b""
