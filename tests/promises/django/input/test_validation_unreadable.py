"""What generated code knows nothing of: stock validates it, or the field's own method does."""

import datetime

import pytest
from rest_framework import serializers

import fastschema
from tests.promises.django.input.test_validation_lists import (
    CALLS,
    assert_same_input,
    serializer_of,
)

MANY = 30
"""So many rows that a class is compiled."""


class Stripped:
    def __call__(self, value):
        CALLS.append(value)
        return value.upper()


class Cheap(serializers.DecimalField):
    def validate_precision(self, value):
        CALLS.append(str(value))
        return super().validate_precision(value)


class Zoned(serializers.DateTimeField):
    def enforce_timezone(self, value):
        CALLS.append(str(value))
        return super().enforce_timezone(value) + datetime.timedelta(hours=1)


class Unlimited(serializers.DecimalField):
    def __init__(self, **options):
        super().__init__(**options)
        self.max_whole_digits = "many"


def test_a_limit_that_cannot_be_compared():
    cls = serializer_of(price=Unlimited(max_digits=5, decimal_places=2))

    with fastschema.disabled(), pytest.raises(TypeError):
        cls(data={"price": "1.00"}).is_valid()
    assert_same_input(lambda: cls(data=[{"price": "1.00"}] * MANY, many=True))
    assert_same_input(lambda: cls(data={"price": "1.00"}))
    assert "it cannot be read" in str(fastschema.compile(cls).explain().loading)


def test_a_method_of_the_serializer_that_is_no_function():
    cls = serializer_of(a=serializers.CharField(), validate_a=Stripped())

    assert_same_input(lambda: cls(data=[{"a": "x"}, {"a": ""}] * MANY, many=True))
    for _ in range(MANY):
        assert_same_input(lambda: cls(data={"a": "x"}))
    told = fastschema.compile(cls).explain().loading
    assert "validate_a is not a plain method" in str(told)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        (Cheap(max_digits=4, decimal_places=2), ["1.00", "1.000", "12345.00", "x"]),
        (Zoned(), ["2020-01-01T10:00:00Z", "2020-01-01T10:00:00", "x"]),
        (serializers.DateTimeField(input_formats=["%d.%m.%Y"]), ["1.2.2020", "2020-01-01T10:00"]),
    ],
    ids=["validate_precision", "enforce_timezone", "input_formats"],
)
def test_fields_with_a_part_of_their_own(field, values):
    cls = serializer_of(a=field, b=serializers.CharField())
    rows = [{"a": value, "b": "x"} for value in values]

    assert_same_input(lambda: cls(data=rows * MANY, many=True))
    for row in rows:
        assert_same_input(lambda row=row: cls(data=row))
