"""Generated functions that load, without a framework."""

import pytest

from fastschema.compiler.load_code import generate, load_rows
from fastschema.compiler.nodes import LoadFieldNode, LoadKind, LoadNode, Missing, Slot

MISSING = Missing()
TEXT = LoadKind("text", "type($value) is str")
NUMBER = LoadKind("number", "type($value) is str", "int($value)", "$value >= 0")


def field(key, kind=TEXT, **options):
    return LoadFieldNode(key, options.pop("target", key), "fields[0]", kind, **options)


class Calls:
    """What the generated code of a test is bound to; notes the calls."""

    def __init__(self, **given):
        self.noted = []
        self.fields = given.pop("fields", [])
        self.partial = given.pop("partial", None)
        self.own = given.pop("own", lambda value: ("own", value))
        self.take_unknown = given.pop("take_unknown", None)

    def load_field(self, number, value, data, index):
        self.noted.append(("load_field", number, value, index))
        return self.own(value)

    def validate_field(self, number, value, index):
        self.noted.append(("validate_field", number, value, index))
        return value

    def load_other(self, data, index):
        return ("other", data, index)


def bound(fields, calls, **options):
    node = LoadNode("Thing", tuple(fields), options.pop("slots", ()), MISSING, set_value, **options)
    generated = generate(node)
    return generated.function(*[slot.resolve(calls) for slot in generated.slots])


def load(fields, data, calls=None, index=None, **options):
    load_row = bound(fields, calls or Calls(), **options)
    return load_row(data, index)


def set_value(result, target, value):
    first, _, rest = target.partition(".")
    result.setdefault(first, {})[rest] = value


def test_a_value_that_is_accepted_stays():
    assert load([field("a")], {"a": "x"}) == {"a": "x"}


def test_a_value_that_is_accepted_is_converted():
    assert load([field("a", NUMBER)], {"a": "7"}) == {"a": 7}


@pytest.mark.parametrize("value", [7, "seven", "-7", None])
def test_any_other_value_goes_to_the_fields_own_method_once(value):
    calls = Calls()

    assert load([field("a", NUMBER)], {"a": value}, calls, index=3) == {"a": ("own", value)}
    assert calls.noted == [("load_field", 0, value, 3)]


def test_none_stays_where_it_may():
    assert load([field("a", none_stays=True)], {"a": None}) == {"a": None}


def test_a_value_that_its_own_method_skips_is_left_out():
    calls = Calls(own=lambda value: MISSING)

    assert load([field("a"), field("b")], {"a": 1, "b": "x"}, calls) == {"b": "x"}


def test_a_missing_key_is_left_out():
    assert load([field("a"), field("b")], {"b": "x"}) == {"b": "x"}


def test_a_default_stands_for_a_missing_key():
    class Field:
        default = "none"

    with_default = field("a", default="fields[0].default")
    assert load([with_default], {}, Calls(fields=[Field])) == {"a": "none"}


def test_a_partial_load_asks_the_field_before_its_default():
    calls = Calls(partial=True, own=lambda value: value)

    assert load([field("a", default="fields[0].default")], {}, calls) == {}
    assert calls.noted == [("load_field", 0, MISSING, None)]


def test_a_field_may_say_itself_what_is_done_without_its_key():
    assert load([field("a", own_default=True)], {}) == {"a": ("own", MISSING)}


def test_a_value_that_is_not_valid_goes_to_the_fields_validators():
    short = LoadKind("text", "type($value) is str", valid="len($value) < 3")
    calls = Calls()

    assert load([field("a", short)], {"a": "long"}, calls) == {"a": "long"}
    assert calls.noted == [("validate_field", 0, "long", None)]


def test_the_fields_own_validators_are_asked_about_what_was_converted():
    calls = Calls()

    assert load([field("a", NUMBER, validated=True)], {"a": "7"}, calls) == {"a": 7}
    assert calls.noted == [("validate_field", 0, 7, None)]


def test_a_list_whose_items_stay_is_copied():
    items = LoadKind("list", "type($value) is list", "[*$value]", items="str")
    given = ["x", "y"]

    loaded = load([field("a", items)], {"a": given})["a"]

    assert loaded == given
    assert loaded is not given
    assert load([field("a", items)], {"a": ["x", 1]}) == {"a": ("own", ["x", 1])}


def test_unknown_keys_are_told_of():
    seen = []
    calls = Calls(take_unknown=lambda data, result, index: seen.append((data, result, index)))

    load([field("a")], {"a": "x"}, calls)
    load([field("a")], {"b": "x"}, calls, index=2)

    assert seen == [({"b": "x"}, {}, 2)]


def test_unknown_keys_are_looked_for_where_two_fields_have_one_key():
    seen = []
    calls = Calls(take_unknown=lambda data, result, index: seen.append(data))

    load([field("a"), field("a", target="b")], {"a": "x", "c": "y"}, calls)

    assert seen == [{"a": "x", "c": "y"}]


def test_a_dotted_target_is_set_inside():
    assert load([field("a", target="b.c")], {"a": "x"}) == {"b": {"c": "x"}}


def test_a_dict_class_is_filled_in_field_order():
    class Result(dict):
        pass

    loaded = load(
        [field("b"), field("a")],
        {"a": "x", "b": "y"},
        slots=(Slot("dict_class", lambda bound_schema: Result),),
        dict_class="dict_class",
    )
    assert type(loaded) is Result
    assert list(loaded) == ["b", "a"]


def test_what_is_no_dict_is_left_to_stock():
    assert load([field("a")], [1], index=4) == ("other", [1], 4)


@pytest.mark.parametrize("key", ['"); import os #', "a\nb", "$value", "\ud800", "class", ""])
def test_a_hostile_key_is_just_a_key(key):
    assert load([field(key, target="a")], {key: "x"}) == {"a": "x"}


def test_a_row_with_as_many_keys_but_others():
    seen = []
    calls = Calls(take_unknown=lambda data, result, index: seen.append(result.copy()))

    assert load([field("a"), field("b")], {"a": "x", "c": "y"}, calls) == {"a": "x"}
    assert seen == [{"a": "x"}]


def test_only_the_field_of_a_wrong_value_runs_its_own_method():
    calls = Calls()

    loaded = load([field("a", NUMBER), field("b", NUMBER)], {"a": "1", "b": "-1"}, calls)

    assert loaded == {"a": 1, "b": ("own", "-1")}
    assert calls.noted == [("load_field", 1, "-1", None)]


@pytest.mark.parametrize("other", ["7", "not a number", 7])
def test_a_validator_is_asked_once_about_a_value_be_the_other_values_right_or_not(other):
    asked = []

    def is_valid(value):
        asked.append(value)
        return True

    checked = LoadKind(
        "text", "type($value) is str", valid="is_valid($value)", names={"is_valid": is_valid}
    )

    load([field("a", checked), field("b", NUMBER)], {"a": "x", "b": other})

    assert asked == ["x"]


@pytest.mark.parametrize("none_stays", [True, False])
def test_the_missing_object_as_a_value_goes_to_the_fields_own_method(none_stays):
    anything = LoadKind("anything")
    calls = Calls()

    loaded = load([field("a", anything, none_stays=none_stays)], {"a": MISSING}, calls)

    assert loaded == {"a": ("own", MISSING)}
    assert load([field("a", anything, none_stays=none_stays)], {"a": 5}) == {"a": 5}


def test_a_schema_without_fields_loads_an_empty_dictionary():
    assert load([], {}) == {}


ROWS = [{"a": "1"}, {"a": "-1"}, {}, [], {"a": "2"}, {"a": "3", "b": 0}, {"b": "4"}, "text"]
OF_MANY_ROWS = {
    "without validators": [field("a", NUMBER)],
    "with validators": [field("a", NUMBER, validated=True)],
}


@pytest.mark.parametrize("fields", OF_MANY_ROWS.values(), ids=OF_MANY_ROWS)
@pytest.mark.parametrize("is_indexed", [True, False])
def test_many_rows_are_loaded_as_each_by_itself(fields, is_indexed):
    unknown = []
    together, alone = Calls(take_unknown=lambda *given: unknown.append(given)), Calls()
    load_row = bound(fields, alone)

    loaded = load_rows(bound(fields, together), ROWS, is_indexed=is_indexed)

    indexes = range(len(ROWS)) if is_indexed else [None] * len(ROWS)
    assert loaded == [load_row(*row) for row in zip(ROWS, indexes, strict=True)]
    assert together.noted == alone.noted
    assert [index for *_, index in unknown] == ([5, 6] if is_indexed else [None, None])


def test_rows_that_come_while_others_are_loaded_are_loaded_too():
    rows = [{"a": "no"}]
    calls = Calls(own=lambda value: rows.append({"a": "5"}) or value)

    assert load_rows(bound([field("a", NUMBER)], calls), rows, is_indexed=True) == [
        {"a": "no"},
        {"a": 5},
    ]


def test_an_exception_of_a_fields_own_method_ends_many_rows():
    def fail(value):
        raise LookupError(value)

    calls = Calls(own=fail)
    with pytest.raises(LookupError, match="no"):
        load_rows(bound([field("a", NUMBER)], calls), [{"a": "1"}, {"a": "no"}], is_indexed=True)
