"""Every argument of every field and validator, as a lazy object of each kind: who looks at it."""

import enum

import pytest
from marshmallow import Schema, fields, validate
from marshmallow.fields import Field

import fastschema
from tests.lazy_values import SOME_OR_ALL, TURNS, came_of, differing, lazy_cases, request_of
from tests.marks import counts_looks
from tests.promises.marshmallow.test_lazy_arguments import Inner

pytestmark = [
    pytest.mark.usefixtures("_installed"),
    pytest.mark.filterwarnings("ignore"),  # as an error, it would end both sides alike
]


Letter = enum.Enum("Letter", "x y")
NEEDED = {
    "Nested": lambda: {"nested": Inner},
    "Pluck": lambda: {"nested": Inner, "field_name": "x"},
    "List": lambda: {"cls_or_instance": fields.String()},
    "Tuple": lambda: {"tuple_fields": [fields.String(), fields.Integer()]},
    "Constant": lambda: {"constant": "x"},
    "Enum": lambda: {"enum": Letter},
}
CLASSES = {
    cls: NEEDED.get(name, dict)
    for name, cls in vars(fields).items()
    if isinstance(cls, type) and issubclass(cls, Field) and not name.startswith("_")
}
VALIDATORS = {
    validate.Length: lambda: {"min": 1},
    validate.Range: lambda: {"min": 1},
    validate.OneOf: lambda: {"choices": ["x"]},
    validate.NoneOf: lambda: {"iterable": ["z"]},
    validate.ContainsOnly: lambda: {"choices": ["x"]},
    validate.ContainsNoneOf: lambda: {"iterable": ["z"]},
    validate.Equal: lambda: {"comparable": "x"},
    validate.Regexp: lambda: {"regex": "x"},
    validate.Email: dict,
    validate.URL: dict,
}
VALUES = [{}, {"field": "x"}, {"field": 1}, {"field": None}, {"field": {"x": 1}}]


def calls(field):
    """What comes of a schema with a field, and the calls of code of users."""
    cls = type("S", (Schema,), {"field": field, "number": fields.Integer()})
    validate.URL._regex._memoized.clear()  # stock compares with the lazy values of others
    outcomes = []
    for who in TURNS:
        with request_of(who):
            for value in VALUES:
                for call in (lambda: cls().dump(value), lambda: cls().load(value)):  # noqa: B023  # called at once
                    outcomes.append(came_of(call))
    return outcomes


@counts_looks
@SOME_OR_ALL
def test_only_stock_looks_at_an_argument_of_a_field(choose):
    cases = choose(lazy_cases(CLASSES, Field))
    failures, count = differing(cases, calls, fastschema.disabled)
    assert failures == {}
    assert count > len(cases) / 2


@counts_looks
@SOME_OR_ALL
def test_only_stock_looks_at_an_argument_of_a_validator(choose):
    def calls_of(validator):
        return calls(fields.String(validate=validator))

    cases = choose(lazy_cases(VALIDATORS, validate.Validator))
    failures, count = differing(cases, calls_of, fastschema.disabled)
    assert failures == {}
    assert count > len(cases) / 2
