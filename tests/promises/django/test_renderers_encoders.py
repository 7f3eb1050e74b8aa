"""Renderers with encoders of users', which write as in stock, and renderers of users'."""

import datetime
import enum
import json
import uuid
from dataclasses import dataclass
from decimal import Decimal

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from fastschema.contrib.django.renderers import FastJSONRenderer, writes_fast
from tests.marks import needs_orjson
from tests.promises.django.differential import assert_equal, outcome, shown

calls = []


@dataclass
class Money:
    amount: object


class Colour(enum.Enum):
    RED = "red"


class Wrong:
    pass


class Encoder(JSONEncoder):
    def default(self, obj):
        calls.append(repr(obj))
        if isinstance(obj, Money):
            return obj.amount
        return super().default(obj)


class OfDjango(DjangoJSONEncoder):
    def default(self, obj):
        calls.append(repr(obj))
        return "?" if isinstance(obj, Money) else super().default(obj)


class Raising(JSONEncoder):
    def default(self, obj):
        calls.append(repr(obj))
        raise KeyboardInterrupt if obj == Money(1) else LookupError("no money")


class Seeing(JSONEncoder):
    def default(self, obj):
        names = ("ensure_ascii", "allow_nan", "item_separator", "key_separator", "indent")
        return [getattr(self, name) for name in names]


class OwnEncode(Encoder):
    def encode(self, obj):
        return f"own {super().encode(obj)}"


class OwnIterencode(Encoder):
    def iterencode(self, obj, _one_shot=False):
        yield from ("own", *super().iterencode(obj, _one_shot))


class OwnInit(Encoder):
    def __init__(self, **kwargs):
        super().__init__(**{**kwargs, "sort_keys": True})


class Static(JSONEncoder):
    default = staticmethod(lambda obj: "static")


ENCODERS = [
    *(Encoder, OfDjango, Raising, Seeing, Static, OwnEncode, OwnIterencode, OwnInit),
    *(json.JSONEncoder, DjangoJSONEncoder, type("Same", (JSONEncoder,), {})),
]
MOMENT = datetime.datetime(2026, 1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
VALUES = [
    *(Money("1.10"), Money(1), Money(1e-7), Money(float("nan")), Money(2**70), Money("\ud800")),
    *(Money(Money(Money(1.5))), Money([Money(1), Money(None)]), Money({"a": Money(1)})),
    *(Money({1: 2}), Money(("a", "b")), Money({"a"}), Money(Colour.RED), Money(Wrong())),
    *(Money(MOMENT), Money(uuid.UUID(int=1)), Money(Decimal("0.1")), Money("\u2028\u00e9")),
    *(Colour.RED, uuid.UUID(int=1), Wrong(), MOMENT, MOMENT.date(), MOMENT.timetz(), b"b", {1, 2}),
    *(Decimal("1.1"), Decimal("NaN"), gettext_lazy("Yes"), SimpleLazyObject(lambda: "lazy")),
    *(float("nan"), 1e-7, 2**70, "\ud800", {1: Money(1)}, (Money(1),), None, True, 1.5, "a", []),
]


def rendered(base, data, **attributes):
    return outcome(lambda: type("Renderer", (base,), attributes)().render(data), calls)


def assert_same(data, **attributes):
    expected = rendered(JSONRenderer, data, **attributes)
    assert_equal(rendered(FastJSONRenderer, data, **attributes), expected)
    return expected


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda cls: cls.__qualname__)
@pytest.mark.parametrize(
    "attributes", [{}, {"ensure_ascii": True}, {"strict": False}, {"compact": False}], ids=str
)
def test_an_encoder_is_asked_as_by_stock(encoder, attributes):
    for value in VALUES:
        for data in (
            value,
            [value],
            {"a": value},
            [{"a": Money(2)}, {"a": value}, {"a": Money(3)}],
        ):
            assert_same_or_stopped(data, encoder_class=encoder, **attributes)


def assert_same_or_stopped(data, **attributes):
    """As :func:`assert_same`, where an encoder may raise what ends programs."""

    def guarded(base):
        calls.clear()
        try:
            return rendered(base, data, **attributes)
        except KeyboardInterrupt:
            return list(calls)

    assert guarded(FastJSONRenderer) == guarded(JSONRenderer)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
DATA = st.recursive(
    PLAIN | st.sampled_from([Decimal("1.5"), MOMENT, Colour.RED, b"b", uuid.UUID(int=2)]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3)
        | st.builds(Money, inner)
    ),
)


@given(DATA)
def test_random_data_are_asked_for_alike(data):
    assert_same(data, encoder_class=Encoder)


@needs_orjson
@pytest.mark.parametrize("encoder", [JSONEncoder, *ENCODERS], ids=lambda cls: cls.__qualname__)
def test_stock_writes_by_an_encoder_of_ones_own(encoder):
    renderer = type("Renderer", (FastJSONRenderer,), {"encoder_class": encoder})()
    assert writes_fast(renderer, None, {}) is (encoder is JSONEncoder)


def test_a_default_that_users_have_put_on_drfs_encoder_is_asked(monkeypatch):
    monkeypatch.setattr(JSONEncoder, "default", Encoder.default.__get__(None, Encoder))
    for value in VALUES:
        assert_same([value])


# Renderers of users'


class Wrapping(JSONRenderer):
    def render(self, data, accepted_media_type=None, renderer_context=None):
        calls.append("wrap")
        return super().render({"data": data}, accepted_media_type, renderer_context)


class Marking:
    def render(self, data, *args, **kwargs):
        calls.append("mark")
        return b"+" + super().render(data, *args, **kwargs)


class Named(JSONRenderer):
    media_type = "application/vnd.own+json"
    format = "own"


class FastWrapping(Marking, Wrapping, FastJSONRenderer):
    pass


class FastNamed(FastJSONRenderer, Named):
    pass


@pytest.mark.parametrize("value", VALUES, ids=shown)
def test_a_renderer_before_ours_renders_as_before(value):
    stock = type("Stock", (Marking, Wrapping), {})
    expected = outcome(lambda: stock().render(value), calls)
    assert_equal(outcome(lambda: FastWrapping().render(value), calls), expected)


@needs_orjson
def test_ours_writes_for_a_renderer_before_it(monkeypatch):
    monkeypatch.setattr("rest_framework.renderers.json.dumps", None)
    assert FastWrapping().render([1]) == b'+{"data":[1]}'
    assert FastNamed().render([1]) == b"[1]"
    assert FastNamed.media_type == "application/vnd.own+json"


@pytest.mark.parametrize("base", [Wrapping, type("Of", (Named, Wrapping), {})])
def test_a_renderer_after_ours_is_a_mistake_if_it_renders(base):
    with pytest.raises(TypeError, match="list Wrapping before FastJSONRenderer"):
        type("Renderer", (FastJSONRenderer, base), {})
