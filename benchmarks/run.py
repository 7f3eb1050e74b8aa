"""Benchmarks: stock and fastschema, or beside other packages, side by side.

    python benchmarks/run.py NAME [NAME ...] [--rows N] [--only WORD] [--rounds N] [--batch SECONDS]
        [--fail-below RATIO] [--python PYTHON] [--results DIR]

The names are those of ``BENCHMARKS``. Each contender has a process of its own (``worker.py``); they
take turns, and what they return is compared before and after it is timed. What has a database asks
SQLite in memory; with DATABASE_URL (see .ci/with-postgresql) a PostgreSQL server; flights that of
the example project. Prints a table, and writes NAME.json. Exits with 1 if a row is below
``--fail-below``, measured twice.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import peers
from harness import tables
from harness.comparing import Comparison, Measure, Process, compare
from peers import PAIR, Peer

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent / "example_project"


@dataclass(frozen=True)
class Benchmark:
    """Patterns of some modules that are compared.

    :param only: a regular expression that the names of its measures match
    :param own: contenders in the same environment, the first of them is the one to beat
    :param peers: those in environments of their own
    :param how: rounds and the seconds of a turn
    :param limit: below it, a ratio is wrong
    :param python: that of own contenders
    """

    title: str
    modules: tuple[str, ...]
    only: str = ""
    own: tuple[str, ...] = PAIR
    peers: Sequence[Peer] = ()
    how: dict[str, Any] = field(default_factory=lambda: {"rounds": 7, "batch": 0.02, "enough": 1.5})
    limit: float = 0
    python: Path = Path(sys.executable)


LONG = {"rounds": 5, "batch": 0.05, "enough": 1.5}
ONE_OBJECT = r": (POST|PATCH|GET|one object|input).*, 1$|: input.*, 240$"
BENCHMARKS = {
    "flights": Benchmark("Django REST framework", ("flights",), how=LONG),
    "flights_flask": Benchmark(
        "Flask and SQLAlchemy", ("flights_flask",), own=(*PAIR, "fs.response"), how=LONG
    ),
    "orders": Benchmark("marshmallow", ("orders",), how=LONG),
    "single": Benchmark(
        "One object in, one object out",
        ("requests", "serializers", "flask_requests"),
        only=ONE_OBJECT,
    ),
    "extrap": Benchmark(
        "Extra-P",
        ("extrap",),
        own=(*PAIR, "makers"),
        how={"rounds": 5, "batch": 0.05},
        python=HERE.parent / ".venv" / "applications" / "extrap" / "bin" / "python",
    ),
    "single-peers": Benchmark(
        "One object in, one object out, by Django 5.2 and DRF 3.16",
        ("requests", "serializers"),
        only=ONE_OBJECT,
        own=(),
        peers=peers.SINGLE,
    ),
    "ordinary": Benchmark("ordinary", ("serializers", "schemas"), limit=0.95),
    **{
        name: Benchmark(name, (name,), limit=0.95)
        for name in ("requests", "flask_requests", "plugins", "relations")
    },
}
BENCHMARKS |= {
    "drf": replace(BENCHMARKS["flights"], peers=peers.DRF),
    "flask": replace(BENCHMARKS["flights_flask"], peers=peers.FLASK),
    "marshmallow": replace(BENCHMARKS["orders"], peers=peers.MARSHMALLOW),
}


def load_flights(count: int) -> None:
    """Make sure that the example project's database has enough flights."""
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=PROJECT, check=True)
    counting = "from flights.models import Flight; print(Flight.objects.count())"
    command = [*manage, "shell", "--verbosity", "0", "-c", counting]
    there = subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
    if int(there.stdout) < count:
        print(f"Loading {count:,} flights ...", flush=True)
        subprocess.run([*manage, "load_flights", "--rows", str(count)], cwd=PROJECT, check=True)


def contenders(
    modules: Sequence[str], names: Sequence[str] = PAIR, python: Path = Path(sys.executable)
) -> list[Process]:
    worker = [python, HERE / "worker.py"]
    return [Process(name, [*worker, name, *modules]) for name in names]


def measures_of(names: Sequence[str], only: str = "", word: str = "") -> list[Measure]:
    """Measures by their names, if these match an expression and contain a word.

    :raises SystemExit: if there are none
    """
    wanted = [each for each in names if re.search(only, each) and word.lower() in each.lower()]
    if not wanted:
        raise SystemExit(f"no pattern has {word!r} in its name")
    split = [(name, *name.rpartition(", ")[::2]) for name in wanted]
    common = {name.partition(": ")[0] + ": " for name in wanted}
    [prefix] = common if len(common) == 1 else [""]
    return [Measure(name, title.removeprefix(prefix), int(rows)) for name, title, rows in split]


def measure(benchmark: Benchmark, word: str, limit: float, **how: Any) -> Comparison:
    """Measure.

    :param word: measures whose names contain it
    :param limit: rows whose ratio is below this are measured once more
    """

    def compared(names: Sequence[str] = ()) -> Comparison:
        started, failures = peers.start(benchmark.peers, *benchmark.modules)
        running = contenders(benchmark.modules, benchmark.own, benchmark.python) + started
        if not running[0].measures:
            raise SystemExit("the patterns cannot be prepared")
        chosen = measures_of(names or running[0].measures, benchmark.only, word)
        comparison = compare(chosen, running, **how)
        comparison.failures += failures
        return comparison

    comparison = compared()
    if slow := [figure["measure"] for figure in below(comparison.figures(), limit)]:
        comparison.add(compared(slow))
    return comparison


def asked(benchmark: Benchmark, measures: Sequence[str], what: str, **how: Any) -> dict[str, Any]:
    """What own contenders answer when everything is compiled, by the name of the measure."""
    found: dict[str, Any] = {}
    for contender in contenders(benchmark.modules, benchmark.own):
        with contender:
            for each in measures:
                contender.ask("digest", each, runs=2)
                found.setdefault(each, {})[contender.name] = contender.ask(what, each, **how)
    return found


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


def run(name: str, arguments: argparse.Namespace) -> bool:
    """Measure, print, and write what came of it; return whether no row is below the limit."""
    benchmark = BENCHMARKS[name]
    given = {each: getattr(arguments, each) for each in ("rounds", "batch")}
    limit = benchmark.limit if arguments.fail_below is None else arguments.fail_below
    if benchmark.modules[0].startswith("flights"):
        load_flights(arguments.rows)
    how = benchmark.how | {each: value for each, value in given.items() if value}
    comparison = measure(benchmark, arguments.only, limit, **how)
    if os.environ.get("DATABASE_URL", "").startswith("postgres"):
        name += "-postgresql"
    report = tables.report(name, benchmark.title, comparison)
    if "relations" in benchmark.modules:
        found = asked(benchmark, list(report["measures"]), "queries")
        report["queries"] = {
            each: [len(own["queries"]) for own in answers.values()]
            for each, answers in found.items()
        }
    shown = ratios(report) if name == "ordinary" else tables.contenders_table(report)
    tables.show(shown, report["title"])
    if name == "flights":
        from harness.chart import WHOLE, draw_parts

        wholes = [each for each in report["measures"] if WHOLE in each]
        samples = asked(benchmark, wholes, "sample", count=arguments.samples)
        for figure in report["figures"]:
            if own := samples.get(figure["measure"]):
                figure["sample"] = own[figure["contender"]]
        arguments.results.mkdir(parents=True, exist_ok=True)
        draw_parts(report, arguments.results / "flights-parts.svg")
    tables.write(arguments.results, report)
    print(summary(report["figures"]), tables.reasons(report), sep="\n")
    if slow := below(report["figures"], limit):
        print(f"{len(slow)} of {len(report['measures'])} rows are below {limit}:")
        for each in slow:
            print(f"  {each['ratio']:.2f}  {each['measure']}")
    return not slow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=BENCHMARKS, metavar="NAME")
    parser.add_argument("--rows", type=int, default=10_000, help="that long lists have")
    parser.add_argument("--only", metavar="WORD", default="", help="patterns whose names have it")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--batch", type=float, help="seconds that a turn takes")
    parser.add_argument("--samples", type=int, default=1500, help="of where the time goes")
    parser.add_argument("--fail-below", type=float, metavar="RATIO")
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    arguments = parser.parse_args()
    os.environ["ROWS"] = str(arguments.rows)
    are_fast = [run(name, arguments) for name in arguments.names]
    if not all(are_fast):
        sys.exit(1)


if __name__ == "__main__":
    main()
