"""Ways in which people write serializers, schemas and views, and use them.

Each module has a :class:`Collection` of them, ``PATTERNS``. Stock and fastschema are processes of
their own; in stock's, nothing imports fastschema.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from harness.measuring import Fresh, Run

Prepare = Callable[[int], Run]
"""From a number of rows to what is measured."""
SIZES = (1, 20, 240)
"""The numbers of rows that a pattern is measured with, if it does not say otherwise."""
ONE = (1,)
PAGE = 20
"""How many rows a usual page has."""
ROWS = int(os.environ.get("ROWS", "10000"))
"""How many rows a long list has."""
CONTENDER = os.environ.get("CONTENDER", "stock")


def among_others(run: Run) -> Run:
    """A run among objects that the garbage collector looks at, as in a request, each time."""
    return Fresh(lambda: [[number] for number in range(10_000)], lambda _: run())


def by_stock(make: Callable[[], Any]) -> Any:
    """What comes of a call without fastschema, as in an application before it is installed."""
    if not is_fast():
        return make()
    import fastschema

    fastschema.uninstall()
    try:
        return make()
    finally:
        fastschema.install()


def is_fast() -> bool:
    return os.environ.get("FASTSCHEMA") == "1"


@dataclass
class Collection:
    """Patterns by name, in the order in which they are shown."""

    title: str
    patterns: dict[str, tuple[Prepare, tuple[int, ...]]] = field(default_factory=dict)

    def add(
        self, name: str, prepare: Prepare | None = None, sizes: tuple[int, ...] = SIZES
    ) -> Callable[[Prepare], Prepare]:
        """Add a pattern; without ``prepare``, a decorator for the function that prepares it."""

        def decorator(prepare: Prepare) -> Prepare:
            self.patterns[name] = prepare, sizes
            return prepare

        return decorator(prepare) if prepare else decorator

    def prepare(self, measure: str) -> Run:
        """Return what is measured.

        :param measure: the name of a pattern, a comma and a number of rows
        """
        name, _, rows = measure.rpartition(", ")
        return self.patterns[name][0](int(rows))

    def sizes(self) -> dict[str, tuple[int, ...]]:
        return {name: sizes for name, (_, sizes) in self.patterns.items()}
