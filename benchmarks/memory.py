"""The memory of a server while it answers."""

from __future__ import annotations

import threading

import psutil


class Watch:
    """Looks at the memory of a process every few milliseconds, while a ``with`` statement lasts.

    ``idle`` is what it had at the beginning, ``peak`` the most that it had above that, in bytes.
    """

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.idle = process.memory_info().rss
        self.peak = 0

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(0.005):
            self.peak = max(self.peak, self._process.memory_info().rss - self.idle)
