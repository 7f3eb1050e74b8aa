"""What stock does around the values that it loads: fields, hooks, errors, nested schemas."""

import collections
import copy
import json
import pickle
import sys
import threading
import types
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import pytest
from marshmallow import (
    EXCLUDE,
    INCLUDE,
    RAISE,
    Schema,
    ValidationError,
    fields,
    missing,
    post_load,
    pre_load,
    validate,
    validates,
    validates_schema,
)

import fastschema
from tests.marshmallow.differential import MARSHMALLOW_3, installed
from tests.marshmallow.load_differential import (
    Comparison,
    assert_loads_same,
    assert_sequence_loads_same,
    described,
    typed,
)

LOG = []

UNKNOWN = [None, EXCLUDE, INCLUDE, RAISE]
PARTIALS = [
    None,
    True,
    False,
    (),
    ["name"],
    ("age", "dog.name"),
    {"dog"},
    frozenset(["dog.age", "name"]),
    ["dogs.name", "Dog.name", "dog.dog.name"],
    "name",
    1,
    0,
    {"name": True},
    lambda: (each for each in ["name", "age"]),
]


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

ODD_DATA = [
    None,
    5,
    "text",
    b"bytes",
    [],
    [[]],
    [{}],
    [OWNER, None, 5, "text", [], OWNER],
    (),
    (OWNER, {}),
    {1: 2, None: 3, (1, 2): 4, 2.5: 5, False: 6, b"name": 7, "name": "Ann"},
    {"name": missing, "age": missing, "Dog": missing, "unknown": missing},
    missing,
    object,
    dict,
    {"a", "b"},
    lambda: ({} for _ in range(2)),
    lambda: iter([OWNER, {}]),
    lambda: range(2),
    lambda: collections.deque([OWNER, {}]),
    lambda: collections.UserList([OWNER, {}]),
    lambda: {"0": OWNER}.values(),
    lambda: map(dict, [OWNER, {}]),
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


def with_meta(schema, **options):
    """A subclass with these options in its ``Meta``."""
    return type(schema.__name__, (schema,), {"Meta": type("Meta", (), options)})


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


@pytest.mark.parametrize("of_instance", PARTIALS[:-1])
def test_partial_schemas_load_as_by_stock(of_instance):
    for argument in (None, False, True, ["name"], ()):
        comparison = Comparison(lambda: Owner(partial=of_instance))
        for owner in OWNERS[:6]:
            comparison.check(owner, partial=argument)


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


def test_partial_reaches_fields_of_a_users_own_as_by_stock():
    class Own(fields.Raw):
        def _deserialize(self, value, attr, data, **kwargs):
            LOG.append((attr, kwargs))
            return value

    schema = Schema.from_dict(
        {
            "a": Own(data_key="A"),
            "b": fields.List(Own()),
            "c": fields.Dict(values=Own(), keys=Own()),
            "d": fields.Tuple([Own(), Own()]),
            "e": fields.Nested({"f": Own()}),
        }
    )
    row = {"A": 1, "b": [1, 2], "c": {"x": 1}, "d": (1, 2), "e": {"f": 1}}
    for argument in [*PARTIALS, ["a.b", "b.c", "c.d", "d.e", "e.f", "A.x"]]:
        assert_loads_same(schema, row, {}, calls=LOG, partial=argument)


# Keys and attributes

NAMES = [
    "",
    ".",
    "a.b",
    "class",
    "data",
    "self",
    "missing",
    "_schema",
    "__class__",
    "get",
    "items",
    "é",
    "\ud800",
    '"\n\\{}',
    '"); import os #',
    "VALUE",
    " ",
    "0",
]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_no_more_than_names(name):
    kinds = [fields.Integer, fields.String, lambda **options: fields.Nested(Dog, **options)]
    for make in kinds:
        as_name = Schema.from_dict({name: make(), "other": make(required=True)})
        as_key = Schema.from_dict({"a": make(data_key=name), "b": make(required=True)})
        as_attribute = Schema.from_dict({"a": make(attribute=name), "b": make()})
        for value in (1, "1", "x", DOG, None):
            row = {name: value, "a": value, "b": value, "other": value}
            for schema in (as_name, as_key, as_attribute):
                assert_loads_same(schema, row)
                Comparison(schema).check([row, {}], many=True, unknown=INCLUDE)
                Comparison(schema).check([row, {}], many=True, partial=[name, f"{name}.name"])


def test_keys_that_are_no_text_are_as_by_stock():
    for key in (0, 1, 2.5, True, (1, "a"), b"a", None):
        schema = Schema.from_dict({"a": fields.Integer(data_key=key), "b": fields.Integer()})
        assert_loads_same(schema, {key: "1"}, {key: "x", "b": "x"}, {"a": 1})
    for name in (0, ("a",), None):
        schema = Schema.from_dict({"a": fields.Integer(attribute=name), "b": fields.Integer()})
        assert_loads_same(schema, {"a": "1"}, {"b": 1})


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


def test_a_dotted_attribute_in_what_is_no_dict_is_an_error_as_by_stock():
    class Clashing(Schema):
        a = fields.Raw(attribute="x")
        b = fields.Raw(attribute="x.y")
        c = fields.Raw(attribute="x.y.z")

    for value in (1, None, [], {}, {"y": 1}, {"y": {}}, lambda: collections.UserDict()):

        def data(value=value):
            return {"a": value() if callable(value) else value, "b": 2, "c": 3}

        assert_loads_same(Clashing, data)
        assert_loads_same(Clashing, lambda data=data: [{"a": 1}, data()], many=True)


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
    {"only": ("d.name", "b")},
    {"exclude": ("a", "d.age")},
    {"load_only": ("a", "d.name")},
    {"dump_only": ("c", "d.age")},
    {"only": ()},
]


@pytest.mark.parametrize("options", RESTRICTIONS)
def test_restricted_schemas_load_as_by_stock(options):
    def nesting():
        return Schema.from_dict({"e": fields.Nested(Restricted(**options))})()

    row = {"a": 1, "b": 2, "c": "x", "d": DOG}
    for unknown in UNKNOWN:
        assert_loads_same(lambda: Restricted(**options), row, {}, {"d": {}}, unknown=unknown)
        assert_loads_same(nesting, {"e": row}, {"e": {}}, unknown=unknown)


# Collections and their indexes


@pytest.mark.parametrize("index_errors", [True, False])
@pytest.mark.parametrize("inner_index_errors", [True, False])
def test_errors_have_indexes_as_by_stock(index_errors, inner_index_errors):
    dog = with_meta(Dog, index_errors=inner_index_errors)

    class Home(Schema):
        name = fields.Integer()
        many = fields.Nested(dog, many=True)
        listed = fields.List(fields.Nested(dog))
        dogs = fields.List(fields.Nested(dog, many=True))

        class Meta:
            pass

        @validates("name")
        def check(self, value, **kwargs):
            if value == 3:
                raise ValidationError("three")

        @validates_schema(skip_on_field_errors=False)
        def check_all(self, data, **kwargs):
            if data.get("name", 4) == 4:
                raise ValidationError({"name": ["four"], "_schema": ["schema"]})

    home = with_meta(Home, index_errors=index_errors)
    rows = [
        {"name": "x", "many": [DOG, {}, {"name": 1}], "listed": [{}, 5], "dogs": [[{}], [DOG]]},
        {"name": 3},
        {"name": 4, "unknown": 1},
        5,
        {"name": 1},
    ]
    assert_loads_same(home, *rows)
    assert_loads_same(home, rows, rows[::-1], [], [5], 5, {}, many=True)


# Nested schemas


class Child(Schema):
    name = fields.String(required=True)
    secret = fields.Integer(load_default=7)
    toys = fields.Nested(Dog, many=True)
    pet = fields.Nested(Dog)


class RenamedChild(Schema):
    name = fields.String(data_key="Name", required=True)
    empty = fields.Integer(data_key="")


CHILD = {"name": "a", "secret": "2", "toys": [DOG, DOG], "pet": DOG}
BAD_CHILD = {"name": 1, "secret": "x", "toys": [DOG, {"name": 2}, 5], "pet": [], "unknown": 1}

NESTED = {
    "class": lambda: fields.Nested(Child),
    "object": lambda: fields.Nested(Child(only=("name", "pet"))),
    "object for many": lambda: fields.Nested(Child(many=True)),
    "partial object": lambda: fields.Nested(Child(partial=True)),
    "unknown object": lambda: fields.Nested(Child(unknown=INCLUDE)),
    "name": lambda: fields.Nested("RenamedChild"),
    "full name": lambda: fields.Nested(f"{__name__}.Child"),
    "unknown name": lambda: fields.Nested("NoSuchSchema"),
    "lambda": lambda: fields.Nested(lambda: Child(exclude=("secret",))),
    "lambda for a class": lambda: fields.Nested(lambda: Child),
    "lambda for many": lambda: fields.Nested(lambda: Child(many=True)),
    "lambda that raises": lambda: fields.Nested(lambda: 1 / 0),
    "lambda that refuses": lambda: fields.Nested(refuse),
    "dict": lambda: fields.Nested({"name": fields.Integer()}),
    "no schema": lambda: fields.Nested(5),
    "only": lambda: fields.Nested(Child, only=("secret", "name")),
    "only dotted": lambda: fields.Nested(Child, only=("name", "pet.name")),
    "exclude": lambda: fields.Nested(Child, exclude=("secret", "toys")),
    "exclude dotted": lambda: fields.Nested(Child, exclude=("toys.name",)),
    "unknown field": lambda: fields.Nested(Child, only=("no such field",)),
    "many": lambda: fields.Nested(Child, many=True),
    "not many": lambda: fields.Nested(Child, many=False),
    "object not for many": lambda: fields.Nested(Child(many=True), many=False),
    "allow_none": lambda: fields.Nested(Child, allow_none=True),
    "required": lambda: fields.Nested(Child, required=True),
    "default": lambda: fields.Nested(Child, load_default=dict),
    "validated": lambda: fields.Nested(Child, validate=validate.Length(2)),
    "messages": lambda: fields.Nested(Child, error_messages={"type": "{type}", "null": "none"}),
    "messages for many": lambda: fields.Nested(
        Child, many=True, error_messages={"type": "{input} is a {type}"}
    ),
    "pluck": lambda: fields.Pluck(Child, "name"),
    "pluck of the key": lambda: fields.Pluck(RenamedChild, "name"),
    "pluck of an empty key": lambda: fields.Pluck(RenamedChild, "empty"),
    "pluck of an object for many": lambda: fields.Pluck(Child(many=True), "name"),
    "pluck of a lambda": lambda: fields.Pluck(lambda: Child(many=True), "name"),
    "pluck of a nested one": lambda: fields.Pluck(Child, "pet"),
    "pluck many": lambda: fields.Pluck(Child, "name", many=True),
    "pluck of nothing": lambda: fields.Pluck(Child, "no such field"),
    "list of plucks": lambda: fields.List(fields.Pluck(Child, "name")),
    "dict of plucks": lambda: fields.Dict(values=fields.Pluck(Child, "name")),
    "list": lambda: fields.List(fields.Nested(Child)),
    "list of none": lambda: fields.List(fields.Nested(Child, allow_none=True)),
    "list of many": lambda: fields.List(fields.Nested(Child, many=True)),
    "list with only": lambda: fields.List(fields.Nested(Child, only=("name",))),
    "list of unknown name": lambda: fields.List(fields.Nested("NoSuchSchema")),
    "list of lists": lambda: fields.List(fields.List(fields.Nested(Child))),
    "dict of": lambda: fields.Dict(values=fields.Nested(Child)),
    "dict from": lambda: fields.Dict(keys=fields.Pluck(Child, "name"), values=fields.Raw()),
    "tuple of": lambda: fields.Tuple((fields.Nested(Child), fields.String())),
}


def refuse():
    raise ValidationError({"refused": ["no schema"]})


NESTED_VALUES = [
    None,
    CHILD,
    BAD_CHILD,
    [CHILD, {}],
    [BAD_CHILD, CHILD, None],
    [],
    [[CHILD], [BAD_CHILD], [None]],
    [None],
    {},
    {"a": CHILD, "b": BAD_CHILD, 5: None},
    (CHILD, "b"),
    (BAD_CHILD, 5),
    "text",
    ["text", 5],
    5,
    missing,
    {"Name": "a", "name": "b"},
    lambda: collections.UserDict(CHILD),
    lambda: types.MappingProxyType(BAD_CHILD),
    lambda: (each for each in [CHILD, BAD_CHILD]),
    lambda: {"unhashable in here"},
]


@pytest.mark.parametrize("name", NESTED)
def test_a_nested_field_of_any_kind_is_loaded_as_by_stock(name):
    schema = Schema.from_dict({"child": NESTED[name](), "after": fields.Integer()})
    comparison = Comparison(schema)
    for value in NESTED_VALUES:

        def data(value=value):
            return {"child": value() if callable(value) else value, "after": "x"}

        for arguments in ({}, {"unknown": EXCLUDE}, {"partial": True}, {"partial": ["child.name"]}):
            comparison.check(data, **arguments)
    comparison.check([{}, {"child": None}], many=True)
    Comparison(schema).check_fresh({"child": CHILD})


@pytest.mark.parametrize("options", [{"only": ("child.pet.name",)}, {"exclude": ("child.toys",)}])
@pytest.mark.parametrize("name", ["class", "only", "exclude", "list", "many", "name"])
def test_dotted_selections_reach_nested_schemas(name, options):
    parent = Schema.from_dict({"child": NESTED[name](), "name": fields.String()})
    for value in (CHILD, BAD_CHILD):
        row = {"child": [value] if name in ("list", "many") else value, "name": 5}
        try:
            parent(**options)
        except ValueError:
            return  # stock has no such schema
        assert_loads_same(lambda: parent(**options), row)


class Employee(Schema):
    name = fields.String(required=True)
    boss = fields.Nested(lambda: Employee(exclude=("reports",)))
    reports = fields.List(fields.Nested(lambda: Employee(exclude=("boss",))))


class Author(Schema):
    name = fields.String(required=True)
    books = fields.Nested("LoadedBook", many=True, exclude=("author",))


class LoadedBook(Schema):
    title = fields.String(required=True)
    author = fields.Nested(Author)


class Node(Schema):
    value = fields.Integer(required=True)
    next = fields.Nested(lambda: Node(), allow_none=True)


def chain(length, innermost=None):
    row = innermost
    for number in range(length):
        row = {"value": number, "next": row}
    return row


@pytest.mark.parametrize("length", [1, 2, 40])
@pytest.mark.parametrize("innermost", [None, {}, {"value": "x"}, 5, {"value": 1, "more": 2}])
def test_a_recursive_schema_loads_as_by_stock(length, innermost):
    assert_loads_same(Node, chain(length, innermost))
    boss = {"name": "b", "boss": {"name": 1, "boss": {"reports": []}}}
    for reports in ([], [{"name": 5}], [{"name": "r", "reports": [{"boss": boss}, {}]}]):
        assert_loads_same(Employee, {"name": "a", "boss": boss, "reports": reports})


@pytest.mark.parametrize(
    "row",
    [
        {"title": "T", "author": {"name": "A", "books": [{"title": "U"}, {}]}},
        {"title": "T", "author": {"name": "A", "books": [{"title": "U", "author": {}}]}},
        {"title": "T", "author": None},
        {"author": {"books": {"title": "U"}}},
    ],
)
def test_mutually_recursive_schemas_load_as_by_stock(row):
    assert_loads_same(LoadedBook, row)


@pytest.mark.filterwarnings("ignore:Passing 'self'")  # deprecated in marshmallow 3 already
def test_a_schema_nested_in_itself_loads_as_by_stock():
    itself = "self" if MARSHMALLOW_3 else lambda: LoadedTree

    class LoadedTree(Schema):
        name = fields.String(required=True)
        children = fields.Nested(itself, many=True, exclude=("parent",))
        parent = fields.Nested(itself, only=("name",))

    leaf = {"name": "a", "parent": {"name": "b"}}
    rows = [
        {"name": "c", "children": [{"name": "d", "children": []}], "parent": {"name": "p"}},
        {"name": "c", "children": [leaf, {"children": [leaf, 5]}], "parent": leaf},
    ]
    assert_loads_same(LoadedTree, *rows)


@pytest.mark.parametrize("load", ["plan", "installed"])
def test_data_nested_too_deeply_end_in_a_recursion_error(load):
    data = chain(sys.getrecursionlimit())
    schema = Node()
    with pytest.raises(RecursionError):
        schema.load(data)
    if load == "plan":
        with pytest.raises(RecursionError):
            fastschema.compile(schema).load(data)
    else:
        with installed(), pytest.raises(RecursionError):
            schema.load(data)
    assert fastschema.compile(schema).load(chain(3)) == chain(3)


EXPECTED = (RecursionError, ValueError, ValidationError)


def test_text_nested_too_deeply_ends_in_an_error_and_no_crash():
    for text in ("[" * 100_000, '{"value": 1, "next": ' * 100_000, "[" * 500 + "]" * 500):
        errors = []
        for load in (Node().loads, fastschema.compile(Node).loads):
            with pytest.raises(Exception) as raised:  # noqa: PT011  # which one is asked below
                load(text)
            errors.append(raised.type)
        assert all(issubclass(each, EXPECTED) for each in errors)


def test_as_deep_as_stock_loads_fastschema_loads():
    depth = 10
    while True:
        try:
            expected = Node().load(chain(depth))
        except RecursionError:
            break
        assert fastschema.compile(Node).load(chain(depth)) == expected
        depth += 10
    assert depth > 20


# Hooks


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


PEOPLE = [
    {"name": "a", "Age": 1},
    {"name": " b ", "strip": 1},
    {"name": "bad", "Age": "2"},
    {"name": "c", "Age": 13},
    {"name": 5, "Age": 13},
    {"Age": "x"},
    {},
    {"name": "d", "age": 1},
    None,
    5,
]


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


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_hooks_are_called_as_by_stock(unknown):
    check_rows(WithHooks, PEOPLE[:8], unknown=unknown)
    check_rows(WithHooks, PEOPLE, unknown=unknown, partial=True)


def test_hooks_of_nested_schemas_are_called_as_by_stock():
    class Team(Schema):
        lead = fields.Nested(WithHooks)
        members = fields.Nested(WithHooks, many=True)
        listed = fields.List(fields.Nested(WithHooks, unknown=EXCLUDE))
        by_name = fields.Dict(values=fields.Nested(WithHooks(partial=True)))

        @pre_load
        def before(self, data, **kwargs):
            noted("team pre_load", kwargs)
            return data

        @post_load
        def after(self, data, **kwargs):
            noted("team post_load", data, kwargs)
            return data

    people = PEOPLE[:4]
    rows = [
        {"lead": people[0], "members": people[:2], "listed": people[:2], "by_name": {"a": {}}},
        {"lead": people[2], "members": people, "listed": people, "by_name": {"a": people[3]}},
        {"members": [people[0], {}], "lead": {}},
    ]
    check_rows(Team, rows)
    check_rows(Team, rows, partial=("lead.name", "members.name"))


def hooked(tag, act=None, **options):
    """A schema with one hook that notes how it was called, and then acts."""
    option = {"pass_many" if MARSHMALLOW_3 else "pass_collection": options.pop("whole", False)}

    def hook(self, data, *original, **kwargs):
        noted(tag.__name__, copy.deepcopy((data, original)), kwargs)
        return data if act is None else act(data)

    body = {
        "a": fields.Integer(required=True),
        "b": fields.List(fields.Integer()),
        "hook": tag(**option, **options)(hook),
    }
    return type("Hooked", (Schema,), body)


def raising(error):
    def act(data):
        raise error

    return act


def edit(data):
    if isinstance(data, dict):
        data["a"] = 5
        data.pop("b", None)
    elif isinstance(data, list):
        data.append({"a": 6})
    return data


ACTIONS = {
    "nothing": lambda data: data,
    "None": lambda data: None,
    "text": lambda data: "text",
    "list": lambda data: [data, data],
    "generator": lambda data: (each for each in [data]),
    "dict": lambda data: {"a": 1, "c": 2},
    "object": lambda data: Person("a", 1),
    "mapping": lambda data: collections.UserDict({"a": "5"}),
    "edit": edit,
    "text error": raising(ValidationError("refused")),
    "list error": raising(ValidationError(["refused", "again"])),
    "dict error": raising(ValidationError({"a": ["refused"], "c": [{"d": 1}], 0: "e"})),
    "empty error": raising(ValidationError({})),
    "empty list error": raising(ValidationError([])),
    "field error": raising(ValidationError("refused", field_name="a")),
    "field error with dict": raising(ValidationError({"b": ["c"]}, field_name="a")),
    "unknown field error": raising(ValidationError("refused", field_name="no such")),
    "valid error": raising(ValidationError("refused", valid_data={"x": 1}, data=5, code=6)),
    "other error": raising(ZeroDivisionError("other")),
}

ROWS = [{"a": "1", "b": [1, "2"]}, {"a": 2}, {"a": "x", "b": [1, "x"]}, {}, {"a": 1, "z": 2}, 5]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_pre_load_hook_may_do_as_it_likes(action, whole):
    check_rows(hooked(pre_load, ACTIONS[action], whole=whole), ROWS)


@pytest.mark.parametrize(
    "options",
    [
        {"whole": whole, "pass_original": original}
        for whole in (False, True)
        for original in (False, True)
    ],
)
@pytest.mark.parametrize("action", ACTIONS)
def test_a_post_load_hook_may_do_as_it_likes(action, options):
    check_rows(hooked(post_load, ACTIONS[action], **options), ROWS)


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"whole": whole, "pass_original": original}
        for whole in (False, True)
        for original in (False, True)
    ],
)
@pytest.mark.parametrize("action", ACTIONS)
def test_a_schema_validator_may_do_as_it_likes(action, options, skip):
    schema = hooked(validates_schema, ACTIONS[action], skip_on_field_errors=skip, **options)
    check_rows(schema, ROWS)


@pytest.mark.parametrize("options", [{}, {"data_key": "A"}, {"attribute": "other"}])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_field_validator_may_do_as_it_likes(action, options):
    class Checked(Schema):
        a = fields.Integer(required=True, **options)
        b = fields.List(fields.Integer())
        c = fields.Raw(load_default=3)

        @validates("a")
        def check_a(self, value, **kwargs):
            noted("a", value, kwargs)
            return ACTIONS[action](value)

        @validates("b")
        def check_b(self, value, **kwargs):
            noted("b", value, kwargs)
            if len(value) < 2:
                raise ValidationError({0: ["too few"]}, valid_data=[5])

        @validates("c")
        def check_c(self, value, **kwargs):
            noted("c", value, kwargs)

    rows = [*ROWS, {"A": 1, "b": []}, {"A": "x", "b": ["x"]}, {"a": 1, "b": [1], "c": 5}]
    check_rows(Checked, rows)
    check_rows(Checked, rows, partial=True, unknown=EXCLUDE)


def test_validates_of_several_and_of_other_fields_is_as_by_stock():
    several = ("a", "b") if not MARSHMALLOW_3 else ("a",)

    class Checked(Schema):
        a = fields.Integer(attribute="x.y")
        b = fields.Integer(data_key="B", attribute="z")
        c = fields.Integer(dump_only=True)
        d = fields.Nested(Dog)

        @validates(*several)
        def check(self, value, **kwargs):
            noted("check", value, kwargs)
            raise ValidationError(["refused", f"{value}"])

        @validates("c")
        def check_c(self, value, **kwargs):
            noted("c", value)

        @validates("d")
        def check_d(self, value, **kwargs):
            noted("d", value)
            value["added"] = True

    class Unknown(Checked):
        @validates("no such field")
        def check_nothing(self, value, **kwargs):
            raise AssertionError("there is nothing to validate")

    rows = [{"a": 1, "B": 2}, {"a": "x", "B": 2, "d": DOG}, {}, {"d": {"name": 1}}, 5]
    check_rows(Checked, rows)
    check_rows(lambda: Checked(only=("b", "d")), rows)
    check_rows(lambda: Checked(exclude=("b",)), rows, unknown=INCLUDE)
    check_rows(Unknown, rows)


def test_several_hooks_of_each_kind_are_called_in_the_order_of_stock():
    class Hooks(WithHooks):
        @pre_load
        def before_that(self, data, **kwargs):
            noted("before that")
            return data

        @post_load(pass_original=True)
        def made(self, data, original, **kwargs):
            noted("made", data, original)
            return data

        @validates("age")
        def another(self, value, **kwargs):
            noted("another", value)
            raise ValidationError({"age": ["x"]})

        @validates_schema(skip_on_field_errors=False, pass_original=True)
        def all_of_it(self, data, original, **kwargs):
            noted("all", data, original)
            if "age" not in data:
                raise ValidationError({"age": "missing", "_schema": ["incomplete"]})

        @validates_schema(skip_on_field_errors=False)
        def some_of_it(self, data, **kwargs):
            noted("some", data)
            raise ValidationError(["never right"], "Age" if len(data) > 1 else "no such")

    check_rows(Hooks, PEOPLE)
    check_rows(lambda: Hooks(exclude=("age",)), PEOPLE)


def test_one_method_may_be_several_hooks():
    class Both(Schema):
        a = fields.Integer()

        @pre_load
        @post_load
        def around(self, data, **kwargs):
            noted("around", data)
            return {**data, "a": data.get("a", 0) + 1}

    check_rows(Both, [{"a": 1}, {}, {"a": "x"}])


def test_hooks_on_an_instance_and_changed_on_a_class_are_seen(monkeypatch):
    comparison = Comparison(WithHooks, LOG)

    def check():
        for row in (PEOPLE[0], PEOPLE[2], PEOPLE[3], {}):
            comparison.check(row)
        comparison.check([PEOPLE[0], {}, PEOPLE[3]], many=True)

    check()
    monkeypatch.setattr(WithHooks, "after", lambda self, data, **kwargs: data)
    check()
    for schema in (comparison.stock, comparison.schema):
        schema.check_name = lambda value, **kwargs: noted("of the instance", value)
    check()
    monkeypatch.setattr(WithHooks, "_hooks", Dog._hooks)
    check()


def test_a_hook_may_load_by_its_own_schema():
    class Reentrant(Schema):
        a = fields.Integer()
        b = fields.Raw()

        @post_load
        def again(self, data, **kwargs):
            noted("again", data)
            return self.load(data["b"]) if isinstance(data.get("b"), dict) else data

        @validates("a")
        def check(self, value, **kwargs):
            if value == 0:
                raise ValidationError(str(self.validate({"a": "x"})))

    check_rows(Reentrant, [{"a": 1, "b": {"a": 2, "b": {"a": "x"}}}, {"a": 0}, {"b": {"a": "3"}}])


def test_hooks_may_change_the_schema_while_it_loads():
    class Changing(Schema):
        kind = fields.String()
        value = fields.Integer()
        more = fields.Integer()

        @pre_load
        def choose(self, data, **kwargs):
            self.fields["value"].validators[:] = [validate.Range(max=data.get("limit", 3))]
            self.unknown = EXCLUDE
            if "text" in data:
                self.load_fields = {"value": fields.String()}
            return data

    rows = [{"value": 5, "limit": 9}, {"value": 5}, {"value": 5, "text": 1}, {"value": "5"}]
    assert_sequence_loads_same(Changing, [*rows, *rows])
    assert_sequence_loads_same(lambda: Changing(many=True), [rows, rows])


@pytest.mark.parametrize("name", ["_deserialize", "validator"])
def test_user_code_may_change_a_later_field_of_the_row(name):
    """A field of the user's own, or a validator, changes what is still to be read."""

    def change(schema, data):
        data["b"] = "changed"
        data["new"] = 1
        schema.seen = True

    class Meddling(fields.Integer):
        def _deserialize(self, value, attr, data, **kwargs):
            change(self.parent, data)
            return value

    class Changed(Schema):
        a = Meddling() if name == "_deserialize" else fields.Raw()
        b = fields.String()
        c = fields.Raw()

        def on_bind_field(self, field_name, field_obj):
            if name == "validator" and field_name == "a":
                field_obj.validators = [lambda value: change(self, value)]

    assert_loads_same(Changed, lambda: {"a": {}, "b": 1})
    assert_loads_same(Changed, {"a": {}, "b": "x", "c": 1})
    Comparison(Changed).check([{"a": {}, "b": "x"}, {"a": {}}], many=True)


# Errors


def test_handle_error_is_called_as_by_stock():
    class Handling(Schema):
        a = fields.Integer(required=True)
        b = fields.Nested(Dog)

        def handle_error(self, error, data, *, many, **kwargs):
            noted("handle", described(error, data), typed(data), many, kwargs)
            if isinstance(data, dict) and data.get("a") == "raise":
                raise LookupError(str(error.messages))
            error.messages["handled"] = True
            error.handled = 1

    rows = [{}, {"a": "x", "b": {"name": 1}}, {"a": "raise"}, {"a": 1}, 5]
    check_rows(Handling, rows)
    check_rows(Schema.from_dict({"c": fields.Nested(Handling)}), [{"c": row} for row in rows])
    for schema in (Handling(), Handling()):
        schema.handle_error = lambda error, data, **kwargs: noted("of the instance", error.messages)
    assert_loads_same(lambda: with_handler(Handling()), *rows, calls=LOG)


def with_handler(schema):
    schema.handle_error = lambda error, data, **kwargs: noted("of the instance", error.messages)
    return schema


MESSAGES = [
    {"unknown": "Not {known}", "type": "No dict"},
    {"unknown": ["a", "b"], "type": {"c": ["d"]}},
    {"unknown": {"e": 1}},
    {"unknown": None, "type": b"bytes"},
    {},
]


@pytest.mark.parametrize("messages", MESSAGES)
def test_messages_of_schemas_are_as_by_stock(messages):
    schema = type("Worded", (Owner,), {"error_messages": messages})
    rows = [5, [], {**OWNER, "b": 1, "a": 2}, {"Dog": {"x": 1}, "dogs": [5]}]

    check_rows(schema, rows)
    comparison = Comparison(schema)
    for changed in (comparison.stock, comparison.schema):
        changed.error_messages["unknown"] = "changed"
    for row in rows:
        comparison.check(row)
    for changed in (comparison.stock, comparison.schema):
        del changed.error_messages["unknown"]
    for row in rows:
        comparison.check(row)


def test_valid_data_of_errors_are_as_by_stock():
    class Outer(Schema):
        zero = fields.Nested({"a": fields.Integer()}, load_only=True)
        numbers = fields.List(fields.Integer())
        pairs = fields.Dict(fields.Integer(), fields.Integer())
        tuples = fields.Tuple((fields.Integer(), fields.Integer()))
        many = fields.Nested(Dog, many=True)
        inner = fields.Nested(Owner)

    rows = [
        {"zero": {"a": "x"}, "numbers": ["x"], "pairs": {"x": 1}, "tuples": ["x", "y"]},
        {"zero": {"a": 1, "b": 2}, "numbers": [0, "x"], "pairs": {1: 2, "x": "y", 3: "z"}},
        {"tuples": [1, "x"], "many": [DOG, {"name": "b"}, 5, {}], "inner": OWNERS[5]},
        {"many": [5], "inner": {"Dog": {"name": 1}}},
        {"many": 5, "inner": 5, "numbers": 5, "pairs": 5, "tuples": [1]},
    ]
    check_rows(Outer, rows)
    check_rows(Outer, rows, unknown=INCLUDE)


# Overrides


class OverridesLoad(Dog):
    def load(self, data, **kwargs):
        noted("load", data, kwargs)
        return super().load(data, **kwargs)


class OverridesDoLoad(Dog):
    def _do_load(self, data, **kwargs):
        noted("_do_load", data, kwargs)
        return super()._do_load(data, **kwargs)


class OverridesDeserialize(Dog):
    def _deserialize(self, data, **kwargs):
        noted("_deserialize", data, sorted(kwargs))
        return super()._deserialize(data, **kwargs)


class ReplacesDeserialize(Dog):
    def _deserialize(self, data, *, error_store, many=False, **kwargs):
        error_store.store_error(["replaced"], "name", None)
        return {"many": many}


class OverridesValidate(Dog):
    def validate(self, data, **kwargs):
        noted("validate", data, kwargs)
        return super().validate(data, **kwargs)


class OverridesLoads(Dog):
    def loads(self, json_data, **kwargs):
        noted("loads", json_data, kwargs)
        return super().loads(json_data, **kwargs)


class OverridesCallAndStore(Dog):
    @staticmethod
    def _call_and_store(getter_func, data, *, field_name, error_store, index=None):
        noted("call", data, field_name, index)
        return Schema._call_and_store(
            getter_func, data, field_name=field_name, error_store=error_store, index=index
        )


class OverridesProcessors(Dog):
    def _invoke_load_processors(self, tag, data, **kwargs):
        noted("processors", tag)
        return super()._invoke_load_processors(tag, data, **kwargs)

    @post_load
    def after(self, data, **kwargs):
        return data


class OverridesFieldValidators(Dog):
    def _invoke_field_validators(self, *, error_store, data, many):
        noted("field validators", data, many)
        return super()._invoke_field_validators(error_store=error_store, data=data, many=many)


class OverridesSchemaValidators(WithHooks):
    def _invoke_schema_validators(self, **kwargs):
        noted("schema validators", sorted(kwargs))
        return super()._invoke_schema_validators(**kwargs)


class OverridesRunValidator(WithHooks):
    def _run_validator(self, validator_func, output, **kwargs):
        noted("run", output, sorted(kwargs))
        return super()._run_validator(validator_func, output, **kwargs)


class LoggedDict(dict):
    def __setitem__(self, key, value):
        if not isinstance(value, fields.Field):  # of the schema, when it is made
            noted("set", key, value)
        super().__setitem__(key, value)


class OtherDict(Dog):
    dict_class = LoggedDict
    tag = fields.Integer(attribute="a.b")


class OrderedResult(Dog):
    dict_class = collections.OrderedDict


class DictMethod(Dog):
    @property
    def dict_class(self):
        return self.made

    def made(self, *args):
        return collections.OrderedDict(*args)


class OtherSet(Dog):
    set_class = set


class Binding(Dog):
    extra = fields.Integer()

    def on_bind_field(self, field_name, field_obj):
        field_obj.required = False
        field_obj.load_default = f"default of {field_name}"
        if field_name == "extra":
            field_obj.data_key = "Extra"


OVERRIDES = [
    OverridesLoad,
    OverridesDoLoad,
    OverridesDeserialize,
    ReplacesDeserialize,
    OverridesValidate,
    OverridesLoads,
    OverridesCallAndStore,
    OverridesProcessors,
    OverridesFieldValidators,
    OverridesSchemaValidators,
    OverridesRunValidator,
    OtherDict,
    OrderedResult,
    DictMethod,
    OtherSet,
    Binding,
]


@pytest.mark.parametrize("schema", OVERRIDES)
def test_overrides_of_a_schema_are_called_as_by_stock(schema):
    rows = [{"name": "Rex", "age": 3}, {"name": 1, "Age": 2, "tag": "5"}, {}, {"z": 1}, 5]
    check_rows(schema, rows)
    check_rows(schema, rows, partial=("name",), unknown=INCLUDE)
    nesting = {
        "one": fields.Nested(schema),
        "many": fields.Nested(schema, many=True),
        "list": fields.List(fields.Nested(schema)),
        "pluck": fields.Pluck(schema, "name"),
        "dict": fields.Dict(values=fields.Nested(schema)),
    }
    nested = [{"one": row, "many": [row, row], "list": [row], "dict": {1: row}} for row in rows]
    check_rows(Schema.from_dict(nesting), [*nested, {"pluck": "Rex"}, {"pluck": 5}])


INSTANCE_OVERRIDES = {
    "load": lambda self: lambda data, **kwargs: ("load", data, sorted(kwargs.items())),
    "_do_load": lambda self: lambda data, **kwargs: ("_do_load", data, sorted(kwargs)),
    "_deserialize": lambda self: lambda data, **kwargs: ("_deserialize", data, sorted(kwargs)),
    "validate": lambda self: lambda data, **kwargs: ("validate", data, kwargs),
    "loads": lambda self: lambda data, **kwargs: ("loads", data, sorted(kwargs.items())),
    "dict_class": lambda self: collections.OrderedDict,
    "handle_error": lambda self: lambda error, data, **kwargs: noted("handled", kwargs),
    "_call_and_store": lambda self: lambda getter_func, data, **kwargs: noted("call", data),
    "unknown": lambda self: INCLUDE,
    "partial": lambda self: ("name",),
    "many": lambda self: True,
    "load_fields": lambda self: {"other": fields.Integer()},
    "_hooks": lambda self: WithHooks._hooks,
}
if MARSHMALLOW_3:  # where the class of the result is a property
    INSTANCE_OVERRIDES["ordered"] = lambda self: True
    del INSTANCE_OVERRIDES["dict_class"]


@pytest.mark.parametrize("attribute", INSTANCE_OVERRIDES)
def test_what_is_set_on_a_schema_after_its_first_use_is_seen(attribute):
    comparison = Comparison(Dog, LOG)
    nesting = Comparison(Schema.from_dict({"dog": fields.Nested(Dog)}), LOG)
    rows = [DOG, {}, {**DOG, "other": "x"}, {"other": 5}, [DOG]]

    def check():
        for row in rows:
            comparison.check(row)
            comparison.check_text(row)
            nesting.check({"dog": row})
        comparison.check(rows, many=True)
        comparison.check(rows, many=False, unknown=EXCLUDE, partial=True)

    check()
    dogs = [nesting.stock.fields["dog"].schema, nesting.schema.fields["dog"].schema]
    for schema in (comparison.stock, comparison.schema, *dogs):
        setattr(schema, attribute, INSTANCE_OVERRIDES[attribute](schema))
    check()


# Late changes


class Changeable(Schema):
    number = fields.Integer()
    text = fields.String(required=True)
    moment = fields.DateTime()
    flag = fields.Boolean()
    real = fields.Float()
    amount = fields.Decimal(2)
    numbers = fields.List(fields.Integer())
    pairs = fields.Dict(fields.String(), fields.Integer())
    both = fields.Tuple((fields.Integer(), fields.String()))
    dog = fields.Nested(Dog)
    dogs = fields.List(fields.Nested(Dog))


CHANGEABLE = [
    {
        "number": "1",
        "text": "a",
        "moment": "2024-02-29T12:00",
        "flag": "yes",
        "real": "1.5",
        "amount": "1.005",
        "numbers": ["1", 2],
        "pairs": {"a": "1"},
        "both": ["1", "b"],
        "dog": DOG,
        "dogs": [DOG],
    },
    {"number": 1.5, "text": b"a", "moment": "29.02.2024", "flag": "ja", "real": "nan"},
    {"number": None, "text": None, "dog": {"name": 1}, "dogs": [{}], "both": [1], "numbers": "a"},
    {"Number": 5, "unknown": 6, "pairs": {1: "x"}},
    {},
]


def field(field_name, /, **attributes):
    def change(schema):
        for attribute, value in attributes.items():
            setattr(schema.fields[field_name], attribute, value)

    return change


CHANGES = {
    "required": field("number", required=True),
    "not required": field("text", required=False),
    "allow_none": field("text", allow_none=True),
    "default": field("number", load_default=5),
    "default callable": field("numbers", load_default=list),
    "data_key": field("number", data_key="Number"),
    "attribute": field("number", attribute="a.b"),
    "strict": field("number", strict=True),
    "allow_nan": field("real", allow_nan=True),
    "places": field("amount", places=None),
    "rounding": field("amount", rounding="ROUND_UP"),
    "truthy": field("flag", truthy={"ja"}),
    "no truthy": field("flag", truthy=set()),
    "format": field("moment", format="%d.%m.%Y"),
    "no format": field("moment", format=None),
    "validators": field("number", validators=[validate.Range(2)]),
    "messages": field("number", error_messages={"invalid": "changed", "required": "!"}),
    "message": lambda schema: schema.fields["number"].error_messages.update(invalid="changed"),
    "no message": lambda schema: schema.fields["number"].error_messages.clear(),
    "inner": lambda schema: setattr(schema.fields["numbers"], "inner", fields.String()),
    "inner option": lambda schema: setattr(schema.fields["numbers"].inner, "strict", True),
    "inner validators": lambda schema: schema.fields["numbers"].inner.validators.append(
        validate.Equal(5)
    ),
    "key field": field("pairs", key_field=None),
    "value field": field("pairs", value_field=fields.String()),
    "no fields": field("pairs", key_field=None, value_field=None),
    "tuple fields": lambda schema: schema.fields["both"].tuple_fields.reverse(),
    "fewer tuple fields": lambda schema: schema.fields["both"].tuple_fields.pop(),
    "tuple length": field("both", validate_length=validate.Length(1)),
    "nested unknown": field("dog", unknown=EXCLUDE),
    "nested many": field("dog", many=True),
    "nested schema": field("dog", _schema=Owner()),
    "nested option": lambda schema: setattr(schema.fields["dog"].schema, "unknown", INCLUDE),
    "nested partial": lambda schema: setattr(schema.fields["dog"].schema, "partial", True),
    "nested field": lambda schema: setattr(
        schema.fields["dog"].schema.fields["name"], "required", False
    ),
    "nested class": lambda schema: setattr(schema.fields["dog"].schema, "__class__", WithHooks),
    "listed field": lambda schema: schema.fields["dogs"].inner.schema.load_fields.pop("name"),
    "deserialize": field("number", deserialize=lambda *args, **kwargs: ("deserialize", args[1:2])),
    "_deserialize": field("text", _deserialize=lambda *args, **kwargs: "_deserialize"),
    "_validated": field("number", _validated=lambda value: "_validated"),
    "_validate": field("number", _validate=lambda value: noted("_validate", value)),
    "_validate_missing": field("text", _validate_missing=lambda value: noted("missing", value)),
    "make_error": field("number", make_error=lambda key, **kwargs: ValidationError([key, kwargs])),
    "field class": lambda schema: setattr(schema.fields["number"], "__class__", fields.Float),
    "num_type": field("real", num_type=str),
    "field replaced": lambda schema: schema.load_fields.update(number=fields.String()),
    "field removed": lambda schema: schema.load_fields.pop("text"),
    "field added": lambda schema: schema.load_fields.update(unknown=fields.Integer()),
    "fields reordered": lambda schema: schema.load_fields.update(
        number=schema.load_fields.pop("number")
    ),
    "fields made anew": lambda schema: setattr(
        schema, "load_fields", dict(reversed(list(schema.load_fields.items())))
    ),
    "dump_only": field("number", dump_only=True),
    "dump_only and init": lambda schema: (
        setattr(schema.declared_fields["number"], "dump_only", True),
        schema._init_fields(),
    ),
    "name": field("number", name="other"),
    "schema unknown": lambda schema: setattr(schema, "unknown", INCLUDE),
    "schema messages": lambda schema: schema.error_messages.update(unknown="changed"),
    "schema partial": lambda schema: setattr(schema, "partial", ("text", "dog.name")),
    "schema class": lambda schema: setattr(schema, "__class__", WithHooks),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_after_the_first_use_is_seen(change):
    comparison = Comparison(Changeable, LOG)
    for _ in range(2):
        for row in CHANGEABLE:
            comparison.check(row)
        comparison.check(CHANGEABLE, many=True)
    # Of a list that fields share, only one may be edited; so each has its own.
    for schema in (comparison.stock, comparison.schema):
        for each in (schema.fields["number"], schema.fields["numbers"].inner):
            each.validators = [*each.validators]
            each.error_messages = {**each.error_messages}
        CHANGES[change](schema)
    for _ in range(2):
        for row in CHANGEABLE:
            comparison.check(row)
        comparison.check(CHANGEABLE, many=True)
        comparison.check(CHANGEABLE[0], partial=True, unknown=EXCLUDE)


CLASS_CHANGES = {
    "Integer._validated": (fields.Integer, "_validated", lambda self, value: ("changed", value)),
    "Number._validated": (fields.Number, "_validated", lambda self, value: ("changed", value)),
    "Number._format_num": (fields.Number, "_format_num", lambda self, value: ("num", value)),
    "Number._deserialize": (fields.Number, "_deserialize", lambda self, value, *_, **__: 5),
    "Integer.num_type": (fields.Integer, "num_type", float),
    "String._deserialize": (fields.String, "_deserialize", lambda self, value, *_, **__: "s"),
    "Field.deserialize": (fields.Field, "deserialize", lambda self, value, *_, **__: value),
    "Field._validate": (fields.Field, "_validate", lambda self, value: noted("field", value)),
    "Field._validate_missing": (fields.Field, "_validate_missing", lambda self, value: None),
    "Field.make_error": (
        fields.Field,
        "make_error",
        lambda self, key, **kwargs: ValidationError([key, "changed"]),
    ),
    "Boolean.truthy": (fields.Boolean, "truthy", {"ja"}),
    "Boolean.falsy": (fields.Boolean, "falsy", {"yes"}),
    "DateTime functions": (fields.DateTime, "DESERIALIZATION_FUNCS", {"iso": str}),
    "DateTime format": (fields.DateTime, "DEFAULT_FORMAT", "%Y"),
    "List._deserialize": (fields.List, "_deserialize", lambda self, value, *_, **__: "list"),
    "Nested._load": (fields.Nested, "_load", lambda self, value, *_, **__: ("load", value)),
    "Nested._test_collection": (fields.Nested, "_test_collection", lambda self, value: None),
    "Dict.mapping_type": (fields.Dict, "mapping_type", collections.OrderedDict),
    "Schema.load": (Dog, "load", lambda self, data, **kwargs: ("load", data, kwargs)),
    "Schema._do_load": (Dog, "_do_load", lambda self, data, **kwargs: ("do", sorted(kwargs))),
    "Schema._deserialize": (Dog, "_deserialize", lambda self, data, **kwargs: {"name": "d"}),
    "Schema.dict_class": (Dog, "dict_class", collections.OrderedDict),
    "Schema.handle_error": (
        Dog,
        "handle_error",
        lambda self, error, data, **kwargs: noted("handled", error.messages, data, kwargs),
    ),
    "own load": (Changeable, "load", lambda self, data, **kwargs: ("load", data, kwargs)),
    "own dict_class": (Changeable, "dict_class", collections.OrderedDict),
    "own handler": (
        Changeable,
        "handle_error",
        lambda self, error, data, **kwargs: noted("handled", error.messages, data, kwargs),
    ),
}


@pytest.mark.parametrize("change", CLASS_CHANGES)
def test_what_is_changed_on_a_class_after_the_first_use_is_seen(change, monkeypatch):
    comparison = Comparison(Changeable, LOG)

    def check():
        for row in CHANGEABLE:
            comparison.check(row)
        comparison.check(CHANGEABLE, many=True)

    check()
    with monkeypatch.context() as patch:
        patch.setattr(*CLASS_CHANGES[change])
        check()
    check()


def test_sets_and_tables_edited_in_place_after_the_first_use_are_seen(monkeypatch):
    own = {"ja"}
    schema = Schema.from_dict(
        {
            "a": fields.Boolean(),
            "b": fields.Boolean(truthy=own, falsy={"nein"}),
            "c": fields.DateTime(),
            "d": fields.Date(),
        }
    )
    comparison = Comparison(schema)
    rows = [dict.fromkeys("ab", value) for value in ("ja", "yes", 1, "si", None, "nein")]
    rows += [dict.fromkeys("cd", value) for value in ("2024-02-29", "x")]

    def check():
        for row in rows:
            comparison.check(row)

    check()
    monkeypatch.setattr(fields.Boolean, "truthy", {*fields.Boolean.truthy})
    fields.Boolean.truthy.add("si")
    check()
    fields.Boolean.truthy.discard("yes")
    check()
    for each in (comparison.stock, comparison.schema):
        each.fields["b"].truthy.clear()
    check()
    monkeypatch.setitem(fields.DateTime.DESERIALIZATION_FUNCS, "iso", lambda value: f"<{value}>")
    monkeypatch.setitem(fields.Date.DESERIALIZATION_FUNCS, "iso", lambda value: [value])
    check()


def test_schemas_that_differ_in_one_setting_do_not_mix():
    """All are made and compiled before any is used, then used in turns."""
    options = [
        {},
        {"required": True},
        {"allow_none": True},
        {"load_default": 5},
        {"load_default": 6},
        {"load_default": list},
        {"load_default": None},
        {"data_key": "B"},
        {"attribute": "c"},
        {"attribute": "c.d"},
        {"error_messages": {"invalid": "one", "null": "none"}},
        {"error_messages": {"invalid": "two", "null": "none"}},
        *[{"validate": validate.Range(bound)} for bound in (1, 2, 1.5)],
        *[{"validate": validate.Range(max=bound, error=str(bound))} for bound in (1, 2)],
        *[{"validate": validate.OneOf(choices)} for choices in ([1], [2], {1}, {1: 1}, ["1"])],
        {"validate": [validate.OneOf([1]), validate.OneOf([2])]},
        *[{"validate": validate.Length(bound)} for bound in (1, 2)],
        *[{"validate": validate.Regexp(pattern)} for pattern in ("1", "2")],
        *[{"validate": function} for function in (lambda value: noted(1), lambda value: noted(2))],
    ]
    makes = [
        fields.Integer,
        lambda **given: fields.Integer(strict=True, **given),
        fields.Float,
        fields.String,
        fields.Boolean,
        lambda **given: fields.Boolean(truthy={2}, **given),
        lambda **given: fields.Decimal(1, **given),
        lambda **given: fields.Decimal(2, **given),
        lambda **given: fields.List(fields.Integer(), **given),
        lambda **given: fields.List(fields.Integer(strict=True), **given),
        lambda **given: fields.Nested({"a": fields.Integer()}, **given),
        lambda **given: fields.Nested({"a": fields.Integer()}, unknown=EXCLUDE, **given),
        lambda **given: fields.Nested({"a": fields.String()}, many=True, **given),
        lambda **given: fields.Date("%Y", **given),
        lambda **given: fields.Date("%m", **given),
    ]
    comparisons = []
    for make in makes:
        for given in options:
            schema = Schema.from_dict({"a": fields.Raw(), "b": make(**given)})
            comparisons.append(Comparison(schema, LOG))
    for value in (1, "1", "2.25", None, [1], ["1"], {"a": 1, "b": 2}, [{"a": "x"}], missing):
        for comparison in comparisons:
            comparison.check_plan({"b": value})
            comparison.check_plan({"B": value})


# Data of any make


class CountingMapping(collections.abc.Mapping):
    def __init__(self, **items):
        self.items_ = items

    def __getitem__(self, key):
        noted("getitem", key)
        return self.items_[key]

    def get(self, key, default=None):
        noted("get", key)
        return self.items_.get(key, default)

    def __iter__(self):
        noted("iter")
        return iter(self.items_)

    def __len__(self):
        noted("len")
        return len(self.items_)

    def __contains__(self, key):
        noted("contains", key)
        return key in self.items_


class PlainMapping(collections.abc.Mapping):
    def __init__(self, **items):
        self.items_ = items

    def __getitem__(self, key):
        noted("getitem", key)
        return self.items_[key]

    def __iter__(self):
        noted("iter")
        return iter(self.items_)

    def __len__(self):
        noted("len")
        return len(self.items_)


class WithMissing(dict):
    def __missing__(self, key):
        noted("missing", key)
        return f"no {key}"


class CountingDict(dict):
    def __getitem__(self, key):
        noted("getitem", key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        noted("get", key)
        return super().get(key, default)

    def __iter__(self):
        noted("iter")
        return super().__iter__()

    def __contains__(self, key):
        noted("contains", key)
        return super().__contains__(key)

    def keys(self):
        noted("keys")
        return super().keys()

    def items(self):
        noted("items")
        return super().items()

    def __len__(self):
        noted("len")
        return super().__len__()


class DictWithOtherGet(dict):
    def get(self, key, default=None):
        return f"got {key}"


class DictWithOtherKeys(dict):
    def __iter__(self):
        return iter(["name", "invented"])

    def __getitem__(self, key):
        return f"item {key}"


class RaisingMapping(PlainMapping):
    def get(self, key, default=None):
        raise LookupError(key)


class RefusingMapping(PlainMapping):
    def get(self, key, default=None):
        raise ValidationError(f"refused {key}")


class Registered:
    """A Mapping by registration only."""

    def get(self, key, default=None):
        return {"name": "r"}.get(key, default)

    def __iter__(self):
        return iter(["name", "z"])

    def __getitem__(self, key):
        return key


class RegisteredWithoutGet:
    pass


collections.abc.Mapping.register(Registered)
collections.abc.Mapping.register(RegisteredWithoutGet)


class Disguised:
    @property
    def __class__(self):
        return dict

    def get(self, key, default=None):
        return default

    def __iter__(self):
        return iter(())


ITEMS = {"name": "Rex", "age": "3"}
MAPPINGS = {
    "OrderedDict": lambda items: collections.OrderedDict(items),
    "UserDict": lambda items: collections.UserDict(items),
    "MappingProxyType": lambda items: types.MappingProxyType({**items}),
    "ChainMap": lambda items: collections.ChainMap({**items}, {"age": 5, "z": 1}),
    "defaultdict": lambda items: collections.defaultdict(list, items),
    "CountingMapping": lambda items: CountingMapping(**items),
    "PlainMapping": lambda items: PlainMapping(**items),
    "WithMissing": lambda items: WithMissing(items),
    "CountingDict": lambda items: CountingDict(items),
    "DictWithOtherGet": lambda items: DictWithOtherGet(items),
    "DictWithOtherKeys": lambda items: DictWithOtherKeys(items),
    "RaisingMapping": lambda items: RaisingMapping(**items),
    "RefusingMapping": lambda items: RefusingMapping(**items),
    "Registered": lambda items: Registered(),
    "RegisteredWithoutGet": lambda items: RegisteredWithoutGet(),
    "Disguised": lambda items: Disguised(),
}


def logging_mapping_input(comparison, make, items, **arguments):
    """Compare values, errors and calls only: a look at the mapping would be a call too."""
    outcomes = []
    for load in (comparison.stock.load, comparison.plan.load):
        outcomes.append(observed(load, make(items), **arguments))
    with installed():
        outcomes.append(observed(comparison.schema.load, make(items), **arguments))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0] == outcomes[2]


def observed(load, data, **arguments):
    LOG.clear()
    try:
        result = load(data, **arguments)
    except ValidationError as error:
        return "invalid", list(LOG), typed(error.messages), typed(error.valid_data)
    except Exception as error:
        return type(error), str(error), list(LOG)
    return "valid", list(LOG), typed(result)


@pytest.mark.parametrize("name", MAPPINGS)
def test_mappings_of_any_make_are_read_as_by_stock(name):
    make = MAPPINGS[name]
    comparison = Comparison(Dog)
    nested = Comparison(Schema.from_dict({"dog": fields.Nested(Dog), "d": fields.Dict()}))
    given = Comparison(
        Schema.from_dict({"d": fields.Dict(fields.String(), fields.Raw()), "x": fields.Raw()})
    )

    def rows(items):
        return [make(items), {}, make(items)]

    def row(items):
        return {"dog": make(items), "d": make(items)}

    for items in (ITEMS, {}, {"name": 5}, {"age": "x", "b": 1, "a": 2}):
        for unknown in UNKNOWN:
            for some in (None, True, ["name"]):
                options = {"unknown": unknown, "partial": some}
                logging_mapping_input(comparison, make, items, **options)
        logging_mapping_input(comparison, rows, items, many=True)
        logging_mapping_input(nested, row, items)
        logging_mapping_input(given, row, items)


def test_a_mapping_may_change_while_it_is_read():
    class Shrinking(dict):
        def get(self, key, default=None):
            value = super().get(key, default)
            self.pop(key, None)
            return value

    comparison = Comparison(Dog)
    for unknown in UNKNOWN:
        logging_mapping_input(comparison, lambda items: Shrinking(items), ITEMS, unknown=unknown)


# Text


TEXTS = [
    '{"name": "Rex", "age": 3}',
    ' \n\t{"name": "Rex", "age": 3}\r\n',
    '{"name": "Rex", "name": "Max", "age": 1, "age": 2}',
    '{"name": "\\ud800", "age": 3}',
    '{"name": "\\u0000", "age": 3}',
    '{"name": "\ud800", "age": 3}',
    '{"name": "é\u2028\U0001f600", "age": 3}',
    '{"name": NaN, "age": Infinity}',
    '{"name": "a", "age": NaN}',
    '{"name": "a", "age": -Infinity}',
    '{"name": "a", "age": 1e400}',
    '{"name": "a", "age": 12345678901234567890123}',
    '{"name": "a", "age": -9223372036854775809}',
    '{"name": "a", "age": 18446744073709551616}',
    '{"name": "a", "age": 1.0}',
    '{"name": "a", "age": -0}',
    '{"name": "a", "age": -0.0}',
    '{"name": "a", "age": 1.00000000000000000000001}',
    '{"name": "a", "age": 123456789012345678901234567890.5}',
    '{"name": "a", "age": ' + "9" * 4000 + "}",
    '{"name": "a", "age": ' + "9" * 5000 + "}",
    '{"name": "a", "age": 1E2}',
    '{"name": "a", "age": 01}',
    '{"name": "a", "age": +1}',
    '{"name": "a", "age": .5}',
    '{"name": "a\tb", "age": 3}',
    '{"name": "a\\xb", "age": 3}',
    "{'name': 'a'}",
    '{"name": "a",}',
    "[]",
    "[{}]",
    "null",
    "true",
    "5",
    '"text"',
    "NaN",
    "",
    " ",
    "{",
    "}{",
    '{"name": "Rex", "age": 3} more',
    "\ufeff{}",
    '{"name": "a", "age": 3, "": 1, "\\u00e9": 2}',
    "nul",
    '{"a": [1, 2',
    "[" * 50 + "]" * 50,
    '{"name": "a", "age": 0.1, "b": 2.2250738585072011e-308, "c": 5e-324, "d": 1e-400}',
]

BINARY = [
    b'{"name": "\xff", "age": 3}',
    b"\xff",
    b"\xef\xbb\xbf{}",
    '{"name": "é"}'.encode("utf-16"),
    '{"name": "é", "age": 1}'.encode("utf-32-le"),
    b'{"name": "\xed\xa0\x80", "age": 1}',
    b"\x00{}",
    bytearray(b'{"name": "a", "age": 1}'),
    memoryview(b'{"name": "a", "age": 1}'),
    None,
    5,
    {"name": "a"},
]


@pytest.mark.parametrize("schema", [Dog, lambda: Dog(unknown=INCLUDE), WithHooks])
def test_text_is_parsed_as_by_stock(schema):
    comparison = Comparison(schema, LOG)
    comparison.check_texts(TEXTS)
    comparison.check_texts(TEXTS, many=True)
    comparison.check_texts(text.encode("utf-8", "surrogatepass") for text in TEXTS)
    for data in BINARY:
        for by in (comparison.plan.loads, comparison.schema.loads):
            assert observed(by, data) == observed(comparison.stock.loads, data)


def test_text_of_each_kind_of_number_is_loaded_as_by_stock():
    schema = Schema.from_dict(
        {
            "raw": fields.Raw(),
            "integer": fields.Integer(),
            "float": fields.Float(allow_nan=True),
            "decimal": fields.Decimal(allow_nan=True),
            "text": fields.String(),
        }
    )
    numbers = [
        "0",
        "-0",
        "0.1",
        "1e5",
        "1E400",
        "-1e-400",
        "NaN",
        "-Infinity",
        "9" * 25,
        "-" + "9" * 25,
    ]
    numbers += ["1.7976931348623159e308", "123456789.123456789", "9007199254740993", "2.5e-05"]
    rows = [
        "{" + ", ".join(f'"{name}": {n}' for name in schema._declared_fields) + "}" for n in numbers
    ]
    Comparison(schema).check_texts(rows)
    Comparison(schema).check_texts([f"[{', '.join(rows)}]"], many=True)


def test_the_render_module_parses_what_an_installed_schema_loads():
    class Renderer:
        @staticmethod
        def loads(text, **kwargs):
            noted("loads", text, kwargs)
            return json.loads(text)

        dumps = json.dumps

    schema = with_meta(Dog, render_module=Renderer)
    text = json.dumps(DOG)
    expected = observed(schema().loads, text, parse_float=str)
    with installed():
        assert observed(schema().loads, text, parse_float=str) == expected
    assert fastschema.compile(schema).loads(text) == {"name": "Rex", "age": 3}


# Around the loads


def test_disabled_means_that_stock_loads():
    class Own(fields.Integer):
        def deserialize(self, value, attr=None, data=None, **kwargs):
            noted("own", sys._getframe(1).f_code.co_filename)
            return super().deserialize(value, attr, data, **kwargs)

    class Home(Dog):
        own = Own()

    row = {**DOG, "own": 1}
    stock = observed(Home().load, row)
    with fastschema.disabled():
        assert observed(fastschema.compile(Home).load, row) == stock
        assert fastschema.compile(Home).validate({"name": 1}) == Home().validate({"name": 1})
        assert fastschema.compile(Home).loads(json.dumps(row)) == Home().load(row)
        with installed():
            assert observed(Home().load, row) == stock
    assert observed(fastschema.compile(Home).load, row) != stock


def test_installing_and_uninstalling_leaves_schema_as_it_was():
    before = dict(vars(Schema))
    with installed():
        assert Schema._deserialize is not before["_deserialize"]
    assert dict(vars(Schema)) == before


def test_the_plan_of_a_schema_class_loads_too():
    assert fastschema.compile(Dog).load(DOG) == {"name": "Rex", "age": 3}
    assert fastschema.compile(Dog).load([DOG], many=True) == [{"name": "Rex", "age": 3}]
    assert fastschema.compile(Dog(many=True)).load([DOG]) == [{"name": "Rex", "age": 3}]


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
        barrier = threading.Barrier(16)
        outcomes = []

        def load(instance=instance, rows=rows, barrier=barrier, outcomes=outcomes):
            plan = fastschema.compile(instance)
            barrier.wait()
            outcomes.append([observed(plan.load, row) for row in rows])

        threads = [threading.Thread(target=load) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes == [expected] * 16


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


def test_a_schema_compiled_for_loading_and_dumping_does_both():
    plan = fastschema.compile(Owner)
    loaded = plan.load(OWNER)
    assert plan.dump(loaded) == Owner().dump(Owner().load(OWNER))
    assert plan.load(plan.dump(loaded)) == loaded


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


def test_a_cycle_in_the_data_ends_in_a_recursion_error():
    row = {"value": 1}
    row["next"] = row
    for load in (Node().load, fastschema.compile(Node).load):
        with pytest.raises(RecursionError):
            load(row)


@pytest.mark.parametrize("depth", [1, 9, 40])
@pytest.mark.parametrize(
    "wrap",
    [fields.List, lambda inner: fields.Dict(values=inner), lambda inner: fields.Tuple([inner])],
)
def test_fields_deep_inside_of_others_load_and_dump_as_by_stock(wrap, depth):
    def make():
        field = fields.Integer()
        for _ in range(depth):
            field = wrap(field)
        return Schema.from_dict({"value": field})()

    value = make().fields["value"]
    data = 5
    for _ in range(depth):
        data = {"a": data} if isinstance(value, fields.Dict) else [data]
    plan = fastschema.compile(make())

    assert plan.load({"value": data}) == make().load({"value": data})
    assert plan.dump({"value": data}) == make().dump({"value": data})


def test_a_field_that_exchanges_keys_of_the_row_does_not_hide_an_unknown_one():
    class Renamer(fields.Raw):
        def _deserialize(self, value, attr, data, **kwargs):
            data["z"] = data.pop(attr)
            return value

    plan = fastschema.compile(Schema.from_dict({"a": Renamer(), "b": fields.Raw()}))

    assert plan.validate({"a": 1, "b": 2}) == {"z": ["Unknown field."]}


def test_validators_that_are_no_list_are_an_error_as_in_stock():
    schema = Schema.from_dict({"a": fields.Integer()})()
    schema.fields["a"].validators = None

    with pytest.raises(TypeError):
        schema.load({"a": 1})
    with pytest.raises(TypeError):
        fastschema.compile(schema).load({"a": 1})
