"""What is changed of a serializer's fields is seen from then on, by that serializer only."""

import datetime
import functools
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from rest_framework import serializers

import fastschema
from tests.promises.django.differential import (
    Thing,
    assert_as_in_stock,
    assert_equal,
    outcome,
    serializer_of,
)

Text = serializers.CharField
CALLS = []
MOMENT = datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.UTC)


class Name(str):
    """Another class of names."""


class Numbered(Text):
    """Fields that differ in what they keep for themselves only."""

    number = 1

    def to_representation(self, value):
        return f"{value} {self.number}"

    def to_internal_value(self, data):
        return f"{data} {self.number}"


def numbered(number):
    """A field with another number."""
    field = Numbered()
    field.number = number
    return field


def refuse(value):
    """A validator of users'."""
    CALLS.append(("refuse", value))
    raise serializers.ValidationError("no", code="no")


def noting(name, result):
    """A method that is set on one object."""
    return lambda *args: CALLS.append((name, args)) or result


ATTRIBUTES = {
    "allow_blank": (Text(), True, ""),
    "allow_null": (Text(source="x"), True, "1"),
    "choice_strings_to_values": (serializers.ChoiceField([1]), {"1": "one"}, "1"),
    "choices": (serializers.ChoiceField(["1"]), ["z"], "1"),
    "coerce_to_string": (serializers.DecimalField(9, 2), False, "1"),
    "decimal_places": (serializers.DecimalField(9, 2), 4, "100.003"),
    "default": (Text(source="x"), "default", "1"),
    "error_messages": (serializers.IntegerField(), {"invalid": "no"}, "x"),
    "field_name": (Text(), "renamed", "1"),
    "format": (serializers.DateTimeField(), "%Y", MOMENT),
    "get_attribute": (Text(), noting("get_attribute", "patched"), "1"),
    "get_default": (Text(source="x", default="1"), noting("get_default", "patched"), "1"),
    "get_value": (Text(), noting("get_value", "patched"), "1"),
    "max_digits": (serializers.DecimalField(None, 2), 3, "123456"),
    "normalize_output": (serializers.DecimalField(9, 2), True, "100.00"),
    "nothing that counts": (Text(), "something", "1"),
    "parent": (Text(source="x"), Thing(), "1"),
    "pk_field": (serializers.PrimaryKeyRelatedField(read_only=True), Text(), Thing(pk=1)),
    "read_only": (Text(), True, "1"),
    "required": (Text(source="x"), False, "1"),
    "rounding": (serializers.DecimalField(9, 2), "ROUND_UP", "100.003"),
    "run_validation": (Text(), noting("run_validation", "patched"), "1"),
    "run_validators": (Text(), noting("run_validators", None), "1"),
    "source_attrs": (Text(), ["c"], "1"),
    "timezone": (serializers.DateTimeField(), ZoneInfo("Asia/Tokyo"), MOMENT),
    "to_internal_value": (Text(), noting("to_internal_value", "patched"), "1"),
    "to_representation": (Text(), noting("to_representation", "patched"), "1"),
    "trim_whitespace": (Text(), False, " 1 "),
    "TRUE_VALUES": (serializers.BooleanField(), {"no"}, "no"),
    "use_url": (serializers.FileField(), False, Thing(url="/f.txt", name="f")),
    "uuid_format": (serializers.UUIDField(), "hex", "1"),
    "validators": (Text(), [refuse], "1"),
    "write_only": (Text(), True, "1"),
}
"""The field, what the attribute becomes, and a value."""


def of_field(change):
    """A change inside of the field."""
    return lambda serializer: change(serializer.fields["a"])


OTHERS = {
    "a name of another class": of_field(lambda field: setattr(field, "field_name", Name("a"))),
    "a source list in place": of_field(lambda field: field.source_attrs.append("x")),
    "a validator more": of_field(lambda field: field.validators.append(refuse)),
    "another field": lambda serializer: serializer.fields.update(a=serializers.IntegerField()),
    "a field like it": lambda serializer: serializer.fields.update(a=numbered(3)),
    "a field less": lambda serializer: serializer.fields.pop("a"),
    "a field more": lambda serializer: serializer.fields.update(c=Text()),
    "another order": lambda serializer: serializer.fields.fields.update(
        a=serializer.fields.fields.pop("a")
    ),
    "another mapping": lambda serializer: setattr(serializer, "fields", dict(serializer.fields)),
    "the mapping of another": lambda serializer: setattr(
        serializer, "fields", type(serializer)().fields
    ),
    "validate_a": lambda serializer: setattr(serializer, "validate_a", noting("a", "patched")),
    "validate": lambda serializer: setattr(serializer, "validate", noting("all", {"a": "other"})),
    "a default that is read-only": lambda serializer: (
        setattr(serializer.fields["b"], "read_only", True)
        or setattr(serializer.fields["b"], "default", 4)
    ),
}


def set_on_field(name, value, serializer):
    """Set an attribute of the field."""
    setattr(serializer.fields["a"], name, value)


CHANGES = {
    **{
        name: (field, value, partial(set_on_field, name, changed))
        for name, (field, changed, value) in ATTRIBUTES.items()
    },
    **{name: (numbered(2), "1", change) for name, change in OTHERS.items()},
}
KINDS = {
    "plain": (lambda cls: cls, lambda serializer: serializer),
    "a list": (lambda cls: partial(cls, many=True), lambda serializer: serializer.child),
    "nested": (
        lambda cls: serializer_of(one=cls(), name=Text()),
        lambda serializer: serializer.fields["one"],
    ),
    "a nested list": (
        lambda cls: serializer_of(rows=cls(many=True), name=Text()),
        lambda serializer: serializer.fields["rows"].child,
    ),
}
"""What is around a class, and where that is in it."""


def of_kind(kind, row):
    """A row, as that kind takes it."""
    around = {"plain": row, "a list": [row] * 2, "nested": {"one": row, "name": "n"}}
    return around.get(kind, {"rows": [row] * 2, "name": "n"})


def dump(serializer, kind, value):
    """Represent a row with the value."""
    return serializer.to_representation(of_kind(kind, {"a": value, "b": 2, "c": 3}))


def validate(serializer, kind, value):
    """Validate input with the value."""
    return serializer.run_validation(of_kind(kind, {"a": value, "b": "2", "c": "3"}))


@pytest.mark.parametrize("use", [dump, validate], ids=["dump", "input"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_by_its_serializer_only(name, kind, use):
    field, value, change = CHANGES[name]
    around, find = KINDS[kind]

    def answers():
        make = around(serializer_of(a=field, b=serializers.IntegerField(required=False)))
        found = []
        for uses in (0, 1, 4):
            serializer, other = make(), make()
            asked = partial(use, serializer, kind, value)
            found += [outcome(asked, CALLS) for _ in range(uses)]
            change(find(serializer))
            found += [outcome(asked, CALLS) for _ in range(3)]
            found.append(outcome(partial(use, other, kind, value), CALLS))
        return found

    with fastschema.disabled():
        expected = answers()
    for found, stock in zip(answers(), expected, strict=True):
        assert_equal(found, stock)


def logged(method):
    """A decorator of users'."""

    @functools.wraps(method)
    def run(*args):
        CALLS.append("logged")
        return method(*args)

    return run


@pytest.mark.parametrize("is_decorated", [False, True])
@pytest.mark.parametrize("is_sent", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_input_is_validated_by_fields_that_a_method_changes_before_their_turn(
    name, is_sent, is_decorated
):
    field, value, change = CHANGES[name]

    def validate_first(self, value):
        def change_now():
            return value == "change" and self.fields and change(self)

        change_now()
        return value

    if is_decorated:
        validate_first = logged(validate_first)
    content = {"first": Text(), "a": field, "b": Text(required=False)}
    cls = type("Rows", (serializers.Serializer,), {**content, "validate_first": validate_first})

    def answer(rows, **options):
        serializer = cls(data=rows, **options)
        return serializer.is_valid(), serializer.validated_data, serializer.errors

    row = {"a": value, "x": "5"} if is_sent else {}
    rows = [{"first": first, **row} for first in ("keep", "change", "keep", "keep")]
    for ask in (partial(answer, rows[1]), partial(answer, rows, many=True)):
        assert_as_in_stock(ask, CALLS)
