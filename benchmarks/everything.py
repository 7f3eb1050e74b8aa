"""All benchmarks beside all peers, one after the other: what ``make bench-peers`` runs.

    python benchmarks/everything.py [--profile quick|full] [--results DIR]

Writes figures (JSON) and charts (SVG) of each benchmark, peers.json with when, on what and how long
it ran, and all figures as Markdown tables: peers.md.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

import endpoints
import flights
import flights_flask
import growth
import orders
from page import markdown
from showing import measured_with, write

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Profile:
    """How much is measured.

    :param rows: of marshmallow orders
    :param flights: of DRF and Flask
    :param rounds: how often contenders take turns
    :param min_time: the seconds that one value takes at least
    :param sizes: the numbers of rows that growth is measured with
    :param visited: how many flights a large answer has, under load
    :param seconds: how long each contender is under load in a round
    :param visits: rounds under load
    """

    rows: int
    flights: int
    rounds: int
    min_time: float
    sizes: tuple[int, ...]
    visited: int
    seconds: int
    visits: int


PROFILES = {
    "smoke": Profile(20, 20, 1, 1e-4, (10, 20), 10, 3, 1),
    "quick": Profile(2_000, 1_000, 3, 0.02, growth.ROWS, 500, 4, 1),
    "full": Profile(10_000, 20_000, 7, 0.1, growth.ROWS, 1_000, 15, 3),
}
"""``smoke`` only shows that everything runs; its figures say nothing."""


def run(profile: Profile, results: Path, console: Console) -> None:
    """Run all benchmarks, and show each as soon as it is there."""
    how = {"min_time": profile.min_time}
    rows, count, rounds = profile.rows, profile.flights, profile.rounds
    console.rule("1 of 5: marshmallow")
    orders.show(orders.run(rows, rounds, console, with_peers=True, **how), rows, results, console)
    console.rule("2 of 5: Django REST framework")
    made = flights.run(count, rounds, console, with_peers=True, **how)
    flights.show(made, count, "drf", results, console)
    console.rule("3 of 5: Flask")
    made = flights_flask.run(count, rounds, console, with_peers=True, **how)
    flights_flask.show(made, count, "flask", results, console)
    console.rule("4 of 5: growth")
    made = growth.run(profile.sizes, growth.FIELDS, rounds, console, **how)
    growth.show(made, results, console)
    console.rule("5 of 5: endpoints under load")
    loads = endpoints.run(profile.visited, profile.seconds, profile.visits, console)
    endpoints.show(loads, profile.visited, results, console)


def main() -> None:
    """Run, and write the Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", choices=PROFILES, default="quick")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    start, results = time.monotonic(), arguments.results
    run(PROFILES[arguments.profile], results, Console())
    took = {"profile": arguments.profile, "minutes": round((time.monotonic() - start) / 60, 1)}
    write(results, "peers", {**took, **measured_with()})
    (results / "peers.md").write_text(markdown(results))


if __name__ == "__main__":
    main()
