"""Errors of schemas: their indexes, their messages, the valid data, and who handles them."""

import pytest
from marshmallow import INCLUDE, Schema, ValidationError, fields, validates, validates_schema

from tests.promises.marshmallow.load_differential import (
    Comparison,
    assert_loads_same,
    described,
    typed,
)
from tests.promises.marshmallow.load_schemas import (
    DOG,
    LOG,
    OWNER,
    OWNERS,
    Dog,
    Owner,
    check_rows,
    noted,
    with_meta,
)


@pytest.mark.parametrize("index_errors", [True, False])
@pytest.mark.parametrize("inner_index_errors", [True, False])
def test_errors_have_indexes_as_by_stock(index_errors, inner_index_errors):
    dog = with_meta(Dog, index_errors=inner_index_errors)

    class Home(Schema):
        name = fields.Integer()
        many = fields.Nested(dog, many=True)
        listed = fields.List(fields.Nested(dog))
        dogs = fields.List(fields.Nested(dog, many=True))

        class Meta:
            pass

        @validates("name")
        def check(self, value, **kwargs):
            if value == 3:
                raise ValidationError("three")

        @validates_schema(skip_on_field_errors=False)
        def check_all(self, data, **kwargs):
            if data.get("name", 4) == 4:
                raise ValidationError({"name": ["four"], "_schema": ["schema"]})

    home = with_meta(Home, index_errors=index_errors)
    rows = [
        {"name": "x", "many": [DOG, {}, {"name": 1}], "listed": [{}, 5], "dogs": [[{}], [DOG]]},
        {"name": 3},
        {"name": 4, "unknown": 1},
        5,
        {"name": 1},
    ]
    assert_loads_same(home, *rows)
    assert_loads_same(home, rows, rows[::-1], [], [5], 5, {}, many=True)


def test_handle_error_is_called_as_by_stock():
    class Handling(Schema):
        a = fields.Integer(required=True)
        b = fields.Nested(Dog)

        def handle_error(self, error, data, *, many, **kwargs):
            noted("handle", described(error, data), typed(data), many, kwargs)
            if isinstance(data, dict) and data.get("a") == "raise":
                raise LookupError(str(error.messages))
            error.messages["handled"] = True
            error.handled = 1

    rows = [{}, {"a": "x", "b": {"name": 1}}, {"a": "raise"}, {"a": 1}, 5]
    check_rows(Handling, rows)
    check_rows(Schema.from_dict({"c": fields.Nested(Handling)}), [{"c": row} for row in rows])
    assert_loads_same(lambda: with_handler(Handling()), *rows, calls=LOG)


def with_handler(schema):
    schema.handle_error = lambda error, data, **kwargs: noted("of the instance", error.messages)
    return schema


MESSAGES = [
    {"unknown": "Not {known}", "type": "No dict"},
    {"unknown": ["a", "b"], "type": {"c": ["d"]}},
    {"unknown": None, "type": b"bytes"},
]


@pytest.mark.parametrize("messages", MESSAGES)
def test_messages_of_schemas_are_as_by_stock(messages):
    schema = type("Worded", (Owner,), {"error_messages": messages})
    rows = [5, [], {**OWNER, "b": 1, "a": 2}, {"Dog": {"x": 1}, "dogs": [5]}]

    check_rows(schema, rows)
    comparison = Comparison(schema)
    for changed in (comparison.stock, comparison.schema):
        changed.error_messages["unknown"] = "changed"
    for row in rows:
        comparison.check(row)
    for changed in (comparison.stock, comparison.schema):
        del changed.error_messages["unknown"]
    for row in rows:
        comparison.check(row)


def test_valid_data_of_errors_are_as_by_stock():
    class Outer(Schema):
        zero = fields.Nested({"a": fields.Integer()}, load_only=True)
        numbers = fields.List(fields.Integer())
        pairs = fields.Dict(fields.Integer(), fields.Integer())
        tuples = fields.Tuple((fields.Integer(), fields.Integer()))
        many = fields.Nested(Dog, many=True)
        inner = fields.Nested(Owner)

    rows = [
        {"zero": {"a": "x"}, "numbers": ["x"], "pairs": {"x": 1}, "tuples": ["x", "y"]},
        {"zero": {"a": 1, "b": 2}, "numbers": [0, "x"], "pairs": {1: 2, "x": "y", 3: "z"}},
        {"tuples": [1, "x"], "many": [DOG, {"name": "b"}, 5, {}], "inner": OWNERS[5]},
        {"many": [5], "inner": {"Dog": {"name": 1}}},
        {"many": 5, "inner": 5, "numbers": 5, "pairs": 5, "tuples": [1]},
    ]
    check_rows(Outer, rows)
    check_rows(Outer, rows, unknown=INCLUDE)
