"""Small nodes for the tests of the core, which knows no framework."""

from collections.abc import Callable, Mapping
from typing import Any

from fastschema.compiler.nodes import (
    ATTRIBUTE,
    GENERAL,
    ITEM,
    Conversion,
    FieldNode,
    Form,
    Kind,
    ObjectNode,
    Read,
    Slot,
    Source,
    literal,
)
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.programs import dump_program

MISSING = object()
UNCHANGED = Kind("as it is", python=Conversion(), json=Conversion())


def kind(python: Conversion, json: Conversion | None = None, **options: Any) -> Kind:
    """A kind that does the same in both forms unless told otherwise."""
    return Kind("test", python=python, json=python if json is None else json, **options)


def source(name: str) -> Source:
    """A source that reads an item, or an attribute."""
    return Source(
        name,
        Read(f"read(obj, {literal(name)})"),
        {
            ATTRIBUTE: Read(f"getattr(obj, {literal(name)}, missing)"),
            ITEM: Read(f"obj[{literal(name)}]", (("KeyError", "missing"),)),
        },
    )


def field(key: str, kind: Kind = UNCHANGED, **options: Any) -> FieldNode:
    """A field that is read from the place that it is written to."""
    return FieldNode(key, options.pop("source", source(key)), kind, "None", **options)


def access(cls: type) -> str:
    """Dictionaries by item, classes whose names begin with "G" in general, others by attribute."""
    if cls is dict:
        return ITEM
    return GENERAL if cls.__name__.startswith("G") else ATTRIBUTE


def node(
    *fields: FieldNode,
    name: str = "Test",
    slots: tuple[Slot, ...] = (),
    read: Callable[[Any, str], Any] = lambda obj, name: obj.read(name),
    names: Mapping[str, object] | None = None,
    **options: Any,
) -> ObjectNode:
    """A schema of those fields."""
    return ObjectNode(
        name, fields, slots, MISSING, access, names={"read": read, **(names or {})}, **options
    )


def dispatch(node: ObjectNode, form: Form = Form.PYTHON, bound_schema: Any = None) -> Dispatch:
    """A dump by the program of a node."""
    return Dispatch(dump_program(node), form, bound_schema)
