"""What several modules of tests load: schemas, data for them, and the log of their hooks."""

import copy
from contextlib import suppress
from dataclasses import dataclass

from marshmallow import (
    EXCLUDE,
    INCLUDE,
    RAISE,
    Schema,
    ValidationError,
    fields,
    post_load,
    pre_load,
    validates,
    validates_schema,
)

from tests.promises.marshmallow.load_differential import Comparison, typed

LOG = []

UNKNOWN = [None, EXCLUDE, INCLUDE, RAISE]


class Dog(Schema):
    name = fields.String(required=True)
    age = fields.Integer(required=True)


class Owner(Schema):
    name = fields.String(required=True)
    age = fields.Integer(load_default=5)
    dog = fields.Nested(Dog, required=True, data_key="Dog")
    dogs = fields.List(fields.Nested(Dog))
    by_name = fields.Dict(fields.String(), fields.Nested(Dog))


DOG = {"name": "Rex", "age": "3"}
OWNER = {"name": "Ann", "age": 30, "Dog": DOG, "dogs": [DOG, DOG], "by_name": {"Rex": DOG}}
OWNERS = [
    OWNER,
    {},
    {"name": "Ann"},
    {"name": 5, "age": "x", "Dog": {"name": 5, "age": "x"}},
    {"name": "Ann", "Dog": {}},
    {"name": "Ann", "Dog": {"name": "Rex"}, "dogs": [DOG, {}, None, {"age": 1}], "by_name": {}},
    {"name": "Ann", "Dog": None, "dogs": None, "by_name": {1: DOG, "a": {}, "b": 5}},
    {"name": "Ann", "Dog": [], "dogs": DOG, "by_name": [DOG]},
    {**OWNER, "more": 1, "dog": DOG, "Dog": {**DOG, "more": 2}},
    {**OWNER, "dogs": [{**DOG, "more": 3}, {"more": 4}], "by_name": {"a": {"more": 5}}},
]


def with_meta(schema, **options):
    """A subclass with these options in its ``Meta``."""
    return type(schema.__name__, (schema,), {"Meta": type("Meta", (), options)})


class Employee(Schema):
    name = fields.String(required=True)
    boss = fields.Nested(lambda: Employee(exclude=("reports",)))
    reports = fields.List(fields.Nested(lambda: Employee(exclude=("boss",))))


@dataclass
class Person:
    name: str
    age: int = 0


def noted(name, *details):
    LOG.append((name, *details))


class WithHooks(Schema):
    name = fields.String(required=True)
    age = fields.Integer(data_key="Age")

    @pre_load
    def before(self, data, **kwargs):
        noted("pre_load", data, kwargs)
        return {**data, "name": data["name"].strip()} if "strip" in data else data

    @post_load
    def after(self, data, **kwargs):
        noted("post_load", data, kwargs)
        return Person(**data)

    @validates("name")
    def check_name(self, value, **kwargs):
        noted("validates", value, kwargs)
        if value == "bad":
            raise ValidationError("bad name")

    @validates_schema
    def check(self, data, **kwargs):
        noted("validates_schema", data, kwargs)
        if data.get("age") == 13:
            raise ValidationError("no luck", "age")


def check_rows(schema, rows, **arguments):
    """One by one, and as a collection; right ones only, and all."""
    comparison = Comparison(schema, LOG)
    right = []
    for row in rows:
        comparison.check(row, **arguments)
        with suppress(Exception):
            schema().load(copy.deepcopy(row))
            right.append(row)
    comparison.check_fresh(right, many=True, **arguments)
    comparison.check(rows, many=True, **arguments)
    comparison.check_text(right + rows[::-1], many=True, **arguments)


def observed(load, data, **arguments):
    """What came of a load, and what was logged meanwhile."""
    LOG.clear()
    try:
        result = load(data, **arguments)
    except ValidationError as error:
        return "invalid", list(LOG), typed(error.messages), typed(error.valid_data)
    except Exception as error:
        return type(error), str(error), list(LOG)
    return "valid", list(LOG), typed(result)
