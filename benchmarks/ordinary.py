"""Ordinary code, stock and fastschema side by side: nothing may be slower.

    python benchmarks/ordinary.py [--only WORD] [--rounds N] [--fail-below RATIO] [--results DIR]

Each pattern has a process of its own, in which stock and fastschema take turns; while stock runs,
fastschema is uninstalled. What they return is compared before anything is timed. The best of the
rounds counts, in seconds of processor time. Prints how many times as fast as stock fastschema is,
the worst and the median of each front end, and what the first use of many schemas costs; writes
ordinary.json.

Exits with 1 if a pattern is below ``--fail-below``; each such row is measured once more first.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from contenders import positive
from ordinary_first import FIELDS, SCHEMAS, FirstUse
from ordinary_pattern import BATCH, Row
from showing import duration, measured_with, write

HERE = Path(__file__).resolve().parent
FRONT_ENDS = ("DRF", "marshmallow")


@dataclass(frozen=True)
class Wanted:
    """A pattern that is to be measured, with its numbers of rows."""

    front_end: str
    pattern: str
    sizes: tuple[int, ...]


@dataclass
class Outcome:
    """What came of all patterns.

    :param first: the first use of many schemas, by contender
    """

    versions: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    first: dict[str, FirstUse] = field(default_factory=dict)

    def below(self, limit: float) -> list[Row]:
        """The rows whose ratio is less, the worst first."""
        return sorted((row for row in self.rows if row.ratio < limit), key=lambda row: row.ratio)


def ask(script: str, *arguments: object) -> list[dict[str, Any]]:
    """What a worker prints, line by line.

    :raises SystemExit: if it fails
    """
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if finished.returncode:
        raise SystemExit(f"{script} {' '.join(map(str, arguments))} failed")
    return [json.loads(line) for line in finished.stdout.splitlines()]


def wanted(only: str | None, outcome: Outcome) -> list[Wanted]:
    """The patterns whose front end or name contains a word; None: all.

    :raises SystemExit: if there are none
    """
    found = []
    for front_end in FRONT_ENDS:
        [listed] = ask("ordinary_worker.py", front_end)
        outcome.versions |= listed["versions"]
        for name, sizes in listed["patterns"].items():
            if only is None or only.lower() in f"{front_end}: {name}".lower():
                found.append(Wanted(front_end, name, tuple(sizes)))
    if not found:
        raise SystemExit(f"no pattern has {only!r} in its name")
    return found


def measure(patterns: Iterable[Wanted], rounds: int, batch: float, progress: Progress) -> list[Row]:
    """Measure patterns one after the other."""
    patterns = list(patterns)
    task = progress.add_task("", total=len(patterns))
    rows = []
    for each in patterns:
        progress.update(task, description=f"{each.front_end}: {each.pattern}")
        order = (each.front_end, each.pattern, rounds, batch, *each.sizes)
        rows += [Row(**line) for line in ask("ordinary_worker.py", *order)]
        progress.advance(task)
    return rows


def again(
    slow: Sequence[Row], rows: Sequence[Row], rounds: int, batch: float, progress: Progress
) -> list[Row]:
    """The same rows, where those that are slow are measured once more and the best time counts."""
    sizes: dict[tuple[str, str], list[int]] = {}
    for row in slow:
        sizes.setdefault((row.front_end, row.pattern), []).append(row.rows)
    patterns = [Wanted(*key, tuple(each)) for key, each in sizes.items()]
    second = {
        (row.front_end, row.pattern, row.rows): row
        for row in measure(patterns, rounds, batch, progress)
    }
    return [best(row, second.get((row.front_end, row.pattern, row.rows), row)) for row in rows]


def best(one: Row, other: Row) -> Row:
    """A row with the better times of two measurements."""
    times = min(one.stock, other.stock), min(one.fastschema, other.fastschema)
    return Row(one.front_end, one.pattern, one.rows, *times)


def first_use(rounds: int, *options: object) -> dict[str, FirstUse]:
    """What the first use of many schemas costs, in a new process each time; the best counts."""
    uses: dict[str, list[FirstUse]] = {"stock": [], "fastschema": []}
    for _ in range(rounds):
        for contender, own in uses.items():
            [answer] = ask("ordinary_first.py", contender, *options)
            own.append(FirstUse(**answer))
    return {
        contender: min(own, key=lambda use: use.dump + use.load) for contender, own in uses.items()
    }


def table(outcome: Outcome, front_end: str, limit: float) -> Table:
    """The ratios of a front end, a line for each pattern and a column for each number of rows."""
    rows = [row for row in outcome.rows if row.front_end == front_end]
    sizes = sorted({row.rows for row in rows})
    result = Table(title=f"{front_end}: how many times as fast as stock", caption=summary(rows))
    result.add_column("pattern", overflow="fold")
    for size in sizes:
        result.add_column(f"{size:,} row{'s' * (size != 1)}", justify="right", no_wrap=True)
    by_pattern: dict[str, dict[int, Row]] = {}
    for row in rows:
        by_pattern.setdefault(row.pattern, {})[row.rows] = row
    for name, own in by_pattern.items():
        result.add_row(name, *(cell(own.get(size), limit) for size in sizes))
    return result


def cell(row: Row | None, limit: float) -> str:
    """A ratio, marked if it is below the limit."""
    if row is None:
        return ""
    return f"[bold red]{row.ratio:.2f}[/]" if row.ratio < limit else f"{row.ratio:.2f}"


def summary(rows: Sequence[Row]) -> str:
    """The worst and the median, over all numbers of rows and for each."""
    if not rows:
        return ""
    lines = [f"all: {spread(rows)}"]
    for size in sorted({row.rows for row in rows}):
        lines.append(f"{size:,}: {spread([row for row in rows if row.rows == size])}")
    return "\n".join(lines)


def spread(rows: Sequence[Row]) -> str:
    """The worst and the median ratio."""
    ratios = [row.ratio for row in rows]
    return f"worst {min(ratios):.2f}, median {statistics.median(ratios):.2f}"


def first_table(first: dict[str, FirstUse]) -> Table:
    """What the first use of many schemas costs, in seconds and megabytes."""
    result = Table(title=f"First use of {SCHEMAS} schemas of {FIELDS} fields, one object each")
    result.add_column("")
    for column in ("dump", "load", "both", "MB more"):
        result.add_column(column, justify="right")
    for contender, use in first.items():
        times = (duration(each) for each in (use.dump, use.load, use.dump + use.load))
        result.add_row(contender, *times, f"{use.megabytes:,.1f}")
    return result


def report(outcome: Outcome) -> dict[str, Any]:
    """All figures with what they depend on, in the form of the other benchmarks."""
    figures = [
        {
            "measure": f"{row.front_end}: {row.pattern}, {row.rows}",
            "contender": "fastschema",
            "ratio": row.ratio,
            **asdict(row),
        }
        for row in outcome.rows
    ]
    first = {contender: asdict(use) for contender, use in outcome.first.items()}
    about = {"benchmark": "ordinary", **measured_with(), "versions": outcome.versions}
    return {**about, "figures": figures, "first_use": first}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", help="patterns whose names contain it")
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--batch", type=float, default=BATCH, help="seconds that one value takes")
    parser.add_argument("--fail-below", type=float, default=0.95, metavar="RATIO")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console, rounds, limit = Console(), arguments.rounds, arguments.fail_below
    outcome = Outcome()
    patterns = wanted(arguments.only, outcome)
    with Progress(console=console, transient=True) as progress:
        outcome.rows = measure(patterns, rounds, arguments.batch, progress)
        if slow := outcome.below(limit):
            outcome.rows = again(slow, outcome.rows, rounds, arguments.batch, progress)
    if arguments.only is None:
        outcome.first = first_use(3)
    for front_end in dict.fromkeys(row.front_end for row in outcome.rows):
        console.print(table(outcome, front_end, limit))
    if outcome.first:
        console.print(first_table(outcome.first))
    write(arguments.results, "ordinary", report(outcome))
    console.print(f"The results are equal. Figures: {arguments.results / 'ordinary.json'}")
    if slow := outcome.below(limit):
        console.print(f"{len(slow)} of {len(outcome.rows)} rows are below {limit}:")
        for row in slow:
            console.print(f"  {row.ratio:.2f}  {row}", highlight=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
