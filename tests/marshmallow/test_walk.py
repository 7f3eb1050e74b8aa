"""A random walk over all kinds of schema objects, and all that may happen between two calls.

``tests/marshmallow/walk/`` has the two tables, ``tests/walks.py`` tells how to walk for longer. The
twin that each step is compared with is in a process that does not import fastschema: it has the
same objects, and what code of users sees of them has the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from random import Random

import pytest

from tests.marshmallow.walk.happenings import CALLS, CHANGES, LOOKS
from tests.marshmallow.walk.kinds import KINDS
from tests.marshmallow.walk.stock import Stock, outcome, outcomes
from tests.outcomes import Outcome
from tests.walks import Steps, Walks, numbers

_STOCK = Stock()
_PARTS = 8
"""Of each test, so that they can be run at a time."""


class SchemaWalks(Walks):
    """Walks of marshmallow schemas."""

    def steps(self, kind: str, number: int) -> Steps:
        """The steps of a walk: calls; what changes something, or looks; calls again ..."""
        chance = Random(f"{kind} {number}")
        calls, looks, changes = map(list, (self.uses, self.looks, self.changes))
        steps = [chance.choice(calls) for _ in range(chance.randint(0, 3))]
        for _ in range(chance.randint(2, 4)):
            for _ in range(chance.randint(1, 2)):
                steps.append(chance.choice(chance.choice((looks, changes, changes))))
            steps += [chance.choice(calls) for _ in range(chance.randint(1, 2))]
        return steps

    def outcomes(self, kind: str, steps: Steps) -> Iterator[Outcome]:
        """What comes of making the object, and of each step."""
        return outcomes(kind, steps)

    def expected(self, kind: str, steps: Steps) -> list[Outcome]:
        """The same by stock."""
        return _STOCK.outcomes(kind, steps)


WALKS = SchemaWalks(KINDS, CALLS, LOOKS, CHANGES, outcome, nullcontext)


@pytest.fixture(autouse=True, scope="module")
def _stock_ends() -> Iterator[None]:
    yield
    _STOCK.end()


@pytest.mark.usefixtures("each_thresholds")
@pytest.mark.parametrize("part", range(_PARTS))
def test_whatever_happens_a_schema_does_what_it_does_in_stock(part: int) -> None:
    for number in numbers(200)[part::_PARTS]:
        kind = Random(number).choice(list(KINDS))
        WALKS.assert_as_in_stock(kind, WALKS.steps(kind, number))
