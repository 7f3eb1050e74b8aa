"""Freezes the time at a moment that the command line tells, around what is imported and used.

A script calls :func:`run` with a function that imports all it needs, and returns a function
that uses it, and returns what came of it.
"""

from __future__ import annotations

import datetime
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import fastschema

MOMENT = "2024-02-29T12:30:15.250000+00:00"
WHEN = (
    *(
        "while importing",
        "while importing fastschema",
        "before the first use",
        "after the first use",
    ),
    "with real values",
)
TOOLS = ["freezegun", "time-machine"] if importlib.util.find_spec("time_machine") else ["freezegun"]
"""PyPy has no time-machine."""


def frozen(tool: str) -> Any:
    """A context in which the time stands still."""
    if tool == "freezegun":
        from freezegun import freeze_time

        return freeze_time(MOMENT)
    import time_machine

    return time_machine.travel(MOMENT, tick=False)


def values() -> dict[str, Any]:
    """Values of the classes that there are at this moment, and what is parsed of texts."""
    now = datetime.datetime.now(datetime.UTC)
    return {
        "day": datetime.date.today(),
        "time": now.time(),
        "zoned": now,
        "naive": now.replace(tzinfo=None),
        "duration": datetime.timedelta(hours=1),
    }


def compared(use: Callable[[dict[str, Any]], Any], given: dict[str, Any]) -> None:
    """Check that it does the same by fastschema as by stock, with these values, twice."""
    for _ in range(2):
        with fastschema.disabled():
            expected = use(given)
        got = use(given)
        for part, other in zip(got, expected, strict=True):
            assert part == other, f"{part!r} is not {other!r}"


def run(make: Callable[[], Callable[[dict[str, Any]], Any]], framework: str) -> None:
    """Do what the command line says.

    :param framework: the name of the module that fastschema speeds up
    """
    tool, when = sys.argv[1:]
    real = values()
    if when == "while importing fastschema":
        importlib.import_module(framework)
    if when.startswith("while importing"):
        with frozen(tool):
            use = make()
            fake = values()
            compared(use, fake)
    elif when == "before the first use":
        use = make()
        with frozen(tool):
            fake = values()
            compared(use, fake)
    else:
        use = make()
        compared(use, real)
        with frozen(tool):
            fake = values()
            compared(use, fake if when == "after the first use" else real)
    for given in (real, fake):
        compared(use, given)
        with frozen(tool):
            compared(use, given)
