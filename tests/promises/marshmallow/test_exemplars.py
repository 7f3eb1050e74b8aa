"""What schemas of one class share, and what they must not."""

import copy
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from marshmallow import Schema, fields

import fastschema
from tests.promises.marshmallow.differential import assert_as_stock, outcome

pytestmark = pytest.mark.usefixtures("_installed")


def nesting(**options):
    """A class, one that nests it, and a schema of that which is compiled and pending."""

    class Child(Schema):
        a = fields.Integer()
        b = fields.String()

    Parent = Schema.from_dict({"c": fields.Nested(Child, **options)})  # noqa: N806  # a class
    for _ in range(3):
        Parent().dump({"c": {"a": 1, "b": 2}})
        Parent().load({"c": {"a": 1}})
    return Child, Parent


def test_threads_that_look_at_once_see_one_set_of_fields():
    cls = Schema.from_dict({name: fields.Integer() for name in "abcdef"})
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    barrier = threading.Barrier(4)

    def look(schemas):
        seen = []
        for schema in schemas:
            barrier.wait()
            seen.append((schema.fields, schema.dump_fields["a"], schema.declared_fields["a"]))
        return seen

    schemas = [cls() for _ in range(300)]
    try:
        with ThreadPoolExecutor(4) as threads:
            first, *others = threads.map(look, [schemas] * 4)
    finally:
        sys.setswitchinterval(interval)
    for seen in others:
        for one, other in zip(first, seen, strict=True):
            assert all(each is same for each, same in zip(one, other, strict=True))
    assert all(schema.fields["a"].parent is schema for schema in schemas)


def test_a_declared_field_that_a_nested_class_gets_later_is_seen():
    child, parent = nesting()
    child._declared_fields["b"] = fields.Integer()
    row = {"c": {"a": 1, "b": "2"}}
    assert assert_as_stock(lambda: parent().dump(row)).value[1][0][0] == "c"
    assert parent().dump(row) == {"c": {"a": 1, "b": 2}}


def test_a_method_that_a_nested_class_gets_later_sees_its_own_schema(monkeypatch):
    child, parent = nesting()
    seen = []

    def get_attribute(self, obj, attr, default):
        seen.append(self)
        return 5

    monkeypatch.setattr(child, "get_attribute", get_attribute)
    schemas = [parent(), parent()]
    for schema in schemas:
        assert schema.dump({"c": {}}) == {"c": {"a": 5, "b": "5"}}
    assert [schema.fields["c"].schema for schema in schemas] == [seen[0], seen[2]]


@pytest.mark.parametrize("option", ["only", "exclude"])
def test_dotted_names_belong_to_one_schema(option):
    _, parent = nesting()

    def dump():
        schema = parent(**{option: ("c.a",)})
        names = getattr(schema.fields["c"], option)
        names |= {"b"}
        return schema.dump({"c": {"a": 1, "b": 2}}), [*names]

    first = assert_as_stock(dump)
    assert assert_as_stock(dump) == first


@pytest.mark.parametrize(("option", "direction"), [("load_only", "dump"), ("dump_only", "load")])
def test_names_that_a_schema_adds_to_its_options_choose_what_nested_schemas_do(option, direction):
    _, parent = nesting()

    def use():
        schema = parent()
        getattr(schema, option).add("c.a")
        return outcome(lambda: getattr(schema, direction)({"c": {"a": 1}}))

    assert assert_as_stock(use).value != outcome(
        lambda: outcome(lambda: getattr(parent(), direction)({"c": {"a": 1}}))
    )


class AskedSet(set):
    """Tells of each question."""

    def __init__(self, asked):
        self.asked = asked

    def __eq__(self, other):
        self.asked.append(other)
        return True

    __hash__ = None


@pytest.mark.parametrize(("option", "direction"), [("load_only", "dump"), ("dump_only", "load")])
def test_options_that_users_set_are_asked_nothing(option, direction):
    _, parent = nesting()
    schema, asked = parent(), []
    setattr(schema, option, AskedSet(asked))
    assert getattr(schema, direction)({"c": {"a": 1}}) == {"c": {"a": 1}}
    assert asked == []


@pytest.mark.parametrize("direction", ["dump", "load"])
def test_each_schema_raises_once_that_an_object_cannot_be_nested(direction):
    child, _ = nesting()
    parent = Schema.from_dict({"c": fields.Nested(child(), exclude=["absent"])})

    def use():
        schema = parent()
        return [outcome(lambda: getattr(schema, direction)({"c": {"a": 1}})) for _ in range(2)]

    for _ in range(3):
        assert_as_stock(use)


def test_a_field_that_is_not_chosen_is_bound_to_no_schema():
    child, _ = nesting()

    def use():
        schema = child(only=["a"])
        chosen, left_out = schema.declared_fields["a"], schema.declared_fields["b"]
        return chosen.parent is schema, left_out.parent, left_out.root

    for _ in range(3):
        assert_as_stock(use)


class Holder(fields.Field):
    """A field that holds others, and binds none of them."""

    def __init__(self):
        super().__init__()
        self.inner = Numbered()
        self.tuple_fields = [Numbered()]

    def _serialize(self, value, attr, obj, **kwargs):
        return [each._serialize(value, attr, obj) for each in (self.inner, *self.tuple_fields)]


class Numbered(fields.String):
    number = 0

    def _serialize(self, value, attr, obj, **kwargs):
        self.number += 1
        return f"{value} {self.number}"


def test_fields_that_a_field_of_users_holds_are_those_of_all_schemas():
    cls = Schema.from_dict({"held": Holder()})
    dumped = [cls().dump({"held": "a"})["held"] for _ in range(3)]
    assert dumped == [["a 1", "a 1"], ["a 2", "a 2"], ["a 3", "a 3"]]
    first, second = cls().fields["held"], cls().fields["held"]
    assert first.inner is second.inner
    assert first.tuple_fields is second.tuple_fields


def test_a_method_field_keeps_the_method_that_its_schema_had_when_new(monkeypatch):
    class Counting(Schema):
        number = fields.Method("get_number")

        def get_number(self, obj):
            return 1

    schema = Counting()
    with monkeypatch.context() as patch:
        patch.setattr(Counting, "get_number", lambda self, obj: 2)
        assert schema.dump({}) == {"number": 1}
        assert Counting().dump({}) == {"number": 2}
    schema.get_number = lambda obj: 3
    assert schema.dump({}) == {"number": 1}
    assert schema.fields["number"]._serialize_method.__self__ is schema


def test_a_method_that_a_schema_has_before_its_fields_are_made_is_that_of_a_method_field():
    class Choosing(Schema):
        number = fields.Method("get_number", deserialize="get_number")

        def __init__(self, number):
            if number:
                self.get_number = lambda _: number
            super().__init__()

        def get_number(self, _):
            return 0

    for number in (0, 1, 2) * 3:
        assert (
            Choosing(number).dump({}) == Choosing(number).load({"number": 5}) == {"number": number}
        )


def test_a_method_is_called_with_a_schema_that_was_given_another_class_before_its_first_dump():
    class Answering(Schema):
        me = fields.Method("get_me")

        def get_me(self, obj):
            return self

    for _ in range(3):
        schema = Answering()
        schema.__class__ = type("Other", (Answering,), {})
        assert schema.dump({})["me"] is schema


def test_a_pending_schema_outlives_the_installation():
    schema = Dog()
    fastschema.uninstall()
    assert pickle.loads(pickle.dumps(schema)).dump({"name": 1}) == {"name": "1"}
    copied = copy.copy(schema)
    assert copied.fields["name"] is schema.fields["name"]


class Dog(Schema):
    name = fields.String()


def test_a_class_that_was_used_can_be_pickled_by_value():
    Dog().dump({})
    states = [each for each in vars(Dog).values() if type(each).__module__.startswith("fastschema")]
    assert pickle.loads(pickle.dumps(states)) == [None]


@pytest.mark.usefixtures("users_thresholds")
@pytest.mark.parametrize("change", ["attribute", "field", "method", "order"])
def test_the_fields_of_a_first_schema_are_those_that_its_class_had(change):
    """They are put away, and the class may be another one when it is compiled."""

    def use():
        cls = Schema.from_dict({name: fields.Integer() for name in "abcdefgh"})
        schema, row = cls(), dict.fromkeys("abcdefgh", "1")
        if change == "attribute":
            cls._declared_fields["a"].data_key = "A"
        elif change == "field":
            cls._declared_fields["a"] = fields.String()
        elif change == "order":
            cls.opts.fields = list("hgfedcba")
        else:
            cls.get_attribute = lambda self, obj, name, default: "2"
        dumped = [schema.dump(row) for _ in range(30)]
        return dumped, cls().dump(row), copy.deepcopy(schema).dump(row)

    assert_as_stock(use)


@pytest.mark.usefixtures("users_thresholds")
def test_code_that_takes_part_in_making_fields_runs_for_schemas_of_users_only():
    bound = []

    class Binding(Schema):
        number = fields.Integer()

        def on_bind_field(self, field_name, field_obj):
            bound.append(self)

    schema = Binding()
    for _ in range(30):
        schema.dump({})
        schema.load({})
    assert bound == [schema]
