"""Random schemas and random data, loaded through stock and through fastschema."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import json
import types
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st
from marshmallow import (
    EXCLUDE,
    INCLUDE,
    RAISE,
    ValidationError,
    fields,
    missing,
    post_load,
    pre_load,
    validate,
    validates,
    validates_schema,
)

from tests.promises.marshmallow.differential import MARSHMALLOW_3
from tests.promises.marshmallow.load_differential import Comparison, typed
from tests.promises.marshmallow.random_schemas import (
    CONTEXTS,
    DECIMALS,
    MOMENTS,
    NUMBERS,
    REALS,
    TEXTS,
    Colour,
    FieldPlan,
    Kind,
    SchemaPlan,
    Size,
    dict_kinds,
    list_kinds,
    tuple_kinds,
    values_by_name,
)
from tests.promises.marshmallow.random_schemas import WRONG as WRONG_FOR_MOST

CALLS: list[Any] = []
MAX_DEPTH = 3


class LoadPlan(SchemaPlan):
    """A schema to be made, and the data that it loads."""

    purpose: ClassVar = {"load_only": True}


# User code


class Shouted(fields.String):
    def _deserialize(self, value, attr, data, **kwargs):
        CALLS.append(("shouted", value, attr, kwargs))
        return super()._deserialize(value, attr, data, **kwargs).upper()


class Checked(fields.Integer):
    def _validate_missing(self, value):
        CALLS.append(("missing", value))
        super()._validate_missing(value)

    def _validate(self, value):
        CALLS.append(("validate", value))
        super()._validate(value)
        if value == 7:
            raise ValidationError({"seven": ["not this one"]}, valid_data=7)


class Preprocessed(fields.Float):
    def deserialize(self, value, attr=None, data=None, **kwargs):
        CALLS.append(("deserialize", value, attr, kwargs))
        return super().deserialize(None if value == "none" else value, attr, data, **kwargs)


class CheckedNested(fields.Nested):
    def _validate(self, value):
        CALLS.append("validate nested")
        super()._validate(value)
        if len(value) > 2:
            raise ValidationError("too much")


class Before:
    @pre_load
    def before(self, data, **kwargs):
        CALLS.append(("before", typed(data), kwargs))
        if isinstance(data, dict) and "refused" in data:
            raise ValidationError(data["refused"], "a")
        return data


class After:
    @post_load(pass_original=True)
    def after(self, data, original, **kwargs):
        CALLS.append(("after", typed(data), typed(original), kwargs))
        return types.SimpleNamespace(**{repr(name): each for name, each in data.items()})


class Validating:
    @validates_schema
    def check(self, data, **kwargs):
        CALLS.append(("check", typed(data), kwargs))
        if len(data) == 2:
            raise ValidationError("two are too few", next(iter(data)))

    @validates_schema(skip_on_field_errors=False, pass_original=True)
    def check_always(self, data, original, **kwargs):
        CALLS.append(("check always", typed(data), typed(original), kwargs))
        if not data:
            raise ValidationError({"a": ["nothing"], "_schema": ["nothing at all"]})


class Handling:
    def handle_error(self, error, data, **kwargs):
        CALLS.append(("handle", typed(error.messages), typed(error.valid_data), kwargs))


def noting(value):
    CALLS.append(("noting", typed(value)))


def refusing(value):
    CALLS.append(("refusing", typed(value)))
    if value in (0, "", [], {}, None):
        raise ValidationError(["empty", {"value": [repr(value)]}], code=1)


def returning_false(value):
    return bool(value)


VALIDATORS = [
    validate.Length(1, 3),
    validate.Length(max=2, error="{input} has more than {max}"),
    validate.Length(equal=2),
    validate.Range(0),
    validate.Range(-5, 5, min_inclusive=False),
    validate.Range(max="m"),
    validate.OneOf([1, 2, "a", None, 2.5]),
    validate.OneOf(["a", "b"], ["A", "B"], error="{input} {labels}"),
    validate.NoneOf([0, "", "x"]),
    validate.Equal(1),
    validate.Regexp(r"\w", error="{input} is not {regex}"),
    validate.ContainsOnly([1, 2, "a"]),
    validate.ContainsNoneOf("ab"),
    validate.Email(),
    validate.URL(relative=True),
    validate.Predicate("isalpha"),
    validate.And(validate.Length(1), refusing),
    validate.Range(0, error="{nothing}"),
    noting,
    refusing,
    returning_false,
]


# Fields

ISO_MOMENTS = MOMENTS.map(dt.datetime.isoformat)

SIMPLE_KINDS = [
    Kind(fields.String, TEXTS | st.binary(max_size=3)),
    Kind(Shouted, TEXTS),
    Kind(fields.Raw, TEXTS | NUMBERS | st.none() | st.lists(REALS, max_size=2)),
    Kind(fields.Integer, NUMBERS | NUMBERS.map(str) | REALS),
    Kind(lambda **options: fields.Integer(strict=True, **options), NUMBERS | REALS),
    Kind(Checked, st.integers(0, 9)),
    Kind(fields.Float, REALS | NUMBERS | REALS.map(str)),
    Kind(lambda **options: fields.Float(allow_nan=True, **options), REALS | st.just("nan")),
    Kind(Preprocessed, REALS | st.just("none")),
    Kind(fields.Boolean, st.booleans() | st.sampled_from(["yes", "off", 1, 0, 1.0, "1"])),
    Kind(lambda **options: fields.Boolean(truthy={"a"}, **options), st.sampled_from(["a", 0])),
    Kind(fields.DateTime, ISO_MOMENTS | MOMENTS),
    Kind(fields.NaiveDateTime, ISO_MOMENTS),
    Kind(lambda **options: fields.NaiveDateTime(timezone=dt.UTC, **options), ISO_MOMENTS),
    Kind(fields.AwareDateTime, ISO_MOMENTS),
    Kind(lambda **options: fields.AwareDateTime(default_timezone=dt.UTC, **options), ISO_MOMENTS),
    Kind(lambda **options: fields.DateTime("timestamp", **options), REALS | NUMBERS),
    Kind(lambda **options: fields.DateTime("%Y {} %d", **options), st.just("2024 {} 01")),
    Kind(fields.Date, st.dates().map(str) | st.dates()),
    Kind(fields.Time, st.times().map(str) | st.times()),
    Kind(fields.TimeDelta, st.integers(-9999, 9999) | REALS),
    Kind(fields.UUID, st.uuids().map(str) | st.uuids() | st.binary(min_size=16, max_size=16)),
    Kind(lambda **options: fields.Enum(Colour, **options), st.sampled_from(["RED", "GREEN"])),
    Kind(
        lambda **options: fields.Enum(Colour, by_value=True, **options), st.sampled_from([1, "g"])
    ),
    Kind(
        lambda **options: fields.Enum(Size, by_value=fields.Integer, **options),
        st.sampled_from([1, "1", Size.S]),
    ),
    Kind(fields.IP, st.ip_addresses().map(str)),
    Kind(fields.IPInterface, st.ip_addresses().map(lambda address: f"{address}/8")),
    Kind(fields.Email, st.emails() | TEXTS),
    Kind(fields.Url, st.sampled_from(["http://example.com", "ftp://a.bc/d", "/a"]) | TEXTS),
    Kind(lambda **options: fields.Constant([1], **options), st.none()),
    Kind(lambda **options: fields.Function(deserialize=repr, **options), TEXTS),
]

KEYS_OF_DATA = ["a", "b", "c", "items", "class", "Key", "", "_schema", '"\n{}', "\ud800", "data"]

WRONG = st.one_of(
    WRONG_FOR_MOST,
    st.sampled_from([missing, None, {"a"}, frozenset(), b"12", {1: 2}, object, [None], [[]]]),
    st.dictionaries(st.sampled_from(KEYS_OF_DATA), st.integers(), max_size=3),
)


@st.composite
def decimal_kinds(draw):
    places = draw(st.none() | st.integers(-3, 12))
    rounding = draw(st.sampled_from([None, decimal.ROUND_UP, decimal.ROUND_HALF_EVEN]))
    allow_nan = draw(st.booleans())

    def make(**options):
        return fields.Decimal(places, rounding, allow_nan=allow_nan, **options)

    return Kind(make, DECIMALS | DECIMALS.map(str) | NUMBERS | REALS)


UNKNOWN = [None, EXCLUDE, INCLUDE, RAISE]


@st.composite
def nested_kinds(draw, depth):
    plan = draw(schema_plans(depth - 1))
    many = draw(st.sampled_from([None, False, True]))
    unknown = draw(st.sampled_from(UNKNOWN))
    names = sorted(plan.fields)
    selection = draw(st.sampled_from([{}, {"only": names[:1]}, {"exclude": names[1:]}]))
    whole = row_values(plan)
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(names))
        values = plan.fields[name].kind.values
        return Kind(
            lambda **own: fields.Pluck(plan.make(), name, many=bool(many), unknown=unknown, **own),
            st.lists(values, max_size=3) if many else values,
        )
    partial = draw(st.sampled_from([None, None, True, False, names[:1]]))
    nest = draw(st.sampled_from([fields.Nested, fields.Nested, CheckedNested]))

    def make(**own):
        schema = plan.make()
        nested = schema if partial is None else schema(partial=partial)
        return nest(nested, many=many, unknown=unknown, **selection, **own)

    return Kind(make, st.lists(whole | WRONG, max_size=3) if many else whole)


def kinds(depth):
    """Kinds of fields; nested ones while there is depth left."""
    several = [st.sampled_from(SIMPLE_KINDS), st.sampled_from(SIMPLE_KINDS), decimal_kinds()]
    if depth > 1:
        inner, options, keys = kinds(depth - 1), inner_options(), st.sampled_from(SIMPLE_KINDS)
        several += [list_kinds(inner, options, WRONG), tuple_kinds(inner, options)]
        several.append(dict_kinds(keys, inner, options, WRONG))
        several += [nested_kinds(depth), nested_kinds(depth)]
    return st.one_of(several)


NAMES = st.sampled_from(
    ["a", "b", "c", "items", "class", '"\n{}', "data", "\ud800", "missing", "result", "x.y", ""]
)
DEFAULTS = [None, 3, "12", list, lambda: None, lambda: missing, missing]
MESSAGES = [
    dict.fromkeys(["required", "null", "invalid", "type"], "wrong: {input}"),
    {"required": ["a", {"b": "c"}], "null": {"d": ["e"]}},
]


def refuse_default():
    raise ValidationError({"default": ["refused"]})


@st.composite
def inner_options(draw):
    """Options for any field, also one inside of another."""
    options = {}
    if draw(st.integers(0, 3)) == 0:
        options["allow_none"] = True
    if draw(st.integers(0, 2)) == 0:
        options["validate"] = draw(st.lists(st.sampled_from(VALIDATORS), min_size=1, max_size=3))
    if not MARSHMALLOW_3 and draw(st.integers(0, 11)) == 0:
        name = draw(st.sampled_from(["pre_load", "post_load"]))
        options[name] = [draw(st.sampled_from([lambda value: value, repr, refusing]))]
    return options


@st.composite
def field_options(draw):
    options = draw(inner_options())
    luck = draw(st.integers(0, 9))
    if luck < 3:
        options["required"] = True
    elif luck < 6:
        options["load_default"] = draw(st.sampled_from([*DEFAULTS, refuse_default]))
    if draw(st.integers(0, 5)) == 0:
        options["attribute"] = draw(st.sampled_from(["a", "b.a", "c", "", "x.z", "very.deep.one"]))
    return options


@st.composite
def schema_plans(draw, depth=MAX_DEPTH):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    planned = {name: FieldPlan(draw(kinds(depth)), draw(field_options())) for name in names}
    for plan in planned.values():
        if isinstance(plan.kind.make(), fields.Constant):
            plan.options.pop("required", None)  # stock refuses to make it
    if draw(st.integers(0, 3)) == 0:
        planned[names[0]].options["data_key"] = draw(st.sampled_from(["", "Key", "b", "_schema"]))
    if draw(st.integers(0, 3)) == 0:
        planned[names[-1]].options["error_messages"] = draw(st.sampled_from(MESSAGES))
    targets = [plan.options.get("attribute") or name for name, plan in planned.items()]
    for name, target in zip(names, targets, strict=True):
        if targets.count(target) > 1:  # stock refuses that
            planned[name].options.pop("attribute", None)
    targets = [plan.options.get("attribute") or name for name, plan in planned.items()]
    if len({*targets}) < len(targets):
        for plan in planned.values():
            plan.options.pop("attribute", None)
    hooks = (Before, After, Validating, Handling)
    bases = tuple([base for base in hooks if draw(st.integers(0, 5)) == 0])
    body: dict[str, Any] = {}
    if draw(st.integers(0, 7)) == 0:
        body["dict_class"] = collections.OrderedDict
    if draw(st.integers(0, 5)) == 0:
        body["check_field"] = field_validator(draw(st.sampled_from(names)))
    meta = {"unknown": draw(st.sampled_from([RAISE, RAISE, INCLUDE, EXCLUDE]))}
    meta["index_errors"] = draw(st.integers(0, 3)) > 0
    return LoadPlan(planned, bases, body, meta)


def field_validator(name):
    @validates(name)
    def check_field(self, value, **kwargs):
        CALLS.append(("check field", typed(value), kwargs))
        if not value:
            raise ValidationError({0: "refused"}, valid_data=[])

    return check_field


# Data


def as_dict(values):
    return values


def as_ordered(values):
    return collections.OrderedDict(values)


def as_userdict(values):
    return collections.UserDict(values)


def as_proxy(values):
    return collections.ChainMap(values)


MAPPINGS = [*[as_dict] * 9, as_ordered, as_userdict, as_proxy]


@st.composite
def row_values(draw, plan):
    """Data for a plan, mostly with all it needs, mostly right."""
    drawn = draw(values_by_name(plan, WRONG))
    values = {plan.fields[name].key(name): value for name, value in drawn.items()}
    if draw(st.integers(0, 5)) == 0:
        more = st.sampled_from([*KEYS_OF_DATA, "unknown", "refused", 5, None, ("a", 1)])
        values.update(draw(st.dictionaries(more, WRONG, max_size=3)))
    if draw(st.integers(0, 5)) == 0:
        values = dict(reversed(list(values.items())))
    return draw(st.sampled_from(MAPPINGS))(values)


@st.composite
def arguments_for(draw, plan):
    """What ``load`` is told besides the data."""
    arguments = {}
    if draw(st.integers(0, 2)) == 0:
        names = [*plan.fields, "a.b", "b.a", "items.a", "Key.a", "unknown"]
        some = st.lists(st.sampled_from(names), max_size=3)
        arguments["partial"] = draw(
            st.booleans() | some | some.map(tuple) | some.map(set) | st.just("a")
        )
    if draw(st.integers(0, 2)) == 0:
        arguments["unknown"] = draw(st.sampled_from(UNKNOWN))
    return arguments


PLANS_WITH_ROW = schema_plans().flatmap(
    lambda plan: st.tuples(st.just(plan), row_values(plan), arguments_for(plan))
)
PLANS_WITH_ROWS = schema_plans().flatmap(
    lambda plan: st.tuples(
        st.just(plan), st.lists(row_values(plan) | WRONG, max_size=5), arguments_for(plan)
    )
)


@given(PLANS_WITH_ROW)
def test_data_are_loaded_as_by_stock(example):
    plan, row, arguments = example
    comparison = Comparison(plan.make(), CALLS)

    comparison.check_fresh(row, **arguments)
    comparison.check(row, **arguments)


@given(PLANS_WITH_ROWS)
def test_rows_are_loaded_as_by_stock(example):
    plan, rows, arguments = example
    comparison = Comparison(plan.make(), CALLS)

    comparison.check(rows, many=True, **arguments)
    comparison.check(tuple(rows), many=True, **arguments)


@given(schema_plans(1), st.lists(WRONG, max_size=5))
def test_anything_is_loaded_as_by_stock(plan, values):
    comparison = Comparison(plan.make(), CALLS)
    keys = [each.key(name) for name, each in plan.fields.items()]
    for value in values:
        comparison.check(value)
        comparison.check(value, many=True)
        comparison.check(dict.fromkeys(keys, value))


@given(st.sampled_from(SIMPLE_KINDS) | decimal_kinds(), WRONG, st.sampled_from(CONTEXTS))
def test_any_value_in_any_decimal_context_is_loaded_as_by_stock(kind, value, context):
    plan = LoadPlan({"a": FieldPlan(kind, {}), "b": FieldPlan(kind, {"allow_none": True})})
    with decimal.localcontext(context):
        Comparison(plan.make(), CALLS).check({"a": value, "b": value})


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | REALS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS_OF_DATA), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(schema_plans(2), JSON_VALUES, st.booleans())
def test_json_is_loaded_as_by_stock(plan, value, ascii_only):
    comparison = Comparison(plan.make(), CALLS)
    row = {each.key(name): value for name, each in plan.fields.items()}
    for data in (value, row, [row, value]):
        text = json.dumps(data, ensure_ascii=ascii_only)
        comparison.check_texts([text, text.encode("utf-8", "surrogatepass")])
        comparison.check_texts([text], many=isinstance(data, list))


@given(st.text(min_size=1), TEXTS, TEXTS, JSON_VALUES)
def test_any_text_is_a_key_and_an_attribute(name, data_key, attribute, value):
    schema = LoadPlan(
        {
            name: FieldPlan(SIMPLE_KINDS[0], {"data_key": data_key, "attribute": attribute}),
            f"{name}_": FieldPlan(SIMPLE_KINDS[3], {}),
        }
    ).make()
    comparison = Comparison(schema)
    for row in ({name: value, f"{name}_": "5"}, {data_key: "a"}, {data_key: value, attribute: 1}):
        for unknown in UNKNOWN:
            comparison.check(row, unknown=unknown)
