"""What happened, in numbers."""

import pytest
from marshmallow import Schema, fields, post_dump

import fastschema
from fastschema.runtime.statistics import recorder


class Odd(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return value


class Dog(Schema):
    name = fields.String()
    age = fields.Integer()
    odd = Odd()


class Hooked(Dog):
    @post_dump
    def hook(self, data, **kwargs):
        return data


@pytest.fixture(autouse=True)
def _from_zero():
    recorder.statistics(reset=True)


def counted(names, call):
    """The counts of those names after a call."""
    call()
    statistics = fastschema.stats()
    return tuple(getattr(statistics, name) for name in names)


ROWS = ("compiled_rows", "stock_rows")


@pytest.mark.parametrize(
    ("call", "rows"),
    [
        (lambda: fastschema.compile(Dog).dump({}), (1, 0)),
        (lambda: fastschema.compile(Dog).dump([{}] * 3, many=True), (3, 0)),
        (lambda: fastschema.compile(Dog).dump([], many=True), (0, 0)),
        (lambda: fastschema.compile(Dog).dumps([{}] * 5, many=True), (5, 0)),
        (lambda: list(fastschema.compile(Dog).stream([{}] * 5, 2)), (5, 0)),
        (lambda: fastschema.compile(Hooked).dump([{}] * 2, many=True), (2, 0)),
        (lambda: Dog().dump({}), (0, 0)),
    ],
)
def test_dumped_rows_are_counted(call, rows):
    assert counted(ROWS, call) == rows


def test_a_program_is_made_once_and_then_found():
    class Puppy(Schema):
        first_of_its_kind = fields.String()

    # One for dumping, and one for loading.
    assert counted(("programs", "cache_hits"), lambda: fastschema.compile(Puppy)) == (2, 0)
    assert counted(("programs", "cache_hits"), lambda: fastschema.compile(Puppy)) == (2, 2)
    assert fastschema.stats().schemas == {"Puppy": 2}


class Kennel(Schema):
    dog = fields.Nested(Dog)
    dogs = fields.List(fields.Nested(Dog))
    hooked = fields.Nested(Hooked)


DOG = {"name": "Rex", "age": 3}
KENNELS = [{"dog": DOG, "dogs": [DOG, DOG], "hooked": DOG}] * 60


@pytest.mark.parametrize(
    "use",
    [
        lambda plan: plan.dump(KENNELS, many=True),
        lambda plan: plan.dumps(KENNELS, many=True),
        lambda plan: list(plan.stream(KENNELS)),
        lambda plan: plan.load(KENNELS, many=True, unknown="exclude"),
    ],
    ids=["dump", "dumps", "stream", "load"],
)
def test_what_generated_code_does_for_nested_schemas_belongs_to_the_row(use):
    plan = fastschema.compile(Kennel)

    assert counted(ROWS, lambda: use(plan)) == (60, 0)


def test_what_stock_does_for_nested_schemas_counts_by_itself():
    fastschema.install()
    try:
        with fastschema.disabled():
            rows = counted(ROWS, lambda: Kennel(many=True).dump(KENNELS))
    finally:
        fastschema.uninstall()
    assert rows == (0, 60 + 4 * 60)
