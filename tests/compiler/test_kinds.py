"""Conversions to JSON, as they follow from what the result of a kind is."""

import pytest

from fastschema.compiler.kinds import ByClass, by_class, for_all, unchanged, written_by_engine
from fastschema.compiler.nodes import ANY, NUMBER, PLAIN, TEXT, Conversion, Form, fill
from tests.marks import needs_orjson


def test_values_of_the_common_class_stay_as_they_are_without_a_template():
    kind = ByClass("text", str).kind("own($value)")

    assert kind.label == "text"
    assert kind.python == Conversion("str", None, "own($value)")
    assert kind.json == Conversion("str", None, "json_value(own($value))")
    assert kind.text == Conversion("str", "quote($value)", "written(own($value))")


@pytest.mark.parametrize(
    ("result", "json", "text"),
    [
        (TEXT, "made($value)", "quote(made($value))"),
        (NUMBER, "json_number(made($value))", "written(made($value))"),
        (PLAIN, "made($value)", "written(made($value))"),
        (ANY, fill(ANY.json, value="made($value)"), fill(ANY.text, value="made($value)")),
    ],
)
def test_the_result_says_how_a_value_becomes_json(result, json, text):
    kind = by_class("kind", "date", "made($value)", "own($value)", result)

    assert kind.python.inline == "made($value)"
    assert (kind.json.inline, kind.text.inline) == (json, text)
    assert for_all("kind", "made($value)", result).json == Conversion(otherwise=json)


def test_a_form_may_have_a_template_of_its_own():
    row = ByClass("number", int, "str($value)", more={"json": "hex($value)"})

    assert row.kind("own($value)").json.inline == "hex($value)"
    assert row.kind("own($value)").text.inline == "quote(str($value))"


def test_the_class_and_what_templates_name_are_there_for_generated_code():
    kind = ByClass("number", int, "shown($value)", names={"shown": str}).kind("own($value)")

    assert kind.names == {"int": int, "shown": str}


def test_what_stays_is_looked_at_only_for_json():
    kind = unchanged("as it is", ByClass("text", str))

    assert kind.label == "as it is"
    assert kind.conversion(Form.PYTHON) == Conversion()
    assert kind.conversion(Form.JSON) == Conversion("str", None, "json_value($value)")


@needs_orjson
def test_what_the_engine_writes_stays_a_value_in_json():
    kind = written_by_engine("hour", int, "hour($value)", when="$value < 24").kind("own($value)")
    otherwise = " if $value < 24 else hour($value)"

    assert kind.python.inline == f"dumps($value)[1:-1].decode(){otherwise}"
    assert kind.json.inline == f"$value{otherwise}"


@needs_orjson
def test_all_of_it_stays_without_a_condition():
    kind = written_by_engine("hour", int, "hour($value)").kind("own($value)")

    assert kind.json.inline is None
