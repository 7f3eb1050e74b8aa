"""The JSON provider, against Flask's own."""

import dataclasses
import datetime
import decimal
import enum
import json
import math
import uuid
from collections import OrderedDict, defaultdict, namedtuple
from fractions import Fraction
from itertools import product
from types import MappingProxyType

import pytest
from flask import Flask, jsonify, render_template_string, request
from flask.json.provider import DefaultJSONProvider, JSONProvider
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

import fastschema
from fastschema.contrib.flask import FastJSONProvider, FastSchema
from fastschema.contrib.flask.json_provider import encode
from tests.contrib.flask.differential import answers, assert_same_response
from tests.contrib.flask.schemas import BandSchema
from tests.marks import needs_orjson


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


class Mood(enum.StrEnum):
    GOOD = "good"


class Text(str):
    pass


class Number(int):
    pass


class Real(float):
    def __repr__(self):
        return "real"


class Mapping(dict):
    pass


class Row(list):
    pass


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
    "none": lambda: None,
    "booleans": lambda: [True, False],
    "integers": lambda: [0, -1, 2**53, 2**63 - 1, -(2**63)],
    "unsigned integers": lambda: [2**64 - 1],
    "huge integers": lambda: [2**64, -(2**63) - 1, 10**40],
    "floats": lambda: [0.0, -0.0, 1.5, 0.1, 1 / 3, 1e15, 123456789.123456789],
    "small floats": lambda: [1e-4, 9.9e-5, 1e-5, 1e-7, 5e-324],
    "large floats": lambda: [1e16, 1e17, 1.7976931348623157e308, 123456789012345680.0],
    "infinities": lambda: [math.inf, -math.inf],
    "nan": lambda: {"nan": math.nan},
    "text": lambda: ["", "plain", 'quote " and \\ and /', "\x00\x1f\b\f\n\r\t"],
    "delete": lambda: {"\x7f": "a\x7fb"},
    "latin": lambda: {"é": "naïve ÿ \x80"},
    "far text": lambda: ["Ωμέγα", "日本語", "\u2028\u2029", "\uffff"],
    "emoji": lambda: {"😀": ["a😀é😀b", "\U0010ffff"]},
    "far text and delete": lambda: ["é\x7f😀"],
    "lone surrogate": lambda: ["\ud800"],
    "half of a pair": lambda: {"\udc00x": "é"},
    "lists": lambda: [[], [1], [[2]], [{}]],
    "tuples": lambda: ((), (1, [2]), {"a": (3,)}),
    "named tuple": lambda: Pair(1, {"b": 2}),
    "dictionaries": lambda: {"b": 1, "a": {"d": {}, "c": [1, {"z": 1, "y": 2}]}},
    "sorted keys": lambda: {"é": 1, "z": 2, "a": 3, "😀": 4, "\uffff": 5, "": 6, "Z": 7},
    "ordered dictionary": lambda: OrderedDict(b=1, a=2),
    "default dictionary": lambda: defaultdict(list, b=[1], a=[]),
    "mapping that is no dictionary": lambda: MappingProxyType({"a": 1}),
    "integer keys": lambda: {2: "b", 10: "a"},
    "mixed keys": lambda: {"b": 1, 1: 2},
    "odd keys": lambda: {None: 1},
    "boolean keys": lambda: {True: 1, False: 0},
    "float keys": lambda: {1.5: "a", 0.5: "b"},
    "tuple keys": lambda: {(1, 2): "a"},
    "date keys": lambda: {datetime.date(2013, 1, 1): 1},
    "uuid keys": lambda: {uuid.UUID(int=1): 1},
    "text keys": lambda: {Text("b"): 1, "a": 2},
    "enum keys": lambda: {Mood.GOOD: 1},
    "date": lambda: datetime.date(2013, 1, 2),
    "early date": lambda: datetime.date(1, 1, 1),
    "datetime": lambda: [datetime.datetime(2013, 1, 2, 3, 4, 5, 678)],
    "datetime with zone": lambda: [
        datetime.datetime(2013, 1, 2, 3, 4, 5, tzinfo=UTC),
        datetime.datetime(2013, 1, 2, 3, 4, 5, tzinfo=EAST),
    ],
    "time": lambda: [datetime.time(1, 2)],
    "duration": lambda: datetime.timedelta(1),
    "subclass of datetime": lambda: [Moment(2013, 1, 2)],
    "decimal": lambda: [decimal.Decimal("1.50"), decimal.Decimal("NaN"), decimal.Decimal("1E+5")],
    "uuid": lambda: {"id": uuid.UUID(int=7)},
    "subclass of uuid": lambda: [Identity(int=7)],
    "dataclass": lambda: [Point(1), {"p": Point(2)}],
    "dataclass itself": lambda: Point,
    "html": lambda: [Html(), Markup("<i>")],
    "enum": lambda: [Color.RED],
    "number enum": lambda: {"level": Level.LOW},
    "text enum": lambda: Mood.GOOD,
    "subclasses": lambda: [Text("a"), Number(3), Mapping(b=1, a=2), Row([1])],
    "subclass of float": lambda: Real(1.5),
    "bytes": lambda: b"abc",
    "set": lambda: {"s": {1}},
    "generator": lambda: (n for n in [1]),
    "fraction": lambda: Fraction(1, 3),
    "object": lambda: [1, object],
    "circular": circular,
    "deep": lambda: nested(300),
    "very deep": lambda: nested(2_000),
    "long list": lambda: [{"id": n, "name": f"é {n}"} for n in range(1000)],
    "long list with a surprise": lambda: [*range(999), math.nan],
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


@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_answered_as_by_flask_with_a_default_of_its_own(name):
    def default(value):
        if isinstance(value, (datetime.date, uuid.UUID, decimal.Decimal, enum.Enum)):
            return f"own {value}"
        raise TypeError(f"own default: {type(value).__name__}")

    assert_same_response(VALUES[name], default=default)


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


@pytest.mark.parametrize(
    "name",
    ["text", "emoji", "delete", "decimal", "datetime", "uuid", "long list", "page", "tuples"],
)
@pytest.mark.parametrize("indent", [True, False])
@needs_orjson
def test_the_usual_values_are_written_by_orjson(name, indent):
    provider = FastJSONProvider(Flask("app"))

    assert encode(provider, VALUES[name](), indent=indent) is not None


@pytest.mark.parametrize(
    "name", ["html", "dataclass", "enum", "nan", "subclasses", "lone surrogate"]
)
@needs_orjson
def test_what_orjson_would_write_otherwise_is_left_to_flask(name):
    provider = FastJSONProvider(Flask("app"))

    assert encode(provider, VALUES[name]()) is None


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


def test_two_arguments_and_keywords_are_prepared_as_by_flask():
    for arguments, keywords in (((1, 2), {}), ((), {"b": 1, "a": 2}), ((), {}), ((1,), {"a": 1})):
        stock, fast = answers(
            lambda: None,
            lambda app, _, a=arguments, k=keywords: app.json.response(*a, **k).data,
        )
        assert fast == stock


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
    b'{"a": "\xc3\xa9"}',
    "[NaN, Infinity, -Infinity]",
    "[123456789012345678901234567890, -9223372036854775809, 18446744073709551616]",
    "[1e400, -1e400, 0.1e-400, 1E5, -0, -0.0]",
    '{"a": 1, "a": 2}',
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    '{"a": 1}'.encode("utf-16"),
    b'\xef\xbb\xbf{"a": 1}',
    '\ufeff{"a": 1}',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    '"\t"',
    "",
    "  ",
    "[1,]",
    "{'a': 1}",
    "[1] 2",
    "01",
    "nul",
    "[" * 300 + "]" * 300,
    bytearray(b"[1]"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_json_is_read_as_by_flask(text):
    stock, fast = answers(lambda: text, lambda app, value: repr(app.json.loads(value)))
    assert fast == stock


def test_arguments_for_json_loads_mean_what_they_mean_there(app):
    assert app.json.loads("[1.5]", parse_float=decimal.Decimal) == [decimal.Decimal("1.5")]


def test_requests_responses_and_the_test_client_use_it(app):
    @app.post("/")
    def echo():
        return jsonify(request.get_json())

    answer = app.test_client().post("/", json={"b": [1, "é"], "a": None})

    assert answer.data == b'{"a":null,"b":[1,"\\u00e9"]}\n'
    assert answer.json == {"a": None, "b": [1, "é"]}
    assert app.test_client().post("/", data="{", content_type="application/json").status_code == 400


def test_a_dictionary_or_list_that_a_view_returns_is_answered_by_it(app):
    @app.get("/")
    def view():
        return {"b": uuid.UUID(int=1), "a": [1]}

    stock = {"a": [1], "b": "00000000-0000-0000-0000-000000000001"}
    assert json.loads(app.test_client().get("/").data) == stock


def test_templates_use_it(app):
    with app.app_context():
        assert render_template_string("{{ {'b': '<', 'a': 1}|tojson }}") == (
            '{"a": 1, "b": "\\u003c"}'
        )


def test_a_mimetype_of_its_own_is_kept():
    stock, fast = answers(
        lambda: [1], lambda app, value: app.json.response(value).mimetype, mimetype="text/json"
    )
    assert fast == stock == "text/json"


def test_settings_made_later_count(app):
    app.json.sort_keys = False
    app.json.ensure_ascii = False
    with app.app_context():
        assert jsonify({"b": "é", "a": 1}).data == '{"b":"é","a":1}\n'.encode()


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


def test_a_provider_that_was_made_with_arguments_is_made_fast_with_what_it_holds():
    class Provider(DefaultJSONProvider):
        __slots__ = ("suffix",)

        def __init__(self, app, prefix, suffix):
            super().__init__(app)
            self.prefix, self.suffix = prefix, suffix

        def default(self, value):
            return f"{self.prefix}{sorted(value)}{self.suffix}"

    app = Flask("app")
    provider = app.json = Provider(app, "<", ">")
    FastSchema(app)

    assert isinstance(app.json, FastJSONProvider)
    assert not isinstance(provider, FastJSONProvider)
    with app.app_context():
        assert jsonify([{2, 1}]).data == b'["<[1, 2]>"]\n'


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


def test_a_method_set_on_a_provider_stays(caplog):
    app = Flask("app")
    app.json.dumps = lambda obj, **kwargs: "set"
    FastSchema(app)

    assert not isinstance(app.json, FastJSONProvider)
    assert "of your own" in caplog.text


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


class ShoutingFast(FastJSONProvider):
    def dumps(self, obj, **kwargs):
        return super().dumps(obj, **kwargs).upper()


@needs_orjson
def test_a_method_that_a_subclass_of_the_fast_provider_overrides_is_called(monkeypatch):
    app = Flask("app")
    app.json = ShoutingFast(app)
    fast = FastSchema(app)
    written = []
    monkeypatch.setattr(
        "fastschema.contrib.flask.json_provider.encode",
        lambda provider, data, **how: written.append(data) or encode(provider, data),
    )

    assert type(app.json) is ShoutingFast
    with app.test_request_context():
        assert jsonify(["a"]).data == b'["A"]\n'
        assert fast.response(BandSchema, {"name": "can"}).data == b'{"NAME":"CAN"}\n'
        assert fast.stream(BandSchema, [{"name": "can"}]).data == b'[{"NAME":"CAN"}]\n'
    assert written[0] == ["a"]


def test_disabled_is_stock(app):
    with fastschema.disabled(), app.app_context():
        assert not app.json.is_fast
        assert jsonify({"b": 1, "a": "é"}).data == b'{"a":"\\u00e9","b":1}\n'
        assert app.json.loads("[1]") == [1]


def test_without_orjson_the_answers_are_the_same(monkeypatch, app):
    monkeypatch.setattr("fastschema.contrib.flask.json_provider.orjson", None)
    with app.app_context():
        assert jsonify({"b": 1, "a": "é"}).data == b'{"a":"\\u00e9","b":1}\n'


def test_a_default_that_a_library_has_replaced_is_asked(monkeypatch, app):
    def default(value):
        return f"theirs {value}"

    monkeypatch.setattr(DefaultJSONProvider, "default", staticmethod(default))
    stock, fast = DefaultJSONProvider(app), FastJSONProvider(app)

    data = {"price": decimal.Decimal("1e-7")}
    assert fast.dumps(data, separators=(",", ":")) == stock.dumps(data, separators=(",", ":"))
