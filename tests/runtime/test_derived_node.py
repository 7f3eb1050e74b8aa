"""Nodes that are derived from those of schemas."""

from fastschema.compiler.nodes import Conversion, Form, Slot
from fastschema.runtime.bound_program import CallDumper, Dispatch, NestedDumper
from fastschema.runtime.derived_node import DerivedNode, at, row_field
from fastschema.runtime.programs import dump_program
from tests.nodes import field, kind, node

NESTED = kind(Conversion(), nested_slot="child")


def dumped(derived, obj):
    return Dispatch(dump_program(derived), Form.PYTHON, None).many([obj])


def test_a_place_in_rows_within_rows():
    row = ("a", ("b", "c"))
    assert eval(at("row", (1, 0)), {"row": row}) == "b"
    assert at("row", ()) == "row"


def test_fields_are_read_from_rows():
    own = node(field("a"), field("b"))
    nothing = [("obj[0] is None", "'none'"), ("obj[1] is None", "'other'")]
    fields = [row_field(own.fields[0], "obj[1]", ()), row_field(own.fields[1], "obj[2]", nothing)]

    derived = DerivedNode(own).of_rows(fields)

    assert dumped(derived, (1, 2, 3)) == [{"a": 2, "b": 3}]
    assert dumped(derived, (None, None, 3)) == [{"a": None, "b": "none"}]
    assert dumped(derived, (1, None, 3)) == [{"a": None, "b": "other"}]


def test_something_else_dumps_what_is_nested():
    child = Slot("child", lambda bound, cls, form: NestedDumper(lambda: CallDumper(repr)))
    derived = DerivedNode(node(field("a", NESTED), slots=(child,)))
    derived.nest("child", lambda bound, dumper: CallDumper(lambda value: [dumper(value)]))

    assert dumped(derived.with_fields(derived.node.fields), {"a": 1}) == [{"a": ["1"]}]


def test_slots_are_added_and_changed():
    given = Slot("given", lambda bound, cls, form: "given", per_class=True)
    derived = DerivedNode(node(slots=(given,)))

    assert derived.add_slot("added", lambda *args: "added") == "added"
    derived.add_slot("given", lambda *args: "changed")

    slots = derived.with_fields([]).slots
    assert [(slot.name, slot.resolve(), slot.per_class) for slot in slots] == [
        ("given", "changed", True),
        ("added", "added", False),
    ]
