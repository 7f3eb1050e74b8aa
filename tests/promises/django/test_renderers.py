"""FastJSONRenderer writes the bytes of JSONRenderer, or raises what it raises."""

import collections
import datetime
import decimal
import enum
import ipaddress
import json
import math
import sys
import types
import uuid
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import pytest
from django.utils import translation
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, pgettext_lazy
from rest_framework.relations import Hyperlink
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

import fastschema
from fastschema.contrib.django import renderers
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline
from tests.marks import needs_orjson
from tests.promises.django.differential import exactly, outcome
from tests.promises.django.dump.test_fields import VALUES as VALUES_OF_FIELDS


class Text(str):
    __slots__ = ()

    def __str__(self):
        return "other"

    __repr__ = __str__


class Real(float):
    def __repr__(self):
        return "other"

    __str__ = __repr__


class Size(enum.IntEnum):
    BIG = 1


class Mood(enum.StrEnum):
    GOOD = "good"


@dataclass
class Point:
    x: int = 1


class OwnItems(dict):
    def items(self):
        return [("own", 1)]


class OwnList(list):
    def __iter__(self):
        return iter(["own"])


class WithTolist:
    def tolist(self):
        return [1, 2]


class WithGetitem:
    def keys(self):
        return ["a"]

    def __getitem__(self, key):
        return 1


circular = []
circular.append({"a": circular})
nested = []
for _ in range(300):
    nested = [nested]
very_nested = {}
for _ in range(100_000):
    very_nested = {"a": very_nested}

VALUES = {
    **VALUES_OF_FIELDS,
    "None": None,
    "an integer": 7,
    "a negative huge integer": -(2**63) - 1,
    "the largest integer of orjson": 2**64 - 1,
    "a string": "é \U0001f600",
    "control characters": "".join(map(chr, range(33))) + "\x7f\x80",
    "line separators": "a\u2028b\u2029c",
    "quotes": "\"'\\/</script>",
    "a string of another class": Text("abc"),
    "a hyperlink": Hyperlink("/x/", Point()),
    "a float of another class": Real(1.5),
    "nan of another class": Real("nan"),
    "a lazy object": SimpleLazyObject(lambda: {"a": 1}),
    "an IP address": ipaddress.ip_address("::1"),
    "a tuple": (1, (2, [3])),
    "a named tuple": collections.namedtuple("Named", "a")(1),
    "an empty dictionary": {},
    "a list of lists": [[], [[1], {"a": []}]],
    "an ordered dictionary": collections.OrderedDict(b=1, a=2),
    "a default dictionary": collections.defaultdict(list, a=[1]),
    "a mapping proxy": types.MappingProxyType({"a": 1}),
    "a dictionary with own items": OwnItems(a=1),
    "a list with own values": OwnList([1]),
    "integer keys": {1: "a", 2: "b"},
    "float keys": {1.5: "a", 1e16: 2},
    "a key that is no number": {math.nan: 1},
    "keys that are None and booleans": {None: 1, True: 2, False: 3},
    "date keys": {datetime.date(2024, 7, 1): 1},
    "UUID keys": {uuid.UUID(int=5): 1},
    "tuple keys": {(1, 2): 1},
    "enum keys": {Mood.GOOD: 1, Size.BIG: 2},
    "keys of another string class": {Text("abc"): 1, SafeString("<b>"): 2},
    "a key with a lone surrogate": {"\udfff": 1},
    "a key with line separators": {"\u2028": 1},
    "keys written alike": {1: "a", "1": "b"},
    "a dataclass object": Point(),
    "an object with tolist": WithTolist(),
    "an object with getitem": WithGetitem(),
    "circular data": circular,
    "a deeply nested list": nested,
    "a very deeply nested dictionary": very_nested,
    "an exception": ValueError("x"),
}
FLOATS = [
    0.0, -0.0, 0.1, 1e-4, 9.9e-5, 1e-5, 1e-7, 5e-324, 1e15, 1e16, -1e16, 1e17, 1.7e308, 1 / 3,
    math.nan, math.inf, -math.inf,
]  # fmt: skip  # a table, to be seen at a glance
PLACES = {
    "by itself": lambda value: value,
    "in a list": lambda value: [1, value, "a"],
    "in a dictionary": lambda value: {"a": 1, "b": value, "c": None},
    "deep down": lambda value: [{"a": [{"b": [value]}]}],
}


class OwnEncoder(JSONEncoder):
    def default(self, obj):
        if isinstance(obj, Point):
            return {"x": obj.x}
        return str(obj) if isinstance(obj, decimal.Decimal) else super().default(obj)


class OwnEncode(JSONEncoder):
    def encode(self, obj):
        return f"own {super().encode(obj)}"


SETTINGS = {
    "by default": {},
    "not compact": {"compact": False},
    "ASCII only": {"ensure_ascii": True},
    "not strict": {"strict": False},
    "neither": {"compact": False, "ensure_ascii": True, "strict": False},
    "with an encoder": {"encoder_class": OwnEncoder},
    "with an own encode": {"encoder_class": OwnEncode},
    "with the encoder of the standard library": {"encoder_class": json.JSONEncoder},
}


def assert_same_bytes(data, *args, **settings):
    """Assert that both renderers write the same; return it, or the exception."""
    stock, fast = (
        outcome(partial(type("Renderer", (base,), settings)().render, data, *args), [])
        for base in (JSONRenderer, FastJSONRenderer)
    )
    assert fast == stock
    return stock


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_any_value_is_written_as_in_stock(place, options):
    for value in [*VALUES.values(), *FLOATS]:
        assert_same_bytes(place(value), **options)


@pytest.mark.parametrize(
    "media_type",
    [
        *(None, "", "application/json", "application/json; indent=4"),
        *("application/json; indent=0", "application/json; indent=-1"),
        *("application/json; indent=99", "application/json; indent=x", "application/json; q=0.5"),
    ],
)
def test_the_indentation_is_that_of_stock(media_type):
    data = {"a": [1, {"b": "é\u2028"}], "c": {}, "d": []}
    for context in (None, {}, {"indent": 2}, {"indent": None}, {"indent": 0}):
        for options in SETTINGS.values():
            assert_same_bytes(data, media_type, context, **options)


def test_a_queryset_is_written_as_in_stock(flights):
    for queryset in (
        Airline.objects.values("code", "name"),
        Airline.objects.values_list("code", flat=True),
        Airline.objects.none(),
    ):
        for place in PLACES.values():
            # A copy: a queryset keeps its rows.
            stock = JSONRenderer().render(place(queryset.all()))
            assert FastJSONRenderer().render(place(queryset.all())) == stock


def test_an_own_get_indent_is_called_as_often_as_in_stock():
    calls = []

    class Mixin:
        def get_indent(self, accepted_media_type, renderer_context):
            calls.append((accepted_media_type, dict(renderer_context)))
            return super().get_indent(accepted_media_type, renderer_context)

    results = []
    for base in (JSONRenderer, FastJSONRenderer):
        renderer = type("Renderer", (Mixin, base), {})()
        for data in ({"a": 1}, {"a": 1e-7}, "text", {"a": 2**70}, None):
            calls.clear()
            results.append((base, renderer.render(data), list(calls)))
    half = len(results) // 2
    assert [each[1:] for each in results[half:]] == [each[1:] for each in results[:half]]


@pytest.mark.parametrize("name", ["encoder_class", "compact", "ensure_ascii", "strict"])
def test_an_attribute_set_on_the_renderer_object_counts(name):
    value = {"encoder_class": OwnEncode}.get(name, not getattr(JSONRenderer, name))
    written = []
    for base in (JSONRenderer, FastJSONRenderer):
        renderer = base()
        setattr(renderer, name, value)
        written.append(renderer.render({"a": ["é", 1], "b": 1.5}))
    assert written[0] == written[1]


def test_lazy_values_are_asked_once():
    calls = []

    class Noted(JSONEncoder):
        def default(self, obj):
            calls.append(obj)
            return super().default(obj)

    lazy = gettext_lazy("Not a valid string.")
    assert_same_bytes({"a": lazy}, encoder_class=Noted)
    assert calls == [lazy, lazy]


@needs_orjson
def test_stock_writes_while_fastschema_is_disabled(monkeypatch):
    monkeypatch.setattr("rest_framework.renderers.json.dumps", lambda *args, **options: "stock")
    assert FastJSONRenderer().render({"a": 1}) == b'{"a":1}'
    with fastschema.disabled():
        assert FastJSONRenderer().render({"a": 1}) == b"stock"


def test_a_library_that_has_replaced_render_is_asked(monkeypatch):
    monkeypatch.setattr(JSONRenderer, "render", lambda self, *args: b"theirs")

    assert FastJSONRenderer().render({"a": 1}) == b"theirs"


@needs_orjson
@pytest.mark.parametrize(
    ("data", "ensure_ascii"),
    [
        ({"label": gettext_lazy("Yes"), "in": [pgettext_lazy("noun", "Yes")]}, False),
        ([{"price": Decimal("1.10")}, {"price": Decimal("1E+30")}, Decimal("-0")], False),
        (["plain"], True),
        (["\x7f", "é", "\u2028", "\U0001f600", gettext_lazy("é"), '"\\\\'], True),
    ],
    ids=["lazy", "decimal", "ASCII", "not ASCII"],
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_orjson_is_told_of_is_not_left_to_stock(data, ensure_ascii, language, monkeypatch):
    with translation.override(language):
        expected = assert_same_bytes(data, ensure_ascii=ensure_ascii)
        monkeypatch.setattr("rest_framework.renderers.json.dumps", lambda *args, **options: "stock")
        renderer = FastJSONRenderer()
        renderer.ensure_ascii = ensure_ascii
        assert exactly(renderer.render(data)) == expected.value


def test_the_log_says_once_that_the_app_is_missing(monkeypatch, caplog):
    renderers._warn_without_app.cache_clear()
    monkeypatch.setattr(renderers.apps, "is_installed", lambda name: False)
    monkeypatch.delitem(sys.modules, "fastschema.contrib.django.installation")

    FastJSONRenderer().render({"a": 1})
    FastJSONRenderer().render({"a": 1})

    (record,) = caplog.records
    assert "add 'fastschema.contrib.django' to INSTALLED_APPS" in record.getMessage()


def test_the_log_says_nothing_where_the_app_is_there(caplog):
    renderers._warn_without_app.cache_clear()

    FastJSONRenderer().render({"a": 1})

    assert caplog.records == []
