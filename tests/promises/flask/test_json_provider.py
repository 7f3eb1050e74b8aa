"""The JSON provider, against Flask's own."""

import dataclasses
import datetime
import decimal
import enum
import json
import math
import uuid
from collections import namedtuple
from itertools import product

import pytest
from flask import Flask, jsonify
from flask.json.provider import DefaultJSONProvider, JSONProvider
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

import fastschema
from fastschema.contrib.flask import FastJSONProvider, FastSchema
from tests.promises.flask.differential import answers, assert_same_response


@dataclasses.dataclass
class Point:
    x: int
    when: datetime.date = datetime.date(2013, 1, 1)


class Html:
    def __html__(self):
        return "<b>é</b>"


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Text(str):
    pass


class Real(float):
    def __repr__(self):
        return "real"


class Identity(uuid.UUID):
    def __str__(self):
        return "identity"


class Moment(datetime.datetime):
    pass


Pair = namedtuple("Pair", "first second")
UTC = datetime.UTC
EAST = datetime.timezone(datetime.timedelta(hours=5, minutes=30, seconds=15))


def nested(depth):
    data = []
    for _ in range(depth):
        data = [data]
    return data


def circular():
    data = []
    data.append(data)
    return data


VALUES = {
    "unsigned integers": lambda: [2**64 - 1],
    "huge integers": lambda: [2**64, -(2**63) - 1, 10**40],
    "small floats": lambda: [1e-4, 9.9e-5, 1e-5, 1e-7, 5e-324],
    "large floats": lambda: [1e16, 1e17, 1.7976931348623157e308, 123456789012345680.0],
    "nan": lambda: {"nan": math.nan},
    "text": lambda: ["", "plain", 'quote " and \\ and /', "\x00\x1f\b\f\n\r\t"],
    "delete": lambda: {"\x7f": "a\x7fb"},
    "emoji": lambda: {"😀": ["a😀é😀b", "\U0010ffff"]},
    "lone surrogate": lambda: ["\ud800"],
    "tuples": lambda: ((), (1, [2]), {"a": (3,)}),
    "dictionaries": lambda: {"b": 1, "a": {"d": {}, "c": [1, {"z": 1, "y": 2}]}},
    "sorted keys": lambda: {"é": 1, "z": 2, "a": 3, "😀": 4, "\uffff": 5, "": 6, "Z": 7},
    "integer keys": lambda: {2: "b", 10: "a"},
    "mixed keys": lambda: {"b": 1, 1: 2},
    "odd keys": lambda: {None: 1},
    "tuple keys": lambda: {(1, 2): "a"},
    "text keys": lambda: {Text("b"): 1, "a": 2},
    "date": lambda: datetime.date(2013, 1, 2),
    "datetime": lambda: [datetime.datetime(2013, 1, 2, 3, 4, 5, 678)],
    "datetime with zone": lambda: [
        datetime.datetime(2013, 1, 2, 3, 4, 5, tzinfo=UTC),
        datetime.datetime(2013, 1, 2, 3, 4, 5, tzinfo=EAST),
    ],
    "subclass of datetime": lambda: [Moment(2013, 1, 2)],
    "decimal": lambda: [decimal.Decimal("1.50"), decimal.Decimal("NaN"), decimal.Decimal("1E+5")],
    "uuid": lambda: {"id": uuid.UUID(int=7)},
    "dataclass": lambda: [Point(1), {"p": Point(2)}],
    "html": lambda: [Html(), Markup("<i>")],
    "enum": lambda: [Color.RED],
    "subclasses": lambda: [Text("a"), Level.LOW, Identity(int=7), Pair(1, {"b": 2})],
    "subclass of float": lambda: Real(1.5),
    "set": lambda: {"s": {1}},
    "object": lambda: [1, object],
    "circular": circular,
    "very deep": lambda: nested(2_000),
    "long list": lambda: [{"id": n, "name": f"é {n}"} for n in range(1000)],
    "long list that ends badly": lambda: [*range(999), {1}],
    "page": lambda: {"items": [{"price": decimal.Decimal("1.5")}] * 3, "total": 3},
}

SETTINGS = [
    dict(zip(("sort_keys", "ensure_ascii", "compact", "debug"), values, strict=True))
    for values in product([True, False], [True, False], [None, True, False], [False, True])
]


@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_answered_as_by_flask_with_all_settings(name):
    for each in SETTINGS:
        assert_same_response(VALUES[name], **each)


KEYS = st.text(max_size=4)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(codec=None, categories=None))
    | st.datetimes()
    | st.dates()
    | st.decimals()
    | st.uuids()
)
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(KEYS, inner, max_size=5)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(DATA, st.booleans(), st.booleans(), st.sampled_from([None, False]))
def test_any_data_are_answered_as_by_flask(data, sort_keys, ensure_ascii, compact):
    assert_same_response(
        lambda: data, sort_keys=sort_keys, ensure_ascii=ensure_ascii, compact=compact
    )


def test_user_code_is_called_once():
    calls = []

    class Counted:
        def __html__(self):
            calls.append("html")
            return "x"

    app = Flask("app")
    FastSchema(app)
    app.json.dumps({"a": [Counted(), math.nan, 2**70, "\ud800"]}, separators=(",", ":"))

    assert calls == ["html"]


@pytest.mark.parametrize(
    "options",
    [
        {"indent": 4},
        {"separators": (", ", ":")},
        {"sort_keys": False},
        {"default": str},
        {"cls": None},
    ],
)
def test_arguments_for_json_dumps_mean_what_they_mean_there(options):
    data = {"b": [1, "é"], "a": {1: 2.5}}
    stock, fast = answers(lambda: data, lambda app, value: app.json.dumps(value, **options))
    assert fast == stock


TEXTS = [
    '{"a": [1, 2.5, "é", null, true]}',
    "[NaN, Infinity, -Infinity]",
    "[123456789012345678901234567890, -9223372036854775809, 18446744073709551616]",
    "[1e400, -1e400, 0.1e-400, 1E5, -0, -0.0]",
    '{"a": 1, "a": 2}',
    '"\\ud800"',
    b'\xef\xbb\xbf{"a": 1}',
    '\ufeff{"a": 1}',
    b'"\xff"',
    '"\t"',
    "",
    "[1,]",
    "[" * 300 + "]" * 300,
    bytearray(b"[1]"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_json_is_read_as_by_flask(text):
    stock, fast = answers(lambda: text, lambda app, value: repr(app.json.loads(value)))
    assert fast == stock


def test_a_provider_that_changes_settings_only_is_made_fast_with_them():
    class Provider(DefaultJSONProvider):
        sort_keys = False

        @staticmethod
        def default(value):
            if isinstance(value, set):
                return sorted(value)
            return DefaultJSONProvider.default(value)

    class Application(Flask):
        json_provider_class = Provider

    app = Application("app")
    FastSchema(app)

    assert isinstance(app.json, FastJSONProvider)
    assert isinstance(app.json, Provider)
    with app.app_context():
        assert jsonify({"b": {2, 1}, "a": uuid.UUID(int=1)}).data == (
            b'{"b":[1,2],"a":"00000000-0000-0000-0000-000000000001"}\n'
        )


class Shouting(DefaultJSONProvider):
    def dumps(self, obj, **kwargs):
        return super().dumps(obj, **kwargs).upper()


class Foreign(JSONProvider):
    def dumps(self, obj, **kwargs):
        return json.dumps(obj, indent=1)

    def loads(self, s, **kwargs):
        return json.loads(s)


@pytest.mark.parametrize("cls", [Shouting, Foreign])
def test_a_provider_that_overrides_methods_stays_and_a_warning_says_so(cls, caplog):
    app = Flask("app")
    provider = app.json = cls(app)
    FastSchema(app)

    assert app.json is provider
    assert f"a {cls.__name__} of your own" in caplog.text


def test_a_provider_may_have_methods_of_its_own():
    class Provider(DefaultJSONProvider):
        sort_keys = False

        def encode(self, value):
            return f"<{value}>"

        def stock_encode(self, value):
            return self.encode(value)

    answered = []
    for is_fast in (False, True):
        app = Flask("app")
        app.json = Provider(app)
        if is_fast:
            FastSchema(app)
            assert isinstance(app.json, FastJSONProvider)
        with app.test_request_context():
            data = {"b": app.json.stock_encode("é"), "a": app.json.encode(1), "c": [math.nan]}
            answered.append(jsonify(data).data)
    assert answered[0] == answered[1]


def test_disabled_is_stock(app):
    with fastschema.disabled(), app.app_context():
        assert not app.json.is_fast
        assert jsonify({"b": 1, "a": "é"}).data == b'{"a":"\\u00e9","b":1}\n'
        assert app.json.loads("[1]") == [1]


def test_a_default_that_a_library_has_replaced_is_asked(monkeypatch, app):
    def default(value):
        return f"theirs {value}"

    monkeypatch.setattr(DefaultJSONProvider, "default", staticmethod(default))
    stock, fast = DefaultJSONProvider(app), FastJSONProvider(app)

    data = {"price": decimal.Decimal("1e-7")}
    assert fast.dumps(data, separators=(",", ":")) == stock.dumps(data, separators=(",", ":"))
