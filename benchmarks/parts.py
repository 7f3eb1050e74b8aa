"""What each fast path gives in whole requests: with all of them, without one, and stock.

    python benchmarks/parts.py [--only WORD] [--rounds N] [--most-rows N] [--results DIR]

Each part is switched off by a patch (``parts_patches.py``), in the requests in which it takes part
(``patterns/requests.py``, ``patterns/flask_requests.py``). Each request has a process of its own,
for all ways to answer it, and one for stock; they take turns, and the answers are compared. Counts
seconds of processor time, the database server's included; of the ratios to fastschema in the same
turn, the median. SQLite in memory; with DATABASE_URL (see .ci/with-postgresql) a PostgreSQL server.
Writes parts-sqlite.json or parts-postgresql.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from fastschema.runtime import thresholds
from harness import tables
from harness.comparing import Measure, Process, Turn, compare
from harness.measuring import Contender
from parts_patches import PARTS, Part
from worker import Patterns

HERE = Path(__file__).resolve().parent
MODULES = {"DRF": "requests", "marshmallow": "flask_requests"}
NOTHING = "(nothing, for comparison)"
CHANCE = 0.05
"""What gives less goes; where as much comes of switching nothing off, the table says so."""
MOST_ROWS = 2400
"""Of more rows, only fastschema as it is and stock are measured."""


@contextmanager
def all_noted(parts: list[Part], note: Callable[[Part], object]) -> Iterator[None]:
    """Call a function with each of the parts whenever it takes part."""
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(part.noted(note))
        yield


def ways_of(fast: Patterns, front_end: str, measure: str, rows: int) -> list[Contender]:
    """Fastschema as it is, and without each of the parts that take part in a request."""

    def way(
        name: str, within: Callable[[], AbstractContextManager[Any]] = nullcontext
    ) -> Contender:
        how = {"within": within, "is_alone": False, "backends": fast.backends}
        return Contender(name, [measure], fast.prepared, **how)

    parts = [part for part in PARTS if part.front_end == front_end]
    seen: set[str] = set()
    if rows <= MOST_ROWS:
        noting = way("", lambda: all_noted(parts, lambda part: seen.add(part.name)))
        noting.ask("digest", measure, runs=2)
    ways = [way(NOTHING)] if rows <= MOST_ROWS else []
    return [
        way("fastschema"),
        *ways,
        *(way(each.name, each.off) for each in parts if each.name in seen),
    ]


def measure(front_end: str, name: str, rows: int, rounds: int, batch: float) -> dict[str, Any]:
    """Measure a request in this process; stock has one of its own."""
    module = MODULES[front_end]
    stock = Process("stock", [sys.executable, HERE / "worker.py", "stock", module])
    fast = Patterns("fastschema", [module])
    request = f"{front_end}: {name}, {rows}"
    ways = ways_of(fast, front_end, request, rows)
    comparison = compare([Measure(request, name, rows)], [stock, *ways], rounds=rounds, batch=batch)
    turns = comparison.turns[request]
    own = min(turn.total for turn in turns["fastschema"])
    best = min(turn.total for turn in turns["stock"])
    without = {each.name: longer(turns[each.name], turns["fastschema"]) for each in ways[1:]}
    about = {"measure": request, "front_end": front_end, "request": name, "rows": rows}
    ratio = longer(turns["stock"], turns["fastschema"])
    times = {"stock": best, "fastschema": own, "ratio": ratio, "without": without}
    return {**about, **times, "versions": fast.versions}


def check(front_end: str) -> set[str]:
    """Compare the answers to all requests without each of the parts, once; return those."""
    module = MODULES[front_end]
    fast = Patterns("fastschema", [module])
    checked: set[str] = set()
    with Process("stock", [sys.executable, HERE / "worker.py", "stock", module]) as stock:
        for name in dict.fromkeys(each.rpartition(", ")[0] for each in fast.measures):
            request = f"{name}, {1 if f'{name}, 1' in fast.measures else 20}"
            expected = stock.ask("digest", request)
            for way in ways_of(fast, front_end, request, 20):
                if way.name not in checked and way.ask("digest", request, runs=2) != expected:
                    raise SystemExit(f"{request}: {way.name} differs from stock")
                checked |= {way.name} - {"fastschema"}
    return checked


def longer(turns: list[Turn], others: list[Turn]) -> float:
    """How much longer one takes than another, each turn by itself: others may be slow."""
    return statistics.median(a.total / b.total for a, b in zip(turns, others, strict=True))


def shown(reports: list[dict[str, Any]]) -> str:
    """Both tables in Markdown, with a figure for each report in a cell."""
    whole: dict[tuple[str, int], list[str]] = {}
    most: dict[tuple[str, int], list[float]] = {}
    for report in reports:
        own: dict[tuple[str, int], float] = {}
        for figure in report["figures"]:
            key = f"{figure['front_end']}: {figure['request']}", figure["rows"]
            whole.setdefault(key, []).append(tables.times(figure["ratio"]))
            for part, gain in figure["without"].items():
                key = f"{figure['front_end']}: {part}", figure["rows"]
                own[key] = max(gain, own.get(key, 0.0))
        for key, gain in own.items():
            most.setdefault(key, []).append(gain)
    kept = {name for (name, _), gains in most.items() if max(gains) >= 1 + CHANCE}

    def cell(name: str, size: int, gains: list[float]) -> tuple[str, int, str]:
        figures = " / ".join(map("{:.2f}".format, gains))
        if name.endswith(NOTHING):
            is_noise = any(abs(gain - 1) > CHANCE for gain in gains)
            return name, size, f"{figures} (noise)" if is_noise else figures
        return name if name in kept else f"{name} (goes)", size, figures

    parts = (cell(*key, gains) for key, gains in most.items())
    requests = ((name, size, " / ".join(ratios)) for (name, size), ratios in whole.items())
    databases = " / ".join(report["database"] for report in reports)
    both = (
        tables.sizes_table(f"whole requests, times stock: {databases}", requests),
        tables.sizes_table(f"time without, in times of that with all: {databases}", parts),
    )
    return "\n\n".join([*map(tables.markdown, both), tables.versions(*reports)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", help="requests whose names contain it")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--batch", type=float, default=0.01, help="seconds that a turn takes")
    parser.add_argument("--most-rows", type=int, default=20_000, metavar="N")
    parser.add_argument("--measure", nargs=3, metavar=("FRONT_END", "NAME", "ROWS"))
    parser.add_argument("--check", choices=MODULES, help="measure nothing")
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    arguments = parser.parse_args()
    thresholds.rows_worth_reading = thresholds.rows_worth_reading_at_once = 1  # compile at once
    thresholds.uses_worth_an_exemplar = 1
    if arguments.check:
        print(json.dumps(sorted(check(arguments.check))))
        return
    how = ["--rounds", arguments.rounds, "--batch", arguments.batch]
    if arguments.measure:
        front_end, name, rows = arguments.measure
        print(json.dumps(measure(front_end, name, int(rows), arguments.rounds, arguments.batch)))
        return
    chosen = []
    for front_end, module in MODULES.items():
        with Process("", [sys.executable, HERE / "worker.py", "stock", module]) as listing:
            for found in listing.hello["measures"]:
                name, _, rows = found.removeprefix(f"{front_end}: ").rpartition(", ")
                is_wanted = (arguments.only or "").lower() in found.lower()
                if is_wanted and int(rows) <= arguments.most_rows:
                    chosen.append((front_end, name, rows))
    is_postgresql = os.environ.get("DATABASE_URL", "").startswith("postgres")
    database = "PostgreSQL" if is_postgresql else "SQLite"
    versions: dict[str, str] = {}
    figures = []
    for each in track(chosen, "measuring", console=Console(stderr=True), transient=True):
        command = [sys.executable, __file__, *map(str, [*how, "--measure", *each])]
        finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if finished.returncode:
            raise SystemExit(f"{each} failed")
        figure = json.loads(finished.stdout)
        versions |= figure.pop("versions")
        figures.append(figure)
    about = {"benchmark": f"parts-{database.lower()}", "database": database, "versions": versions}
    report = {**about, **tables.measured_with(), "figures": figures}
    print(shown([report]))
    tables.write(arguments.results, report)


if __name__ == "__main__":
    main()
