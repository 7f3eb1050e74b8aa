"""Random schemas whose own code depends on the request, for stock and for fastschema.

A schema is described by plain data, so that equal classes can be made of it again and again.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from marshmallow import Schema, fields, post_dump, post_load, pre_dump, pre_load, validates

REQUEST = {"flag": False}
"""What the code of these schemas looks at."""
LOG: list[Any] = []
"""What that code did."""


@dataclass(frozen=True)
class NestedField:
    """A field that nests a schema.

    :param child: that schema
    :param given: what the field is given: "class", "instance", "lambda", "choosing lambda", "name"
    :param inside: of which field it is inside, or which one it is
    :param options: those of the field
    """

    child: Described
    given: str
    inside: str
    options: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Described:
    """A schema class.

    :param code: which code of its own it has
    :param nested: the fields that nest others
    """

    code: frozenset[str]
    nested: tuple[NestedField, ...] = field(default=())


CODE = [
    *("on_bind_field", "chooses in __init__", "drops in __init__", "get_attribute"),
    *("binds itself", "own field", "method", "function", "dump hooks", "load hooks", "validates"),
]
GIVEN = ["class", "instance", "lambda", "choosing lambda", "name"]
INSIDE = ["Nested", "many", "List", "Dict", "Tuple", "Pluck"]
OPTIONS = [(), (), (), (("only", ("a", "b")),), (("exclude", ("b",)),)]


def described(depth: int) -> st.SearchStrategy[Described]:
    """Schemas with others nested in them, down to a depth."""
    code = st.frozensets(st.sampled_from(CODE), max_size=2) | st.just(frozenset())
    if not depth:
        return st.builds(Described, code)
    nested = st.builds(
        NestedField,
        described(depth - 1),
        st.sampled_from(GIVEN),
        st.sampled_from(INSIDE),
        st.sampled_from(OPTIONS),
    )
    return st.builds(Described, code, st.lists(nested, min_size=1, max_size=2).map(tuple))


def log(schema: Any, what: str) -> None:
    """Log what the code of a schema or field does, and how often it did so on this object."""
    count = schema.__dict__["count"] = schema.__dict__.get("count", 0) + 1
    LOG.append((type(schema).__name__, what, count, REQUEST["flag"]))


class BindsItself(fields.Integer):
    def _bind_to_schema(self, field_name, parent):
        LOG.append((field_name, "bound", type(parent).__name__))
        super()._bind_to_schema(field_name, parent)
        if REQUEST["flag"]:
            self.data_key = "B"


class Own(fields.Integer):
    def _serialize(self, value, attr, obj, **kwargs):
        log(self, "serialized")
        log(self.parent, "is the parent")
        return -1 if REQUEST["flag"] else super()._serialize(value, attr, obj, **kwargs)

    def _deserialize(self, value, attr, data, **kwargs):
        log(self, "deserialized")
        log(self.parent, "is the parent")
        return -1 if REQUEST["flag"] else super()._deserialize(value, attr, data, **kwargs)


def _on_bind_field(self, name, bound):
    log(self, f"bound {name}")
    if REQUEST["flag"] and name == "a":
        bound.data_key = "A"


def _chooses(self, **options):
    log(self, "made")
    if REQUEST["flag"]:
        options["exclude"] = {*options.get("exclude", ()), "b"}
    Schema.__init__(self, **options)


def _drops(self, **options):
    Schema.__init__(self, **options)
    log(self, "made")
    if REQUEST["flag"]:
        self.dump_fields.pop("b", None)
        self.load_fields.pop("b", None)


def _get_attribute(self, obj, attr, default):
    log(self, f"got {attr}")
    return 77 if REQUEST["flag"] and attr == "a" else Schema.get_attribute(self, obj, attr, default)


def _method(self, value):
    log(self, "method")
    return REQUEST["flag"]


def _function(value):
    LOG.append("function")
    return REQUEST["flag"]


def _hook(tag: str) -> Any:
    def hook(self, data, **kwargs):
        log(self, tag)
        return {**data, "a": 55} if REQUEST["flag"] and isinstance(data, dict) else data

    return hook


def _validate(self, value, **kwargs):
    log(self, "validated")


OWN: dict[str, dict[str, Any]] = {
    "on_bind_field": {"on_bind_field": _on_bind_field},
    "chooses in __init__": {"__init__": _chooses},
    "drops in __init__": {"__init__": _drops},
    "get_attribute": {"get_attribute": _get_attribute},
    "binds itself": {"b": BindsItself()},
    "own field": {"c": Own()},
    "method": {"d": fields.Method("method", "method"), "method": _method},
    "function": {"e": fields.Function(_function, _function)},
    "dump hooks": {"before": pre_dump(_hook("before")), "after": post_dump(_hook("after"))},
    "load hooks": {"first": pre_load(_hook("first")), "last": post_load(_hook("last"))},
    "validates": {"check": validates("a")(_validate)},
}
_numbers = itertools.count()


def make_class(schema: Described) -> type[Schema]:
    """Make a schema class, and those nested in it, which are like no others."""
    return _make(schema, f"two_requests_{next(_numbers)}", itertools.count())


def _make(schema: Described, module: str, numbers: Any) -> type[Schema]:
    attributes: dict[str, Any] = {"a": fields.Integer(), "b": fields.Integer()}
    for code in sorted(schema.code):
        attributes |= OWN[code]
    for number, nested in enumerate(schema.nested):
        attributes[f"n{number}"] = _field(nested, _make(nested.child, module, numbers))
    return type(f"S{next(numbers)}", (Schema,), {**attributes, "__module__": module})


def _field(nested: NestedField, child: Any) -> Any:
    given = _given(nested.given, child)
    options = dict(nested.options)
    if nested.inside == "Pluck":
        return fields.Pluck(given, "a")
    if nested.inside == "many":
        return fields.Nested(given, many=True, **options)
    inner = fields.Nested(given, **options)
    if nested.inside == "List":
        return fields.List(inner)
    if nested.inside == "Dict":
        return fields.Dict(fields.String(), inner)
    if nested.inside == "Tuple":
        return fields.Tuple((inner, fields.Integer()))
    return inner


def _given(given: str, child: Any) -> Any:
    if given == "instance":
        return child()
    if given == "name":
        return f"{child.__module__}.{child.__name__}"
    if given == "class":
        return child

    def choose():
        LOG.append(("lambda", given, REQUEST["flag"]))
        if given == "lambda":
            return child()
        return child(only=("a",)) if REQUEST["flag"] else child

    return choose


def row_of(schema: Described, empty: Any = ...) -> dict[str, Any]:
    """An object to dump, or data to load.

    :param empty: in place of what is nested
    """
    row: dict[str, Any] = {"a": 1, "b": 2}
    names = {"own field": "c", "method": "d", "function": "e"}
    row |= {names[code]: 3 for code in sorted(schema.code) if code in names}
    for number, nested in enumerate(schema.nested):
        inner = row_of(nested.child, empty)
        values = {
            "Nested": inner,
            "Pluck": inner,
            "many": [inner, inner],
            "List": [inner],
            "Dict": {"k": inner},
            "Tuple": [inner, 1],
        }
        row[f"n{number}"] = values[nested.inside] if empty is ... else empty
    return row
