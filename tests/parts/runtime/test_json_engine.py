"""The JSON writers: orjson's and the standard library's say the same."""

import datetime as dt
import enum
import json
import subprocess
import sys
import uuid
from decimal import Decimal

import pytest

from fastschema.runtime.json_engine import ORJSON, STANDARD, json_value
from tests.marks import needs_orjson


class Colour(enum.StrEnum):
    RED = "red"


class Size(enum.IntEnum):
    S = 1


class Text(str):
    __slots__ = ()


def nested(depth):
    data = []
    for _ in range(depth):
        data = [data]
    return data


WRITABLE = [
    None,
    2**63,
    2**64,
    1.5,
    -0.0,
    1e-5,
    5e-324,
    float("inf"),
    "\x00\x1f\x7f\u2028\N{ROCKET}",
    "\ud800 lone",
    '"\\/',
    Text("subclass"),
    Size.S,
    [1, [2, {"a": None}]],
    {"a": 1, "": 2, "\ud800": 3},
    {1: 2, None: 3, 1.5: 4, False: 5},
    nested(400),
]

UNWRITABLE = {
    "a set": {1, 2},
    "a decimal": Decimal(1),
    "a UUID": uuid.UUID(int=1),
    "a datetime": dt.datetime(2024, 1, 2),
    "a set deep down": [{"a": {1}}],
    "a key that is a tuple": {(1, 2): 3},
}


def without(modules, code):
    """What Python prints for a piece of code when modules cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({modules!r}))\n{code}"
    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("value", WRITABLE, ids=repr)
@pytest.mark.parametrize("beside", [[], [float("nan")], [[1]], [2**64], ["\ud800"]], ids=repr)
@needs_orjson
def test_orjson_writes_any_value_beside_any_other_as_json_dumps_does(value, beside):
    data = [value, *beside]

    written = ORJSON.encode([json_value(each) for each in data])

    assert repr(json.loads(written)) == repr(json.loads(json.dumps(data)))


@pytest.mark.parametrize(
    "moment",
    [
        dt.datetime(1, 1, 1),
        dt.datetime(999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
        dt.datetime(2024, 2, 29, microsecond=1),
        dt.datetime(2024, 2, 29, microsecond=120000),
        dt.datetime.max,
        dt.date(1, 1, 1),
        dt.date.max,
        uuid.UUID(int=0),
        uuid.UUID(int=2**128 - 1),
    ],
    ids=repr,
)
@needs_orjson
def test_orjson_writes_what_is_left_to_it_as_python_does(moment):
    text = moment.isoformat() if isinstance(moment, dt.date) else str(moment)

    assert json.loads(ORJSON.encode(moment)) == text


@pytest.mark.parametrize("value", UNWRITABLE.values(), ids=UNWRITABLE)
@needs_orjson
def test_a_value_that_json_cannot_hold_raises_what_json_dumps_raises(value):
    with pytest.raises(TypeError) as expected:
        json.dumps(value)

    for engine, data in ((STANDARD, value), (ORJSON, [json_value(value)])):
        with pytest.raises(TypeError) as caught:
            engine.encode(data)
        assert str(caught.value) == str(expected.value)


@needs_orjson
def test_a_value_is_written_as_it_was_when_it_was_given():
    value = [1]
    given = json_value(value)
    value.append(2)

    assert json.loads(ORJSON.encode([given])) == [[1]]


DUMP_TWO_WAYS = """
import datetime, decimal, enum, json, uuid
from marshmallow import Schema, fields, post_dump
import fastschema

class Colour(enum.Enum):
    RED = 1

class Hooked(Schema):
    name = fields.String()
    @post_dump
    def hook(self, data, **kwargs):
        return {**data, "hooked": True}

class Row(Schema):
    id = fields.UUID()
    moment = fields.DateTime()
    day = fields.Date()
    real = fields.Float()
    reals = fields.List(fields.Float())
    amount = fields.Decimal(2, as_string=True)
    colour = fields.Enum(Colour, by_value=True)
    raw = fields.Raw()
    hooked = fields.Nested(Hooked)
    several = fields.Nested(Hooked, many=True)
    same = fields.Nested(lambda: Row(), many=True)

row = {
    "id": uuid.UUID(int=1), "moment": datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC),
    "day": datetime.date(2024, 1, 2), "real": float("inf"), "reals": [1e16, 1e-5, 2],
    "amount": decimal.Decimal("1.005"), "colour": Colour.RED, "raw": [2**70, "\\ud800"],
    "hooked": {"name": 1}, "several": [{"name": 2}, {}],
}
rows = [row, {}, {**row, "same": [row]}] * 3
plan = fastschema.compile(Row)
expected = json.loads(json.dumps(Row().dump(rows, many=True)))
assert json.loads(plan.dumps(rows, many=True)) == expected
assert json.loads(b"".join(plan.stream(rows, chunk_size=2))) == expected
assert json.loads(plan.dumps(row)) == expected[0]
assert plan.dump(rows, many=True) == Row().dump(rows, many=True)
print(fastschema.stats().compiled_rows > 0)
"""


def test_a_schema_gives_the_same_json_values_without_orjson():
    assert without(["orjson"], DUMP_TWO_WAYS) == "True\n"
