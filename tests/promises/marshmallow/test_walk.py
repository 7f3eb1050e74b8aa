"""A random walk over all kinds of schema objects, and all that may happen between two calls.

``walk/`` has the two tables, ``tests/walks.py`` tells how to walk for longer. The twin that each
step is compared with is in a process that does not import fastschema: it has the same objects, and
what code of users sees of them has the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from random import Random

import pytest

from tests.outcomes import Outcome
from tests.promises.marshmallow.walk.happenings import (
    CALLS,
    CHANGES,
    FEW,
    LOOKS,
    MANY,
    MIDST,
    OF_FIELDS,
    OF_SCHEMAS,
    TOUCHES,
    is_seen,
)
from tests.promises.marshmallow.walk.kinds import KINDS
from tests.promises.marshmallow.walk.stock import Stock, outcome, outcomes
from tests.walks import Steps, Walks, numbers

_STOCK = Stock()
_PARTS = 8
"""Of each test, so that they can be run at a time."""


@dataclass(frozen=True, kw_only=True)
class SchemaWalks(Walks):
    """Walks of marshmallow schemas.

    :param around: the dumps that come before and after a change, and the loads
    """

    around: tuple[Steps, Steps]

    def change(self, number: int) -> str:
        """The change of a walk: each has one, if there are enough of them."""
        changes = list(self.changes)
        return Random(0).sample(changes, len(changes))[number % len(changes)]

    def walk(self, number: int) -> tuple[str, Steps]:
        """The kind of a walk, and its steps."""
        chance = Random(number)
        change = self.change(number)
        kinds = [kind for kind in self.kinds if is_seen(change, kind)]
        return chance.choice(kinds), self.steps_around(change, chance)

    def steps_around(self, change: str, chance: Random) -> Steps:
        """The steps of a walk around a change of a schema that is looked at, or was."""
        return [*chance.choice(([], TOUCHES, MIDST)), *super().steps_around(change, chance)]

    def uses_around(self, change: str, chance: Random) -> Steps:
        """A dump and a load."""
        return [chance.choice(uses) for uses in self.around]

    def outcomes(self, kind: str, steps: Steps) -> Iterator[Outcome]:
        """What comes of making the object, and of each step."""
        return outcomes(kind, steps)

    def expected(self, kind: str, steps: Steps) -> list[Outcome]:
        """The same by stock."""
        return _STOCK.outcomes(kind, steps)


WALKS = SchemaWalks(KINDS, CALLS, LOOKS, CHANGES, outcome, nullcontext, around=FEW)
WALKS_OF_MANY = replace(WALKS, around=MANY)


@pytest.fixture(autouse=True, scope="module")
def _stock_ends() -> Iterator[None]:
    yield
    _STOCK.end()


@pytest.mark.parametrize("part", range(_PARTS))
def test_whatever_happens_a_schema_that_is_compiled_at_once_does_what_it_does_in_stock(
    part: int,
) -> None:
    for number in numbers(300)[part::_PARTS]:
        WALKS.assert_as_in_stock(*WALKS.walk(number))


@pytest.mark.usefixtures("users_thresholds")
@pytest.mark.parametrize("part", range(_PARTS))
def test_whatever_happens_a_schema_does_what_it_does_in_stock(part: int) -> None:
    for number in numbers(150)[part::_PARTS]:
        WALKS.assert_as_in_stock(*WALKS_OF_MANY.walk(number))


def assert_seen(usual: str, change: str, *looks: str) -> None:
    """Assert that a change is seen by a schema of the usual kind, or of one that may show it."""
    kind = usual if is_seen(change, usual) else "Holding, kept"
    uses = ["dump 3", "dump what has little", "load 3", "load what is odd", "load what is wrong"]
    WALKS.assert_as_in_stock(kind, [*looks, *uses, *uses, change, *uses])


@pytest.mark.parametrize("change", [*OF_FIELDS, *OF_SCHEMAS])
@pytest.mark.parametrize("place", ["schema", "nested schema"])
def test_a_change_of_a_schema_that_users_have_looked_at_is_seen(change: str, place: str) -> None:
    assert_seen("Deep, kept", f"{change} of the {place}", *TOUCHES)


@pytest.mark.parametrize("change", [*OF_FIELDS, *OF_SCHEMAS])
def test_a_change_of_a_schema_that_users_have_not_looked_at_is_seen(change: str) -> None:
    assert_seen("Plain, kept", f"{change} of the schema")


@pytest.mark.parametrize("change", [*OF_FIELDS, *OF_SCHEMAS])
@pytest.mark.parametrize("age", ["", ", older than install()"])
def test_a_change_of_a_nested_object_is_seen_by_the_next_schema(change: str, age: str) -> None:
    uses = ["dump 3", "load 3", "load what is wrong"]
    name = "ByObjectWithMethod" if age else "ByObject"
    steps = [*uses, *uses, f"{change} of the nested object", *uses]
    WALKS.assert_as_in_stock(f"{name}, made for each call{age}", steps)
