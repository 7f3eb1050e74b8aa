"""assert_same(): what is registered is compared with what the methods do."""

import pytest
from marshmallow import Schema, ValidationError, fields, post_load

import fastschema

pytestmark = pytest.mark.usefixtures("nothing_stays_registered")


class Doubled(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return value * 2

    def _deserialize(self, value, attr, data, **kwargs):
        if value == 3:
            raise ValidationError("odd")
        return value / 2


class Number:
    def __init__(self, number):
        self.number = number


class NumberSchema(Schema):
    number = Doubled()

    def dump(self, obj, **kwargs):
        return {**super().dump(obj, **kwargs), "more": 1}

    @post_load
    def make(self, data, **kwargs):
        return Number(data["number"])


ROWS = [{"number": 1}, {"number": "a"}, {"number": [1]}]
LOADED = [{"number": 2}, {"number": 3}, {"number": 4, "unknown": 5}]


def register(dump=lambda value: value * 2, load=lambda value: value / 2, more=1):
    def refuses_three(value):
        if value == 3:
            raise ValidationError("odd")
        return load(value)

    fastschema.register(Doubled._serialize, function=dump)
    fastschema.register(Doubled._deserialize)(lambda field, compiled: refuses_three)

    @fastschema.register(NumberSchema.dump)
    def dump_number(schema, compiled):
        own = compiled(schema)
        return lambda obj: {**own(obj), "more": more}


def test_what_does_the_same_is_accepted():
    register()

    fastschema.assert_same(NumberSchema, ROWS)
    fastschema.assert_loads_same(NumberSchema(), LOADED)


@pytest.mark.parametrize(
    ("dump", "message"),
    [
        (lambda value: value * 3, r"row 0\['number'\]: 2 by stock, but 3"),
        (float, r"row 0\['number'\]: 2 by stock, but 1.0"),
        (lambda value: value * 2 if value != [1] else (1, 1), r"row 2\['number'\]: \[1, 1\] by"),
        (lambda value: value * 2 if value != "a" else 1 / 0, r"row 1: .* but ZeroDivisionError"),
    ],
)
def test_another_value_is_told(dump, message):
    register(dump=dump)

    with pytest.raises(AssertionError, match=message):
        fastschema.assert_same(NumberSchema, ROWS)


def test_what_is_registered_for_the_schema_itself_is_compared():
    register(more=2)

    with pytest.raises(AssertionError, match=r"row 0\['more'\]: 1 by stock, but 2"):
        fastschema.assert_same(NumberSchema, ROWS)


def test_objects_that_were_made_are_compared_by_their_attributes():
    register(load=lambda value: value)

    with pytest.raises(AssertionError, match=r"row 0\['number'\]: 1.0 by stock, but 2"):
        fastschema.assert_loads_same(NumberSchema, LOADED)


def test_other_errors_are_told():
    fastschema.register(Doubled._deserialize)(lambda field, compiled: lambda value: value / 2)

    with pytest.raises(AssertionError, match=r"row 1: ValidationError\({'number': \['odd'\]}\) by"):
        fastschema.assert_loads_same(NumberSchema, LOADED)
