"""Limits for each test: one that never ends, or takes all memory there is, fails, and is named."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

try:
    import resource
except ImportError:  # on Windows
    resource = None

SECONDS = 600
"""For one test, by the clock, of a machine that does much else."""
MEGABYTES = 2048
"""How much more memory a test may take than the process had before it."""
_LOOK_EVERY = 0.5
"""How many seconds of processor time are between two looks at the memory."""
_PAGE = 0 if resource is None else resource.getpagesize() / 2**20


def limit_time(config: Any, items: list[Any]) -> None:
    """Let pytest-timeout, where it is installed, end tests that say nothing of their time."""
    is_endless = "WALKS" in os.environ  # to walk for hours
    if config.pluginmanager.hasplugin("timeout") and not is_endless:
        for item in items:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(SECONDS))


@contextmanager
def limit_memory(test: str, megabytes: int = MEGABYTES) -> Iterator[None]:
    """Fail a test that takes much more memory than there was before, where the system can tell."""
    # Signals come to the main thread only.
    if resource is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    most = _taken() + megabytes

    def look(number: int, frame: Any) -> None:
        if _taken() > most:
            pytest.fail(f"{test} takes more than {megabytes} MB of memory")

    before = signal.signal(signal.SIGVTALRM, look)
    timer = signal.setitimer(signal.ITIMER_VIRTUAL, _LOOK_EVERY, _LOOK_EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, *timer)
        signal.signal(signal.SIGVTALRM, before)


def _taken() -> float:
    """How many megabytes the process takes; where no file says so, the most it has ever taken."""
    if sys.platform == "linux":
        # Not ru_maxrss, in which Linux includes the process that started this one.
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, kibibytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
