"""What users give to serializers and fields may be lazy: what it stands for is its request's."""

import decimal

import pytest
from rest_framework import serializers

from flights.models import Airline
from tests.lazy_values import CALLS, KINDS, assert_same_in_turns, noting, request_of
from tests.promises.django.differential import Thing, exactly, outcome

pytestmark = pytest.mark.django_db

CODES = {"nobody": "UA", "a": "UA", "b": "DL"}


def text(who):
    return f"of {who}"


def number(who):
    return {"nobody": 3, "a": 3, "b": 5}[who]


def is_b(who):
    return who == "b"


def airlines(who):
    return Airline.objects.filter(code=CODES[who])


def same(value):
    return lambda who: value


Char, Integer, Decimal = serializers.CharField, serializers.IntegerField, serializers.DecimalField
Key, Slug = serializers.PrimaryKeyRelatedField, serializers.SlugRelatedField


class Nested(serializers.Serializer):
    a = Integer()


FIELDS = {
    "default": lambda lazy: Char(default=lazy(text)),
    "default, read-only": lambda lazy: Char(read_only=True, default=lazy(text)),
    "default of a source that is not there": lambda lazy: Char(
        read_only=True, source="nope", default=lazy(text)
    ),
    "default number": lambda lazy: Integer(default=lazy(number)),
    "default of a nested serializer": lambda lazy: Nested(default=lazy(same({"a": 1}))),
    "default in a nested list": lambda lazy: Nested(many=True, default=lazy(same([{"a": 1}]))),
    "initial": lambda lazy: Char(initial=lazy(text)),
    "label": lambda lazy: Char(label=lazy(text)),
    "help_text": lambda lazy: Char(help_text=lazy(text)),
    "style": lambda lazy: Char(style=lazy(lambda who: {"tenant": who})),
    "inside of style": lambda lazy: Char(style={"tenant": lazy(text)}),
    "max_length": lambda lazy: Char(max_length=lazy(number)),
    "min_length": lambda lazy: Char(min_length=lazy(number)),
    "max_value": lambda lazy: Integer(max_value=lazy(number)),
    "min_value": lambda lazy: Integer(min_value=lazy(number)),
    "max_value of decimals": lambda lazy: Decimal(
        max_digits=4, decimal_places=1, max_value=lazy(number)
    ),
    "decimal_places": lambda lazy: Decimal(max_digits=None, decimal_places=lazy(number)),
    "coerce_to_string": lambda lazy: Decimal(
        max_digits=6, decimal_places=2, coerce_to_string=lazy(is_b)
    ),
    "rounding": lambda lazy: Decimal(
        max_digits=6, decimal_places=2, rounding=lazy(same(decimal.ROUND_UP))
    ),
    "localize": lambda lazy: Decimal(max_digits=6, decimal_places=2, localize=lazy(is_b)),
    "error_messages": lambda lazy: Char(error_messages=lazy(lambda who: {"required": who})),
    "a message": lambda lazy: Char(error_messages={"required": lazy(text)}),
    "source": lambda lazy: Char(source=lazy(lambda who: f"{who}_name")),
    "allow_null": lambda lazy: Char(allow_null=lazy(is_b)),
    "allow_blank": lambda lazy: Char(allow_blank=lazy(is_b)),
    "trim_whitespace": lambda lazy: Char(trim_whitespace=lazy(is_b)),
    "required": lambda lazy: Char(required=lazy(is_b)),
    "read_only": lambda lazy: Char(read_only=lazy(is_b)),
    "write_only": lambda lazy: Char(write_only=lazy(is_b)),
    "validators": lambda lazy: Char(validators=lazy(same([]))),
    "a validator": lambda lazy: Char(validators=[lazy(same(str))]),
    "choices": lambda lazy: serializers.ChoiceField(choices=lazy(lambda who: [who])),
    "a choice": lambda lazy: serializers.ChoiceField(choices=[lazy(text)]),
    "label of a choice": lambda lazy: serializers.ChoiceField(choices=[("x", lazy(text))]),
    "choices of several": lambda lazy: serializers.MultipleChoiceField(
        choices=lazy(lambda who: [who])
    ),
    "html_cutoff": lambda lazy: serializers.ChoiceField(choices=["x"], html_cutoff=lazy(number)),
    "inside of a dict": lambda lazy: serializers.DictField(
        child=Char(default=lazy(text), max_length=lazy(number))
    ),
    "inside of a list": lambda lazy: serializers.ListField(child=Integer(max_value=lazy(number))),
    "length of a list": lambda lazy: serializers.ListField(
        child=Integer(), max_length=lazy(number), allow_empty=lazy(is_b)
    ),
    "child": lambda lazy: serializers.ListField(child=lazy(lambda who: Char())),
    "hidden": lambda lazy: serializers.HiddenField(default=lazy(text)),
    "format of a date": lambda lazy: serializers.DateField(format=lazy(same("%d"))),
    "format of a datetime": lambda lazy: serializers.DateTimeField(format=lazy(same("%d"))),
    "format of a uuid": lambda lazy: serializers.UUIDField(format=lazy(same("hex"))),
    "input_formats": lambda lazy: serializers.DateField(input_formats=lazy(same(["iso-8601"]))),
    "an input format": lambda lazy: serializers.DateField(input_formats=[lazy(same("iso-8601"))]),
    "default_timezone": lambda lazy: serializers.DateTimeField(default_timezone=lazy(same(None))),
    "queryset": lambda lazy: Key(queryset=lazy(airlines)),
    "queryset of several": lambda lazy: Key(queryset=lazy(airlines), many=True),
    "queryset of slugs": lambda lazy: Slug(queryset=lazy(airlines), slug_field="code"),
    "slug_field": lambda lazy: Slug(queryset=Airline.objects.all(), slug_field=lazy(same("code"))),
    "pk_field": lambda lazy: Key(queryset=Airline.objects.all(), pk_field=lazy(lambda w: Char())),
    "method_name": lambda lazy: serializers.SerializerMethodField(lazy(same("get_method"))),
    "regex": lambda lazy: serializers.RegexField(lazy(same("o"))),
    "binary": lambda lazy: serializers.JSONField(binary=lazy(is_b)),
    "protocol": lambda lazy: serializers.IPAddressField(protocol=lazy(same("ipv4"))),
    "use_url": lambda lazy: serializers.FileField(use_url=lazy(is_b)),
    "view_name": lambda lazy: serializers.HyperlinkedIdentityField(view_name=lazy(same("x"))),
}

OBJECT = {"field": "x", **{f"{who}_name": f"name for {who}" for who in ("a", "b", "nobody")}}
INPUTS = [
    *({}, {"field": "x"}, {"field": " "}, {"field": None}, {"field": 4}, {"field": "abcd"}),
    *({"field": "UA"}, {"field": "DL"}, {"field": [1, 4]}, {"field": {"k": "abcd"}}),
    *({"field": "2020-01-01"}, {"field": ["UA"]}, {"field": "a"}, {"field": "1.5"}),
]
LOOKED_AT = (
    *("default", "initial", "label", "help_text", "max_length", "max_value", "queryset", "style"),
    *("required", "error_messages"),
)


class Base(serializers.Serializer):
    number = serializers.IntegerField(required=False)

    def get_method(self, obj):
        return "method"


def requests(cls, visits):
    """What a serializer class gives in the requests of some visits: values, errors, calls."""
    outcomes = []
    for who in visits:
        with request_of(who):
            outcomes.append(outcome(lambda: cls(Thing(**OBJECT)).data, CALLS))
            outcomes.append(outcome(lambda: cls([Thing(), Thing(**OBJECT)], many=True).data, CALLS))
            for data in INPUTS:
                outcomes.append(outcome(lambda: validated(cls(data=data)), CALLS))  # noqa: B023  # called at once
            outcomes.append(outcome(lambda: validated(cls(data=INPUTS, many=True)), CALLS))
            outcomes.append(outcome(lambda: types_of(cls()), CALLS))
    return outcomes


def validated(serializer):
    is_valid = serializer.is_valid()
    return is_valid, serializer.errors, exactly(serializer.validated_data)


def types_of(serializer):
    """What is seen of the fields by who looks at them."""
    return {
        f"{name}.{attribute}": type(vars(field)[attribute]).__name__
        for name, field in serializer.fields.items()
        for attribute in LOOKED_AT
        if attribute in vars(field)
    }


@pytest.fixture(autouse=True)
def _airlines(flights):
    """Airlines of two tenants, by the code."""


def lazy(kind, name="lazy"):
    return lambda give: KINDS[kind](noting(name, give))


@pytest.mark.parametrize("name", FIELDS)
def test_a_lazy_argument_of_a_field_is_that_of_its_request(name, visits):
    def make():
        return type("S", (Base,), {"field": FIELDS[name](lazy("SimpleLazyObject"))})

    assert_same_in_turns(requests, make, visits)
