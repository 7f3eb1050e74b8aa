"""Where the time of a view goes, for the ``Server-Timing`` header. Knows no framework.

A view is timed if the request's header ``Race-Lane`` names a lane: ``stock`` or ``fastschema``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from time import perf_counter
from typing import ParamSpec, TypeVar

import fastschema

LANES = {"stock": fastschema.disabled, "fastschema": nullcontext}
"""The lanes, and what each view of a lane runs in."""

HEADER = "Race-Lane"
"""Not the query string, which pages repeat in the addresses of their neighbours."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Stopwatch:
    """The time of one view: each moment belongs to one phase, so the phases add up to the whole.

    It begins with the phase that is everything else: ``serialization``.

    :param lane: one of :data:`LANES`
    """

    def __init__(self, lane: str) -> None:
        self.lane = lane
        self._seconds: dict[str, float] = {}
        self._phase = "serialization"
        self._since = perf_counter()

    def switch(self, phase: str) -> str:
        """Begin a phase. Returns the one that ends."""
        now = perf_counter()
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + now - self._since
        ended, self._phase, self._since = self._phase, phase, now
        return ended

    def header(self) -> str:
        """The value of ``Server-Timing``: the milliseconds of each phase, and of them all."""
        self.switch(self._phase)
        seconds = {**self._seconds, "total": sum(self._seconds.values())}
        return ", ".join(f"{name};dur={each * 1000:.3f}" for name, each in seconds.items())


_running: ContextVar[Stopwatch | None] = ContextVar("race_stopwatch", default=None)
running = _running.get
"""The stopwatch of the view that is running; None if it is not timed."""


@contextmanager
def timed_lane(lane: str) -> Iterator[Stopwatch]:
    """Time what is in the ``with`` statement, and run it as its lane says."""
    token = _running.set(Stopwatch(lane))
    try:
        with LANES[lane]():
            yield _running.get()
    finally:
        _running.reset(token)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Count the time of the ``with`` statement as that of a phase, and of no phase around it."""
    stopwatch = running()
    if stopwatch is None:
        yield
        return
    around = stopwatch.switch(name)
    try:
        yield
    finally:
        stopwatch.switch(around)


def in_phase(name: str, function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A function whose time counts as that of a phase."""

    @wraps(function)
    def timed(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with phase(name):
            return function(*args, **kwargs)

    return timed
