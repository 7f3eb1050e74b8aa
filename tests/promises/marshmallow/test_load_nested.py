"""Nested schemas of every kind are loaded as by stock, recursive ones too."""

import collections
import sys

import pytest
from marshmallow import EXCLUDE, Schema, ValidationError, fields, missing

import fastschema
from tests.marks import needs_cpython
from tests.promises.marshmallow.differential import MARSHMALLOW_3, installed
from tests.promises.marshmallow.load_differential import Comparison, assert_loads_same
from tests.promises.marshmallow.load_schemas import DOG, Employee
from tests.promises.marshmallow.nested_fields import NESTED

CHILD = {"name": "a", "secret": "2", "toys": [DOG, DOG], "pet": DOG}
BAD_CHILD = {"name": 1, "secret": "x", "toys": [DOG, {"name": 2}, 5], "pet": [], "unknown": 1}

NESTED_VALUES = [
    None,
    CHILD,
    BAD_CHILD,
    [CHILD, {}],
    [BAD_CHILD, CHILD, None],
    [[CHILD], [BAD_CHILD], [None]],
    {"a": CHILD, "b": BAD_CHILD, 5: None},
    (BAD_CHILD, 5),
    "text",
    missing,
    {"Name": "a", "name": "b"},
    lambda: collections.UserDict(CHILD),
    lambda: (each for each in [CHILD, BAD_CHILD]),
]


@pytest.mark.parametrize("name", NESTED)
def test_a_nested_field_of_any_kind_is_loaded_as_by_stock(name):
    schema = Schema.from_dict({"child": NESTED[name](), "after": fields.Integer()})
    comparison = Comparison(schema)
    for value in NESTED_VALUES:

        def data(value=value):
            return {"child": value() if callable(value) else value, "after": "x"}

        comparison.check(data)
        for arguments in ({"unknown": EXCLUDE}, {"partial": True}, {"partial": ["child.name"]}):
            comparison.check_plan(data, **arguments)
    comparison.check([{}, {"child": None}], many=True)
    Comparison(schema).check_fresh({"child": CHILD})


@pytest.mark.parametrize("options", [{"only": ("child.pet.name",)}, {"exclude": ("child.toys",)}])
@pytest.mark.parametrize("name", ["class", "only", "exclude", "list", "many", "full name"])
def test_dotted_selections_reach_nested_schemas(name, options):
    parent = Schema.from_dict({"child": NESTED[name](), "name": fields.String()})
    for value in (CHILD, BAD_CHILD):
        row = {"child": [value] if name in ("list", "many") else value, "name": 5}
        assert_loads_same(lambda: parent(**options), row)


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
@needs_cpython
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


@needs_cpython
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


@pytest.mark.parametrize("depth", [9, 40])
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


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("value", ["a", ["a"], 5, None])
def test_a_plucked_field_that_is_not_there_is_looked_for_as_by_stock(many, value):
    class Child(Schema):
        name = fields.String()
        other = fields.String()

    nested = Child(many=many, exclude=["name"])
    parent = Schema.from_dict({"child": fields.Pluck(nested, "name")})
    assert_loads_same(parent, {"child": value})
