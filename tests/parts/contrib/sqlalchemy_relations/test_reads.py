"""What a schema reads of its objects, and of those behind them, found without code of users."""

import pytest
from marshmallow import Schema, fields, post_dump

import fastschema
from fastschema.contrib.sqlalchemy_relations.reads import reads_of


@pytest.fixture(autouse=True)
def _installed():
    fastschema.install()
    yield
    fastschema.uninstall()


def tree(reads, levels=4):
    """What is read, as dictionaries."""
    return {name: tree(further(), levels - 1) for name, further in reads} if levels else ...


class Leaf(Schema):
    a = fields.String()


class ReadTree(Schema):
    name = fields.String()
    parts = fields.Nested("ReadTree", many=True)


class WithInit(Leaf):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)


class WithHook(Leaf):
    @post_dump
    def change(self, data, **kwargs):
        return data


class WithDump(Leaf):
    def dump(self, obj, **kwargs):
        return super().dump(obj, **kwargs)


class WithGetter(Leaf):
    def get_attribute(self, obj, attr, default):
        return super().get_attribute(obj, attr, default)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (fields.String(), {"x": {}}),
        (fields.String(attribute="b.c"), {"b": {"c": {}}}),
        (fields.Nested(Leaf), {"x": {"a": {}}}),
        (fields.Nested(Leaf, many=True), {"x": {"a": {}}}),
        (fields.List(fields.Nested(Leaf)), {"x": {"a": {}}}),
        (fields.Pluck(Leaf, "a"), {"x": {"a": {}}}),
        (fields.Nested(Leaf, attribute="b.c"), {"b": {"c": {"a": {}}}}),
        (fields.Nested("Leaf", exclude=["a"]), {"x": {}}),
        (fields.Nested(lambda: Leaf()), {"x": {}}),
        (fields.Nested(Leaf()), {"x": {"a": {}}}),
        (fields.Nested(WithInit), {"x": {}}),
        (fields.Nested(WithHook), {"x": {}}),
        (fields.Nested(WithDump), {"x": {}}),
        (fields.Nested(WithGetter), {"x": {}}),
        (fields.Function(lambda obj: obj.x), {}),
        (fields.Method("get_x"), {}),
        (fields.Constant(1), {}),
    ],
)
def test_what_one_field_reads(declared, expected):
    assert (
        tree(reads_of(type("Rows", (Schema,), {"x": declared, "get_x": lambda *_: 1})()))
        == expected
    )


def test_a_schema_that_nests_itself_is_read_as_far_as_its_reader_asks():
    assert tree(reads_of(ReadTree()), 2) == {"name": {}, "parts": {"name": ..., "parts": ...}}


def test_a_nested_schema_that_is_there_already_is_known():
    schema = type("Rows", (Schema,), {"x": fields.Nested(lambda: Leaf())})()
    assert schema.dump({"x": {"a": "1"}}) == {"x": {"a": "1"}}
    assert tree(reads_of(schema)) == {"x": {"a": {}}}
