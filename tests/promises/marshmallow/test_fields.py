"""What is done to values: every kind, with right values, wrong ones, and those in between."""

import collections
import datetime as dt
import decimal
import enum
import ipaddress
import sys
import uuid
from decimal import Decimal
from fractions import Fraction
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from marshmallow import Schema, fields, missing

import fastschema
from tests.marks import needs_cpython
from tests.promises.marshmallow.differential import (
    MARSHMALLOW_3,
    assert_same,
    installed,
    is_compiled,
)


class Colour(enum.Enum):
    RED = 1
    GREEN = "g"
    NOTHING = None


class Size(enum.IntEnum):
    S = 1
    L = 2


class Mood(enum.StrEnum):
    GLAD = "glad"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Text(str):
    __slots__ = ()


class LoudText(str):
    __slots__ = ()

    def __str__(self):
        return f"{str.__str__(self)}!"


class Whole(int):
    def __int__(self):
        return 7

    def __str__(self):
        return "a whole number"


class Real(float):
    def __float__(self):
        return 0.5


class Moment(dt.datetime):
    def isoformat(self, *args, **kwargs):
        return "a moment"


class Day(dt.date):
    def isoformat(self):
        return "a day"


class Identifier(uuid.UUID):
    def __str__(self):
        return "an identifier"


class Amount(Decimal):
    def __str__(self):
        return "12.5"


class OwnAddress(ipaddress.IPv4Address):
    compressed = Text("short")
    exploded = ["long"]


class Uncertain:
    def __str__(self):
        raise LookupError("no text")

    def __bool__(self):
        raise LookupError("no truth")

    __int__ = __float__ = __index__ = __bool__


class Odd(dt.tzinfo):
    def utcoffset(self, when):
        return dt.timedelta(hours=5, minutes=53, seconds=28)

    def dst(self, when):
        return None

    def tzname(self, when):
        return "ODD"


class Broken(Odd):
    def utcoffset(self, when):
        raise LookupError("no offset")


NOON = dt.datetime(2024, 2, 29, 12, 0)

DATETIMES = [
    NOON,
    NOON.replace(microsecond=1),
    NOON.replace(microsecond=120000, fold=1),
    NOON.replace(tzinfo=dt.UTC),
    NOON.replace(tzinfo=dt.timezone(dt.timedelta(hours=-3, minutes=-30))),
    NOON.replace(tzinfo=dt.timezone(dt.timedelta(seconds=61))),
    NOON.replace(tzinfo=Broken()),
    NOON.replace(tzinfo=ZoneInfo("Europe/Berlin")),
    dt.datetime(1850, 1, 1, tzinfo=ZoneInfo("Europe/Amsterdam")),
    dt.datetime(1, 1, 1),
    dt.datetime(999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
    Moment(2024, 1, 2),
]

VALUES = [
    *(None, "", "é \u2028 \x00 \ud800 \U0001f600", "12", "true", Text("subclass")),
    *(LoudText("loud"), b"bytes", b"\xff", 0, 1, 2**63, 10**400, Whole(3), True, False, 0.0, 1.5),
    *(1e16, 9.9e-5, sys.float_info.max, float("nan"), float("inf"), Real(2.5)),
    *DATETIMES,
    *(dt.date(2024, 2, 29), dt.date(1, 1, 1), Day(2024, 1, 2), dt.time(12, 30)),
    *(dt.time(1, 2, 3, 10003), dt.time(1, 2, 3, 4, tzinfo=dt.UTC)),
    dt.time(1, 2, tzinfo=dt.timezone(dt.timedelta(seconds=61))),
    *(dt.timedelta(days=1, microseconds=1), dt.timedelta.max, uuid.UUID(int=1), Identifier(int=2)),
    *(Decimal("1.005"), Decimal("-0"), Decimal("1E+5"), Decimal("1E-10"), Decimal("1.20")),
    *(Decimal("123456789012345678901234567.89"), Decimal("NaN"), Decimal("sNaN")),
    *(Decimal("Infinity"), Amount("3"), Colour.RED, Colour.NOTHING, Size.L, Mood.GLAD),
    *(Access.READ | Access.WRITE, [], [1, None, "a"], ("a", 2), {"a": 1}),
    *({"a": Decimal("1.005"), "b": None}, {"1": uuid.UUID(int=3), 2.5: None}),
    *(collections.OrderedDict(b=1, a=2), ipaddress.ip_address("127.0.0.1")),
    *(ipaddress.ip_interface("10.0.0.1/8"), ipaddress.ip_interface("2001:db8::1/32")),
    *(ipaddress.ip_address("2001:db8::1"), ipaddress.ip_address("fe80::1%eth0")),
    *(ipaddress.ip_network("10.0.0.0/31"), OwnAddress("10.0.0.1"), {1, 2}, Uncertain()),
]

FIELDS = {
    "String": fields.String,
    "Email": fields.Email,
    "Url": fields.Url,
    "Raw": fields.Raw,
    "Integer": fields.Integer,
    "Integer as_string": lambda: fields.Integer(as_string=True),
    "Float": fields.Float,
    "Float as_string": lambda: fields.Float(as_string=True),
    "Boolean": fields.Boolean,
    "DateTime": fields.DateTime,
    "NaiveDateTime": fields.NaiveDateTime,
    "AwareDateTime": fields.AwareDateTime,
    "Date": fields.Date,
    "Time": fields.Time,
    "UUID": fields.UUID,
    "Decimal": fields.Decimal,
    "Decimal as_string": lambda: fields.Decimal(as_string=True),
    "Decimal allow_nan": lambda: fields.Decimal(allow_nan=True, as_string=True),
    "Decimal places 0": lambda: fields.Decimal(0, as_string=True),
    "Decimal places 2": lambda: fields.Decimal(2, as_string=True),
    "Decimal places 2 as Decimal": lambda: fields.Decimal(2),
    "Decimal places 12": lambda: fields.Decimal(12, as_string=True),
    "Decimal places -2": lambda: fields.Decimal(-2, as_string=True),
    "Decimal rounded up": lambda: fields.Decimal(1, rounding=decimal.ROUND_UP, as_string=True),
    "Decimal badly rounded": lambda: fields.Decimal(1, rounding="sideways", as_string=True),
    "Enum": lambda: fields.Enum(Colour),
    "Enum of int": lambda: fields.Enum(Size),
    "Enum of flags": lambda: fields.Enum(Access),
    "Enum by value": lambda: fields.Enum(Colour, by_value=True),
    "Enum of str by value": lambda: fields.Enum(Mood, by_value=True),
    "IP": fields.IP,
    "IP exploded": lambda: fields.IP(exploded=True),
    "IPv4": fields.IPv4,
    "IPv6": fields.IPv6,
    "IPInterface": fields.IPInterface,
    "IPv4Interface exploded": lambda: fields.IPv4Interface(exploded=True),
    "IPv6Interface": fields.IPv6Interface,
    "List of IPv6": lambda: fields.List(fields.IPv6(exploded=True)),
    "List of String": lambda: fields.List(fields.String()),
    "List of Raw": lambda: fields.List(fields.Raw()),
    "List of List of UUID": lambda: fields.List(fields.List(fields.UUID())),
    "DateTime rfc": lambda: fields.DateTime(format="rfc"),
    "DateTime timestamp": lambda: fields.DateTime(format="timestamp"),
    "DateTime timestamp_ms": lambda: fields.DateTime(format="timestamp_ms"),
    "DateTime format": lambda: fields.DateTime(format="%d.%m.%Y {%%}"),
    "Date format": lambda: fields.Date(format="%Y/%j"),
    "Enum by a field": lambda: fields.Enum(Size, by_value=fields.Float),
    "TimeDelta": fields.TimeDelta,
    "Dict": fields.Dict,
    "Dict of Decimal": lambda: fields.Dict(fields.String(), fields.Decimal(1)),
    "Tuple": lambda: fields.Tuple((fields.String(), fields.Integer())),
    "Constant": lambda: fields.Constant({"a": 1}),
    "Function": lambda: fields.Function(lambda obj: str(type(obj))),
    "Method": fields.Method,
    "Nested": lambda: fields.Nested({"a": fields.Integer()}),
    "Pluck": lambda: fields.Pluck(Schema.from_dict({"a": fields.Integer()}), "a"),
    "Boolean of more words": lambda: fields.Boolean(truthy={"ja", True}, falsy={"nein", False}),
    "Boolean both ways": lambda: fields.Boolean(truthy={1}, falsy={1}),
}
"""A field of each class and with each option that changes what it gives."""

STOCK = {"Enum by a field", "Tuple"}
if MARSHMALLOW_3:  # there the words of a Boolean decide what it dumps
    STOCK.add("Boolean both ways")
"""Those that are not compiled. A tuple's generator turns the StopIteration of a value into another
error; an enum by a field asks that field, which may be any."""


def schema_of(make_field):
    """A schema class whose field ``value`` is what ``make_field`` makes."""
    return Schema.from_dict({"value": make_field()})


def assert_same_for(make_field, *values):
    schema = schema_of(make_field)
    for value in values:
        assert_same(schema, {"value": value})


@pytest.mark.parametrize("name", FIELDS)
@needs_cpython
def test_any_value_in_a_dict_is_dumped_as_by_stock(name):
    assert_same_for(FIELDS[name], *VALUES)


@pytest.mark.parametrize("name", FIELDS)
@needs_cpython
def test_any_value_in_a_list_is_dumped_as_by_stock(name):
    assert_same_for(lambda: fields.List(FIELDS[name]()), *[[value, None] for value in VALUES])


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_compiled_or_has_a_reason(name):
    report, *_ = fastschema.compile(schema_of(FIELDS[name])).explain()
    assert (report.compiled, bool(report.why)) == (name not in STOCK, name in STOCK)


def test_every_class_of_marshmallow_has_a_field_here():
    tried = {type(make_field()) for make_field in FIELDS.values()}
    public = {getattr(fields, name) for name in fields.__all__}
    assert public - tried <= {fields.Field, fields.Number, fields.Mapping}  # abstract


def test_a_value_of_the_common_class_stays_the_same_object():
    text = "".join(["not ", "interned"])

    dumped = fastschema.compile(schema_of(fields.String)).dump({"value": text})

    assert dumped["value"] is text


@pytest.mark.parametrize("value", ["yes", "no", 2, [], {}, ""])
def test_boolean_follows_the_installed_marshmallow(value):
    with_stock = schema_of(fields.Boolean)().dump({"value": value})["value"]

    assert (type(with_stock) is bool) == MARSHMALLOW_3
    assert_same_for(fields.Boolean, value)


@pytest.mark.parametrize("option", ["datetimeformat", "dateformat", "timeformat"])
@pytest.mark.parametrize("written", ["iso", "%Y", "%H:%M", "rfc"])
def test_a_format_in_meta_is_obeyed(option, written):
    class Dated(Schema):
        class Meta:
            pass

        moment = fields.DateTime()
        day = fields.Date()
        time = fields.Time()

    setattr(Dated.Meta, option, written)

    class Formatted(Dated):
        class Meta(Dated.Meta):
            pass

    assert_same(Formatted, {"moment": NOON, "day": NOON.date(), "time": NOON.time()})


@pytest.mark.parametrize(
    "context",
    [
        decimal.Context(prec=3),
        decimal.Context(rounding=decimal.ROUND_CEILING, capitals=0),
        decimal.Context(traps=[]),
        decimal.Context(traps=[decimal.Inexact, decimal.InvalidOperation, decimal.FloatOperation]),
        decimal.Context(Emax=3, Emin=-3),
    ],
)
@pytest.mark.parametrize(
    "name",
    [
        *("Decimal", "Decimal as_string", "Decimal allow_nan", "Decimal places 0"),
        *("Decimal places 2", "Decimal places 12", "Decimal places -2", "Decimal rounded up"),
    ],
)
def test_the_decimal_context_of_each_dump_is_used(name, context):
    numbers = [1, -0.0, 1e22, *[value for value in VALUES if isinstance(value, Decimal)]]
    with decimal.localcontext(context):
        assert_same_for(FIELDS[name], *numbers)


def test_an_enum_with_unhashable_values_is_dumped_as_by_stock():
    class Unhashable(enum.Enum):
        LIST = [1]

        value = property(lambda self: "own value")

    for by_value in (False, True):
        assert_same_for(partial(fields.Enum, Unhashable, by_value=by_value), Unhashable.LIST)


def test_a_member_of_an_enum_whose_field_was_given_another_enum_is_dumped_as_by_stock():
    schema = schema_of(lambda: fields.Enum(Colour))()
    plan = fastschema.compile(schema)
    assert plan.dump({"value": Colour.RED}) == {"value": "RED"}
    schema.fields["value"].enum = Mood

    assert plan.dump({"value": Mood.GLAD}) == {"value": "GLAD"}
    assert plan.dump({"value": Colour.GREEN}) == {"value": "GREEN"}


class Shouted(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        text = super()._serialize(value, attr, obj, **kwargs)
        return missing if text is None else f"{attr}: {text.upper()}"


class ByItself(fields.Integer):
    def serialize(self, attr, obj, accessor=None, **kwargs):
        return [attr, accessor(obj, "value", "none"), kwargs]


class Elsewhere(fields.Integer):
    def get_value(self, obj, attr, accessor=None, default=missing):
        return super().get_value(obj, "other", accessor, default)


def refuse(*args):
    raise AssertionError("only loading validates")


def own(base, **attributes):
    """A class of fields with attributes of its own."""
    return type("Own", (base,), attributes)


_format_num = fields.Integer._format_num
OVERRIDDEN = {
    "_serialize": Shouted,
    "_validate": own(fields.String, _validate=refuse),
    "_format_num": own(fields.Integer, _format_num=lambda *args: _format_num(*args) / 2),
    "_to_string": partial(
        own(fields.Integer, _to_string=lambda self, value: f"{value:05}"), as_string=True
    ),
    "_to_string of Decimal": partial(
        own(fields.Decimal, _to_string=lambda self, value: f"{value:010}"), as_string=True
    ),
    "num_type": own(fields.Float, num_type=complex),
    "serialize": ByItself,
    "get_value": Elsewhere,
    "_CHECK_ATTRIBUTE": own(fields.Integer, _CHECK_ATTRIBUTE=False),
    "SERIALIZATION_FUNCS": own(
        fields.DateTime, SERIALIZATION_FUNCS={"iso": lambda value: f"<{value}>"}
    ),
    "_serialize by a partial": own(
        fields.Field, _serialize=partial(lambda *args, **kwargs: "partial")
    ),
    "_serialize of a List's inner field": lambda: fields.List(Shouted()),
}


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_an_override_on_a_field_class_is_obeyed(name):
    schema = schema_of(OVERRIDDEN[name])
    for value in [None, 1, "2", 2.5, Decimal("3.5"), NOON, [1, 2], missing]:
        assert_same(schema, {"value": value, "other": 8})


@pytest.mark.parametrize("name", [name for name in OVERRIDDEN if name != "_validate"])
def test_an_override_on_a_field_class_makes_that_field_stock(name):
    assert not is_compiled(schema_of(OVERRIDDEN[name]), "value")


def test_a_field_is_given_the_attribute_name_and_the_object():
    seen = []

    class Asking(fields.Field):
        def _serialize(self, value, attr, obj, **kwargs):
            seen.append((value, attr, obj, kwargs))
            return value

    class Asked(Schema):
        one = Asking(data_key="eins", attribute="first")
        more = fields.List(Asking())

    assert_same(Asked, {"first": 1, "more": [2, 3]}, calls=seen)


def test_a_generator_as_a_list_is_read_once():
    assert_same(
        lambda: schema_of(lambda: fields.List(fields.Integer()))(),
        lambda: {"value": (number for number in [1, "2", 3.5])},
    )


def test_a_field_in_a_list_may_give_missing():
    function = schema_of(lambda: fields.List(fields.Function(lambda obj: missing)))

    assert_same(function, {"value": [1, 2]})


@pytest.mark.parametrize("digits", [4000, 5000])
def test_integers_that_python_refuses_to_print_raise_the_same(digits):
    for make_field in (fields.Integer, FIELDS["Integer as_string"]):
        assert_same_for(make_field, 10**digits)


def test_plans_of_equal_schemas_keep_the_options_of_each_field_apart():
    schemas = [
        schema_of(lambda places=places: fields.Decimal(places, as_string=True))()
        for places in (None, 0, 1, 2, 7, -1)
    ]
    value = {"value": Decimal("12.345")}
    expected = [schema.dump(value) for schema in schemas]

    with installed():
        assert [schema.dump(value) for schema in schemas] == expected
        assert [schema.dump(value) for schema in reversed(schemas)] == expected[::-1]


class Moments(enum.Enum):
    NOON = NOON


HOSTILE_FORMATS = [
    "%Y VALUE",
    "$value %Y",
    "{value} %Y",
    "{0} {{",
    "%Y'\"\\\n",
    "text \N{ROCKET}",
]


@pytest.mark.parametrize("written", HOSTILE_FORMATS)
@pytest.mark.parametrize(
    ("wrap", "value"),
    [
        (lambda field: field, NOON),
        (fields.List, [NOON]),
        (lambda field: fields.List(fields.List(field)), [[NOON]]),
        (lambda field: fields.Tuple((field, field)), (NOON, None)),
        (lambda field: fields.Dict(values=field), {"a": NOON}),
        (lambda field: fields.Dict(keys=field), {NOON: 1}),
        (lambda field: fields.Dict(field, fields.Dict(field, field)), {NOON: {NOON: NOON}}),
        (lambda field: fields.List(fields.Tuple((fields.Dict(field),))), [({NOON: NOON},)]),
        (lambda field: fields.Enum(Moments, by_value=field), Moments.NOON),
    ],
)
def test_a_format_is_just_text_wherever_it_is_used(written, wrap, value):
    assert_same_for(lambda: wrap(fields.DateTime(format=written)), value)


class Attributed(fields.Field):
    log = []

    def _serialize(self, value, attr, obj, **kwargs):
        self.log.append((value, attr, obj))
        return f"{attr} of {value}"


@pytest.mark.parametrize("name", ["VALUE", "DICT", "each", "{value}", "VALUE[0]"])
def test_a_field_inside_of_another_is_told_the_name_of_the_outer_in_the_order_of_stock(name):
    for field, value in [
        (fields.List(Attributed(), data_key="key"), [1]),
        (fields.Tuple((Attributed(), fields.List(Attributed())), data_key="key"), (1, [2])),
        (fields.Dict(Attributed(), Attributed(), data_key="key"), {1: 2, 3: 4}),
        (fields.Dict(values=fields.List(Attributed()), data_key="key"), {1: [2]}),
    ]:
        assert_same(Schema.from_dict({name: field}), {name: value}, calls=Attributed.log)


@pytest.mark.parametrize("unit", [Fraction(1, 2), 2, True, 0, "1", None, 1.5])
def test_the_units_of_a_timedelta_subclass_are_used_as_by_stock(unit):
    class OwnUnits(fields.TimeDelta):
        _unit_to_microseconds_mapping = {"seconds": unit}

    assert_same_for(OwnUnits, dt.timedelta(days=1), dt.timedelta(0), 5)
