"""Random moments at which somebody looks at the fields of a schema, or changes them."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import Schema, fields, post_dump, pre_load, validate, validates

import fastschema
from tests.marshmallow.differential import outcome

LOG: list[Any] = []
LOOK: list[Callable[[Any], Any]] = [lambda schema: None]
"""What the user code of these schemas does with its schema."""


class Noting(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        LOG.append((self.name, type(self.parent).__name__, self.parent is self.root))
        LOOK[0](self.parent)
        return super()._serialize(value, attr, obj, **kwargs)

    def _deserialize(self, value, attr, data, **kwargs):
        LOG.append((self.name, self.root is self.parent))
        LOOK[0](self.parent)
        return super()._deserialize(value, attr, data, **kwargs)


class Inner(Schema):
    name = fields.String(validate=validate.Length(max=3))
    number = fields.Integer()


def inner_without_number():
    LOG.append("made")
    return Inner(exclude=["number"])


class Plain(Schema):
    title = fields.String(data_key="Title")
    count = fields.Integer(load_default=5)
    price = fields.Decimal(places=2, as_string=True)
    inner = fields.Nested(Inner)
    inners = fields.List(fields.Nested(Inner(only=["name"])))
    tags = fields.List(fields.Date())
    pair = fields.Tuple((fields.Integer(), fields.String()))
    table = fields.Dict(fields.String(), fields.Float())


class WithCode(Plain):
    noted = Noting()
    method = fields.Method("get_method", deserialize="set_method")
    by_function = fields.Nested(inner_without_number)

    def get_method(self, obj):
        LOG.append("get")
        LOOK[0](self)
        return "got"

    def set_method(self, value):
        LOOK[0](self)
        return value


class Hooked(WithCode):
    @post_dump
    def after(self, data, **kwargs):
        LOOK[0](self)
        return data

    @pre_load
    def before(self, data, **kwargs):
        LOOK[0](self)
        return data

    @validates("count")
    def check(self, value, **kwargs):
        LOG.append(("check", value))


class Looking(WithCode):
    def __init__(self, **options):
        super().__init__(**options)
        LOOK[0](self)


SCHEMAS = [Plain, WithCode, Hooked, Looking]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"only": ["title", "inner.name", "tags"]},
    {"exclude": ("count", "inners")},
    {"dump_only": ["count"], "load_only": ["price"]},
    {"partial": True, "unknown": "include"},
]
OBJECTS: list[Any] = [
    {
        "title": "a",
        "count": 1,
        "price": 2.5,
        "inner": {"name": "b", "number": 3},
        "inners": [{"name": "c"}, {"name": 4}],
        "pair": [1, "x"],
        "table": {"k": 1},
        "noted": "n",
        "by_function": {"name": "d"},
    },
    {"title": 5, "count": "x", "inner": None, "noted": None},
    {},
    None,
]
DATA: list[Any] = [
    {
        "Title": "a",
        "count": "1",
        "price": "2.5",
        "inner": {"name": "b"},
        "inners": [{"name": "c"}],
        "tags": ["2024-02-29"],
        "pair": [1, "x"],
        "table": {"k": 1},
        "noted": "n",
        "method": 1,
        "by_function": {"name": "d"},
    },
    {"Title": 5, "inner": {"name": "long"}, "tags": ["x"], "noted": 5, "more": 1},
    {},
    5,
]
LOOKS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda schema: None,
    "fields": lambda schema: list(schema.fields),
    "a field": lambda schema: type(schema.fields["title"].parent) is type(schema),
    "a nested schema": lambda schema: (
        "inner" in schema.fields and list(schema.fields["inner"].schema.fields)
    ),
    "a copy": lambda schema: list(copy.copy(schema).fields),
    "a deep copy": lambda schema: list(copy.deepcopy(schema).fields),
    "another thread": lambda schema: (
        ThreadPoolExecutor(1).submit(lambda: list(schema.fields)).result()
    ),
}
CHANGES: dict[str, Callable[[Any], Any]] = {
    "a key": lambda schema: setattr(schema.fields["title"], "data_key", "T"),
    "a validator": lambda schema: setattr(
        schema.fields["title"], "validators", [validate.Length(9)]
    ),
    "a method": lambda schema: setattr(
        schema.fields["title"], "_serialize", lambda *args, **kwargs: "own"
    ),
    "a field less": lambda schema: (
        schema.fields.pop("title"),
        schema.dump_fields.pop("title"),
        schema.load_fields.pop("title"),
    ),
    "a field more": lambda schema: schema.dump_fields.update(more=fields.Constant(1)),
    "other dump_fields": lambda schema: setattr(schema, "dump_fields", {}),
    "an inner field": lambda schema: (
        "inner" in schema.fields
        and setattr(schema.fields["inner"].schema.fields["name"], "data_key", "N")
    ),
    "a field in a list": lambda schema: setattr(schema.fields["tags"].inner, "format", "%Y"),
    "bound again": lambda schema: (setattr(schema, "exclude", {"title"}), schema._init_fields()),
    "an own get_attribute": lambda schema: setattr(
        schema, "get_attribute", lambda obj, attr, default: attr
    ),
}


class Steps:
    """A schema made by stock, and one that goes the same way with fastschema."""

    def __init__(self, cls: Any, options: dict[str, Any]) -> None:
        with fastschema.disabled():
            self.stock = cls(**options)
        LOG.clear()
        self.fast = cls(**options)

    def both(self, use: Callable[[Any], Any]) -> None:
        with fastschema.disabled():
            expected = outcome(lambda: use(self.stock), LOG)
        assert outcome(lambda: use(self.fast), LOG) == expected

    def replace(self, duplicate: Callable[[Any], Any]) -> None:
        with fastschema.disabled():
            self.stock = duplicate(self.stock)
        self.fast = duplicate(self.fast)

    def step(self, kind: str, name: Any) -> None:
        if kind == "dump":
            self.both(lambda schema: schema.dump(OBJECTS[name]))
        elif kind == "dump many":
            self.both(lambda schema: schema.dump([OBJECTS[name]] * 3, many=True))
        elif kind == "load":
            self.both(lambda schema: schema.load(DATA[name]))
        elif kind == "load many":
            self.both(lambda schema: schema.load([DATA[name]] * 3, many=True))
        elif kind == "look":
            self.both(LOOKS[name])
        elif kind == "change":
            self.both(lambda schema: bool(CHANGES[name](schema)) and None)
        elif kind == "looks":
            LOOK[0] = LOOKS[name]
        else:
            self.replace(name)


NUMBERS = st.integers(0, 3)
STEPS = st.lists(
    st.tuples(st.sampled_from(["dump", "dump many", "load", "load many"]), NUMBERS)
    | st.tuples(st.just("look"), st.sampled_from(sorted(LOOKS)))
    | st.tuples(st.just("looks"), st.sampled_from(sorted(LOOKS)))
    | st.tuples(st.just("change"), st.sampled_from(sorted(CHANGES)))
    | st.tuples(
        st.just("replace"),
        st.sampled_from([copy.copy, copy.deepcopy]),
    ),
    min_size=2,
    max_size=10,
)


@given(cls=st.sampled_from(SCHEMAS), options=st.sampled_from(OPTIONS), steps=STEPS)
@settings(max_examples=200, deadline=None)
def test_a_schema_does_what_stocks_does_whenever_somebody_looks(cls, options, steps):
    fastschema.install()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = Steps(cls, options)
            for kind, name in steps:
                run.step(kind, name)
    finally:
        LOOK[0] = LOOKS["nothing"]
        fastschema.uninstall()
