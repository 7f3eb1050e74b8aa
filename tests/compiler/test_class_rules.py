"""Kinds that only look at the class of the value."""

from fastschema.compiler.class_rules import ByClass
from fastschema.compiler.nodes import Conversion

NAMES = {"json_value": repr}


def test_values_of_the_common_class_stay_as_they_are_without_templates():
    kind = ByClass(str).kind("text", "own({value})", NAMES, may_skip=False)

    assert kind.python == Conversion("str", None, "own({value})")
    assert kind.json == Conversion("str", None, "json_value(own({value}))")


def test_each_form_has_a_template_of_its_own():
    row = ByClass(int, python="str({value})", json="hex({value})")
    kind = row.kind("number", "own({value})", NAMES, may_skip=True)

    assert (kind.python.inline, kind.json.inline) == ("str({value})", "hex({value})")
    assert (kind.label, kind.may_skip) == ("number", True)


def test_the_class_and_what_templates_name_are_there_for_generated_code():
    row = ByClass(int, python="shown({value})", names={"shown": str})
    kind = row.kind("number", "own({value})", NAMES, may_skip=False)

    assert {"int": int, "shown": str, **NAMES}.items() <= kind.names.items()
