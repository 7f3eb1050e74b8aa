"""From nodes to functions that write text, for a front end that does not exist."""

import datetime
import json
import types

import pytest

from fastschema.compiler import kinds
from fastschema.compiler.dump_code import can_be_text, quote
from fastschema.compiler.nodes import Conversion, Form, Kind, Slot
from fastschema.runtime.bound_program import CallDumper, Dispatch, NestedDumper
from fastschema.runtime.programs import dump_program
from tests.marks import needs_orjson
from tests.nodes import field, kind, node

STRING = kinds.STRING.kind("$value")
DATE = kinds.DATE.kind("$value")


def write(*fields, slots=(), many=False):
    """What writes objects by some fields."""
    names = {"written": json.dumps, "array": lambda texts: f"[{', '.join(texts)}]"}
    program = dump_program(node(*fields, slots=slots, names={**names, **kinds.ENGINE_NAMES}))
    dispatch = Dispatch(program, Form.TEXT, None)
    # Whoever writes holds the dispatch.
    return dispatch.many if many else dispatch


def test_a_row_is_one_text():
    assert write(field("a", STRING), field("b", STRING))({"a": "x", "b": "é"}) == (
        '{"a": "x", "b": "\\u00e9"}'
    )


def test_none_is_null_and_other_values_go_to_the_front_end():
    assert write(field("a", STRING), field("b", STRING))({"a": None, "b": [1]}) == (
        '{"a": null, "b": [1]}'
    )


def test_many_rows_are_a_list_of_texts():
    dispatch = write(field("a", STRING), many=True)
    assert dispatch([{"a": "x"}, types.SimpleNamespace(a="y")]) == ['{"a": "x"}', '{"a": "y"}']


def test_a_missing_value_leaves_out_its_key():
    row = write(field("a", STRING), field("b", STRING))
    assert row({"b": "x"}) == '{"b": "x"}'
    assert row({}) == "{}"


def test_without_a_text_of_its_own_a_kind_is_written_by_what_stock_returns():
    upper = kind(Conversion("str", "$value.upper()", "[$value]"))
    length = kind(Conversion(otherwise="len($value)"))
    row = write(field("a", upper), field("b", length))
    assert row({"a": "x", "b": "xyz"}) == '{"a": "X", "b": 3}'
    assert row({"a": 1, "b": None}) == '{"a": [1], "b": null}'


def test_a_key_is_only_a_key():
    keys = ["{a}", '"); import os #', "é", "\\", "quote", "{", "}}", "a'b\"c"]
    row = write(*(field(key, STRING) for key in keys))
    data = dict.fromkeys(keys, "x")
    assert row(data) == json.dumps(data)
    del data["é"]
    assert row(data) == json.dumps(data)


@needs_orjson
def test_several_dates_become_texts():
    row = write(field("a", DATE), field("b", DATE), field("c", DATE))
    day = datetime.date(2024, 1, 2)
    assert row({"a": day, "b": None, "c": day}) == (
        '{"a": "2024-01-02", "b": null, "c": "2024-01-02"}'
    )
    assert row({"a": day, "b": None, "c": 5}) == '{"a": "2024-01-02", "b": null, "c": 5}'
    assert row({"a": day}) == '{"a": "2024-01-02"}'


@pytest.mark.parametrize("value", [None, "x"])
def test_a_nested_value_goes_through_its_link(value):
    slot = Slot("child", lambda bound_schema, cls, form: NestedDumper(lambda: CallDumper(quote)))
    nested = Kind(
        "nested", python=Conversion(), json=Conversion(), text=Conversion(), nested_slot="child"
    )
    assert write(field("a", nested), slots=(slot,))({"a": value}) == json.dumps({"a": value})


def test_the_objects_in_a_list_go_through_one_link():
    slot = Slot("child", lambda bound_schema, cls, form: NestedDumper(lambda: CallDumper(quote)))
    items = Kind(
        "items",
        python=Conversion(),
        json=Conversion(),
        text=Conversion(otherwise="array(child.each($value))"),
        item_slot="child",
    )
    row = write(field("a", items), slots=(slot,))
    for value in (["x", "y"], [], ("x",), None):
        assert row({"a": value}) == json.dumps({"a": value})


def test_another_class_than_dict_needs_a_dictionary():
    assert can_be_text(node(field("a")))
    assert not can_be_text(node(field("a"), dict_class="made"))
