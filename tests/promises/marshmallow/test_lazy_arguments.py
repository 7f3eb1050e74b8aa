"""What users give to schemas and fields may be lazy: what it stands for is its request's."""

import pytest
from marshmallow import Schema, fields, validate

import fastschema
from tests.lazy_values import KINDS, assert_same_in_turns, came_of, noting, request_of
from tests.marks import counts_looks

pytestmark = pytest.mark.usefixtures("_installed")


def text(who):
    return f"of {who}"


def number(who):
    return {"nobody": 3, "a": 3, "b": 5}[who]


def is_b(who):
    return who == "b"


def same(value):
    return lambda who: value


class Inner(Schema):
    x = fields.Integer()
    y = fields.Integer()


FIELDS = {
    "required": lambda lazy: fields.String(required=lazy(is_b)),
    "allow_none": lambda lazy: fields.String(allow_none=lazy(is_b)),
    "load_default": lambda lazy: fields.String(load_default=lazy(text)),
    "dump_default": lambda lazy: fields.String(dump_default=lazy(text)),
    "data_key": lambda lazy: fields.String(data_key=lazy(text)),
    "attribute": lambda lazy: fields.String(attribute=lazy(same("x"))),
    "error_messages": lambda lazy: fields.String(error_messages=lazy(lambda who: {"null": who})),
    "a message": lambda lazy: fields.String(error_messages={"null": lazy(text)}),
    "metadata": lambda lazy: fields.String(metadata={"label": lazy(text)}),
    "validate": lambda lazy: fields.String(validate=[lazy(same(bool))]),
    "limits": lambda lazy: fields.String(validate=validate.Length(max=lazy(number))),
    "as_string": lambda lazy: fields.Integer(as_string=lazy(is_b)),
    "strict": lambda lazy: fields.Integer(strict=lazy(is_b)),
    "allow_nan": lambda lazy: fields.Float(allow_nan=lazy(is_b)),
    "format": lambda lazy: fields.Date(format=lazy(same("iso"))),
    "only": lambda lazy: fields.Nested(Inner, only=lazy(lambda who: ["x"] if is_b(who) else ["y"])),
    "exclude": lambda lazy: fields.Nested(Inner, exclude=lazy(same(["x"]))),
    "many": lambda lazy: fields.Nested(Inner, many=lazy(is_b)),
    "unknown": lambda lazy: fields.Nested(Inner, unknown=lazy(same("exclude"))),
    "nested": lambda lazy: fields.Nested(lazy(same(Inner))),
    "nested in a list": lambda lazy: fields.List(fields.Nested(lazy(same(Inner)))),
    "inside of a list": lambda lazy: fields.List(fields.String(allow_none=lazy(is_b))),
    "constant": lambda lazy: fields.Constant(lazy(text)),
    "truthy": lambda lazy: fields.Boolean(truthy={"yes"}, falsy=lazy(same({"no"}))),
}
VALUES = [
    *({}, {"field": None}, {"field": "a"}, {"field": "abcd"}, {"field": 4}, {"field": "yes"}),
    *({"field": {"x": 1, "y": 2}}, {"field": [{"x": 1}]}, {"field": ["a", None]}),
]


def requests(cls, visits):
    """What a schema class gives in the requests of some visits: values, errors, calls."""
    outcomes = []
    for who in visits:
        with request_of(who):
            for value in VALUES:
                dump = lambda value=value: cls().dump(value)  # noqa: E731  # two of one value
                load = lambda value=value: cls().load(value)  # noqa: E731  # two of one value
                outcomes += [came_of(call) for call in (dump, load)]
            outcomes.append(came_of(lambda: cls(many=True).dump(VALUES[:2])))
            outcomes.append(came_of(lambda: cls(many=True).load(VALUES[:2])))
    return outcomes


@counts_looks
@pytest.mark.parametrize("kind", ["LocalProxy", "SimpleLazyObject"])
@pytest.mark.parametrize("name", FIELDS)
def test_a_lazy_argument_of_a_field_is_that_of_its_request(name, kind, visits):
    def make():
        field = FIELDS[name](lambda give: KINDS[kind](noting("lazy", give)))
        return type("S", (Schema,), {"number": fields.Integer(), "field": field})

    try:
        with fastschema.disabled():
            make()
    except Exception:
        return  # stock refuses it
    assert_same_in_turns(requests, make, visits)
