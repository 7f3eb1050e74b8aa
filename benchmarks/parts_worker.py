"""Measures whole requests with each fast path off.

python benchmarks/parts_worker.py FRONT_END REQUEST SECONDS MOST_ROWS

Prints a line of JSON for each number of rows; without REQUEST, the names of all requests; of all of
them with "*". The database is SQLite in memory, or a new one of the PostgreSQL server at
DATABASE_URL. SECONDS is about how long each way to answer a request is measured; with 0, the
answers are compared, in one request for each part, and nothing is measured.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from operator import truediv
from typing import Any

from applications.postgresql import connected, make_anew
from applications.worker import server_time
from fastschema.runtime import thresholds
from ordinary_pattern import Collection, DifferentError, Pattern, Run, Switch, difference
from ordinary_worker import set_up_django
from parts_patches import PARTS, Part
from worker import installed

DATABASE = "parts_of_fastschema"
FEWEST_TURNS = 5
BATCH = 0.01
"""Seconds of each way in a turn, at least."""
NOTHING = "(nothing, for comparison)"
EVERY = "*"
MOST_ROWS = 2400
"""Of more rows, only fastschema as it is and stock are measured."""


@dataclass
class Row:
    """What came of a request with a number of rows.

    :param stock: seconds of processor time, the best of all
    :param fastschema: the same
    :param ratio: the one in times of the other, the median of all turns
    :param without: by the names of parts, the time with that one off in times of that with all
    """

    front_end: str
    request: str
    rows: int
    stock: float
    fastschema: float
    ratio: float
    without: dict[str, float]


class Way:
    """A way to answer a request.

    :param run: answers it
    :param within: what makes it that way
    """

    def __init__(self, run: Run, within: Callable[[], AbstractContextManager[Any]]) -> None:
        self.run = run
        self.within = within
        self.seconds: list[float] = []
        """The fastest run of each turn."""
        self.runs = 1

    def check(self, expected: Any) -> None:
        """Run until all is compiled.

        :raises DifferentError: if the answer is another one than stock's
        """
        for _ in range(2):
            if where := difference(self.run(), expected):
                raise DifferentError(where)

    def measure(self, backends: list[int]) -> None:
        """Run for a while; the fastest run counts, with the time of the database server."""
        best = float("inf")
        with self.within():
            if self.runs > 1:
                self.run()  # the interpreter learns anew what is called
            for _ in range(self.runs):
                server, process = server_time(backends), time.process_time()
                self.run()
                process = time.process_time() - process
                best = min(best, process + server_time(backends) - server)
        self.seconds.append(best)

    def times(self, other: Way) -> float:
        """How much longer it takes than another one, each turn by itself: others may be slow."""
        return statistics.median(map(truediv, self.seconds, other.seconds))


def parts_of(pattern: Pattern, rows: int, expected: Any) -> list[Part]:
    """The parts that take part in a request."""
    parts = [part for part in PARTS if part.front_end == pattern.front_end]
    seen: set[str] = set()
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(part.noted(lambda each: seen.add(each.name)))
        Way(pattern.prepare(rows), nullcontext).check(expected)
    return [part for part in parts if part.name in seen]


def ways_of(pattern: Pattern, rows: int, switch: Switch, but: set[str]) -> dict[str, Way]:
    """All ways to answer a request, which answer the same.

    :param but: parts that are not to be switched off
    :raises DifferentError: if they do not
    """

    @contextmanager
    def uninstalled() -> Iterator[None]:
        switch.uninstall()
        try:
            yield
        finally:
            switch.install()

    with uninstalled():
        ways = {"stock": Way(pattern.prepare(rows), uninstalled)}
        expected = ways["stock"].run()
    ways["fastschema"] = Way(pattern.prepare(rows), nullcontext)
    if rows <= MOST_ROWS:
        ways[NOTHING] = Way(pattern.prepare(rows), nullcontext)
        for part in parts_of(pattern, rows, expected):
            if part.name not in but:
                ways[part.name] = Way(pattern.prepare(rows), part.off)
    for name, way in ways.items():
        with way.within():
            try:
                way.check(expected)
            except DifferentError as error:
                raise DifferentError(f"{error} without {name}") from None
    return ways


def measure(ways: dict[str, Way], budget: float) -> None:
    """Measure all ways in turns.

    :param budget: seconds for each
    """
    backends, turn = backends_of_server(), 0.0
    for way in ways.values():
        way.measure(backends)
        [seconds] = way.seconds
        way.runs = max(1, round(BATCH / seconds))
        turn += seconds * (way.runs + (way.runs > 1))
    gc.collect()
    gc.freeze()  # what is there now is not looked at again and again
    for number in range(max(FEWEST_TURNS, round(budget * len(ways) / turn))):
        for way in ways.values() if number % 2 else reversed(ways.values()):
            way.measure(backends)
    gc.unfreeze()


def backends_of_server() -> list[int]:
    """The processes of the database server that serve this one, if there is one."""
    if not os.environ["DATABASE_URL"].startswith("postgres"):
        return []
    query = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    with connected(DATABASE) as connection:
        return [pid for (pid,) in connection.execute(query, [DATABASE])]


def drf() -> tuple[Collection, Switch, dict[str, str]]:
    """The requests to views of Django REST framework."""
    switch, packages = set_up_django(os.environ["DATABASE_URL"])
    from parts_drf import DRF

    return DRF, switch, packages


def marshmallow() -> tuple[Collection, Switch, dict[str, str]]:
    """The requests to Flask."""
    import fastschema
    from parts_flask import MARSHMALLOW

    packages = installed("fastschema", "marshmallow", "flask", "sqlalchemy")
    return MARSHMALLOW, Switch(fastschema.install, fastschema.uninstall), packages


FRONT_ENDS = {"DRF": drf, "marshmallow": marshmallow}


def choose_database() -> None:
    """Let DATABASE_URL lead to an empty database of the server there; or to SQLite."""
    url = os.environ.get("DATABASE_URL", "")
    if url.startswith("postgres"):
        make_anew(DATABASE)
        os.environ["DATABASE_URL"] = f"{url.rpartition('/')[0]}/{DATABASE}"
    else:
        os.environ["DATABASE_URL"] = "sqlite://:memory:"


def main() -> None:
    """List the requests, or measure one."""
    front_end, *order = sys.argv[1:]
    choose_database()
    thresholds.rows_worth_reading = thresholds.rows_worth_reading_once = 1  # compile at once
    collection, switch, versions = FRONT_ENDS[front_end]()
    if not order:
        names = [pattern.name for pattern in collection.patterns]
        print(json.dumps({"requests": names, "versions": versions}))
        return
    chosen, budget, most_rows = order[0], float(order[1]), int(order[2])
    compared: set[str] = set()
    for pattern in collection.patterns:
        for rows in sorted({min(size, most_rows) for size in pattern.sizes}):
            if chosen in (pattern.name, EVERY):
                try:
                    ways = ways_of(pattern, rows, switch, compared)
                except DifferentError as error:
                    raise SystemExit(f"{front_end}: {pattern.name}, {rows}: {error}") from None
                if not budget:
                    compared |= ways.keys()
                    print(json.dumps({"without": list(ways)}), flush=True)
                    continue
                measure(ways, budget)
                stock, fast = ways.pop("stock"), ways.pop("fastschema")
                without = {name: way.times(fast) for name, way in ways.items()}
                seconds = min(stock.seconds), min(fast.seconds)
                row = Row(front_end, pattern.name, rows, *seconds, stock.times(fast), without)
                print(json.dumps(asdict(row)), flush=True)


if __name__ == "__main__":
    main()
