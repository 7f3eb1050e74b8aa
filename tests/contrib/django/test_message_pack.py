"""MessagePack holds the values of JSON, as responses and as requests."""

import datetime
import decimal
import io
import json

import msgpack
import pytest
from django.utils.translation import gettext_lazy
from rest_framework import generics, serializers
from rest_framework.exceptions import ParseError
from rest_framework.renderers import JSONRenderer
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.parsers import FastJSONParser, FastMessagePackParser
from fastschema.contrib.django.renderers import FastJSONRenderer, FastMessagePackRenderer
from fastschema.runtime.message_pack import MessagePackError
from flights.models import Airline

pytestmark = pytest.mark.django_db
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


@pytest.fixture
def airlines():
    for code in ("AA", "UA"):
        Airline.objects.create(code=code, name=f"Airline {code} é")


@pytest.mark.parametrize("accept", [MESSAGE_PACK, "application/json", "*/*"])
def test_the_accept_header_chooses_the_format(airlines, accept):
    request = APIRequestFactory().get("/", headers={"accept": accept})
    response = Airlines.as_view()(request).render()
    if accept == MESSAGE_PACK:
        assert response["Content-Type"] == MESSAGE_PACK
        data = msgpack.unpackb(response.content)
    else:
        assert response["Content-Type"] == "application/json"
        data = json.loads(response.content)
    rows = data["results"] if isinstance(data, dict) else data
    assert [each["code"] for each in rows] == ["AA", "UA"]


@pytest.mark.parametrize("accept", [MESSAGE_PACK, "application/json"])
def test_a_posted_message_is_saved(accept):
    content = msgpack.packb({"code": "ZZ", "name": "é"})
    request = APIRequestFactory().post(
        "/", content, content_type=MESSAGE_PACK, headers={"accept": accept}
    )
    response = Airlines.as_view()(request).render()
    assert response.status_code == 201
    assert Airline.objects.get().name == "é"


def test_a_message_that_is_none_is_status_400():
    request = APIRequestFactory().post("/", b"\xc1", content_type=MESSAGE_PACK)
    response = Airlines.as_view()(request)
    assert response.status_code == 400
    assert response.data["detail"].startswith("MessagePack parse error - ")


@pytest.mark.parametrize(
    "content", [b"", b"\x81\xa1a", b"\x01\x02", msgpack.packb({1: 2}), b"\x91" * 3000 + b"\x01"]
)
def test_bad_content_is_a_parse_error(content):
    with pytest.raises(ParseError, match="MessagePack parse error - "):
        FastMessagePackParser().parse(io.BytesIO(content))


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


def test_nothing_is_rendered_as_nothing():
    assert FastMessagePackRenderer().render(None) == b""


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
    with pytest.raises(MessagePackError, match=f"AnySerializer, field '{place}': MessagePack"):
        FastMessagePackRenderer().render(serializer.data)
    with pytest.raises(MessagePackError, match=r"AnySerializer, field 'data.big': MessagePack"):
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
