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


def test_stock_dumps_fewer_than_four_rows_by_a_schema_whose_fields_are_made(monkeypatch):
    monkeypatch.setattr(thresholds, "few_for_marshmallow", 4)
    schema = Schema.from_dict({"a": fields.Integer()})()
    assert schema.fields
    assert [compiled_rows(lambda: schema.dump({})) for _ in range(6)] == [0] * 6
    assert compiled_rows(lambda: schema.dump([{}] * 3, many=True)) == 0
    assert compiled_rows(lambda: schema.dump([{}] * 4, many=True)) == 4


@pytest.mark.usefixtures("users_thresholds")
def test_a_class_is_compiled_at_its_second_use_or_for_many_rows():
    cls, other = (Schema.from_dict({"a": fields.Integer()}) for _ in range(2))
    assert [compiled_rows(lambda: cls().dump([{}] * 119, many=True)) for _ in range(2)] == [0, 119]
    assert compiled_rows(lambda: other().dump([{}] * 120, many=True)) == 120


@pytest.mark.usefixtures("users_thresholds")
def test_what_is_nested_in_a_class_that_is_not_compiled_yet_is_not_compiled_either():
    inner = Schema.from_dict({"a": fields.Integer()})
    outer = Schema.from_dict({"inner": fields.Nested(inner)})
    assert compiled_rows(lambda: outer().dump([{"inner": {"a": 1}}] * 119, many=True)) == 0


@pytest.mark.usefixtures("users_thresholds")
@pytest.mark.parametrize("use", ["dump", "load"])
def test_it_makes_no_difference_where_a_class_is_held(use):
    names = dict.fromkeys("abcdef", 1)
    schema = Schema.from_dict({name: fields.Integer() for name in names})()
    counts = [compiled_rows(lambda: getattr(schema, use)(names)) for _ in range(25)]
    assert counts == [0] * 23 + [1, 1]
    assert "fields" not in vars(schema)


class Line(Schema):
    text = fields.String()
    amount = fields.Integer()
    unit = fields.String()
    price = fields.Float()


class Order(Schema):
    number = fields.Integer()
    secret = fields.String()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.dump_fields.pop("secret")


class OrderWithLines(Order):
    lines = fields.List(fields.Nested(Line))


ORDER = {"number": 1, "lines": [{"text": "a"}] * 3, "secret": "s"}


def dumped(schema, obj):
    """Return how many objects generated code dumps in each of 30 dumps of one."""
    return [compiled_rows(lambda: schema.dump(obj)) for _ in range(30)]


@pytest.mark.usefixtures("users_thresholds")
def test_single_objects_are_compiled_where_lists_of_schemas_pay_for_comparing_fields():
    assert dumped(Order(), ORDER)[-1] == 0
    assert dumped(OrderWithLines(), ORDER)[-2:] == [1, 1]


@pytest.mark.usefixtures("users_thresholds")
def test_a_schema_with_fields_of_its_own_is_compared_from_its_second_use_on():
    dumped(OrderWithLines(), ORDER)
    schema = OrderWithLines()
    assert dumped(schema, ORDER)[:3] == [3, 1, 1]


@pytest.mark.usefixtures("users_thresholds")
def test_lists_are_compiled_of_a_schema_that_leaves_single_objects_to_stock():
    schema = Order()
    dumped(schema, ORDER)
    lists = [compiled_rows(lambda: schema.dump([ORDER] * 30, many=True)) for _ in range(2)]
    assert lists == [0, 30]


@pytest.mark.usefixtures("users_thresholds")
def test_a_kept_schema_of_few_values_leaves_single_objects_to_stock_from_the_second_on():
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
    assert [compiled_rows(lambda: kept.dump({"name": "a"})) for _ in range(5)] == [1, 0, 0, 0, 0]
    assert [compiled_rows(lambda: Talking().dump({"name": "a"})) for _ in range(5)] == [1] * 5


@pytest.mark.usefixtures("users_thresholds")
def test_no_fields_are_made_of_a_schema_that_stock_dumps_one_object_by():
    class Talking(Schema):
        sound = fields.Method("make_sound")

        def make_sound(self, obj):
            return "squeak"

    dumped(Talking(), {})
    for _ in range(30):
        schema = Talking()
        assert schema.dump({}) == {"sound": "squeak"}
    assert "fields" not in vars(schema)
