"""What happened, in numbers."""

import pytest
from marshmallow import Schema, fields, post_dump

import fastschema
from fastschema.runtime import thresholds
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


class OwnDump(Dog):
    def dump(self, obj, *, many=None):
        return super().dump(obj, many=many)


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
    own = fields.Nested(OwnDump, many=True)


class Uncompiled(Kennel):
    def get_attribute(self, obj, attr, default):
        return super().get_attribute(obj, attr, default)


DOG = {"name": "Rex", "age": 3}
KENNELS = [{"dog": DOG, "dogs": [DOG, DOG], "hooked": DOG, "own": [DOG]}] * 60


@pytest.fixture
def installed():
    fastschema.install()
    yield
    fastschema.uninstall()


class TestNested:
    """What a nested schema does belongs to its row, in all ways of dumping and loading."""

    def total(self, call):
        return sum(counted(ROWS, call))

    @pytest.mark.parametrize("schema", [Kennel, Uncompiled])
    @pytest.mark.parametrize("worth_reading", [1, 1000])
    def test_of_schemas(self, installed, monkeypatch, schema, worth_reading):
        monkeypatch.setattr(thresholds, "rows_worth_reading", worth_reading)
        fresh = type("Fresh", (schema,), {})

        assert self.total(lambda: fresh(many=True).dump(KENNELS)) == 60
        assert self.total(lambda: [fresh().dump(each) for each in KENNELS]) == 60 + 60

    @pytest.mark.parametrize("schema", [Kennel, Uncompiled])
    def test_of_plans(self, schema):
        plan = fastschema.compile(schema)

        assert self.total(lambda: plan.dump(KENNELS, many=True)) == 60
        assert self.total(lambda: plan.dumps(KENNELS, many=True)) == 60 + 60
        assert self.total(lambda: list(plan.stream(KENNELS))) == 60 + 60 + 60

    def test_of_stock(self, installed):
        with fastschema.disabled():
            assert counted(ROWS, lambda: Kennel(many=True).dump(KENNELS)) == (0, 60)

    @pytest.mark.parametrize("worth_reading", [1, 1000])
    def test_of_what_is_loaded(self, installed, monkeypatch, worth_reading):
        monkeypatch.setattr(thresholds, "rows_worth_reading", worth_reading)
        fresh = type("Fresh", (Kennel,), {})

        assert self.total(lambda: fresh(many=True).load(KENNELS)) == 60
        assert self.total(lambda: [fresh().load(each) for each in KENNELS]) == 60 + 60

    def test_a_dump_after_one_that_failed_is_counted(self, installed):
        class Failing(Schema):
            dog = fields.Method("fail")

            def fail(self, obj):
                raise ValueError("fails")

        with fastschema.disabled():
            with pytest.raises(ValueError, match="fails"):
                Failing().dump({})
            assert counted(ROWS, lambda: Dog().dump({})) == (0, 1)
