"""The endpoints of the example project: stock and fastschema side by side, in one run.

    python benchmarks/flights.py [--flights N] [--rounds N] [--results DIR] [--peers]

Each contender has a process of its own; they take turns. What they return is compared before
anything is timed. Beside them, functions written by hand build the same dictionaries and call
orjson. Prints a table, and writes flights.json and flights.svg.

With ``--peers``, other packages run too, each in an environment that is made for it. The files are
then drf.json and drf.svg.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

import peers
from contenders import Comparison, Contender, Measure, compare, positive
from database import load
from showing import draw, report, table, write, write_timings

HERE = Path(__file__).resolve().parent
SHOWN = ("serializer", "rendering", "request", "page")


def measures(count: int) -> list[Measure]:
    """What is measured of so many flights."""
    return [
        Measure("serializer", "serializer only", count),
        Measure("rendering", "serializer + rendering", count),
        Measure("rendering.page", "serializer + rendering, 50 flights", min(50, count)),
        Measure("lazy", "list view, rows in memory", count),
        Measure("planes.lazy", "list view, planes in memory", count),
        Measure("planes.serializer", "planes, serializer only", count),
        Measure("planes.plan", "planes, by a plan", count),
        Measure("planes.dictionaries", "planes as dictionaries, serializer only", count),
        Measure("methods", "method fields only, serializer", count),
        Measure("request", "whole request with database", count),
        Measure("page", "whole request, page of 50", 50),
        Measure("one", "one flight, serializer only", 1),
        Measure("methods.one", "method fields only, one flight", 1),
    ]


def run(
    count: int, rounds: int, console: Console, *, with_peers: bool, min_time: float = 0.1
) -> Comparison:
    """Fill the database, and compare all contenders."""
    load(count, console)
    worker = [sys.executable, HERE / "flights_worker.py"]
    off, on = {"FASTSCHEMA": "0", "DEBUG": "0"}, {"FASTSCHEMA": "1", "DEBUG": "0"}
    contenders = [
        Contender("stock", [*worker, "stock", str(count)], off),
        Contender("fastschema", [*worker, "fastschema", str(count)], on),
        # It may write the same values in other bytes: a number with another exponent, say.
        Contender("by hand", [*worker, "by hand", str(count)], off, is_peer=True),
    ]
    started, failures = peers.start(peers.DRF if with_peers else [], count, console)
    comparison = compare(measures(count), contenders + started, rounds, console, min_time=min_time)
    comparison.failures += failures
    return comparison


def show(comparison: Comparison, count: int, name: str, results: Path, console: Console) -> None:
    """Print the table, write JSON and the chart."""
    title = f"{count:,} flights, each with airline, origin, destination and plane"
    console.print(table(title, comparison))
    write(results, name, report(name, f"DRF, {title}", comparison))
    write_timings(comparison, results / "pyperf" / name)
    label = f"milliseconds for {count:,} flights; less is better"
    draw(
        comparison,
        label,
        results / f"{name}.svg",
        measures=SHOWN if name == "flights" else SHOWN[1:],
    )
    which = "results that have a time" if comparison.failures else "results"
    console.print(f"The {which} are equal. Figures and chart: {results}")


def main() -> None:
    """Load, compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flights", type=positive, default=20_000)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    parser.add_argument("--peers", action="store_true", help="run the peers too")
    arguments = parser.parse_args()
    console, count = Console(), arguments.flights
    comparison = run(count, arguments.rounds, console, with_peers=arguments.peers)
    name = "drf" if arguments.peers else "flights"
    show(comparison, count, name, arguments.results, console)


if __name__ == "__main__":
    main()
