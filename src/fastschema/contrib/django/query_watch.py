"""The queries of a real run, and which code asked them: what the doctor's ``--profile`` counts."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

from django.db import connections

_PASSED = ("django", "contextlib", "functools")
_FRAMEWORKS = ("", "rest_framework", "fastschema")  # generated code has no module
_TABLE = re.compile(r'\bFROM\s+["`\[]?([\w.]+)', re.IGNORECASE)


class Watch:
    """What the database was asked.

    :param seconds: how long it took to answer
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._asked: Counter[tuple[str, str]] = Counter()

    @property
    def count(self) -> int:
        """How many queries there were."""
        return self._asked.total()

    def by_users(self, rows: int) -> list[str]:
        """What code of users asked for every other row at least: a sentence each.

        :param rows: how many rows were serialized
        """
        return [
            f"{place} asks {table} {count} times"
            for (place, table), count in self._asked.most_common()
            if place and count > max(1, rows // 2)
        ]

    def _note(self, execute: Callable[..., Any], sql: Any, *args: Any) -> Any:
        table = _TABLE.search(str(sql))
        self._asked[_place(), table[1] if table else "the database"] += 1
        start = perf_counter()
        try:
            return execute(sql, *args)
        finally:
            self.seconds += perf_counter() - start


@contextmanager
def watch() -> Iterator[Watch]:
    """Count the queries that are made meanwhile."""
    found = Watch()
    with ExitStack() as stack:
        for each in connections.all():
            stack.enter_context(each.execute_wrapper(found._note))
        yield found


def _place() -> str:
    """The function of users that asks, or "" if a framework does so by itself."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        package = module.partition(".")[0]
        if package not in _PASSED:
            return "" if package in _FRAMEWORKS else f"{module}.{frame.f_code.co_qualname}"
        frame = frame.f_back
    return ""
