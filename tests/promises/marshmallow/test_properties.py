"""Random schemas and random objects, dumped through stock and through fastschema."""

from __future__ import annotations

import collections
import decimal
import types
import uuid
from decimal import Decimal
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st
from marshmallow import fields, missing, post_dump, pre_dump

from tests.promises.marshmallow.differential import assert_same
from tests.promises.marshmallow.random_schemas import (
    CONTEXTS,
    DECIMALS,
    MOMENTS,
    NUMBERS,
    REALS,
    TEXTS,
    WRONG,
    Colour,
    FieldPlan,
    Kind,
    SchemaPlan,
    dict_kinds,
    list_kinds,
    tuple_kinds,
    values_by_name,
)

CALLS: list[Any] = []
MAX_DEPTH = 3


class Shouted(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        CALLS.append(("shouted", attr))
        text = super()._serialize(value, attr, obj, **kwargs)
        return missing if text is None else text.upper()


class DumpPlan(SchemaPlan):
    """A schema to be made, and the objects that it dumps."""

    purpose: ClassVar = {"dump_only": True}


class Hooks:
    @pre_dump
    def before(self, data, **kwargs):
        CALLS.append(("before", kwargs))
        return data

    @post_dump(pass_original=True)
    def after(self, data, original, **kwargs):
        CALLS.append(("after", sorted(map(repr, data)), kwargs))
        return {**data, "hooked": True}


class Picky:
    def get_attribute(self, obj, attr, default):
        CALLS.append(("get", attr))
        return super().get_attribute(obj, attr, default)


SIMPLE_KINDS = [
    Kind(fields.String, TEXTS),
    Kind(fields.Url, TEXTS),
    Kind(Shouted, TEXTS),
    Kind(fields.Raw, TEXTS | NUMBERS | st.none() | st.lists(REALS, max_size=2)),
    Kind(fields.Integer, NUMBERS),
    Kind(lambda **options: fields.Integer(as_string=True, **options), NUMBERS),
    Kind(fields.Float, REALS),
    Kind(lambda **options: fields.Float(as_string=True, **options), REALS),
    Kind(fields.Boolean, st.booleans()),
    Kind(fields.DateTime, MOMENTS),
    Kind(lambda **options: fields.DateTime(format="rfc", **options), MOMENTS),
    Kind(fields.Date, st.dates()),
    Kind(fields.Time, st.times()),
    Kind(fields.UUID, st.uuids()),
    Kind(lambda **options: fields.Decimal(as_string=True, **options), DECIMALS),
    Kind(lambda **options: fields.Enum(Colour, **options), st.sampled_from(Colour)),
    Kind(lambda **options: fields.Enum(Colour, by_value=True, **options), st.sampled_from(Colour)),
    Kind(lambda **options: fields.Function(lambda obj: 1, **options), st.none()),
    Kind(lambda **options: fields.Constant([1], **options), st.none()),
    Kind(fields.TimeDelta, st.timedeltas()),
    Kind(fields.IP, st.ip_addresses()),
    Kind(lambda **options: fields.DateTime(format="timestamp", **options), MOMENTS),
    Kind(lambda **options: fields.Date(format="%d VALUE {}", **options), st.dates()),
    Kind(
        lambda **options: fields.Enum(Colour, by_value=fields.String, **options),
        st.sampled_from(Colour),
    ),
]


@st.composite
def decimal_kinds(draw):
    places = draw(st.integers(-3, 12))
    rounding = draw(st.sampled_from([None, decimal.ROUND_UP, decimal.ROUND_HALF_EVEN]))
    settings = {"as_string": True, "allow_nan": draw(st.booleans())}
    return Kind(lambda **options: fields.Decimal(places, rounding, **settings, **options), DECIMALS)


@st.composite
def nested_kinds(draw, depth):
    plan = draw(schema_plans(depth - 1))
    many = draw(st.sampled_from([None, False, True]))
    only = draw(st.none() | st.lists(st.sampled_from(sorted(plan.fields)), min_size=1, unique=True))
    whole = object_values(plan)
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(sorted(plan.fields)))
        return Kind(lambda **options: fields.Pluck(plan.make(), name, **options), whole)
    return Kind(
        lambda **options: fields.Nested(plan.make(), many=many, only=only, **options),
        st.lists(whole, max_size=3) if many else whole,
    )


def kinds(depth):
    """Kinds of fields; nested ones while there is depth left."""
    several = [st.sampled_from(SIMPLE_KINDS), st.sampled_from(SIMPLE_KINDS), decimal_kinds()]
    if depth > 1:
        inner, options = kinds(depth - 1), st.just({})
        several += [list_kinds(inner, options), tuple_kinds(inner, options)]
        several.append(dict_kinds(st.sampled_from(SIMPLE_KINDS), inner, options))
        several.append(nested_kinds(depth))
    return st.one_of(several)


NAMES = st.sampled_from(
    ["a", "b", "c", "items", "class", '"\n{}', "obj", "\ud800", "missing", "VALUE"]
)
DEFAULTS = [missing, missing, None, 3, "12", list, lambda: None, lambda: missing]


@st.composite
def field_options(draw):
    options = {}
    if draw(st.integers(0, 3)) == 0:
        options["dump_default"] = draw(st.sampled_from(DEFAULTS))
    if draw(st.integers(0, 5)) == 0:
        options["attribute"] = draw(st.sampled_from(["a", "b.a", "c", "", "no.such.one"]))
    return options


@st.composite
def schema_plans(draw, depth=MAX_DEPTH):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    planned = {name: FieldPlan(draw(kinds(depth)), draw(field_options())) for name in names}
    if draw(st.integers(0, 5)) == 0:
        planned[names[0]].options["data_key"] = draw(st.sampled_from(["", "Key", "\ud800\n"]))
    bases = [base for base in (Hooks, Picky) if draw(st.integers(0, 5)) == 0]
    body = {"dict_class": collections.OrderedDict} if draw(st.integers(0, 3)) == 0 else {}
    return DumpPlan(planned, tuple(bases), body)


# Objects


def read(values, name):
    CALLS.append(("read", name))
    try:
        value = values[name]
    except KeyError:
        raise AttributeError(name) from None
    if isinstance(value, Exception):
        raise value
    return value


def as_dict(values):
    return values


def as_namespace(values):
    return types.SimpleNamespace(**values)


def as_properties(values):
    properties = {name: property(lambda self, name=name: read(values, name)) for name in values}
    return type("Row", (), properties)()


def as_slotted(values):
    # A slot needs a name that is an identifier; all others are given as class attributes.
    slots = [name for name in values if name.isidentifier() and not name.startswith("__")]
    others = {name: value for name, value in values.items() if name not in slots}
    row = type("Row", (), {"__slots__": tuple(slots), **others})()
    for name in slots:
        setattr(row, name, values[name])
    return row


def as_getattr(values):
    return type("Row", (), {"__getattr__": lambda self, name: read(values, name)})()


def as_items(values):
    def get(self, name):
        CALLS.append(("item", name))
        return values[name]

    return type("Row", (), {"__getitem__": get, "a": "attribute"})()


def as_userdict(values):
    return collections.UserDict(values)


MAKES = [as_dict, as_namespace, as_properties, as_slotted, as_getattr, as_items, as_userdict]
ERRORS = [AttributeError("not yet"), ValueError("refused"), KeyError("key")]


@st.composite
def object_values(draw, plan):
    """An object for a plan, mostly with all it needs, mostly right."""
    values = draw(values_by_name(plan, WRONG))
    make = draw(st.sampled_from(MAKES))
    if make in (as_properties, as_getattr) and draw(st.integers(0, 9)) == 0:
        values[draw(st.sampled_from(sorted(plan.fields)))] = draw(st.sampled_from(ERRORS))
    return make(values)


PLANS_WITH_OBJECT = schema_plans().flatmap(
    lambda plan: st.tuples(st.just(plan), object_values(plan))
)
PLANS_WITH_ROWS = schema_plans().flatmap(
    lambda plan: st.tuples(st.just(plan), st.lists(object_values(plan) | WRONG, max_size=5))
)


@given(PLANS_WITH_OBJECT)
def test_an_object_is_dumped_as_by_stock(example):
    plan, obj = example

    assert_same(plan.make(), obj, calls=CALLS)


@given(PLANS_WITH_ROWS)
def test_rows_are_dumped_as_by_stock(example):
    plan, rows = example

    assert_same(plan.make(), rows, many=True, calls=CALLS)


@st.composite
def usual_rows(draw):
    """A plan, and rows most of which are dictionaries with right values only."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    usual = [kind for kind in SIMPLE_KINDS if kind.make in USUAL_FIELDS]
    plan = DumpPlan(
        {name: FieldPlan(draw(st.sampled_from(usual)), draw(field_options())) for name in names}
    )
    right = st.fixed_dictionaries({name: each.kind.values for name, each in plan.fields.items()})
    return plan, draw(st.lists(right | right | right | object_values(plan), max_size=8))


USUAL_FIELDS = {
    fields.String,
    fields.Raw,
    fields.Integer,
    fields.Float,
    fields.Boolean,
    fields.Date,
    fields.UUID,
}


@given(usual_rows())
def test_usual_rows_and_others_among_them_are_dumped_as_by_stock(example):
    plan, rows = example

    assert_same(plan.make(), rows, many=True, calls=CALLS)


@given(st.sampled_from(SIMPLE_KINDS) | decimal_kinds(), WRONG, st.sampled_from(CONTEXTS))
def test_any_value_in_any_decimal_context_is_dumped_as_by_stock(kind, value, context):
    plan = DumpPlan({"a": FieldPlan(kind, {})})
    with decimal.localcontext(context):
        assert_same(plan.make(), {"a": value}, calls=CALLS)


@given(st.text(min_size=1).filter(lambda name: "." not in name), TEXTS, TEXTS)
def test_any_text_is_a_key_and_an_attribute(name, data_key, attribute):
    def make_schema():
        return DumpPlan(
            {
                name: FieldPlan(SIMPLE_KINDS[0], {"data_key": data_key, "attribute": attribute}),
                f"{name}.": FieldPlan(SIMPLE_KINDS[4], {}),
            }
        ).make()()

    rows = [{name: 1, attribute: 2, f"{name}.": 3}, {f"{name}.": Decimal(4)}, uuid]
    for row in rows:
        assert_same(make_schema, row)
