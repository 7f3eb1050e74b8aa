"""Random walks: an object is used, looked at and changed, by stock and by fastschema alike.

A front end's walk has two tables: the *kinds* of object there are, and what may *happen* to one. A
walk makes an object of a kind, lets one thing after the other happen to it, and compares what comes
of each with what comes of it in stock. Where they differ, the steps that are not needed for that
are dropped, and those that are left are printed.

``WALKS`` in the environment is how many walks each test goes, instead of a few: see CONTRIBUTING.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import takewhile
from random import Random
from typing import Any

import pytest

from tests.marks import share
from tests.outcomes import Outcome

Steps = Sequence[str]
"""What happens in a walk, by name."""


def numbers(usual: int) -> range:
    """The numbers of a test's walks.

    :param usual: how many there are where the environment does not say
    """
    return range(int(os.environ.get("WALKS", share(usual))))


@dataclass(frozen=True)
class Difference:
    """The first step of a walk that comes out in another way than in stock.

    :param steps: those up to it
    """

    steps: Steps
    expected: Outcome
    actual: Outcome

    def __str__(self) -> str:
        names = ("value", "error", "calls", "queries")
        return "\n".join(
            "{}:\n    stock      {}\n    fastschema {}".format(
                name, *_where_they_differ(expected, actual)
            )
            for name in names
            if (expected := getattr(self.expected, name)) != (actual := getattr(self.actual, name))
        )


_SHOWN = 200
"""How much of long values is shown, before and after the first difference."""


def _where_they_differ(*values: Any) -> Iterator[str]:
    """What two values have around their first difference."""
    texts = list(map(repr, values))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    begin = max(0, same - _SHOWN)
    for text in texts:
        shown = text[begin : begin + 2 * _SHOWN]
        yield "..." * (begin > 0) + shown + "..." * (len(text) > begin + 2 * _SHOWN)


@dataclass(frozen=True)
class Walks:
    """The two tables of a front end, and how it compares.

    :param kinds: by name, what makes the object of a walk (with all that belongs to it, such as its
        class); it is given what undoes things when the walk is over
    :param uses: by name, what may happen to one: it dumps, it loads. What is returned is compared
    :param looks: by name, what users' code may look at, or where an object may come from
    :param changes: by name, what users' code may change
    :param outcome: calls a function, and tells what came of it
    :param stock: gives what holds while stock runs
    :param at_the_end: the last steps of each walk, which look at what it has led to
    """

    kinds: Mapping[str, Callable[[ExitStack], Any]]
    uses: Mapping[str, Callable[[Any], Any]]
    looks: Mapping[str, Callable[[Any], Any]]
    changes: Mapping[str, Callable[[Any], Any]]
    outcome: Callable[[Callable[[], Any]], Outcome]
    stock: Callable[[], AbstractContextManager[Any]]
    at_the_end: Steps = ()

    def steps(self, kind: str, number: int) -> Steps:
        """The steps of a walk: always the same ones for a number, which also says what changes.

        Each change has a walk, if there are enough of them.
        """
        changes = list(self.changes)
        change = Random(kind).sample(changes, len(changes))[number % len(changes)]
        return self.steps_around(change, Random(f"{kind} {number}"))

    def steps_around(self, change: str, chance: Random) -> Steps:
        """The steps of a walk in which the same uses come before and after a change.

        What else happens is left to chance.
        """
        uses, looks, changes = map(list, (self.uses, self.looks, self.changes))
        steps: list[str] = []
        for _ in range(chance.randint(0, 5)):
            steps.append(chance.choice(chance.choice((uses, uses, looks, changes))))
        around = self.uses_around(change, chance)
        steps += [*around, *around, change]
        for _ in range(chance.choice((0, 0, 1, 2))):
            steps.append(chance.choice(chance.choice((uses, looks, changes))))
        return [*steps, *around, *self.at_the_end]

    def uses_around(self, change: str, chance: Random) -> Steps:
        """Uses that may show a change."""
        return [chance.choice(list(self.uses))]

    def outcomes(self, kind: str, steps: Steps) -> Iterator[Outcome]:
        """What comes of each step, while they are gone."""
        happenings = {**self.uses, **self.looks, **self.changes}
        with ExitStack() as undo:
            subject = self.kinds[kind](undo)
            for step in steps:
                yield self.outcome(lambda step=step: happenings[step](subject))

    def expected(self, kind: str, steps: Steps) -> list[Outcome]:
        """What comes of each step in stock."""
        with self.stock():
            return list(self.outcomes(kind, steps))

    def difference(self, kind: str, steps: Steps) -> Difference | None:
        """The first step that comes out in another way than in stock, if any."""
        expected = self.expected(kind, steps)
        outcomes = self.outcomes(kind, steps)
        for index, (one, other) in enumerate(zip(expected, outcomes, strict=True)):
            if one != other:
                outcomes.close()
                return Difference(steps[: index + 1], one, other)
        return None

    def shortest(self, kind: str, difference: Difference) -> Difference:
        """The same with steps left out as long as there is a difference."""
        shorter = (
            self.difference(kind, [*steps[:index], *steps[index + 1 :]])
            for steps in [difference.steps]
            for index in reversed(range(len(steps)))
        )
        found = next((one for one in shorter if one is not None), None)
        return difference if found is None else self.shortest(kind, found)

    def assert_as_in_stock(self, kind: str, steps: Steps) -> None:
        """Assert that all steps of a walk come out as in stock.

        :raises AssertionError: if one does not; it names the fewest steps that show it
        """
        difference = self.difference(kind, steps)
        if difference is None:
            return
        shortest = self.shortest(kind, difference)
        listed = "".join(f"    {step!r},\n" for step in shortest.steps)
        pytest.fail(f"WALKS.assert_as_in_stock({kind!r}, [\n{listed}])\n{shortest}", pytrace=False)
