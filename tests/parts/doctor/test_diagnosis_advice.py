"""What to change about what runs as stock."""

import re
from pathlib import Path

import pytest

from fastschema.doctor.diagnosis import ADVICE, DUMP, LOAD, Stock

EXPLAINED = (Path(__file__).parents[3] / "docs/explain.md").read_text(encoding="utf-8")
REASONS = re.findall(r"^\| `([^`]+)` \|", EXPLAINED, re.MULTILINE)


@pytest.mark.parametrize(
    ("does", "why", "words"),
    [
        (
            DUMP,
            "fastschema cannot compile Year._serialize",
            "Remove Year._serialize if it only calls super(). Otherwise describe",
        ),
        (DUMP, "dump is overridden", "the schema's dump adds to a pre_dump or post_dump hook"),
        (DUMP, "_serialize is overridden", "the schema's _serialize adds to a pre_dump"),
        (LOAD, "load is overridden", "the schema's load adds to a pre_load or post_load hook"),
        (DUMP, "serialize is overridden", "Override the field's _serialize"),
        (DUMP, "to_representation is overridden", "Let to_representation call super()"),
    ],
)
def test_common_reasons_have_a_sentence(does, why, words):
    assert words in Stock("a:B.c", does, why).advice


@pytest.mark.parametrize(
    ("does", "why"),
    [
        (LOAD, "fastschema cannot compile Year._deserialize"),  # nothing to register for that
        (DUMP, "a localized decimal is not compiled"),
    ],
)
def test_there_is_none_where_nothing_is_to_be_done(does, why):
    assert Stock("a:B.c", does, why).advice == ""


@pytest.mark.parametrize("pattern", [pattern for _, pattern, _ in ADVICE])
def test_all_advice_is_for_a_reason_that_is_explained(pattern):
    # In the page, "..." stands for what differs from case to case: the name of a method, say.
    reasons = [each.replace("...", name) for each in REASONS for name in ("load", "dump")]
    assert any(re.fullmatch(pattern, each) for each in reasons)
