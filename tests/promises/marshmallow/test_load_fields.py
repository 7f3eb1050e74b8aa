"""What loading does to values: every field, with right values, wrong ones, and those in between."""

import collections
import datetime as dt
import decimal
import enum
import sys
import types
import uuid
from decimal import Decimal
from functools import cache, partial
from zoneinfo import ZoneInfo

import pytest
from marshmallow import Schema, ValidationError, fields, missing

import fastschema
from tests.promises.marshmallow.load_differential import Comparison, assert_loads_same
from tests.promises.marshmallow.test_fields import VALUES as DUMPED_VALUES
from tests.promises.marshmallow.test_fields import Access, Colour, Size, Text


class Answers(enum.Enum):
    """By value, True, 1 and 1.0 are the same member; and a text is no number."""

    YES = 1
    NO = "no"
    PAIR = (1, 2)

    @classmethod
    def _missing_(cls, value):
        if value == "perhaps":
            return cls.NO
        if value == "broken":
            raise LookupError("nothing known of it")
        return None


class Unequal(enum.Enum):
    LIST = [1]
    NAN = float("nan")


class Hour(dt.time):
    pass


class Period(dt.timedelta):
    pass


class Names(list):
    def __iter__(self):
        raise LookupError("not iterable after all")


class Odd(int):
    def __eq__(self, other):
        raise LookupError("beyond compare")

    __hash__ = int.__hash__


class Formatted(str):
    __slots__ = ()

    def __str__(self):
        return "formatted"

    def __format__(self, specification):
        return "in a message"


class Stripped:
    """Iterable, but for stock it is a string."""

    def strip(self):
        return self

    def __iter__(self):
        return iter("ab")


class Sequence(collections.abc.Sequence):
    def __init__(self, *values):
        self.values = values

    def __getitem__(self, index):
        return self.values[index]

    def __len__(self):
        return len(self.values)


class LyingMapping(collections.UserDict):
    """Its ``get`` knows more than its items."""

    def get(self, key, default=None):
        return "got"


class ProperFloat:
    def __float__(self):
        return 1.5

    def __int__(self):
        return 2

    def __str__(self):
        return "2.5"


TEXTS = [
    *(" ", " 12 ", "+12", "1_000", "0x10", "1e3", "1E400", "1."),
    "\u0663\u0664",  # Arabic digits
    "\u00b2",  # a digit, but no number
    *("9" * 30, "9" * 5000, "-0", "inf", "nan", "sNaN", "1.005"),
    *("123456789012345678901234567890.125", "t", "T", "True", "tRUE", "on", "no", "0", "1", "1.0"),
    *("ja", "nein"),
    # UUIDs, and what uuid.UUID takes for one
    *("12345678-1234-5678-1234-567812345678", "12345678123456781234567812345678"),
    *("12345678-1234-5678-1234-56781234567", "{12345678-1234-5678-1234-567812345678}"),
    *("urn:uuid:12345678-1234-5678-1234-567812345678", "ABCDEFAB-CDEF-ABCD-EFAB-CDEFABCDEFAB"),
    *("gbcdefab-cdef-abcd-efab-cdefabcdefab", "1-2345678-1234-5678-1234-567812345678"),
    *("1234567-81234-5678-1234-567812345678", "12345678-1234-5678-1234-567812345678\n"),
    *("1234567_-1234-5678-1234-567812345678", "0x345678-1234-5678-1234-567812345678"),
    *("+2345678-1234-5678-1234-567812345678", "\u0661\u0662345678-1234-5678-1234-567812345678"),
    # datetimes
    *("2024-02-29T12:00:00", "2024-02-29T12:00:00Z", "2024-02-29T12:00:00z", "2024-02-29t12:00:00"),
    *("2024-02-29 12:00:00", "2024-02-29T12:00:00-00:00", "2024-02-29T12:00:00+0530"),
    *("2024-02-29T12:00:00+05", "2024-02-29T12:00:00+05:53:28"),
    *("2024-02-29T12:00:00+05:53:28.000001", "2024-02-29T12:00:00+24:00"),
    *("2024-02-29T12:00:00.123", "2024-02-29T12:00:00,123", "2024-02-29T12:00:00.123456789"),
    *("2024-02-29T12:00:60", "2024-02-29T24:00:00", "2024-02-29T23:59:59.9999999"),
    *("2024-02-29T12:00", "20240229T120000", "2024-02-29", "2023-02-29", "20240229", "2024-W09-4"),
    *("2024-2-9", "29.02.2024", "0001-01-01", "0000-01-01", "9999-12-31T23:59:59.999999"),
    *("2024-02-29\n", "\u0662024-02-29", "2024-02-29\ud80012:00:00"),
    *("Thu, 29 Feb 2024 12:00:00 +0000", "Thu, 29 Feb 2024 12:00:00 GMT", "1709208000"),
    *("1709208000.5", "253402300800", "29.02.2024 {%}", "2024/060", "12", "12:00", "12:00:00"),
    *("12:00:00.5", "12:00:00Z", "T12:00", "1200", "12:60"),
    # others
    *("a@example.com", "a@localhost", "a@@b.com", '"a b"@c.de', "a@[127.0.0.1]", "a@exämple.com"),
    *("a@example.com\n", "http://example.com", "HTTP://EXAMPLE.COM/", "ftp://example.com"),
    *("file:///etc/passwd", "/relative/path", "http://localhost:5000", "http://host"),
    *("http://example.com/ a", "127.0.0.1", "127.0.0.1/8", "256.0.0.1", "::1", "fe80::1/64", "RED"),
    *("NOTHING", "red", "S", "GLAD", "glad", "READ", "YES", "perhaps", "broken", "PAIR", "LIST"),
    *("__class__", "{input}", "{"),
]

ONLY_LOADED = [
    *TEXTS,
    *[text.encode() for text in ("1", "1.5", "RED", "true", "a@example.com", "127.0.0.1")],
    *(b"2024-02-29", b"12345678-1234-5678-1234-567812345678", uuid.UUID(int=7).bytes, b"\xff" * 16),
    *(memoryview(b"1"), Text("12"), Text("RED"), Text("12345678-1234-5678-1234-567812345678")),
    *(Text("1.50"), Formatted("12"), Odd(1), 2**53 + 1, 10**308, 10**309, 10**4400, -(10**309)),
    *(2.0, 1e300, 1709208000, 1709208000.5, 253402300800, 1e18, Hour(1, 2), Period(1)),
    *(dt.datetime(2024, 2, 29, 12, tzinfo=ZoneInfo("America/St_Johns"), fold=1), Decimal("1.0")),
    *(Decimal("2"), Answers.YES, Answers.NO, Unequal.LIST, ["a"], ["1", "2"], [["a"]], ("1", 2)),
    *(("a", "2", 3), {"a"}, frozenset(["1"]), {"a": "1"}, {None: None}, {True: False, "1": 0}),
    *(collections.OrderedDict(a="1"), collections.deque(["1"]), collections.UserList(["1", "2"])),
    *(collections.UserString("12"), LyingMapping(a=1), Names(["a"]), Sequence("1", 2), Stripped()),
    *(ProperFloat(), range(2), "ab", types.MappingProxyType({"a": 1}), missing),
    *(ValidationError("as a value"), ValidationError, list, NotImplemented),
]
"""Loaded besides the values that the tests of dumping have."""


VALUES = [*DUMPED_VALUES, *ONLY_LOADED]


LOG = []


def logged(name, log, returned=None):
    def call(value):
        log.append((name, value))
        return value if returned is None else returned

    return call


FIELDS = {
    "String": fields.String,
    "Raw": fields.Raw,
    "Url": fields.Url,
    "Url relative": partial(fields.Url, relative=True),
    "Url of schemes": partial(fields.Url, schemes={"file", "HTTP"}),
    "Email": fields.Email,
    "Integer": fields.Integer,
    "Integer strict": partial(fields.Integer, strict=True),
    "Float": fields.Float,
    "Float allow_nan": partial(fields.Float, allow_nan=True),
    "Decimal": fields.Decimal,
    "Decimal allow_nan": partial(fields.Decimal, allow_nan=True),
    "Decimal places 2": partial(fields.Decimal, 2, as_string=True),
    "Decimal places -2": partial(fields.Decimal, -2),
    "Decimal places 30": partial(fields.Decimal, 30),
    "Decimal rounded": partial(fields.Decimal, 1, decimal.ROUND_UP),
    "Decimal badly rounded": partial(fields.Decimal, 1, rounding="sideways"),
    "Boolean": fields.Boolean,
    "Boolean of more words": partial(fields.Boolean, truthy={"ja", 1.5}, falsy={"nein", None}),
    "Boolean both ways": partial(fields.Boolean, truthy={1}, falsy={1, "f"}),
    "DateTime": fields.DateTime,
    "DateTime iso8601": partial(fields.DateTime, "iso8601"),
    "DateTime rfc": partial(fields.DateTime, "rfc"),
    "DateTime timestamp": partial(fields.DateTime, "timestamp"),
    "DateTime timestamp_ms": partial(fields.DateTime, "timestamp_ms"),
    "DateTime format": partial(fields.DateTime, "%d.%m.%Y {%%}"),
    "DateTime format with zone": partial(fields.DateTime, "%Y-%m-%dT%H:%M:%S%z"),
    "NaiveDateTime": fields.NaiveDateTime,
    "NaiveDateTime of a zone": partial(fields.NaiveDateTime, timezone=dt.UTC),
    "AwareDateTime": fields.AwareDateTime,
    "AwareDateTime of a zone": partial(
        fields.AwareDateTime, default_timezone=ZoneInfo("Europe/Berlin")
    ),
    "Date": fields.Date,
    "Date format": partial(fields.Date, "%Y/%j"),
    "Time": fields.Time,
    "Time format": partial(fields.Time, "%H"),
    "TimeDelta": fields.TimeDelta,
    "TimeDelta in weeks": partial(fields.TimeDelta, "weeks"),
    "UUID": fields.UUID,
    "Enum": partial(fields.Enum, Colour),
    "Enum of int": partial(fields.Enum, Size),
    "Enum by value": partial(fields.Enum, Colour, by_value=True),
    "Enum of int by value": partial(fields.Enum, Size, by_value=True),
    "Enum of flags by value": partial(fields.Enum, Access, by_value=True),
    "Enum with missing members": partial(fields.Enum, Answers, by_value=True),
    "Enum of unhashable values": partial(fields.Enum, Unequal, by_value=True),
    "Enum by String": partial(fields.Enum, Answers, by_value=fields.String),
    "Enum by Float": partial(fields.Enum, Size, by_value=fields.Float),
    "IP": fields.IP,
    "IPv6": partial(fields.IPv6, exploded=True),
    "IPInterface": fields.IPInterface,
    "List of Raw": partial(fields.List, fields.Raw),
    "List of String": partial(fields.List, fields.String()),
    "List of List": partial(fields.List, fields.List(fields.Float)),
    "Tuple": lambda **options: fields.Tuple((fields.String(), fields.Integer()), **options),
    "Tuple of none": partial(fields.Tuple, []),
    "Dict": fields.Dict,
    "Dict of keys": partial(fields.Dict, keys=fields.Integer),
    "Dict of values": partial(fields.Dict, values=fields.Integer),
    "Dict of both": partial(fields.Dict, fields.String(), fields.Float()),
    "Constant": partial(fields.Constant, {"a": 1}),
    "Function": partial(fields.Function, deserialize=lambda value: [value]),
    "Function both ways": partial(fields.Function, repr, repr),
    "Nested": partial(fields.Nested, {"a": fields.Integer()}),
    "Nested many": partial(fields.Nested, {"a": fields.Raw()}, many=True),
    "Pluck": lambda **options: fields.Pluck(
        Schema.from_dict({"a": fields.Integer()}), "a", **options
    ),
}


def schema_of(make_field, **options):
    """A schema class whose field ``value`` is what ``make_field`` makes."""
    return Schema.from_dict({"value": make_field(**options), "after": fields.String()})


FAMILIES = ["String", "Integer", "Decimal", "DateTime", "Enum by value", "List of String", "Nested"]
"""Fields for what does not depend on the kind of a field: one of each family."""


def with_families(table, some):
    """All fields with some keys of a table, and one field of each family with all of them."""
    return [(name, key) for name in FIELDS for key in (table if name in FAMILIES else some)]


BY_THEIR_OWN_METHOD = {
    "Boolean of more words",
    "Boolean both ways",
    "Enum by String",
    "Enum by Float",
    "Constant",
    "Function",
    "Function both ways",
    "IP",
    "IPv6",
    "IPInterface",
    "Tuple",
    "Tuple of none",
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_compiled_whichever_marshmallow_loads(name):
    value, *_ = fastschema.compile(schema_of(FIELDS[name])).explain().loading
    assert value.compiled is (name not in BY_THEIR_OWN_METHOD)


def check_values(comparison):
    for value in VALUES:
        comparison.check_plan(lambda value=value: {"value": value, "after": "x"})


@cache
def harmless(name):
    """The values for which stock has a result or a ValidationError, and nothing worse."""
    schema = schema_of(FIELDS[name])()
    chosen = []
    for value in VALUES:
        try:
            schema.load({"value": value})
        except ValidationError:
            chosen.append(value)
        except Exception:
            continue
        else:
            chosen.append(value)
    return chosen


@pytest.mark.parametrize("name", FIELDS)
def test_any_value_is_loaded_as_by_stock(name):
    comparison = Comparison(schema_of(FIELDS[name]))
    check_values(comparison)
    values = harmless(name)[::3]
    comparison.check(lambda: [{"value": value, "after": "x"} for value in values], many=True)


@pytest.mark.parametrize("name", FIELDS)
def test_any_value_in_a_list_is_loaded_as_by_stock(name):
    schema = schema_of(lambda: fields.List(FIELDS[name]()))
    values = harmless(name)

    Comparison(schema).check(lambda: {"value": [*values]})
    Comparison(schema).check_plan(
        lambda: [{"value": [value, None]} for value in values[::5]], many=True
    )


@pytest.mark.parametrize("name", FIELDS)
def test_any_value_in_a_dict_is_loaded_as_by_stock(name):
    schema = schema_of(lambda: fields.Dict(values=FIELDS[name]()))
    values = harmless(name)

    Comparison(schema).check_plan(lambda: {"value": dict(enumerate(values))})
    keyed = schema_of(lambda: fields.Dict(FIELDS[name](), fields.Integer()))
    keys = [value for value in values if is_hashable(value)]
    Comparison(keyed).check_plan(
        lambda: [{"value": {key: 1, "12": "a", "RED": "3"}} for key in keys[::2]], many=True
    )


def is_hashable(value):
    try:
        hash(value)
    except (TypeError, LookupError):  # a list, a signaling NaN, or a broken time zone
        return False
    return True


DEFAULTS = {
    "none": lambda: None,
    "value": lambda: 3,
    "text": lambda: "not checked",
    "list": lambda: [1],
    "callable": lambda: list,
    "function": lambda: lambda: {"made": []},
    "class of errors": lambda: ValueError,
    "missing": lambda: missing,
}


@pytest.mark.parametrize("default", DEFAULTS)
def test_a_missing_value_is_replaced_by_the_default_as_by_stock(default):
    schema = Schema.from_dict(
        {name: make(load_default=DEFAULTS[default]()) for name, make in FIELDS.items()}
    )
    rows = [{}, {}, dict.fromkeys(FIELDS), dict.fromkeys(FIELDS, missing), {"String": "x"}]

    assert_loads_same(schema, *rows, rows)
    assert_loads_same(schema, rows, many=True)
    for some in (True, False, list(FIELDS)[::2], ()):
        assert_loads_same(schema, {}, rows[2], partial=some)


def test_a_default_is_the_same_object_each_time_as_by_stock():
    default = []
    schema = Schema.from_dict({"a": fields.List(fields.Raw(), load_default=default)})
    comparison = Comparison(schema)
    loaded = comparison.plan.load([{}, {}], many=True)
    assert all(row["a"] is default for row in loaded)


def test_a_default_is_called_as_often_as_by_stock_and_its_errors_are_the_same():
    def default():
        LOG.append("default")
        if len(LOG) == 3:
            raise ValidationError(["no default", "third"])
        if len(LOG) == 5:
            raise LookupError("fifth")
        return len(LOG)

    schema = Schema.from_dict(
        {name: fields.Integer(load_default=default, allow_none=False) for name in "ab"}
    )
    nested = Schema.from_dict({"each": fields.List(fields.Nested(schema))})
    for rows in ([], [{}], [{}, {}], [{}] * 3, [{"a": 1}, {"a": "x"}, {"b": "x"}, {"b": 2}]):
        assert_loads_same(schema, rows, calls=LOG, many=True)
        assert_loads_same(nested, {"each": rows}, calls=LOG)


def test_an_error_in_a_default_is_not_chained_to_the_key_that_is_missing():
    def refuse():
        raise LookupError("no default")

    schema = Schema.from_dict({"a": fields.Integer(load_default=refuse)})

    with pytest.raises(LookupError) as raised:
        fastschema.compile(schema).load({})
    assert raised.value.__context__ is None


@pytest.mark.parametrize("name", FIELDS)
def test_a_required_value_is_required_as_by_stock(name):
    if name.startswith("Constant"):
        schema = Schema.from_dict({"value": FIELDS[name]()})
    else:
        schema = schema_of(FIELDS[name], required=True)
    comparison = Comparison(schema)
    for some in (None, True, False, ["value"], ["after"], "value", {"value"}):
        for row in ({}, {"value": None}, {"value": missing}, {"after": 1}):
            comparison.check(row, partial=some)


CONTEXTS = {
    "default": decimal.Context(),
    "few digits and no traps": decimal.Context(prec=4, traps=[]),
    "all traps": decimal.Context(
        traps=[decimal.Inexact, decimal.Rounded, decimal.InvalidOperation, decimal.FloatOperation]
    ),
    "small exponents": decimal.Context(Emax=3, Emin=-3),
}


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("name", [name for name in FIELDS if name.startswith("Decimal")])
def test_decimals_are_loaded_in_the_context_of_the_moment(name, context):
    comparison = Comparison(schema_of(FIELDS[name]))
    comparison.check({"value": "1.005"})
    values = [value for value in VALUES if isinstance(value, (str, float, int, Decimal))]
    with decimal.localcontext(CONTEXTS[context]):
        for value in values:
            comparison.check_plan(lambda value=value: {"value": value})


def test_long_digit_strings_obey_the_limit_of_the_interpreter():
    comparison = Comparison(schema_of(fields.Integer))
    limit = sys.get_int_max_str_digits()
    texts = ["9" * 1000, "9" * 4300, "9" * 4301, "1" + "_1" * 4300]
    try:
        for digits in (limit, 640, 0):
            sys.set_int_max_str_digits(digits)
            for text in texts:
                comparison.check({"value": text})
    finally:
        sys.set_int_max_str_digits(limit)


MESSAGES = {
    "text with input": "{input} is wrong",
    "text with an attribute": "{input.__class__.__name__} is wrong",
    "broken text": "{",
    "bytes": b"wrong",
    "list": ["wrong", "very"],
    "dict": {"code": 1, "nested": {"a": ["b"]}},
    "empty list": [],
}


KEYS_OF_MESSAGES = (
    *("required", "null", "invalid", "invalid_utf8", "invalid_uuid", "too_large", "special"),
    *("invalid_awareness", "format", "unknown", "type", "invalid_ip", "invalid_ip_interface"),
    "validator_failed",
)


@pytest.mark.parametrize(
    ("name", "message"), with_families(MESSAGES, ["text with an attribute", "dict"])
)
def test_overridden_messages_are_as_by_stock(name, message):
    if name.startswith(("Url", "Email")) and not isinstance(MESSAGES[message], str):
        pytest.skip("stock makes no Url or Email whose message is not a str")
    messages = dict.fromkeys(KEYS_OF_MESSAGES, MESSAGES[message])
    comparison = Comparison(schema_of(FIELDS[name], error_messages=messages))
    naive, aware = "2024-02-29T12:00", "2024-02-29T12:00Z"
    for value in (None, [], "nan", 10**400, b"\xff", {}, naive, aware, [[1]], object):
        comparison.check_plan(lambda value=value: {"value": value})


def test_messages_that_are_containers_are_copied_as_by_stock():
    """What is done to one error's messages does not show in the next."""

    class Meddling(Schema):
        a = fields.Integer(error_messages={"invalid": ["wrong", {"why": ["not a number"]}]})
        b = fields.Nested({"c": fields.Integer(error_messages={"invalid": {"d": [1]}})})
        error_messages = {"unknown": ["not known"], "type": ["no dict"]}

        def handle_error(self, error, data, **kwargs):
            for messages in error.messages.values():
                messages.clear()

    bad = {"a": "x", "b": {"c": "x"}}
    assert_loads_same(Meddling, bad, bad, bad)
    for plan in [Comparison(Meddling).plan]:
        for _ in range(3):
            with pytest.raises(ValidationError) as raised:
                plan.load(bad)
            assert raised.value.messages == {"a": [], "b": {}}
