"""Ordinary code, stock and fastschema side by side: nothing may be slower.

    python benchmarks/ordinary.py [serializers] [schemas] [requests] [flask_requests] [plugins]
        [relations] [--only WORD] [--rounds N] [--fail-below RATIO] [--results DIR]

Without names, serializers and schemas. What has a database asks SQLite in memory; with
DATABASE_URL (see .ci/with-postgresql) a PostgreSQL server. Prints how many times as fast as stock
fastschema is, the worst and the median; writes ordinary.json, or a file that is named after what
was chosen. Exits with 1 if a pattern is below ``--fail-below``, measured twice.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness import tables
from harness.comparing import Comparison, Measure, Process, compare

HERE = Path(__file__).resolve().parent
MODULES = ("serializers", "schemas", "requests", "flask_requests", "plugins", "relations")
CHOSEN = MODULES[:2]


def contenders(modules: Sequence[str]) -> list[Process]:
    worker = [sys.executable, HERE / "patterns_worker.py"]
    return [Process(name, [*worker, name, *modules]) for name in ("stock", "fastschema")]


def measures_of(names: Sequence[str], only: str | None = None) -> list[Measure]:
    """Measures by their names, if these contain a word.

    :raises SystemExit: if there are none
    """
    wanted = [each for each in names if only is None or only.lower() in each.lower()]
    if not wanted:
        raise SystemExit(f"no pattern has {only!r} in its name")
    split = [(name, *name.rpartition(", ")[::2]) for name in wanted]
    return [Measure(name, title, int(rows)) for name, title, rows in split]


def measure(
    modules: Sequence[str], only: str | None, limit: float, **how: Any
) -> tuple[Comparison, dict[str, list[int]]]:
    """Measure; return also how many queries both make, by the name of the measure.

    :param limit: rows whose ratio is below this are measured once more
    """
    both = contenders(modules)
    if not both[0].measures:
        raise SystemExit("the patterns cannot be prepared")
    chosen = measures_of(both[0].measures, only)
    comparison = compare(chosen, both, **how)
    if slow := {figure["measure"] for figure in below(comparison.figures(), limit)}:
        again = [each for each in chosen if each.name in slow]
        comparison.add(compare(again, contenders(modules), **how))
    queries: dict[str, list[int]] = {}
    if "relations" in modules:
        for contender in contenders(modules):
            with contender:
                for each in chosen:
                    contender.ask("digest", each.name, runs=2)
                    found = contender.ask("queries", each.name)["queries"]
                    queries.setdefault(each.name, []).append(len(found))
    return comparison, queries


def below(figures: Sequence[dict[str, Any]], limit: float) -> list[dict[str, Any]]:
    """The figures of fastschema whose ratio is less, the worst first."""
    slow = (each for each in figures if each["contender"] == "fastschema" and each["ratio"] < limit)
    return sorted(slow, key=lambda each: each["ratio"])


def ratios(report: dict[str, Any]) -> tables.Rows:
    """The ratios, a line for each pattern and a column for each number of rows."""
    found = (
        (report["measures"][each["measure"]], each["rows"], tables.times(each["ratio"]))
        for each in report["figures"]
        if each["contender"] == "fastschema"
    )
    return tables.sizes_table("speedup over stock", found)


def summary(figures: Sequence[dict[str, Any]]) -> str:
    lines = []
    for size in sorted({each["rows"] for each in figures}):
        own = [
            each["ratio"]
            for each in figures
            if each["rows"] == size and each["contender"] == "fastschema"
        ]
        lines.append(f"{size:,}: worst {min(own):.2f}, median {statistics.median(own):.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--only", metavar="WORD", help="patterns whose names contain it")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--batch", type=float, default=0.02, help="seconds that a turn takes")
    parser.add_argument("--fail-below", type=float, default=0.95, metavar="RATIO")
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    arguments = parser.parse_args()
    modules, limit = tuple(arguments.modules) or CHOSEN, arguments.fail_below
    how = {"rounds": arguments.rounds, "batch": arguments.batch, "enough": 1.5}
    comparison, queries = measure(modules, arguments.only, limit, **how)
    name = "ordinary" if modules == CHOSEN else "-".join(modules)
    if os.environ.get("DATABASE_URL", "").startswith("postgres"):
        name += "-postgresql"
    report = {**tables.report(name, name, comparison), "queries": queries}
    shown = ratios(report)
    tables.show(shown if name == "ordinary" else tables.contenders_table(report), name)
    print(summary(report["figures"]))
    tables.write(arguments.results, report)
    if slow := below(report["figures"], limit):
        print(f"{len(slow)} of {len(report['measures'])} rows are below {limit}:")
        for each in slow:
            print(f"  {each['ratio']:.2f}  {each['measure']}")
        sys.exit(1)


if __name__ == "__main__":
    main()
