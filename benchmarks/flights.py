"""The endpoints of the example project: stock and fastschema side by side, in one run.

    python benchmarks/flights.py [--flights N] [--rounds N] [--all] [--results DIR] [--peers]

Each contender has a process of its own; they take turns. What they return is compared before
anything is timed. Beside them, functions written by hand build the same dictionaries and call
orjson. Prints a table, and writes flights.json, flights.svg, and flights-parts.svg, which shows
where the time of a request goes.

With ``--all``, measures that the documentation does not show are there too. With ``--peers``,
they are, and other packages run, each in an environment that is made for it. The files are then
drf.json, drf.svg and drf-parts.svg.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from rich.console import Console

import peers
from contenders import (
    ENOUGH,
    ENOUGH_HELP,
    MIN_TIME,
    Comparison,
    Contender,
    Measure,
    compare,
    positive,
)
from database import load
from flights_parts import PAGE, TITLES
from showing import draw, draw_parts, report, table, write, write_timings

HERE = Path(__file__).resolve().parent
SHOWN = ("serializer", "rendering", "request", "page")
SHORT = (
    *("request", "page", "request.page", "request.flat", "request.method", "import"),
    *("serializer", "rendering", "lazy", "planes.lazy", "methods", "one"),
    *TITLES,
    *(f"{name}.page" for name in TITLES),
)
"""The measures that the documentation shows."""


def measures(count: int, *, with_all: bool = True) -> list[Measure]:
    """What is measured of so many flights."""
    found = [
        Measure("request", "whole request with database", count),
        Measure("page", "whole request, page of 50", 50),
        Measure("request.page", f"whole request, page of {PAGE}", PAGE),
        Measure("request.flat", "whole request, 12 plain columns", count),
        Measure("request.method", "whole request, a method field", count),
        Measure("import", "list posted and saved", min(1_000, count)),
        Measure("serializer", "serializer only", count),
        Measure("rendering", "serializer + rendering", count),
        Measure("rendering.page", "serializer + rendering, 50 flights", min(50, count)),
        Measure("lazy", "list view, rows in memory", count),
        Measure("planes.lazy", "list view, planes in memory", count),
        Measure("planes.serializer", "planes, serializer only", count),
        Measure("planes.plan", "planes, by a plan", count),
        Measure("planes.dictionaries", "planes as dictionaries, serializer only", count),
        Measure("methods", "method fields only, serializer", count),
        Measure("one", "one flight, serializer only", 1),
        Measure("methods.one", "method fields only, one flight", 1),
        *[Measure(name, title, count) for name, title in TITLES.items()],
        *[Measure(f"{name}.page", f"{title}, {PAGE}", PAGE) for name, title in TITLES.items()],
    ]
    return [each for each in found if with_all or each.name in SHORT]


def run(
    count: int,
    rounds: int,
    console: Console,
    *,
    with_peers: bool,
    with_all: bool = True,
    min_time: float = 0.1,
    enough: float = math.inf,
    with_memory: bool = True,
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
    how = {"min_time": min_time, "enough": enough, "with_memory": with_memory}
    chosen = measures(count, with_all=with_all or with_peers)
    comparison = compare(chosen, contenders + started, rounds, console, **how)
    comparison.failures += failures
    return comparison


def show(comparison: Comparison, count: int, name: str, results: Path, console: Console) -> None:
    """Print the table, write JSON and the chart."""
    title = f"{count:,} flights, each with airline, origin, destination and plane"
    console.print(table(title, comparison))
    write(results, name, report(name, f"DRF, {title}", comparison))
    write_timings(comparison, results / "pyperf" / name)
    draw(
        comparison,
        f"Django REST framework: {title}",
        results / f"{name}.svg",
        measures=SHOWN if name == "flights" else SHOWN[1:],
    )
    requests = {
        "": f"a list of {count:,} flights, the whole request",
        ".page": f"a page of {PAGE}, the whole request",
    }
    draw_parts(comparison, requests, results / f"{name}-parts.svg")
    which = "results that have a time" if comparison.failures else "results"
    console.print(f"The {which} are equal. Figures and chart: {results}")


def main() -> None:
    """Load, compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flights", type=positive, default=20_000)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--enough", type=float, default=ENOUGH, metavar="SECONDS", help=ENOUGH_HELP)
    parser.add_argument(
        "--all", action="store_true", help="all measures, not only those of the documentation"
    )
    parser.add_argument("--memory", action="store_true", help="measure the peak memory too")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    parser.add_argument("--peers", action="store_true", help="run the peers too")
    arguments = parser.parse_args()
    console, count = Console(), arguments.flights
    how = {
        "with_peers": arguments.peers,
        "with_all": arguments.all,
        "enough": arguments.enough,
        "min_time": MIN_TIME,
        "with_memory": arguments.memory,
    }
    comparison = run(count, arguments.rounds, console, **how)
    name = "drf" if arguments.peers else "flights"
    show(comparison, count, name, arguments.results, console)


if __name__ == "__main__":
    main()
