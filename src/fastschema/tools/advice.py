"""What to change about a schema or field that runs as stock, for the common reasons."""

from __future__ import annotations

import re
from typing import NamedTuple

PAGE = "docs/explain.md"
ANY_FRAMEWORK = "any framework"
DUMP, LOAD = "dump", "load"


class Advice(NamedTuple):
    """What to change, and where.

    :param where: views, schemas or fields
    :param what: a sentence
    :param see: the heading of docs/explain.md that says more
    """

    where: tuple[str, ...]
    what: str
    see: str


class _Rule(NamedTuple):
    """A sentence for a reason.

    :param reason: a pattern for all of it
    :param what: the sentence; ``{method}`` is what the pattern names so
    :param does: whether it is about dumping or loading; None: about both
    :param heading: of docs/explain.md; None: the framework's
    """

    reason: str
    what: str
    does: str | None = None
    heading: str | None = None


_RULES = (
    _Rule(
        r"fastschema cannot compile (?P<method>\S+)",
        "Remove {method} if it only calls super(); otherwise, describe it with "
        "fastschema.register.",
        DUMP,
        ANY_FRAMEWORK,
    ),
    _Rule(r"serialize is overridden", "Override the field's _serialize instead of serialize."),
    _Rule(
        r"deserialize is overridden", "Override the field's _deserialize instead of deserialize."
    ),
    _Rule(
        r"get_value is overridden",
        "If the field's get_value only reads another name, use attribute= instead.",
    ),
    _Rule(
        r"(dump|_serialize) is overridden",
        "Move what the schema's {0} adds to a pre_dump or post_dump hook.",
        DUMP,
    ),
    _Rule(
        r"(load|_do_load|_deserialize) is overridden",
        "Move what the schema's {0} adds to a pre_load or post_load hook.",
        LOAD,
    ),
    _Rule(
        r"to_representation is overridden",
        "Let to_representation call super().to_representation(), which is compiled, and change "
        "what that returns.",
    ),
)


def advice_for(where: str, does: str, why: str, framework: str) -> Advice | None:
    """Return what to change about a schema or a field that runs as stock; None if nothing is known.

    :param where: the schema or the field
    :param does: ``DUMP`` or ``LOAD``
    :param why: why it runs as stock
    :param framework: the framework of the schema, as headings of docs/explain.md name it
    """
    for rule in _RULES:
        match = re.fullmatch(rule.reason, why, re.DOTALL)
        if match is not None and rule.does in (None, does):
            what = rule.what.format(*match.groups(), **match.groupdict())
            return Advice((where,), what, f"Reasons: {rule.heading or framework}")
    return None


def merged(advice: list[Advice]) -> list[Advice]:
    """Return the same, each sentence once, in the order of the first."""
    places: dict[tuple[str, str], list[str]] = {}
    for each in advice:
        places.setdefault((each.what, each.see), []).extend(each.where)
    return [Advice(tuple(dict.fromkeys(where)), what, see) for (what, see), where in places.items()]
