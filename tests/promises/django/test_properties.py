"""Random serializers and random objects, represented by stock and by fastschema."""

from __future__ import annotations

import datetime
import decimal
import enum
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ObjectDoesNotExist
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

from fastschema.contrib.django.renderers import FastJSONRenderer
from tests.marks import share
from tests.promises.django.differential import (
    Thing,
    Witness,
    WitnessMapping,
    assert_same_each_time,
    outcome,
)

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


def examples(number: int) -> settings:
    """So many examples, always the same ones; twenty times as many others if asked to."""
    return settings(
        max_examples=number * 20 if THOROUGH else share(number),
        derandomize=not THOROUGH,
        database=None,
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,  # a busy machine takes its time
            HealthCheck.data_too_large,  # random serializers with their objects are large
        ],
    )


class Colour(enum.Enum):
    RED = "a"
    GREEN = 1


class Shout(serializers.CharField):
    def to_representation(self, value):
        if value == "skip":
            raise serializers.SkipField
        return super().to_representation(value).upper()


NAMES = st.sampled_from(
    ["a", "b", "c", "d", "class", "obj", "é", "a b", "_x", "1", "items", "keys"]
)
SOURCES = st.one_of(NAMES, st.builds("{}.{}".format, NAMES, NAMES))
ZONES = st.sampled_from(
    [None, *map(ZoneInfo, ["UTC", "Europe/Paris", "Asia/Kolkata", "America/St_Johns"])]
)
FORMATS = st.sampled_from(["iso-8601", "ISO-8601", "%d.%m.%Y %H", None])

# Values, of the right type for one field or another and of the wrong one for most.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 3),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["", "a", "1", "yes", "skip", "2024-07-01", " 1.5 ", "\ud800", "\u2028"]),
    st.decimals(allow_nan=True, allow_infinity=True),
    st.decimals(-1000, 1000, places=2),
    st.uuids(),
    st.dates(),
    st.times(),
    st.times(timezones=ZONES),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.datetimes(timezones=st.just(datetime.UTC)),
    st.timedeltas(),
    st.binary(max_size=3),
    st.sampled_from(Colour),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.text(max_size=2), st.integers()), inner, max_size=3),
        st.builds(lambda value: lambda: value, inner),
        st.builds(lambda value: Thing(pk=value), inner),
    ),
    max_leaves=4,
)
ERRORS = st.sampled_from(
    [
        AttributeError("no"),
        KeyError("no"),
        ValueError("no"),
        serializers.SkipField(),
        ObjectDoesNotExist("no"),
    ]
)


@st.composite
def options(draw: Any) -> dict[str, Any]:
    """The options that every field takes."""
    chosen: dict[str, Any] = {}
    if draw(st.booleans()):
        chosen["source"] = draw(SOURCES)
    kind = draw(st.sampled_from(["", "", "required", "read_only", "default", "write_only"]))
    if kind == "required":
        chosen["required"] = False
    elif kind == "default":
        chosen["default"] = draw(st.sampled_from(["x", 1, None, list]))
    elif kind:
        chosen[kind] = True
    if draw(st.booleans()):
        chosen["allow_null"] = True
    return chosen


@dataclass
class Shape:
    """A kind of field, its arguments, and the values that fit it."""

    make: Callable[..., serializers.Field]
    arguments: st.SearchStrategy[dict[str, Any]] = field(default_factory=lambda: st.just({}))
    values: st.SearchStrategy[Any] = SCALARS


def decimal_arguments() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "max_digits": st.none() | st.integers(1, 40),
            "decimal_places": st.none() | st.integers(0, 10),
        },
        optional={
            "coerce_to_string": st.booleans(),
            "rounding": st.sampled_from([decimal.ROUND_UP, decimal.ROUND_DOWN]),
            "normalize_output": st.booleans(),
            "localize": st.booleans(),
        },
    )


SHAPES = [
    Shape(serializers.CharField, values=st.text(max_size=8)),
    Shape(serializers.EmailField, values=st.text(max_size=8)),
    Shape(serializers.IntegerField, values=st.integers()),
    Shape(serializers.FloatField, values=st.floats()),
    Shape(serializers.BooleanField, values=st.sampled_from([True, False, "yes", "OFF", 1, ""])),
    Shape(
        serializers.UUIDField,
        st.fixed_dictionaries({}, optional={"format": st.sampled_from(["hex", "int", "urn"])}),
        st.uuids(),
    ),
    Shape(
        serializers.DecimalField,
        decimal_arguments(),
        st.decimals(-(10**6), 10**6) | st.decimals(places=2, allow_nan=False, allow_infinity=False),
    ),
    Shape(
        serializers.DateField, st.fixed_dictionaries({}, optional={"format": FORMATS}), st.dates()
    ),
    Shape(
        serializers.TimeField, st.fixed_dictionaries({}, optional={"format": FORMATS}), st.times()
    ),
    Shape(
        serializers.DateTimeField,
        st.fixed_dictionaries({}, optional={"format": FORMATS, "default_timezone": ZONES}),
        st.datetimes(timezones=ZONES),
    ),
    Shape(
        serializers.ChoiceField,
        st.fixed_dictionaries(
            {"choices": st.sampled_from([["a", "1"], [1, 2], [("G", [("a", "A"), (1, "B")])]])}
        ),
        st.sampled_from(["a", "1", 1, "", "z", Colour.RED, Colour.GREEN]),
    ),
    Shape(serializers.ReadOnlyField, values=VALUES),
    Shape(serializers.JSONField, values=VALUES),
    Shape(serializers.ListField, values=st.lists(SCALARS, max_size=3)),
    Shape(Shout, values=st.sampled_from(["a", "skip"])),
    Shape(
        serializers.PrimaryKeyRelatedField,
        st.just({"read_only": True}),
        st.builds(lambda value: Thing(pk=value), SCALARS),
    ),
]


@st.composite
def fields(draw: Any) -> tuple[Shape, dict[str, Any]]:
    """A kind of field, and arguments for it."""
    shape = draw(st.sampled_from(SHAPES))
    arguments = {**draw(options()), **draw(shape.arguments)}
    if shape.make is serializers.ReadOnlyField:
        arguments["read_only"] = True
    # Options that exclude each other.
    if arguments.get("read_only"):
        arguments.pop("required", None)
        arguments.pop("write_only", None)
    if shape.make is serializers.ReadOnlyField:
        del arguments["read_only"]
    return shape, arguments


def without_redundancy(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a field without a source that is its name, which stock refuses."""
    return {key: each for key, each in arguments.items() if (key, each) != ("source", name)}


@dataclass
class Plan:
    cls: type[serializers.Serializer]
    inputs: dict[str, st.SearchStrategy[Any]]


@st.composite
def serializer_classes(draw: Any, depth: int = 2) -> Plan:
    """A serializer class, nested at most three deep."""
    declared: dict[str, Any] = {}
    inputs: dict[str, st.SearchStrategy[Any]] = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=5, unique=True)):
        if depth and draw(st.integers(0, 3)) == 0:
            nested = draw(serializer_classes(depth=depth - 1))
            many = draw(st.booleans())
            arguments = without_redundancy(name, draw(options()))
            declared[name] = nested.cls(many=many, **arguments)
            single = objects(nested)
            values = st.lists(single, max_size=3) if many else single
        else:
            shape, arguments = draw(fields())
            declared[name] = shape.make(**without_redundancy(name, arguments))
            values = shape.values
        inputs[declared[name].source or name] = values
    if draw(st.booleans()):
        declared["method"] = serializers.SerializerMethodField()
        declared["get_method"] = lambda self, obj: [type(obj).__name__, 1.5]
    return Plan(type("RandomSerializer", (serializers.Serializer,), declared), inputs)


@st.composite
def objects(draw: Any, plan: Plan) -> Callable[[list[Any]], Any]:
    """A function that makes an object, mostly one that fits, noting its reads in a list."""
    values: dict[str, Any] = {}
    for source, fitting in plan.inputs.items():
        fate = draw(st.integers(0, 11))
        if fate == 0:
            continue
        value = draw(fitting if fate > 2 else VALUES if fate == 2 else ERRORS)
        first, *rest = source.split(".")
        if rest and draw(st.booleans()):
            value = {rest[0]: value}
        values.setdefault(first, value)
    cls = draw(st.sampled_from([Witness, WitnessMapping, dict, Thing]))

    def make(calls: list[Any]) -> Any:
        made = {name: realize(value, calls) for name, value in values.items()}
        if cls in (dict, Thing):
            made = {key: each for key, each in made.items() if not isinstance(each, Exception)}
            return cls(**made)
        return cls(calls, **made)

    make.nested = True
    return make


def realize(value: Any, calls: list[Any]) -> Any:
    """A drawn value, with the objects in it made."""
    if getattr(value, "nested", False) is True:
        return value(calls)
    if type(value) is list:
        return [realize(each, calls) for each in value]
    if type(value) is dict:
        return {key: realize(each, calls) for key, each in value.items()}
    return value


@given(st.data())
@examples(200)
def test_one_object_is_represented_as_in_stock(data):
    plan = data.draw(serializer_classes())
    make = data.draw(objects(plan))
    calls: list[Any] = []
    assert_same_each_time(plan.cls, lambda: make(calls), calls=calls)


@given(st.data())
@examples(100)
def test_many_objects_are_represented_as_in_stock(data):
    plan = data.draw(serializer_classes())
    makers = data.draw(st.lists(objects(plan), max_size=4))
    calls: list[Any] = []
    assert_same_each_time(
        plan.cls, lambda: [make(calls) for make in makers], many=True, calls=calls
    )


@given(st.data())
@examples(100)
def test_one_field_represents_a_fitting_value_as_in_stock(data):
    shape = data.draw(st.sampled_from(SHAPES))
    arguments = data.draw(shape.arguments)
    value = data.draw(shape.values)
    cls = type("OneField", (serializers.Serializer,), {"a": shape.make(**arguments)})
    with timezone.override(data.draw(ZONES)):
        assert_same_each_time(cls, lambda: {"a": value})


@given(VALUES, st.booleans(), st.booleans(), st.booleans())
@examples(100)
def test_any_data_are_rendered_as_in_stock(value, compact, ensure_ascii, strict):
    def renderer(base):
        attributes = {"compact": compact, "ensure_ascii": ensure_ascii, "strict": strict}
        return type("Renderer", (base,), attributes)()

    for data in (value, [value], {"a": value, "b": [1, value]}):
        assert outcome(lambda data=data: renderer(FastJSONRenderer).render(data), []) == outcome(
            lambda data=data: renderer(JSONRenderer).render(data), []
        )


@given(
    st.decimals() | st.decimals(places=2, allow_nan=False) | st.decimals(-100, 100),
    decimal_arguments(),
    st.integers(1, 30),
)
@examples(100)
def test_a_decimal_is_represented_as_in_stock_in_any_context(value, arguments, precision):
    cls = type(
        "OneDecimal", (serializers.Serializer,), {"a": serializers.DecimalField(**arguments)}
    )
    with decimal.localcontext(prec=precision):
        assert_same_each_time(cls, lambda: {"a": value})
