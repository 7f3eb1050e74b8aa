"""Lists of input: values, errors, calls, queries and warnings are those of stock."""

import datetime
import math
import warnings
from decimal import ROUND_UP, Decimal

import pytest
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import MaxLengthValidator, MinValueValidator
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.validators import UniqueTogetherValidator, UniqueValidator

import fastschema
from flights.models import Airline
from tests.promises.django.differential import assert_equal, exactly, outcome
from tests.promises.django.requests_in_turns import ADMINISTRATOR

CALLS = []


def told(errors):
    """Errors with their codes and classes."""
    if isinstance(errors, dict):
        return type(errors), {key: told(each) for key, each in errors.items()}
    if isinstance(errors, (list, tuple)):
        return type(errors), [told(each) for each in errors]
    assert isinstance(errors, ErrorDetail) or errors == {}
    return str(errors), getattr(errors, "code", None)


def validated(make):
    """All that comes of validating, with the warnings and the lines that they blame."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        serializer = make()
        is_valid = serializer.is_valid()
    blamed = [(str(each.message), each.category, each.filename == __file__) for each in caught]
    return {
        "valid": is_valid,
        "value": exactly(serializer.validated_data),
        "errors": told(serializer.errors),
        "own": "run_child_validation" in vars(serializer),
        "warnings": blamed,
    }


def assert_same(serializer_class, data, **options):
    """Assert that rows are validated as in stock; return what can be seen of it, as text.

    As a list, and each of them alone.
    """
    many = assert_same_input(lambda: serializer_class(data=data, many=True, **options))
    if isinstance(data, list):
        options = {key: options[key] for key in {"partial", "context"} & options.keys()}
        for row in data:
            assert_same_input(lambda: serializer_class(data=row, **options))
    return many


def assert_same_input(make):
    """Assert that a serializer says of its input what it says in stock; return it as text.

    :param make: makes it; once more, with all fields made before they are needed
    """
    with fastschema.disabled():
        expected = outcome(lambda: validated(make), CALLS)
    assert_equal(outcome(lambda: validated(make), CALLS), expected)
    with ADMINISTRATOR.visiting():  # another user asks in between
        with fastschema.disabled():
            expected_by_others = outcome(lambda: validated(make), CALLS)
        assert_equal(outcome(lambda: validated(make), CALLS), expected_by_others)
    assert_equal(outcome(lambda: validated(make), CALLS), expected)

    def made():
        serializer = make()
        assert getattr(serializer, "child", serializer).fields
        return serializer

    with fastschema.disabled():
        expected_of_made = outcome(lambda: validated(made), CALLS)
    assert_equal(outcome(lambda: validated(made), CALLS), expected_of_made)
    return str(expected.value)


def serializer_of(base=serializers.Serializer, **attributes):
    return type("Rows", (base,), attributes)


ODD = [
    "", " ", "x", " text ", "a\x00b", "\ud800", "é", "1", "1.0", "-5", "nan", "true", "2020-01-01",
    "2020-01-01T10:00:00Z", "10:00", "x" * 2000, "00000000-0000-0000-0000-000000000001", "b@c.de",
    "1.5", "-0.0", "12.50", "012.50", "123.4", "1234.5", "1.55", "13.00", "1e2", "1_0.0", ".5",
    "\u0661.5", " 1.5", "1.5\n", "20200101", "2020-W01-1", "2020-1-1", "2020-13-01", "01.02.2020",
    0, 1, -1, 7, 2**63, -(2**70), True, False, None, 0.0, -0.0, 1.5, 1e300, math.nan, math.inf,
    [], [1], ["a"], ["a", " b "], ["abcd"], [["2020-01-01"], []], [""], [None],
    {}, {"a": 1}, [{"a": "x"}], (), b"bytes", object, Decimal("1.5"),
    datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 10), {1, 2},
]  # fmt: skip  # a table, to be seen at a glance

FIELDS = {
    "text": lambda **o: serializers.CharField(**o),
    "short text": lambda **o: serializers.CharField(max_length=3, min_length=2, **o),
    "blank text": lambda **o: serializers.CharField(allow_blank=True, **o),
    "text as it is": lambda **o: serializers.CharField(trim_whitespace=False, **o),
    "letters": lambda **o: serializers.RegexField("^[a-z]+$", **o),
    "checked text": lambda **o: serializers.CharField(validators=[odd_length], **o),
    "limited text": lambda **o: serializers.CharField(validators=[MaxLengthValidator(4)], **o),
    "number of text": lambda **o: serializers.CharField(validators=[MinValueValidator(4)], **o),
    "e-mail": lambda **o: serializers.EmailField(**o),
    "slug": lambda **o: serializers.SlugField(**o),
    "uuid": lambda **o: serializers.UUIDField(**o),
    "integer": lambda **o: serializers.IntegerField(**o),
    "small integer": lambda **o: serializers.IntegerField(min_value=0, max_value=5, **o),
    "checked integer": lambda **o: serializers.IntegerField(validators=[odd], **o),
    "limit that is called": lambda **o: serializers.IntegerField(
        validators=[MinValueValidator(lambda: 3)], **o
    ),
    "float": lambda **o: serializers.FloatField(**o),
    "small float": lambda **o: serializers.FloatField(max_value=1.5, **o),
    "boolean": lambda **o: serializers.BooleanField(**o),
    "checked boolean": lambda **o: serializers.BooleanField(validators=[odd], **o),
    "decimal": lambda **o: serializers.DecimalField(max_digits=4, decimal_places=1, **o),
    "whole decimal": lambda **o: serializers.DecimalField(max_digits=3, decimal_places=0, **o),
    "small decimal": lambda **o: serializers.DecimalField(2, 2, **o),
    "any decimal": lambda **o: serializers.DecimalField(None, None, **o),
    "limited decimal": lambda **o: serializers.DecimalField(
        max_digits=6, decimal_places=2, max_value=12, rounding=ROUND_UP, **o
    ),
    "localized decimal": lambda **o: serializers.DecimalField(4, 1, localize=True, **o),
    "date": lambda **o: serializers.DateField(**o),
    "checked date": lambda **o: serializers.DateField(validators=[odd], **o),
    "date of its own format": lambda **o: serializers.DateField(input_formats=["%d.%m.%Y"], **o),
    "datetime": lambda **o: serializers.DateTimeField(**o),
    "time": lambda **o: serializers.TimeField(**o),
    "duration": lambda **o: serializers.DurationField(**o),
    "choice": lambda **o: serializers.ChoiceField(["a", "x", 1], **o),
    "choices": lambda **o: serializers.MultipleChoiceField(choices=["a", "x", 1], **o),
    "list": lambda **o: serializers.ListField(child=serializers.IntegerField(), **o),
    "short list": lambda **o: serializers.ListField(
        child=serializers.CharField(max_length=3), allow_empty=False, max_length=2, **o
    ),
    "list of lists": lambda **o: serializers.ListField(
        child=serializers.ListField(child=serializers.DateField()), **o
    ),
    "list of checked": lambda **o: serializers.ListField(
        child=serializers.CharField(validators=[odd_length]), **o
    ),
    "dictionary": lambda **o: serializers.DictField(child=serializers.CharField(), **o),
    "json": lambda **o: serializers.JSONField(**o),
    "nested": lambda **o: Inner(**o),
    "nested list": lambda **o: Inner(many=True, **o),
    "own": lambda **o: Own(**o),
    "hidden": lambda **o: serializers.HiddenField(default=lambda: "hidden"),
    "read only": lambda **o: serializers.CharField(read_only=True, default="set"),
    "called": lambda **o: serializers.CharField(default=called),
    "file": lambda **o: serializers.FileField(**o),
}


def odd(value):
    CALLS.append(("odd", repr(value)))
    if not value:
        raise DjangoValidationError("even", code="even")


def odd_length(value):
    CALLS.append(("odd length", value))
    if len(value) % 2 == 0:
        raise serializers.ValidationError({"length": ["even"]})


def called():
    CALLS.append("called")
    return "default"


class Own(serializers.Field):
    def to_internal_value(self, data):
        CALLS.append(("own", repr(data)))
        if data == "x":
            raise serializers.ValidationError("no x", code="x")
        return [data]


class Inner(serializers.Serializer):
    a = serializers.CharField(max_length=2)
    b = serializers.IntegerField(required=False)

    def validate_a(self, value):
        CALLS.append(("validate_a", value))
        if value == "no":
            raise serializers.ValidationError("no")
        return value * 2


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize(
    "options", [{}, {"required": False}, {"allow_null": True}, {"default": "b"}], ids=str
)
def test_values_of_all_classes(name, options):
    serializer_class = serializer_of(f=FIELDS[name](**options))
    data = [{}, *({"f": value} for value in ODD)]
    assert_same(serializer_class, data)
    assert_same_input(lambda: serializer_class(data=data, many=True, partial=True))
    assert_same_input(lambda: serializer_class(data={}, partial=True))


@pytest.mark.parametrize("data", [[], {}, None, "x", 5, [None], [[]], ["x"], [{}], ({},)], ids=repr)
@pytest.mark.parametrize(
    "options",
    [{}, {"allow_empty": False}, {"max_length": 0}, {"min_length": 2}, {"allow_null": True}],
    ids=str,
)
def test_lists_that_are_none(data, options):
    assert_same(Inner, data, **options)


@pytest.mark.parametrize("as_dict", [True, False])
def test_errors_as_a_list_or_as_a_dictionary(settings, as_dict):
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "LIST_SERIALIZER_ERRORS_AS_DICT": as_dict}
    assert_same(Inner, [{"a": "x"}, {"a": "no"}, {}, {"a": "xxx"}])


def test_forms():
    assert_same(Inner, QueryDict("[0]a=x&[0]b=1&[1]a="))
    assert_same(serializer_of(f=serializers.ListField()), [QueryDict("f=1&f=2"), {"f": [1]}])


def test_methods_of_the_serializer_are_called_in_order():
    class Methods(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.IntegerField()

        def validate_a(self, value):
            CALLS.append(("a", value))
            return value.upper()

        def validate_b(self, value):
            CALLS.append(("b", value))
            if value == 2:
                raise DjangoValidationError("two", code="two")
            return value

        def validate(self, values):
            CALLS.append(("validate", dict(values)))
            if values["b"] == 3:
                raise serializers.ValidationError({"b": "three"})
            if values["b"] == 4:
                raise serializers.ValidationError("four", code="four")
            return None if values["b"] == 5 else {**values, "c": 1}

    for last in (1, 5):
        assert_same(Methods, [{"a": "x", "b": b} for b in (1, 2, 3, 4, last)])


def test_defaults_of_fields_that_are_read_only():
    class Defaults(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.CharField(read_only=True, default=called)

        class Meta:
            validators = [lambda values: CALLS.append(sorted(values))]

    assert_same(Defaults, [{"a": "x"}] * 3)


@pytest.mark.django_db
def test_validators_that_ask_the_database(flights):
    class Unique(serializers.ModelSerializer):
        class Meta:
            model = Airline
            fields = ("code", "name")
            extra_kwargs = {"name": {"validators": [UniqueValidator(Airline.objects.all())]}}
            validators = [UniqueTogetherValidator(Airline.objects.all(), ("code", "name"))]

    codes = [{"code": "AA", "name": "x"}, {"code": "UA", "name": "y"}, {"code": "BB", "name": ""}]
    assert_same(Unique, [*codes, {"code": "CC", "name": "United"}])


class OwnRows(serializers.ListSerializer):
    def run_child_validation(self, data):
        CALLS.append(("child", repr(data)))
        self.child.instance = data
        return super().run_child_validation(data)


@pytest.mark.parametrize(
    "attributes",
    [
        {"Meta": type("Meta", (), {"list_serializer_class": OwnRows})},
        {"to_internal_value": lambda self, data: CALLS.append(repr(data)) or {"a": 1}},
        {"run_validation": lambda self, data: CALLS.append(repr(data)) or {"a": 1}},
        {"run_validators": lambda self, value: CALLS.append(repr(value))},
        {"__getattr__": lambda self, name: no_attribute(name)},
        {"_writable_fields": property(lambda self: [])},
        {"get_validators": lambda self: CALLS.append("get_validators") or []},
    ],
    ids=lambda attributes: next(iter(attributes)),
)
def test_overrides_are_called_as_in_stock(attributes):
    serializer_class = serializer_of(a=serializers.CharField(), **attributes)
    assert_same(serializer_class, [{"a": "x"}, {}, {"a": 1}])


def no_attribute(name):
    raise AttributeError(name)


@pytest.mark.parametrize(
    "attributes",
    [
        {"get_value": lambda self, data: CALLS.append(repr(data)) or data.get("other", "x")},
        {"run_validation": lambda self, data: CALLS.append(repr(data)) or "run"},
        {"run_validators": lambda self, value: CALLS.append(repr(value))},
        {"validate_empty_values": lambda self, data: (True, "empty")},
        {"to_internal_value": lambda self, data: CALLS.append(repr(data)) or "own"},
        {"get_validators": lambda self: [odd]},
        {"validators": property(lambda self: [odd], lambda self, value: None)},
    ],
    ids=lambda attributes: next(iter(attributes)),
)
@pytest.mark.parametrize("base", [serializers.CharField, serializers.IntegerField])
def test_overrides_of_fields_are_called_as_in_stock(attributes, base):
    if "validators" in attributes and base is serializers.CharField:
        attributes = {**attributes, "__init__": lambda self: serializers.Field.__init__(self)}
        attributes |= {"trim_whitespace": True, "allow_blank": False}
    field_class = type("OwnField", (base,), attributes)
    rows_of_all_kinds = [{"a": "x"}, {}, {"a": 1}, {"a": ""}, {"a": None}]
    for data in (rows_of_all_kinds, *([row] for row in rows_of_all_kinds)):
        assert_same(serializer_of(a=field_class()), data)


@pytest.mark.parametrize("options", [{"required": False}, {"default": 3}], ids=str)
def test_defaults_that_a_field_finds_itself(options):
    class Found(serializers.IntegerField):
        def get_default(self):
            CALLS.append("get_default")
            return self.context.get("number", 7)

    for context in ({}, {"number": 8}):
        assert_same(serializer_of(a=Found(**options)), [{}, {"a": 1}, {}], context=context)


def test_values_of_a_list_that_are_read_only():
    children = [serializers.IntegerField(read_only=True, default=default) for default in (3, None)]
    fields = {f"list_{n}": serializers.ListField(child=each) for n, each in enumerate(children)}
    fields["none"] = serializers.ListField(child=serializers.IntegerField(read_only=True))
    assert_same(serializer_of(**fields), [{name: [1, 2] for name in fields}, {}])


class Recursive(serializers.Serializer):
    name = serializers.CharField()

    def get_fields(self):
        CALLS.append("get_fields")
        return {**super().get_fields(), "children": Recursive(many=True, required=False)}


def test_a_serializer_that_is_nested_in_itself():
    leaf = {"name": "x"}
    assert_same(Recursive, [leaf] * 3)
    assert_same(Recursive, [{**leaf, "children": [leaf, {**leaf, "children": [leaf, {}]}]}] * 3)


def test_a_nested_serializer_that_no_row_has_is_not_looked_at():
    class Broken(serializers.Serializer):
        def get_fields(self):
            return {"method": serializers.CharField(default=self.context["request"].method)}

    optional = {"one": Broken(required=False), "many": Broken(many=True, required=False)}
    outer = serializer_of(name=serializers.CharField(), **optional)
    assert_same(outer, [{"name": "x"}] * 3)
    assert_same(outer, [{"name": "x", "one": 5, "many": [5, None]}] * 3)
    assert_same(Broken, [5] * 3)
    assert_same(outer, [{"name": "x", "one": {}}] * 3)


class HandedOn(serializers.Field):
    def __getattribute__(self, name):
        if name in ("run_validation", "get_value"):
            return getattr(Inner(), name) if name == "run_validation" else lambda data: data
        return super().__getattribute__(name)


def test_a_field_whose_methods_are_those_of_another():
    assert_same(serializer_of(f=HandedOn()), [{"a": "x"}, {"a": "y"}])
    assert_same(serializer_of(f=HandedOn()), [{"a": "x"}, {"a": "no"}])


class Behind(serializers.Field):
    def run_validation(self, data=serializers.empty):
        CALLS.append(("behind", repr(data)))
        return super().run_validation(data)


class BehindSerializer(serializers.BaseSerializer):
    def run_validators(self, value):
        CALLS.append(("behind", repr(value)))
        super().run_validators(value)


def test_bases_behind_those_of_drf_are_called():
    text = type("Text", (serializers.CharField, Behind), {})
    rows_class = type("Rows", (serializers.Serializer, BehindSerializer), {"a": text()})
    assert_same(rows_class, [{"a": "x"}, {"a": "y"}])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (serializers.DecimalField(2000, 2), "1" * 1500 + ".00"),
        (serializers.DecimalField(2**33, 2), "1.00"),
        (type("Short", (serializers.DecimalField,), {"MAX_STRING_LENGTH": 4})(6, 2), "123.00"),
        (serializers.DateField(input_formats={"iso-8601"}), "2020-01-01"),
        (serializers.DateField(input_formats=[]), "2020-01-01"),
        (type("Odd", (serializers.BooleanField,), {"TRUE_VALUES": None})(), True),
        (type("Odd", (serializers.BooleanField,), {"_lower_if_str": lambda s, v: "no"})(), True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_options_out_of_the_ordinary(field, value):
    assert_same(serializer_of(f=field), [{"f": value}] * 2)


def test_the_warnings_of_errors_as_lists_for_nested_lists(settings):
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "LIST_SERIALIZER_ERRORS_AS_DICT": False}
    outer = serializer_of(many=Inner(many=True))
    assert_same(outer, [{"many": [{"a": "x"}, {}]}, {"many": [{"a": "x"}]}])


def test_is_valid_raises_as_in_stock():
    def raised(data):
        serializer = Inner(data=data, many=True)
        with pytest.raises(serializers.ValidationError) as error:
            serializer.is_valid(raise_exception=True)
        return told(error.value.detail), error.value.__cause__

    with fastschema.disabled():
        expected = raised([{"a": "x"}, {}])
    assert raised([{"a": "x"}, {}]) == expected
