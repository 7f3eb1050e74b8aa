"""What schemas of one class share, and what they must not."""

import copy
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.runtime.guard import CLASS_STATE_KEY
from tests.marshmallow.differential import assert_as_stock

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
    assert pickle.loads(pickle.dumps(vars(Dog)[CLASS_STATE_KEY])) is None


@pytest.mark.usefixtures("users_thresholds")
@pytest.mark.parametrize("change", ["attribute", "field", "method"])
def test_the_fields_of_a_first_schema_are_those_that_its_class_had(change):
    """They are put away, and the class may be another one when it is compiled."""

    def use():
        cls = Schema.from_dict({name: fields.Integer() for name in "abcdefgh"})
        schema, row = cls(), dict.fromkeys("abcdefgh", "1")
        if change == "attribute":
            cls._declared_fields["a"].data_key = "A"
        elif change == "field":
            cls._declared_fields["a"] = fields.String()
        else:
            cls.get_attribute = lambda self, obj, name, default: "2"
        dumped = [schema.dump(row) for _ in range(30)]
        return dumped, cls().dump(row), copy.deepcopy(schema).dump(row)

    with fastschema.disabled():
        expected = use()
    assert use() == expected
