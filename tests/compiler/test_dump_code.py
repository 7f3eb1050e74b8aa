"""From nodes to functions, for a front end that does not exist."""

import collections
import types

import pytest

from fastschema.compiler.nodes import Conversion, Form, Read, Slot, Source
from fastschema.runtime.bound_program import CallDumper, NestedDumper
from tests.nodes import MISSING, dispatch, field, kind, node


def test_a_dict_is_read_by_item():
    assert dispatch(node(field("a"), field("b")))({"a": 1, "b": 2}) == {"a": 1, "b": 2}


def test_an_object_is_read_by_attribute():
    assert dispatch(node(field("a")))(types.SimpleNamespace(a=1)) == {"a": 1}


def test_other_objects_are_read_as_stock_reads_them():
    class General:
        def read(self, name):
            return f"general {name}"

    assert dispatch(node(field("a")))(General()) == {"a": "general a"}


def test_a_missing_value_leaves_out_its_key():
    dump = dispatch(node(field("a"), field("b"), field("c")))

    assert list(dump({"c": 3, "a": 1}).items()) == [("a", 1), ("c", 3)]
    assert dump({}) == {}


def test_a_default_stands_for_a_missing_value():
    dump = dispatch(node(field("a", default="[1]"), field("b")))

    assert dump({}) == {"a": [1]}
    assert dump({"a": None}) == {"a": None}


def test_a_default_may_be_missing():
    assert dispatch(node(field("a", default="missing")))({}) == {}


def test_a_value_of_the_common_class_is_converted_inline():
    shouting = kind(Conversion("str", "$value.upper()", "repr($value)"))

    dump = dispatch(node(field("a", shouting)))

    assert [dump({"a": value}) for value in ("x", 1, None)] == [
        {"a": "X"},
        {"a": "1"},
        {"a": None},
    ]
    assert dump({}) == {}


def test_a_comprehension_uses_the_object():
    named = kind(Conversion("list", "[(each, type(obj)) for each in $value]", "'other'"))

    dump = dispatch(node(field("a", named), field("b")))

    assert dump({"a": [1, 2], "b": 3}) == {"a": [(1, dict), (2, dict)], "b": 3}
    assert dump({"a": (1,), "b": 3}) == {"a": "other", "b": 3}


def test_a_value_of_the_common_class_may_stay():
    dump = dispatch(node(field("a", kind(Conversion("str", None, "str($value)")))))

    assert [dump({"a": value}) for value in ("x", 1, None)] == [
        {"a": "x"},
        {"a": "1"},
        {"a": None},
    ]


def test_none_is_converted_if_it_does_not_stay():
    dump = dispatch(node(field("a", kind(Conversion(otherwise="repr($value)"), none_stays=False))))

    assert dump({"a": None}) == {"a": "None"}


@pytest.mark.parametrize("form", [Form.PYTHON, Form.JSON])
def test_each_form_has_its_own_conversion(form):
    both = kind(Conversion(otherwise="'python'"), Conversion(otherwise="'json'"))

    assert dispatch(node(field("a", both)), form)({"a": 1}) == {"a": form.value}


def test_a_conversion_may_skip_the_key():
    skipping = kind(Conversion(otherwise="missing if $value < 0 else $value"))
    dump = dispatch(node(field("a", skipping), field("b")))

    assert [dump({"a": a, "b": 2}) for a in (1, -1)] == [{"a": 1, "b": 2}, {"b": 2}]


def test_a_dict_class_is_filled_in_field_order():
    slot = Slot("make", lambda bound_schema, cls, form: bound_schema)
    ordered = node(field("b"), field("a"), slots=(slot,), dict_class="make")

    dumped = dispatch(ordered, bound_schema=collections.OrderedDict)({"a": 1, "b": 2})

    assert type(dumped) is collections.OrderedDict
    assert list(dumped) == ["b", "a"]
    assert dispatch(ordered, bound_schema=collections.OrderedDict)({"a": 1}) == {"a": 1}


def test_a_field_that_is_never_missing_is_not_asked_about():
    certain = field("a", never_missing=True, source=Source("one", Read("1")))

    assert dispatch(node(certain))({}) == {"a": 1}


def test_a_handler_replaces_the_value_for_its_exceptions_only():
    handled = Source(
        "a", Read("obj[1]", (("KeyError", "'key'"), ("(IndexError, TypeError)", "'other'")))
    )
    dump = dispatch(node(field("a", source=handled)))

    assert [dump(value) for value in ({}, [], 5)] == [{"a": "key"}, {"a": "other"}, {"a": "other"}]
    with pytest.raises(ValueError, match="mine"):
        dump(types.MappingProxyType(Refusing()))


class Refusing(dict):
    def __getitem__(self, key):
        raise ValueError("mine")


def test_slots_are_resolved_for_each_dump():
    slot = Slot("zone", lambda bound_schema, cls, form: (bound_schema, cls, form))
    zoned = node(field("a", source=Source("zone", Read("zone"))), slots=(slot,))

    assert dispatch(zoned, Form.JSON, "now")({}) == {"a": ("now", dict, Form.JSON)}


def test_a_field_may_have_the_name_of_a_variable_in_a_template():
    longest = kind(Conversion("str", "(top if (top := $value * 2) else '')", "$value"))
    each = kind(Conversion("list", "[item + top for item in $value for top in (1,)]"))
    dump = dispatch(node(field("item"), field("top"), field("word", longest), field("list", each)))

    row = {"item": 7, "top": 8, "word": "a", "list": [1, 2]}
    assert dump(row) == {"item": 7, "top": 8, "word": "aa", "list": [2, 3]}


def test_a_field_may_have_a_name_that_the_generator_uses():
    inner = dispatch(node(field("a")))
    slot = Slot("inner", lambda bound, cls, form: NestedDumper(lambda: inner))
    nested = kind(Conversion(), item_slot="inner")
    dump = dispatch(node(field("each"), field("items", nested), slots=(slot,)))

    assert dump({"each": "x", "items": [{"a": 1}]}) == {"each": "x", "items": [{"a": 1}]}


def test_a_slot_is_not_looked_up_for_a_key_with_its_name():
    def resolve(bound, cls, form):
        raise LookupError("nobody needs it")

    dump = dispatch(
        node(field("written"), field("not 'written' #"), slots=(Slot("written", resolve),))
    )

    assert dump({"written": 1, "not 'written' #": 2}) == {"written": 1, "not 'written' #": 2}


def test_fields_with_like_names_do_not_mix():
    keys = ["a b", "a_b", "a-b", "a_b_2", "class", "class_", "obj", "missing", "read", "", "_"]
    row = {key: number for number, key in enumerate(keys)}

    assert dispatch(node(*map(field, keys)))(row) == row


def test_a_nested_value_goes_through_its_link():
    inner = dispatch(node(field("x"), name="Inner"))
    slot = Slot("inner", lambda bound_schema, cls, form: NestedDumper(lambda: inner))
    nested = field("child", kind(Conversion(), nested_slot="inner"))
    dump = dispatch(node(nested, slots=(slot,)))

    assert dump({"child": {"x": 1}}) == {"child": {"x": 1}}
    assert dump({"child": types.SimpleNamespace(x=2)}) == {"child": {"x": 2}}
    assert dump({"child": None}) == {"child": None}
    assert dump({}) == {}


def test_a_link_is_followed_when_the_first_value_needs_it_and_once():
    found = []

    def find():
        found.append("found")
        return CallDumper(lambda value: f"dumped {value}")

    slot = Slot("inner", lambda bound_schema, cls, form: NestedDumper(find))
    dump = dispatch(node(field("child", kind(Conversion(), nested_slot="inner")), slots=(slot,)))

    dump({})
    assert found == []
    assert dump({"child": 1}) == {"child": "dumped 1"}
    dump({"child": 2})
    assert found == ["found"]


def test_the_objects_in_a_list_go_through_one_link_each_as_its_class_is_dumped():
    inner = dispatch(node(field("x"), name="Inner"))
    slot = Slot("inner", lambda bound_schema, cls, form: NestedDumper(lambda: inner))
    many = field("list", kind(Conversion(otherwise="inner.each($value)"), item_slot="inner"))
    dump = dispatch(node(many, slots=(slot,)))
    first, second = {"x": 1}, types.SimpleNamespace(x=2)

    assert dump({"list": [first, second, None]}) == {"list": [{"x": 1}, {"x": 2}, None]}
    assert dump({"list": [None, second]}) == {"list": [None, {"x": 2}]}
    assert dump({"list": (second,)}) == {"list": [{"x": 2}]}
    assert dump({"list": []}) == {"list": []}
    assert dump({"list": None}) == {"list": None}
    assert dump({}) == {}


def test_a_nested_value_that_is_callable_is_called():
    slot = Slot(
        "inner",
        lambda bound_schema, cls, form: NestedDumper(lambda: CallDumper(lambda value: value)),
    )
    nested = field(
        "child",
        kind(Conversion(), nested_slot="inner"),
        call_if_callable=("callable($value)", "$value()"),
    )

    assert dispatch(node(nested, slots=(slot,)))({"child": lambda: 5}) == {"child": 5}


def test_the_missing_object_is_the_front_ends():
    assert dispatch(node(field("a")))({"a": MISSING}) == {}
