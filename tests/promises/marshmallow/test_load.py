"""What stock does around the values that it loads: rows, unknown keys, partial loads, names."""

import collections
import copy
import pickle
from functools import partial

import pytest
from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, fields, missing, post_load, validate

import fastschema
from tests.at_once import at_once
from tests.promises.marshmallow.differential import MARSHMALLOW_3, installed
from tests.promises.marshmallow.load_differential import Comparison, assert_loads_same
from tests.promises.marshmallow.load_schemas import (
    DOG,
    OWNER,
    OWNERS,
    UNKNOWN,
    Dog,
    Employee,
    Owner,
    observed,
    with_meta,
)

PARTIALS = [
    None,
    True,
    False,
    ["name"],
    ("age", "dog.name"),
    frozenset(["dog.age", "name"]),
    ["dogs.name", "Dog.name", "dog.dog.name"],
    lambda: (each for each in ["name", "age"]),
]


ODD_DATA = [
    None,
    "text",
    [],
    [OWNER, None, 5, "text", [], OWNER],
    (OWNER, {}),
    {1: 2, None: 3, (1, 2): 4, 2.5: 5, False: 6, b"name": 7, "name": "Ann"},
    {"name": missing, "age": missing, "Dog": missing, "unknown": missing},
    missing,
    lambda: ({} for _ in range(2)),
    lambda: iter([OWNER, {}]),
    lambda: collections.deque([OWNER, {}]),
]


@pytest.mark.parametrize("owner", OWNERS)
def test_rows_of_all_sorts_are_loaded_as_by_stock(owner):
    assert_loads_same(Owner, owner)
    assert_loads_same(Owner, [owner, OWNER, owner], [], many=True)


@pytest.mark.parametrize("many", [None, True, False, 1, 0, "yes", [], ()])
def test_data_that_are_no_rows_are_loaded_as_by_stock(many):
    assert_loads_same(Owner, *ODD_DATA, many=many)
    assert_loads_same(lambda: Owner(many=True), *ODD_DATA, many=many)


# Unknown keys

MANY_KEYS = {**OWNER, **{f"unknown {number}": number for number in range(20)}, 5: 6, None: [7]}


@pytest.mark.parametrize("argument", [*UNKNOWN, "other"])
@pytest.mark.parametrize("of_instance", UNKNOWN)
@pytest.mark.parametrize("of_meta", [EXCLUDE, INCLUDE, RAISE])
def test_unknown_keys_are_treated_as_by_stock(of_meta, of_instance, argument):
    schema = with_meta(Owner, unknown=of_meta)

    assert_loads_same(
        lambda: schema(unknown=of_instance), MANY_KEYS, OWNERS[8], OWNERS[9], unknown=argument
    )


@pytest.mark.parametrize("of_nested", UNKNOWN)
@pytest.mark.parametrize("of_field", UNKNOWN)
def test_unknown_keys_of_nested_schemas_are_treated_as_by_stock(of_field, of_nested):
    dog = with_meta(Dog, unknown=of_nested) if of_nested else Dog
    schema = Schema.from_dict(
        {
            "one": fields.Nested(dog, unknown=of_field),
            "object": fields.Nested(dog(unknown=of_nested), unknown=of_field),
            "many": fields.Nested(dog, many=True, unknown=of_field),
            "list": fields.List(fields.Nested(dog, unknown=of_field)),
            "dict": fields.Dict(values=fields.Nested(dog, unknown=of_field)),
            "pluck": fields.Pluck(dog, "name", unknown=of_field),
        }
    )
    more = {**DOG, "b": 1, "a": [2], "": 3}
    row = {"one": more, "object": more, "many": [more, more], "list": [more], "dict": {"a": more}}
    for unknown in UNKNOWN:
        assert_loads_same(schema, {**row, "pluck": "Rex", "unknown": row}, unknown=unknown)


def test_unknown_keys_and_what_overwrites_what():
    class Renaming(Schema):
        a = fields.Integer(data_key="b")
        b = fields.Integer(data_key="c", load_only=True)
        c = fields.Integer(attribute="d")
        e = fields.Integer(dump_only=True)
        f = fields.Integer(attribute="x.y", load_only=True)
        g = fields.Integer(attribute="x.z")

    rows = [
        dict.fromkeys("abcdefgx", "1"),
        dict.fromkeys("xgfedcba", 2),
        {"a": 1, "d": 2, "c": 3},
        {"x": 1, "f": 2},
        {"x": {"y": "kept?"}, "f": 2, "x.y": 3},
        {"e": 1},
    ]
    for unknown in UNKNOWN:
        assert_loads_same(Renaming, *rows, unknown=unknown)
        assert_loads_same(Renaming, rows, unknown=unknown, many=True)


# Partial loads


@pytest.mark.parametrize("argument", PARTIALS)
def test_partial_loads_are_as_by_stock(argument):
    comparison = Comparison(Owner)
    for owner in OWNERS:
        comparison.check(owner, partial=argument)
    comparison.check_fresh(OWNERS, partial=argument, many=True)
    comparison.check_text(OWNERS, partial=argument, many=True)


@pytest.mark.parametrize("of_nested", [None, True, False, ("name",), ("dog.name",)])
def test_partial_nested_schemas_load_as_by_stock(of_nested):
    class Home(Schema):
        dog = fields.Nested(Dog(partial=of_nested), required=True)
        dogs = fields.Nested(Dog(partial=of_nested, many=True))
        listed = fields.List(fields.Nested(lambda: Dog(partial=of_nested)), data_key="Listed")
        pluck = fields.Pluck(Dog, "name", required=True)

    rows = [{}, {"dog": {}}, {"dogs": [{}, DOG]}, {"Listed": [{}], "listed": [{}]}, {"pluck": None}]
    partials = [None, True, False, ["dog"], ["dogs.name"], ["listed.age", "Listed.name"], "dog"]
    for argument in partials:
        assert_loads_same(Home, *rows, partial=argument)
        assert_loads_same(partial(Home, partial=argument), *rows)


# Keys and attributes

NAMES = [
    *("", "a.b", "class", "data", "__class__", "items", "\ud800", '"\n\\{}', '"); import os #'),
]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_no_more_than_names(name):
    kinds = [fields.Integer, fields.String, lambda **options: fields.Nested(Dog, **options)]
    for make in kinds:
        as_name = Schema.from_dict({name: make(), "other": make(required=True)})
        as_key = Schema.from_dict({"a": make(data_key=name), "b": make(required=True)})
        as_attribute = Schema.from_dict({"a": make(attribute=name), "b": make()})
        for schema in (as_name, as_key, as_attribute):
            comparison = Comparison(schema)
            for value in ("1", DOG, None):
                row = {name: value, "a": value, "b": value, "other": value}
                comparison.check(row)
                comparison.check_text(row)
                comparison.check([row, {}], many=True, unknown=INCLUDE)
                comparison.check([row, {}], many=True, partial=[name, f"{name}.name"])


def test_dotted_attributes_make_nested_results_as_by_stock():
    class Deep(Schema):
        a = fields.Integer(attribute="x.y.z")
        b = fields.Integer(attribute="x.y.w")
        c = fields.Dict(attribute="x")
        d = fields.Integer(attribute="x.y")
        e = fields.Integer(attribute="v.")
        f = fields.Integer(attribute=".v")
        g = fields.Integer(attribute="v..v")

    rows = [
        {"a": 1, "b": 2},
        {"b": 2, "c": {"y": {"z": 5}}},
        {"c": {"y": {"z": 5}}, "d": 3},
        {"a": 1, "d": 3},
        {"e": 1, "f": 2},
        {"e": 1, "g": 2},
        {"a": "x", "b": 2},
        {},
    ]
    for row in rows:
        assert_loads_same(Deep, row)
        reordered = Schema.from_dict(dict(reversed(list(Deep._declared_fields.items()))))
        assert_loads_same(reordered, row)
        assert_loads_same(partial(Deep, only=[*row]), row)


def test_fields_with_the_same_key_merge_their_errors_as_by_stock():
    class Twice(Schema):
        a = fields.Integer(data_key="key", load_only=True)
        b = fields.Float(data_key="key", load_only=True)
        c = fields.List(fields.Integer(), data_key="key", load_only=True)
        d = fields.Nested(Dog, data_key="key", load_only=True)
        e = fields.Integer(required=True, data_key="other")
        f = fields.Integer(required=True, data_key="other", load_only=True)
        g = fields.Integer(data_key="_schema", validate=validate.Equal(5))
        h = fields.Nested(Dog, data_key="_schema", load_only=True)

    rows = [{"key": value, "_schema": value} for value in (1, "x", ["x"], {"name": 1}, None, [])]
    assert_loads_same(Twice, *rows)
    assert_loads_same(Twice, rows, many=True)


class Restricted(Schema):
    a = fields.Integer(load_only=True)
    b = fields.Integer(dump_only=True)
    c = fields.Integer()
    d = fields.Nested(Dog)

    class Meta:
        load_only = ("c",)


RESTRICTIONS = [
    {},
    {"only": ("a", "c")},
    {"exclude": ("a", "d.age")},
    {"load_only": ("a", "d.name")},
    {"dump_only": ("c", "d.age")},
]


@pytest.mark.parametrize("options", RESTRICTIONS)
def test_restricted_schemas_load_as_by_stock(options):
    def nesting():
        return Schema.from_dict({"e": fields.Nested(Restricted(**options))})()

    row = {"a": 1, "b": 2, "c": "x", "d": DOG}
    for unknown in UNKNOWN:
        assert_loads_same(lambda: Restricted(**options), row, {}, {"d": {}}, unknown=unknown)
        assert_loads_same(nesting, {"e": row}, {"e": {}}, unknown=unknown)


# Around the loads


def test_arguments_may_be_given_by_position():
    plan = fastschema.compile(Dog)
    assert plan.load([{"a": 1}], True, True, EXCLUDE) == [{}]
    assert plan.loads('[{"a": 1}]', True, True, INCLUDE) == [{"a": 1}]
    assert plan.validate([{}], True, True) == {}


def test_the_first_use_from_many_threads_at_once_loads_as_by_stock():
    for _ in range(5):
        schema = Schema.from_dict(
            {
                "name": fields.String(required=True, validate=validate.Length(2)),
                "dogs": fields.List(fields.Nested(Dog)),
                "employee": fields.Nested(Employee),
            }
        )
        rows = [{"name": "ab", "dogs": [DOG], "employee": {"name": "a"}}, {"name": "a"}, {}]
        instance = schema()
        expected = [observed(schema().load, row) for row in rows]

        def load(number, instance=instance, rows=rows):
            plan = fastschema.compile(instance)
            return [observed(plan.load, row) for row in rows]

        assert at_once(load) == [expected] * 16


def test_schemas_can_be_copied_and_pickled_after_they_loaded():
    rows = [OWNER, {}, OWNERS[5]]
    schema = Owner()
    plan = fastschema.compile(schema)
    for row in rows:
        observed(plan.load, row)
    with installed():
        for row in rows:
            observed(schema.load, row)
        copies = [copy.copy(schema), copy.deepcopy(schema), pickle.loads(pickle.dumps(schema))]
        for each in copies:
            for row in rows:
                with fastschema.disabled():
                    expected = observed(each.load, row)
                assert observed(each.load, row) == expected
    for each in copies:
        each.fields["name"].required = False
        each.load_fields["name"].load_default = "nobody"
        row = {"Dog": DOG}
        assert observed(fastschema.compile(each).load, row) == observed(each.load, row)
        assert observed(fastschema.compile(each).load, row)[2][1][0] == ("name", "nobody")


@pytest.mark.skipif(not MARSHMALLOW_3, reason="marshmallow 4 has no context")
def test_the_context_reaches_fields_and_hooks():
    class Contextual(fields.Raw):
        def _deserialize(self, value, attr, data, **kwargs):
            return value, self.context

    class WithContext(Schema):
        a = Contextual()
        b = fields.Nested({"c": Contextual()})

        @post_load
        def after(self, data, **kwargs):
            return data, self.context

    def make():
        schema = WithContext()
        schema.context = {"user": 1}
        return schema

    assert_loads_same(make, {"a": 1, "b": {"c": 2}}, {"b": {}})


@pytest.mark.skipif(MARSHMALLOW_3, reason="marshmallow 3 has an attribute instead")
def test_the_context_of_the_moment_reaches_fields_and_hooks():
    from marshmallow.experimental.context import Context

    class WithContext(Schema):
        a = fields.Function(deserialize=lambda value: (value, Context.get(None)))

        @post_load
        def after(self, data, **kwargs):
            return data, Context.get(None)

    comparison = Comparison(WithContext)
    comparison.check({"a": 1})
    with Context({"user": 1}):
        comparison.check({"a": 1})
    with Context({"user": 2}):
        comparison.check([{"a": 1}, {}], many=True)


def test_rows_that_come_while_others_are_loaded_are_loaded_too():
    class Growing(fields.Raw):
        def _deserialize(self, value, attr, data, **kwargs):
            if value == "more":
                rows.append({"a": "last"})
            return value

    schema = Schema.from_dict({"a": Growing()})
    for load in (schema().load, fastschema.compile(schema).load):
        rows = [{"a": "more"}, {"a": "x"}]
        assert load(rows, many=True) == [{"a": "more"}, {"a": "x"}, {"a": "last"}]
