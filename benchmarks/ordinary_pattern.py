"""Patterns of ordinary code, and how each is measured: stock and fastschema in turns.

Imports the standard library only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Run = Callable[[], Any]
"""Does once what is measured, and returns what both must agree on."""

SIZES = (1, 20, 240)
"""The numbers of rows that a pattern is measured with, if it does not say otherwise."""
BATCH = 0.02
"""The seconds of processor time that one value takes at least."""
MOST_BETWEEN = 100
"""How many runs a value is of, at most, where something is made between them."""
OTHER_OBJECTS = 10_000
"""How many objects :func:`other_objects` makes."""


@dataclass(frozen=True)
class Pattern:
    """A way in which people write schemas and serializers, and use them.

    :param name: what it is, for people and for ``--only``
    :param front_end: "DRF" or "marshmallow"
    :param prepare: from a number of rows to what is timed; called once for stock and once for
        fastschema, so that the two share no schema and no row
    :param sizes: the numbers of rows
    :param between: called before each run, while the clock stands still; what it returns lives as
        long as the run
    """

    name: str
    front_end: str
    prepare: Callable[[int], Run]
    sizes: tuple[int, ...] = SIZES
    between: Run | None = None


@dataclass(frozen=True)
class Collection:
    """The patterns of a front end, in the order in which they are shown."""

    front_end: str
    patterns: list[Pattern] = field(default_factory=list)

    def add(
        self, name: str, *, sizes: tuple[int, ...] = SIZES, between: Run | None = None
    ) -> Callable[[Callable[[int], Run]], Callable[[int], Run]]:
        """A decorator for the function that prepares a pattern."""

        def decorator(prepare: Callable[[int], Run]) -> Callable[[int], Run]:
            self.patterns.append(Pattern(name, self.front_end, prepare, sizes, between))
            return prepare

        return decorator


@dataclass(frozen=True)
class Row:
    """What came of a pattern with a number of rows.

    :param stock: seconds of processor time for one run, the best of the rounds
    :param fastschema: the same with fastschema
    """

    front_end: str
    pattern: str
    rows: int
    stock: float
    fastschema: float

    @property
    def ratio(self) -> float:
        """How many times as fast as stock fastschema is."""
        return self.stock / self.fastschema

    def __str__(self) -> str:
        return f"{self.front_end}: {self.pattern}, {self.rows:,} row{'s' * (self.rows != 1)}"


class DifferentError(Exception):
    """Stock and fastschema do not return the same."""


def other_objects() -> list[list[int]]:
    """Objects that the garbage collector looks at, as the rest of a request makes them."""
    return [[number] for number in range(OTHER_OBJECTS)]


def seconds(run: Run, between: Run | None, loops: int) -> float:
    """The mean processor time of so many runs."""
    if between is None:
        start = time.process_time()
        for _ in range(loops):
            run()
        return (time.process_time() - start) / loops
    total = 0.0
    for _ in range(loops):
        others = between()
        start = time.process_time()
        run()
        total += time.process_time() - start
        del others
    return total / loops


def loops_for(run: Run, between: Run | None, batch: float) -> int:
    """How many runs take as long as a batch, but two at least."""
    loops, most = 2, MOST_BETWEEN if between else 1_000_000
    while (each := seconds(run, between, loops)) * loops < batch / 4 and loops < most:
        loops *= 2
    return min(most, max(2, round(batch / each)))


@dataclass(frozen=True)
class Switch:
    """What puts fastschema into a front end, and takes it out again."""

    install: Run
    uninstall: Run


def measure(
    pattern: Pattern, rows: int, switch: Switch, rounds: int, *, batch: float = BATCH
) -> Row:
    """Measure a pattern, in turns; fastschema is not installed while stock runs.

    The garbage collector stays on. After each switch, a quarter of a batch runs before the clock
    starts: the interpreter learns anew which methods the classes have.

    :raises DifferentError: if the results differ
    """
    switch.uninstall()
    stock = pattern.prepare(rows)
    expected = stock()
    stock_loops = loops_for(stock, pattern.between, batch)
    switch.install()
    fast = pattern.prepare(rows)
    for _ in range(3):  # the first run compiles, later ones use what was kept
        if where := difference(fast(), expected):
            raise DifferentError(f"{where} with fastschema")
    fast_loops = loops_for(fast, pattern.between, batch)
    best = {"stock": float("inf"), "fastschema": float("inf")}
    for _ in range(rounds):
        for name, run, loops in (("stock", stock, stock_loops), ("fastschema", fast, fast_loops)):
            (switch.uninstall if run is stock else switch.install)()
            seconds(run, pattern.between, max(2, loops // 4))
            best[name] = min(best[name], seconds(run, pattern.between, loops))
    switch.install()
    return Row(pattern.front_end, pattern.name, rows, **best)


def difference(value: Any, expected: Any, where: str = "the result") -> str | None:
    """Where two results differ in class, order or value; None if they do not."""
    if type(value) is not type(expected):
        return f"{where} is a {type(value).__name__}, not a {type(expected).__name__},"
    if isinstance(value, dict):
        if list(value) != list(expected):
            return f"{where} has the keys {list(value)}, not {list(expected)},"
        places = [(key, value[key], expected[key]) for key in value]
    elif isinstance(value, list | tuple) and len(value) == len(expected):
        places = [(number, *both) for number, both in enumerate(zip(value, expected, strict=True))]
    else:
        return None if value == expected else f"{where} is {value!r:.60}, not {expected!r:.60},"
    found = (difference(one, other, f"{where}[{place!r}]") for place, one, other in places)
    return next((each for each in found if each), None)
