"""Plan.dumps and Plan.stream write what JSONRenderer writes."""

import datetime
import json
import math
import uuid
from datetime import UTC
from functools import partial

import pytest
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

import fastschema
from tests.promises.django.differential import Thing, assert_same, serializer_of


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_follows_the_strictness_of_the_renderer(monkeypatch, strict, number):
    monkeypatch.setattr(JSONRenderer, "strict", strict)
    for field in (serializers.FloatField(), serializers.ReadOnlyField()):
        data = assert_same(serializer_of(a=field), Thing(a=number))
        assert repr(data) == repr({"a": number})


@pytest.mark.parametrize(
    "number",
    [2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**100],
)
def test_an_integer_is_written_as_in_stock(number):
    fields = {
        "integer": serializers.IntegerField,
        "read_only": serializers.ReadOnlyField,
        "choice": partial(serializers.ChoiceField, [number]),
        "day": serializers.DateField,
        "moment": serializers.DateTimeField,
        "clock": serializers.TimeField,
        "key": serializers.UUIDField,
        "real": serializers.FloatField,
    }
    # One integer that orjson refuses: the stock encoder writes the others too.
    thing = Thing(
        integer=number,
        read_only=number,
        choice=str(number),
        day=datetime.date(2024, 7, 1),
        moment=datetime.datetime(2024, 7, 1, 12, 30, tzinfo=UTC),
        clock=datetime.time(1, 2),
        key=uuid.UUID(int=5),
        real=1e-7,
    )
    serializer = serializer_of(**{name: field() for name, field in fields.items()})
    assert_same(serializer, thing)
    assert_same(serializer, [thing] * 3, many=True)


class Row(serializers.Serializer):
    number = serializers.IntegerField()
    moment = serializers.DateTimeField()
    text = serializers.CharField(default="\u2028")


def rows(count):
    moment = datetime.datetime(2024, 7, 1, tzinfo=UTC)
    return [Thing(number=number, moment=moment) for number in range(count)]


class TestStream:
    @pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 999, 1000, 1001])
    @pytest.mark.parametrize("chunk_size", [1, 2, 3, 1000])
    def test_the_chunks_together_are_what_the_renderer_writes(self, count, chunk_size):
        expected = JSONRenderer().render(Row(rows(count), many=True).data)
        chunks = list(fastschema.compile(Row).stream(rows(count), chunk_size=chunk_size))
        assert b"".join(chunks) == expected
        assert all(chunks)

    def test_an_error_comes_when_its_row_is_reached(self):
        stream = fastschema.compile(Row).stream([*rows(2), Thing()], chunk_size=2)
        assert json.loads(next(stream) + b"]")[1]["number"] == 1
        with pytest.raises(AttributeError, match="field `number` on serializer `Row`"):
            next(stream)

    def test_a_serializer_with_an_own_method_is_written_in_one_piece(self):
        class Own(Row):
            def to_representation(self, instance):
                return [instance.number, 1e-7]

        assert list(fastschema.compile(Own).stream(rows(2))) == [b"[[0,1e-07],[1,1e-07]]"]
