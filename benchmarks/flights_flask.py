"""The flights by Flask and marshmallow: stock and fastschema side by side, in one run.

    python benchmarks/flights_flask.py [--flights N] [--rounds N]
        [--streamed N] [--streamed-rounds N] [--results DIR] [--peers]

First from rows in memory to the body of the response, each contender in a process of its own; then
whole requests with the database, where ``fs.response`` is given a statement, too. Then flights over
HTTP, from a gunicorn for each; with ``--streamed 336776``, all that there are. What
they return is compared before figures are shown. Prints two tables, and writes flights_flask.json
and flights_flask.svg.

With ``--peers``, flask-orjson runs too, in an environment of its own, and nothing is asked over
HTTP. The files are then flask.json and flask.svg.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

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
from database import PROJECT, load
from http_download import Download, Server
from showing import draw, duration, report, table, write, write_timings

HERE = Path(__file__).resolve().parent
VARIANTS = ("stock", "one line", "fs.response", "fs.stream", "statement")


def downloads(count: int, rounds: int, console: Console) -> list[Download]:
    """The best answers of stock and of both streams over HTTP; they take turns.

    :raises SystemExit: if they differ
    """
    limit = f"?limit={count}"
    best: dict[str, Download] = {}
    with ExitStack() as stack:
        servers = {
            f"/flights{limit}": Server("stock", {"FASTSCHEMA": "0"}, PROJECT),
            f"/flights{limit}&stream=json": Server("fs.stream", {"FASTSCHEMA": "1"}, PROJECT),
            f"/flights/select{limit}&stream=json": Server(
                "statement", {"FASTSCHEMA": "1"}, PROJECT
            ),
        }
        for server in servers.values():
            stack.enter_context(server)
        for number in range(rounds):
            for path, server in servers.items():
                with console.status(f"over HTTP: {server.contender}, round {number + 1}"):
                    made = server.download(path)
                known = best.setdefault(made.contender, made)
                if made.digest != next(iter(best.values())).digest:
                    raise SystemExit(f"over HTTP: {made.contender} differs from stock")
                best[made.contender] = Download(
                    made.contender,
                    min(made.first_byte, known.first_byte),
                    min(made.whole, known.whole),
                    made.megabytes,
                    max(made.peak, known.peak),
                    made.digest,
                )
    return list(best.values())


def download_table(title: str, made: Sequence[Download]) -> Table:
    """The downloads, and how the first byte compares with stock's."""
    stock = made[0]
    result = Table(title=title)
    result.add_column("over HTTP")
    for column in ("first byte", "of stock's", "whole", "MB", "peak MB above idle"):
        result.add_column(column, justify="right")
    for each in made:
        result.add_row(
            each.contender,
            duration(each.first_byte),
            f"1/{stock.first_byte / each.first_byte:,.0f}",
            duration(each.whole),
            f"{each.megabytes:,.1f}",
            f"{each.peak:,.1f}",
        )
    return result


def run(
    count: int,
    rounds: int,
    console: Console,
    *,
    with_peers: bool,
    min_time: float = 0.1,
    enough: float = math.inf,
    with_memory: bool = True,
) -> Comparison:
    """Fill the database, and compare all contenders, from rows in memory to a body."""
    load(count, console)
    measures = [
        Measure("flask", "rows in memory to body", count),
        Measure("flask.page", "the same, a page of 50", min(50, count)),
        Measure("flask.one", "the same, one row", 1),
    ]
    if not with_peers:
        measures += [
            Measure("flask.request", "whole request with the database", count),
            Measure("flask.request.page", "the same, a page of 50", min(50, count)),
            Measure("flask.request.columns", "the same, 12 columns of one table", 10_000),
        ]
    worker = [sys.executable, HERE / "flights_flask_worker.py"]
    variants = [name for name in VARIANTS if not (with_peers and name == "statement")]
    contenders = [Contender(name, [*worker, name, str(count)]) for name in variants]
    started, failures = peers.start(peers.FLASK if with_peers else [], count, console)
    how = {"min_time": min_time, "enough": enough, "with_memory": with_memory}
    comparison = compare(measures, contenders + started, rounds, console, **how)
    comparison.failures += failures
    return comparison


def show(
    comparison: Comparison,
    count: int,
    name: str,
    results: Path,
    console: Console,
    made: Sequence[Download] = (),
    streamed: int = 0,
) -> None:
    """Print the tables, write JSON and the chart.

    :param made: downloads of all of the ``streamed`` flights
    """
    title = f"Flask: {count:,} flights with nested objects"
    console.print(table(title, comparison))
    figures = report(name, title, comparison)
    if made:
        console.print(download_table(f"Flask: {streamed:,} flights", made))
        figures["streamed"] = streamed
        figures["downloads"] = [asdict(each) for each in made]
    write(results, name, figures)
    write_timings(comparison, results / "pyperf" / name)
    draw(comparison, title, results / f"{name}.svg", measures=("flask",))
    which = "results that have a time" if comparison.failures else "results"
    console.print(f"The {which} are equal. Figures and chart: {results}")


def main() -> None:
    """Load, compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flights", type=positive, default=20_000)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--streamed", type=positive, default=20_000, metavar="FLIGHTS")
    parser.add_argument("--streamed-rounds", type=positive, default=2, metavar="ROUNDS")
    parser.add_argument("--enough", type=float, default=ENOUGH, metavar="SECONDS", help=ENOUGH_HELP)
    parser.add_argument("--memory", action="store_true", help="measure the peak memory too")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    parser.add_argument("--peers", action="store_true", help="run the peers too, without HTTP")
    arguments = parser.parse_args()
    console, count, results = Console(), arguments.flights, arguments.results
    how = {
        "with_peers": arguments.peers,
        "enough": arguments.enough,
        "min_time": MIN_TIME,
        "with_memory": arguments.memory,
    }
    comparison = run(count, arguments.rounds, console, **how)
    if arguments.peers:
        show(comparison, count, "flask", results, console)
        return
    load(arguments.streamed, console)
    made = downloads(arguments.streamed, arguments.streamed_rounds, console)
    show(comparison, count, "flights_flask", results, console, made, arguments.streamed)


if __name__ == "__main__":
    main()
