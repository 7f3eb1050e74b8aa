"""When compiling pays."""

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.runtime import thresholds


@pytest.fixture(autouse=True)
def _installed():
    fastschema.install()
    yield
    fastschema.uninstall()


def compiled_rows(use):
    """Return how many rows generated code dumped or loaded meanwhile."""
    before = fastschema.stats().compiled_rows
    use()
    return fastschema.stats().compiled_rows - before


@pytest.mark.parametrize("use", ["dump", "load"])
def test_a_class_is_compiled_when_some_objects_were_dumped_or_loaded(use, monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 24)
    cls = Schema.from_dict({"a": fields.Integer()})
    counts = [compiled_rows(lambda: getattr(cls(), use)({"a": 1})) for _ in range(25)]
    assert counts == [0] * 23 + [1, 1]


def test_other_arguments_count_by_themselves(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 2)
    cls = Schema.from_dict({"a": fields.Integer(), "b": fields.Integer()})

    def dump(**options):
        return compiled_rows(lambda: cls(**options).dump({"a": 1, "b": 2}))

    assert [dump(), dump(), dump(only=["a"]), dump(only=["a"])] == [0, 1, 0, 1]


def test_a_schema_with_fields_of_its_own_counts_by_itself(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 3)
    cls = Schema.from_dict({"a": fields.Integer()})
    schema = cls()
    schema.fields["a"].data_key = "b"
    counts = [compiled_rows(lambda: schema.dump({"a": 1})) for _ in range(4)]
    assert counts == [0, 0, 1, 1]


def test_a_looked_at_schema_runs_as_stock_for_a_few_rows(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_binding", 4)
    cls = Schema.from_dict({"a": fields.Integer()})

    def looked_at():
        schema = cls()
        assert schema.fields
        return schema

    one, other = looked_at(), looked_at()
    assert [compiled_rows(lambda: one.dump({})) for _ in range(6)] == [0, 0, 0, 1, 1, 1]
    assert compiled_rows(lambda: other.dump([{}] * 4, many=True)) == 4


def test_the_first_schema_of_a_class_that_may_be_thrown_away_counts_by_itself(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading_once", 100)
    cls = Schema.from_dict({"a": fields.Integer()})
    one, other = cls(), cls()
    assert ["fields" in vars(schema) for schema in (one, other)] == [True, False]
    assert compiled_rows(lambda: one.dump([{}] * 99, many=True)) == 0
    assert compiled_rows(lambda: other.dump([{}] * 99, many=True)) == 99
    assert compiled_rows(lambda: cls().dump([{}] * 101, many=True)) == 101
    assert compiled_rows(lambda: one.dump([{}] * 2, many=True)) == 2


class Order(Schema):
    number = fields.Integer()
    lines = fields.List(fields.String())
    secret = fields.String()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.dump_fields.pop("secret")


def order(lines):
    return {"number": 1, "lines": ["a"] * lines, "secret": "s"}


def dumped(schema, obj):
    """Return how many objects generated code dumps in each of 30 dumps of one."""
    return [compiled_rows(lambda: schema.dump(obj)) for _ in range(30)]


@pytest.mark.usefixtures("users_thresholds")
def test_single_objects_with_short_lists_are_left_to_stock_where_fields_were_made():
    assert not any(dumped(Order(), order(lines=2)))


@pytest.mark.usefixtures("users_thresholds")
def test_single_objects_with_long_lists_are_compiled_where_fields_were_made():
    assert dumped(Order(), order(lines=20))[-1] == 1


@pytest.mark.usefixtures("users_thresholds")
def test_lists_are_compiled_of_a_schema_that_leaves_single_objects_to_stock():
    schema = Order()
    dumped(schema, order(lines=2))
    assert compiled_rows(lambda: schema.dump([order(lines=2)] * 30, many=True)) == 30


@pytest.mark.usefixtures("users_thresholds")
def test_a_list_of_one_is_left_to_stock_as_a_single_object_is():
    schema = Order()
    dumped(schema, order(lines=2))
    before = fastschema.stats()
    assert schema.dump([order(lines=2)], many=True) == [schema.dump(order(lines=2))]
    assert fastschema.stats() == before


@pytest.mark.usefixtures("users_thresholds")
@pytest.mark.parametrize("is_kept", [True, False])
def test_single_objects_of_which_users_make_most_values_are_left_to_stock(is_kept):
    class Talking(Schema):
        name = fields.String()
        sound = fields.Method("make_sound")
        louder = fields.Method("make_sound")
        loudest = fields.Method("make_sound")

        def make_sound(self, obj):
            return "squeak"

    for _ in range(30):
        Talking().dump({"name": "a"})
    kept = Talking()
    used = [
        compiled_rows(lambda: (kept if is_kept else Talking()).dump({"name": "a"}))
        for _ in range(5)
    ]
    assert not any(used)


@pytest.mark.usefixtures("users_thresholds")
def test_nobody_makes_the_fields_of_a_schema_that_stock_dumps_one_object_by():
    class Talking(Schema):
        sound = fields.Method("make_sound")

        def make_sound(self, obj):
            return "squeak"

    dumped(Talking(), {})
    for _ in range(30):
        schema = Talking()
        assert schema.dump({}) == {"sound": "squeak"}
    assert "fields" not in vars(schema)
