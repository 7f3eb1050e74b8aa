"""``fastschema.json`` reads and writes the values that the standard library's ``json`` does."""

import dataclasses
import datetime
import decimal
import enum
import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import Schema, fields

import fastschema.json
from tests.outcomes import outcome_of


class Color(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    ONE = 1


@dataclasses.dataclass
class Point:
    x: int


class Text(str):
    """Text of a class of its own."""


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def called(function, *args, **kwargs):
    """What a call returns, spelled out, or the class and the message of what it raises."""
    return outcome_of(lambda: function(*args, **kwargs), [], repr)


def assert_same_text(value):
    def read_again(dumps):
        text = dumps(value)
        assert type(text) is str
        return json.loads(text)

    expected = called(read_again, json.dumps)
    assert called(read_again, fastschema.json.dumps) == expected


def assert_same_value(text):
    assert called(fastschema.json.loads, text) == called(json.loads, text)


VALUES = [
    *(float("nan"), float("inf"), -0.0, 1e22, 10**400, 2**63, 2**64, -(2**63) - 1),
    *({1: "a"}, {None: 1}, {True: 1}, {1.5: 2}, {"b": 1, "a": 2}, (1, 2), Text("a"), Number.ONE),
    *("é", "\ud800", "\u2028</script>", '"\\', "\x00", Color.RED, Point(1), b"bytes", {1, 2}),
    *(datetime.date(2020, 1, 2), uuid.UUID(int=1), decimal.Decimal("1.5"), {(1, 2): 3}),
    *(nested(200), nested(5_000)),
]
TEXTS = [
    *("", "{", "nul", "NaN", "[Infinity, -Infinity]", '{"a": 1, "a": 2}', "1e400", "-0", "01"),
    *("9" * 19, "9" * 400, "[1.0000000000000000001]", '"\\ud800"', '"\ud800"', "\ufeff{}", " 1 "),
    *(b'"\xe9"', b"\xff", b"\xff\xfe1\x00", b"{}", bytearray(b"[1]"), "[" * 5_000, None, 5),
]


@pytest.mark.parametrize("value", VALUES)
def test_odd_values(value):
    for each in (value, [value], {"key": [1, value]}):
        assert_same_text(each)


@pytest.mark.parametrize("text", TEXTS)
def test_odd_texts(text):
    assert_same_value(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_random_values(value):
    assert_same_text(value)
    assert_same_value(json.dumps(value))


def test_further_arguments_are_those_of_the_standard_library():
    assert fastschema.json.dumps({"b": 1, "a": [2]}, indent=2, sort_keys=True) == json.dumps(
        {"b": 1, "a": [2]}, indent=2, sort_keys=True
    )
    assert fastschema.json.loads("[1.5]", parse_float=decimal.Decimal) == [decimal.Decimal("1.5")]


def test_a_schema_writes_and_reads_by_it():
    class Item(Schema):
        class Meta:
            render_module = fastschema.json

        name = fields.String()
        size = fields.Integer()

    item = {"name": "é", "size": 1}
    assert Item().dumps(item) in ('{"name":"é","size":1}', json.dumps(item))
    assert Item().loads('{"name": "é", "size": 1}') == item
