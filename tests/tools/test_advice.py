"""What to change about what runs as stock."""

import re
from pathlib import Path

import pytest

from fastschema.tools.advice import (
    _RULES,
    ANY_FRAMEWORK,
    DUMP,
    LOAD,
    PAGE,
    Advice,
    advice_for,
    merged,
)

EXPLAINED = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")
REASONS = re.findall(r"^\| `([^`]+)` \|", EXPLAINED, re.MULTILINE)
HEADINGS = re.findall(r"^## (.+)$", EXPLAINED, re.MULTILINE)


def told(does, why, framework="marshmallow"):
    found = advice_for("a:B.c", does, why, framework)
    return found and (found.what, found.see)


def test_a_method_of_yours_can_be_registered():
    what, see = told(DUMP, "fastschema cannot compile Year._serialize")

    assert what.startswith("Remove Year._serialize if it only calls super(); otherwise, describe")
    assert see == "Reasons: any framework"


def test_a_method_that_loads_cannot():
    assert told(LOAD, "fastschema cannot compile Year._deserialize") is None


@pytest.mark.parametrize(
    ("does", "why", "words"),
    [
        (DUMP, "dump is overridden", "the schema's dump adds to a pre_dump or post_dump hook"),
        (DUMP, "_serialize is overridden", "the schema's _serialize adds to a pre_dump"),
        (LOAD, "load is overridden", "the schema's load adds to a pre_load or post_load hook"),
        (DUMP, "serialize is overridden", "Override the field's _serialize"),
    ],
)
def test_common_reasons_have_a_sentence_and_the_heading_of_the_framework(does, why, words):
    what, see = told(does, why)

    assert words in what
    assert see == "Reasons: marshmallow"


def test_the_framework_decides_which_heading_it_is():
    _, see = told(DUMP, "to_representation is overridden", "Django REST framework")

    assert see == "Reasons: Django REST framework"


def test_there_is_none_where_nothing_is_to_be_done():
    assert told(DUMP, "a localized decimal is not compiled") is None


@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: rule.reason)
def test_every_rule_is_for_a_reason_that_is_explained(rule):
    # In the page, "..." stands for what differs from case to case: the name of a method, say.
    reasons = [each.replace("...", name) for each in REASONS for name in ("load", "dump")]
    assert any(re.fullmatch(rule.reason, each) for each in reasons)


@pytest.mark.parametrize("framework", [ANY_FRAMEWORK, "marshmallow", "Django REST framework"])
def test_every_heading_is_there(framework):
    assert f"Reasons: {framework}" in HEADINGS


def test_the_same_advice_is_given_once():
    first, second, other = (
        Advice(("a",), "Do.", "here"),
        Advice(("b",), "Do.", "here"),
        Advice(("a",), "Do not.", "here"),
    )

    assert merged([first, other, second, first]) == [Advice(("a", "b"), "Do.", "here"), other]
