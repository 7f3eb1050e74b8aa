"""Each kind of field represents each kind of value as in stock."""

import datetime
import decimal
import enum
import uuid
from datetime import UTC, timedelta, timezone
from decimal import Decimal
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from django.db import models
from django.utils import timezone as django_timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

import fastschema
from tests.instruments.core import registration
from tests.promises.django.differential import Thing, assert_same, serializer_of


class Text(str):
    __slots__ = ()

    def __str__(self):
        return "text"


class Number(int):
    def __int__(self):
        return 7


class Amount(Decimal):
    pass


class Key(uuid.UUID):
    def __str__(self):
        return "key"


class Moment(datetime.datetime):
    def isoformat(self, *args):
        return "moment"


class Day(datetime.date):
    def isoformat(self):
        return "day"


class Clock(datetime.time):
    def isoformat(self, *args):
        return "clock"


class Colour(enum.Enum):
    RED = "r"
    GREEN = 2


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Mood(enum.StrEnum):
    GOOD = "good"
    BAD = "bad"


class Stubborn:
    def __str__(self):
        raise RuntimeError("no text")

    __int__ = __float__ = __bool__ = __eq__ = __str__
    __hash__ = object.__hash__


PARIS = ZoneInfo("Europe/Paris")
SECONDS = timezone(timedelta(hours=1, minutes=2, seconds=3))

VALUES = {
    "true": True,
    "false": False,
    "zero": 0,
    "one": 1,
    "minus one": -1,
    "a huge integer": 2**80,
    "an integer too long to be written": 10**5000,
    "an integer of another class": Number(3),
    "a float": 1.5,
    "minus zero": -0.0,
    "a tiny float": 1e-7,
    "the smallest float": 5e-324,
    "a big float": 1e16,
    "a huge float": 1.7e308,
    "nan": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "a complex number": 1j,
    "an empty string": "",
    "a string": "abc",
    "a string with letters from afar": "é ✈ \U0001f600 \u2028",
    "a lone surrogate": "\ud800",
    "yes": "Yes",
    "off": "OFF",
    "null as a string": "null",
    "a number as a string": " 1.50 ",
    "two as a string": "2",
    "a date as a string": "2024-02-29",
    "a string of another class": Text("abc"),
    "a safe string": SafeString("<b>"),
    "an error detail": ErrorDetail("wrong", code="invalid"),
    "a lazy translation": gettext_lazy("Not a valid string."),
    "bytes": b"abc",
    "bytes that are no text": b"\xff",
    "a bytearray": bytearray(b"abc"),
    "a UUID": uuid.UUID(int=2**127 + 5),
    "a UUID of another class": Key(int=1),
    "a decimal": Decimal("1.25"),
    "a decimal with no places": Decimal("12"),
    "a decimal that is rounded": Decimal("2.675"),
    "a decimal with an exponent": Decimal("1E+3"),
    "a tiny decimal": Decimal("1E-12"),
    "a decimal that is minus zero": Decimal("-0.00"),
    "a decimal with too many digits": Decimal("123456789012345678901234567890.12"),
    "a decimal of another class": Amount("1.25"),
    "a decimal that is no number": Decimal("NaN"),
    "a decimal that signals": Decimal("sNaN"),
    "a decimal that is infinite": Decimal("Infinity"),
    "a date": datetime.date(2024, 2, 29),
    "a date in the first year": datetime.date(1, 1, 1),
    "a date of another class": Day(2024, 2, 29),
    "midnight": datetime.time(0),
    "a time": datetime.time(1, 2, 3, 4),
    "a time with hundredths": datetime.time(0, 0, 0, 10_000),
    "a time with tenths": datetime.time(0, 0, 0, 100_000),
    "a time with a fold": datetime.time(1, 2, fold=1),
    "a time in UTC": datetime.time(1, 2, tzinfo=UTC),
    "a time in a zone": datetime.time(1, 2, tzinfo=PARIS),
    "a time with an offset": datetime.time(1, 2, tzinfo=SECONDS),
    "a time of another class": Clock(1, 2),
    "a naive datetime": datetime.datetime(2024, 7, 1, 12, 30),
    "a naive datetime that is skipped": datetime.datetime(2024, 3, 31, 2, 30),
    "a naive datetime that comes twice": datetime.datetime(2024, 10, 27, 2, 30, fold=1),
    "a datetime in UTC": datetime.datetime(2024, 7, 1, 12, 30, 0, 5, tzinfo=UTC),
    "a datetime in the first year": datetime.datetime(1, 1, 1, tzinfo=UTC),
    "a datetime in the last year": datetime.datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
    "a datetime in a zone": datetime.datetime(2024, 7, 1, 12, 30, tzinfo=PARIS),
    "a datetime in the zone of UTC": datetime.datetime(2024, 7, 1, tzinfo=ZoneInfo("UTC")),
    "a datetime at no offset": datetime.datetime(2024, 7, 1, tzinfo=timezone(timedelta(0))),
    "a datetime with an offset in seconds": datetime.datetime(2024, 7, 1, tzinfo=SECONDS),
    "a datetime before time zones": datetime.datetime(1800, 7, 1, tzinfo=PARIS),
    "a datetime of another class": Moment(2024, 7, 1, tzinfo=UTC),
    "a duration": timedelta(days=1, seconds=2),
    "an enum member": Colour.RED,
    "an enum member with a number": Colour.GREEN,
    "an integer enum member": Size.LARGE,
    "a string enum member": Mood.GOOD,
    "a list": [1, "a", None],
    "an empty list": [],
    "a tuple": (1, 2),
    "a set": {1},
    "a dictionary": {"a": 1.0, "b": [None]},
    "a dictionary with other keys": {1: "a", None: "b"},
    "a range": range(3),
    "an object": Thing(pk=4),
    "a class": Thing,
    "a stubborn object": Stubborn(),
}

GROUPED = [("Warm", [("r", "red"), ("o", "orange")]), (2, "two"), ("", "nothing"), ("1", "one")]


def of_a_model():
    field = models.IntegerField()
    field.set_attributes_from_name("value")
    return serializers.ModelField(field)


FIELDS = {
    "char": serializers.CharField,
    "email": serializers.EmailField,
    "slug": serializers.SlugField,
    "url": serializers.URLField,
    "regex": partial(serializers.RegexField, "a"),
    "ip address": serializers.IPAddressField,
    "char, null allowed": partial(serializers.CharField, allow_null=True),
    "integer": serializers.IntegerField,
    "float": serializers.FloatField,
    "boolean": serializers.BooleanField,
    "boolean, null allowed": partial(serializers.BooleanField, allow_null=True),
    "uuid": serializers.UUIDField,
    "uuid as hex": partial(serializers.UUIDField, format="hex"),
    "uuid as int": partial(serializers.UUIDField, format="int"),
    "uuid as urn": partial(serializers.UUIDField, format="urn"),
    "decimal": partial(serializers.DecimalField, 10, 2),
    "decimal without limits": partial(serializers.DecimalField, None, None),
    "decimal without digits": partial(serializers.DecimalField, None, 2),
    "decimal without places": partial(serializers.DecimalField, 10, None),
    "decimal with one digit": partial(serializers.DecimalField, 1, 0),
    "decimal as a number": partial(serializers.DecimalField, 10, 2, coerce_to_string=False),
    "decimal as a string": partial(serializers.DecimalField, 10, 2, coerce_to_string=True),
    "decimal, localized": partial(serializers.DecimalField, 10, 2, localize=True),
    "decimal, normalized": partial(serializers.DecimalField, 10, 2, normalize_output=True),
    "decimal as a number, normalized": partial(
        serializers.DecimalField, 10, 2, coerce_to_string=False, normalize_output=True
    ),
    "decimal without places, normalized": partial(
        serializers.DecimalField, 10, None, normalize_output=True
    ),
    "decimal as a number without limits": partial(
        serializers.DecimalField, None, None, coerce_to_string=False
    ),
    "decimal, rounded down": partial(serializers.DecimalField, 10, 2, rounding=decimal.ROUND_DOWN),
    "date": serializers.DateField,
    "date with a format": partial(serializers.DateField, format="%d.%m.%y"),
    "date as it is": partial(serializers.DateField, format=None),
    "date, iso in capitals": partial(serializers.DateField, format="ISO-8601"),
    "time": serializers.TimeField,
    "time with a format": partial(serializers.TimeField, format="%H"),
    "time as it is": partial(serializers.TimeField, format=None),
    "datetime": serializers.DateTimeField,
    "datetime with a format": partial(serializers.DateTimeField, format="%Y %z"),
    "datetime as it is": partial(serializers.DateTimeField, format=None),
    "datetime in Paris": partial(serializers.DateTimeField, default_timezone=PARIS),
    "datetime in UTC": partial(serializers.DateTimeField, default_timezone=UTC),
    "datetime at an offset": partial(serializers.DateTimeField, default_timezone=SECONDS),
    "datetime in Paris with a format": partial(
        serializers.DateTimeField, default_timezone=PARIS, format="{%H} %z 'é'"
    ),
    "duration": serializers.DurationField,
    "choice": partial(serializers.ChoiceField, ["abc", "2", "1.5"]),
    "choice of numbers": partial(serializers.ChoiceField, [(1, "one"), (2, "two"), (1.5, "half")]),
    "choice in groups": partial(serializers.ChoiceField, GROUPED, allow_blank=True),
    "choice of an enum": partial(serializers.ChoiceField, [(each, each.name) for each in Colour]),
    "choice of booleans": partial(serializers.ChoiceField, [(True, "yes"), (None, "unknown")]),
    "multiple choice": partial(serializers.MultipleChoiceField, choices=["abc", 1, 2]),
    "read only": serializers.ReadOnlyField,
    "model field": of_a_model,
    "json": serializers.JSONField,
    "binary json": partial(serializers.JSONField, binary=True),
    "list": serializers.ListField,
    "list of integers": lambda: serializers.ListField(child=serializers.IntegerField()),
    "dictionary": serializers.DictField,
    "primary key": partial(serializers.PrimaryKeyRelatedField, read_only=True),
    "string related": serializers.StringRelatedField,
    "slug related": partial(serializers.SlugRelatedField, slug_field="pk", read_only=True),
    "slug related, dotted": partial(
        serializers.SlugRelatedField, slug_field="pk__real", read_only=True
    ),
    "hstore": serializers.HStoreField,
    "file": serializers.FileField,
    "file by its name": partial(serializers.FileField, use_url=False),
    "image": serializers.ImageField,
}
"""A field of each class and with each option that changes what it gives."""
if hasattr(serializers, "BigIntegerField"):  # since DRF 3.17
    FIELDS |= {
        "big integer": serializers.BigIntegerField,
        "big integer as a string": partial(serializers.BigIntegerField, coerce_to_string=True),
        "duration as it is": partial(serializers.DurationField, format=None),
        "duration, iso": partial(serializers.DurationField, format="iso-8601"),
    }

STOCK = {"decimal, localized", "binary json"}
if not hasattr(serializers, "BigIntegerField"):  # multiple choices were sets then
    STOCK.add("multiple choice")
"""Those that are not compiled."""

CHILDREN = [
    "char", "integer", "big integer as a string", "float", "boolean", "uuid", "uuid as int",
    "decimal", "decimal as a number", "date", "time", "datetime", "datetime with a format",
    "datetime as it is", "duration", "choice of numbers", "multiple choice", "read only", "json",
    "binary json", "list", "list of integers", "dictionary", "hstore", "file", "slug related",
]  # fmt: skip  # a table, to be seen at a glance
"""Those that are tried inside of others."""
CHILDREN = [name for name in CHILDREN if name in FIELDS]


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS.keys())
def test_any_value_is_represented_as_in_stock(field):
    serializer = serializer_of(value=field())
    assert assert_same(serializer, Thing(value=None)) == {"value": None}
    for value in VALUES.values():
        assert_same(serializer, Thing(value=value))


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_compiled_or_has_a_reason(name):
    (report,) = fastschema.compile(serializer_of(value=FIELDS[name]())).explain()
    assert (report.compiled, bool(report.why)) == (name not in STOCK, name in STOCK)


@pytest.mark.parametrize("name", CHILDREN)
def test_any_value_inside_of_others_is_represented_as_in_stock(name):
    child = FIELDS[name]
    serializer = serializer_of(
        items=serializers.ListField(child=child()),
        mapping=serializers.DictField(child=child()),
        nested=serializers.ListField(child=serializers.ListField(child=child())),
    )
    for value in VALUES.values():
        values = {
            "items": [None, value, value],
            "mapping": {"a": None, 1: value, None: value},
            "nested": [[], None, (value,)],
        }
        assert_same(serializer, Thing(**values))


def test_a_child_that_runs_as_stock_has_a_reason():
    for field in (
        serializers.ListField(child=OwnText()),
        serializers.DictField(child=OwnText()),
        serializers.ListField(child=serializers.ListField(child=OwnText())),
    ):
        (report,) = fastschema.compile(serializer_of(value=field)).explain()
        assert "OwnText" in report.why


def test_children_that_are_serializers_are_compiled():
    point = serializer_of(x=serializers.IntegerField())
    serializer = serializer_of(
        items=serializers.ListField(child=point()),
        mapping=serializers.DictField(child=point()),
        many=serializers.ListField(child=point(many=True)),
    )
    values = {"items": [{"x": 1}, None], "mapping": {"a": Thing(x="2")}, "many": [[{"x": 3}], []]}
    assert_same(serializer, values)
    assert all(report.compiled for report in fastschema.compile(serializer).explain())


class OwnText(serializers.CharField):
    def to_representation(self, value):
        return f"<{super().to_representation(value)}>"


class ValidatedText(serializers.CharField):
    def to_internal_value(self, data):
        return data.strip()


class TestSubclasses:
    def test_a_field_that_only_validates_otherwise_is_compiled(self):
        serializer = serializer_of(value=ValidatedText())
        assert assert_same(serializer, Thing(value="a")) == {"value": "a"}
        assert next(iter(fastschema.compile(serializer).explain())).compiled

    def test_an_own_get_attribute_is_called(self):
        class Everything(serializers.CharField):
            def get_attribute(self, instance):
                return sorted(vars(instance))

        serializer = serializer_of(value=Everything())
        assert assert_same(serializer, Thing(a=1, b=2)) == {"value": "['a', 'b']"}

    def test_own_boolean_words_are_known(self):
        class German(serializers.BooleanField):
            TRUE_VALUES = {"ja", False}
            FALSE_VALUES = {"nein", True}

        for value in (True, False, "ja", "Nein", 1, 0, "?"):
            assert_same(serializer_of(value=German()), Thing(value=value))

    def test_a_model_field_gets_the_whole_object(self, flights):
        class AirlineSerializer(serializers.Serializer):
            name = serializers.ModelField(model_field=flights[0].airline._meta.get_field("name"))

        assert assert_same(AirlineSerializer, flights[0].airline) == {"name": "United"}


class TestDecimals:
    @pytest.mark.parametrize("digits", [1, 2, 3, 9, 10, 11, 12, 28, 29, None])
    def test_any_number_of_digits(self, digits):
        serializer = serializer_of(value=serializers.DecimalField(digits, 2))
        for length in range(1, 31):
            assert_same(serializer, Thing(value=Decimal(f"{10**length - 1}E-2")))
            assert_same(serializer, Thing(value=-Decimal(f"{10**length - 1}E-2")))

    @pytest.mark.parametrize(
        "context",
        [
            *(decimal.Context(prec=3), decimal.Context(prec=60)),
            *(decimal.Context(rounding=decimal.ROUND_UP), decimal.Context(traps=[])),
            *(decimal.Context(traps=[decimal.Inexact]), decimal.Context(Emax=1, Emin=-1)),
            *(decimal.Context(capitals=0), decimal.BasicContext, decimal.ExtendedContext),
        ],
        ids=repr,
    )
    @pytest.mark.parametrize("digits", [None, 6])
    @pytest.mark.parametrize("options", [{}, {"normalize_output": True}], ids=str)
    def test_the_decimal_context_of_the_moment_counts(self, context, digits, options):
        serializer = serializer_of(value=serializers.DecimalField(digits, 2, **options))
        assert_same(serializer, Thing(value=Decimal("1.255")))
        with decimal.localcontext(context):
            for text in ("1.255", "12345.25", "1.25", "123.456", "NaN", "1E+5", "0E-9"):
                assert_same(serializer, Thing(value=Decimal(text)))

    def test_the_flags_of_the_context_stay_as_in_stock(self):
        serializer = serializer_of(value=serializers.DecimalField(None, 2))
        with decimal.localcontext(decimal.Context(traps=[])) as context:
            _ = serializer(Thing(value=Decimal("1.255"))).data
            fast = dict(context.flags)
        with decimal.localcontext(decimal.Context(traps=[])) as context, fastschema.disabled():
            _ = serializer(Thing(value=Decimal("1.255"))).data
        assert fast == context.flags

    @pytest.mark.parametrize("coerce", [True, False])
    def test_an_overridden_setting_for_coercion_counts(self, settings, coerce):
        serializer = serializer_of(value=serializers.DecimalField(10, 2))
        assert_same(serializer, Thing(value=Decimal("1.5")))
        settings.REST_FRAMEWORK = {"COERCE_DECIMAL_TO_STRING": coerce}
        data = assert_same(serializer, Thing(value=Decimal("1.5")))
        assert data == {"value": "1.50" if coerce else Decimal("1.50")}

    @pytest.mark.parametrize("language", ["en", "de"])
    def test_a_localized_decimal_follows_the_active_language(self, language):
        from django.utils import translation

        serializer = serializer_of(value=serializers.DecimalField(10, 2, localize=True))
        with translation.override(language):
            data = assert_same(serializer, Thing(value=Decimal("1234.5")))
        assert data["value"] == {"en": "1234.50", "de": "1234,50"}[language]

    def test_an_own_quantize_is_called(self):
        class Doubled(serializers.DecimalField):
            def quantize(self, value):
                return super().quantize(value * 2)

        assert assert_same(serializer_of(value=Doubled(10, 2)), Thing(value=Decimal("1.5"))) == {
            "value": "3.00"
        }


DATETIMES = {name: value for name, value in VALUES.items() if "datetime" in name}
ZONES = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Africa/Monrovia"]


class TestDatesAndTimes:
    @pytest.mark.parametrize("zone", [*map(ZoneInfo, ZONES), UTC, SECONDS], ids=str)
    def test_the_active_time_zone_counts(self, zone):
        serializer = serializer_of(value=serializers.DateTimeField())
        with django_timezone.override(zone):
            for value in DATETIMES.values():
                assert_same(serializer, Thing(value=value))

    @pytest.mark.parametrize("field", ["datetime", "datetime in Paris", "datetime with a format"])
    def test_without_time_zones(self, settings, field):
        settings.USE_TZ = False
        serializer = serializer_of(value=FIELDS[field]())
        for value in DATETIMES.values():
            assert_same(serializer, Thing(value=value))

    @pytest.mark.parametrize(
        ("value", "zone"),
        [
            (datetime.datetime.max.replace(tzinfo=UTC), "Asia/Tokyo"),
            (datetime.datetime.min.replace(tzinfo=UTC), "America/New_York"),
        ],
    )
    def test_an_overflow_is_the_validation_error_of_stock(self, value, zone):
        with django_timezone.override(zone):
            error = assert_same(
                serializer_of(value=serializers.DateTimeField()), Thing(value=value)
            )
        assert isinstance(error, serializers.ValidationError)

    @pytest.mark.parametrize("method", ["enforce_timezone", "default_timezone"])
    def test_own_ways_with_time_zones_are_called(self, method):
        class Own(serializers.DateTimeField):
            pass

        results = {"enforce_timezone": datetime.datetime(2000, 1, 1), "default_timezone": PARIS}
        setattr(Own, method, lambda self, *args: results[method])
        value = datetime.datetime(2024, 7, 1, 12, tzinfo=UTC)
        data = assert_same(serializer_of(value=Own()), Thing(value=value))
        assert data["value"] in ("2000-01-01T00:00:00", "2024-07-01T14:00:00+02:00")

    @pytest.mark.parametrize(
        ("setting", "field", "value"),
        [
            ("DATE_FORMAT", serializers.DateField, datetime.date(2024, 7, 1)),
            ("TIME_FORMAT", serializers.TimeField, datetime.time(1, 2)),
            ("DATETIME_FORMAT", serializers.DateTimeField, datetime.datetime(2024, 7, 1, 1)),
        ],
    )
    def test_an_overridden_format_in_the_settings_is_seen(self, settings, setting, field, value):
        settings.USE_TZ = False
        serializer = serializer_of(value=field())
        iso = assert_same(serializer, Thing(value=value))
        for output_format, expected in (("%H:%S", None), (None, value), ("iso-8601", iso["value"])):
            settings.REST_FRAMEWORK = {setting: output_format}
            data = assert_same(serializer, Thing(value=value))
            assert data["value"] == (expected or value.strftime(output_format))

    @pytest.mark.parametrize("output_format", [1, b"%Y", ["%Y"]])
    def test_a_format_that_makes_no_sense_raises_as_in_stock(self, output_format):
        serializer = serializer_of(value=serializers.DateField(format=output_format))
        error = assert_same(serializer, Thing(value=datetime.date(2024, 7, 1)))
        assert isinstance(error, Exception)


class TestChoices:
    def test_choices_of_odd_values_are_written_as_in_stock(self):
        choices = [(Decimal("1.5"), "a"), (datetime.date(2024, 7, 1), "b"), (2.0, "c"), (1e30, "d")]
        serializer = serializer_of(value=serializers.ChoiceField(choices))
        for value in ("1.5", "2024-07-01", "2.0", "1e+30", "", "x"):
            assert_same(serializer, Thing(value=value))


class Shout(serializers.Field):
    def to_representation(self, value):
        return f"{value}!"


@pytest.fixture
def _shouts():
    fastschema.register(Shout.to_representation, expression="f'{{{value}}}!'")
    yield
    registration.registered.pop(Shout.to_representation)


@pytest.mark.usefixtures("_shouts")
class TestRegistered:
    """A registered expression stands for the method, and gets what the method would get."""

    @pytest.mark.parametrize(
        "value", ["a", 1, None, partial(str, "called"), lambda: "called", lambda: None, Thing]
    )
    def test_a_value_that_is_a_method_is_called_first(self, value):
        serializer = serializer_of(value=Shout(), listed=serializers.ListField(child=Shout()))
        field = fastschema.compile(serializer).explain().fields[0]
        assert field.compiled
        assert_same(serializer, Thing(value=value, listed=["a", 1]))
        assert_same(serializer, {"value": value, "listed": ["a", 1]})


class Keeping(serializers.Field):
    """A field that keeps something under a name by which stock's keep other fields."""

    def __init__(self, name, kept, **options):
        super().__init__(**options)
        setattr(self, name, kept)

    def to_representation(self, value):
        return f"kept {value}"

    def to_internal_value(self, data):
        return f"kept {data}"


@pytest.mark.parametrize("kept", [None, "id", serializers.CharField], ids=str)
@pytest.mark.parametrize("name", ["child", "child_relation"])
def test_what_users_keep_where_stock_keeps_fields_is_left_to_them(name, kept):
    cls = serializer_of(value=Keeping(name, kept))
    assert assert_same(cls, Thing(value=1)) == {"value": "kept 1"}

    for data in ({"value": 1}, {}):
        with fastschema.disabled():
            expected = cls(data=data)
            expected.is_valid()
        serializer = cls(data=data)
        assert serializer.is_valid() == expected.is_valid()
        assert (serializer.errors, serializer.validated_data) == (
            expected.errors,
            expected.validated_data,
        )
