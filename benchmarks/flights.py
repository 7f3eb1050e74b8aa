"""The endpoints of the example project, in Django REST framework and in Flask: the main benchmark.

    python benchmarks/flights.py [--flights N] [--rounds N] [--peers] [--results DIR]

Each contender has a process of its own; they take turns. What they return is compared before and
after it is timed. With ``--peers``, other packages run, too. Prints tables, writes flights.json and
flights_flask.json (drf.json and flask.json), and flights-parts.svg, which shows where the time of a
request to Django goes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import peers
from harness import tables
from harness.comparing import Comparison, Measure, Process, compare

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent / "example_project"
PAGE = 20
"""How many rows a usual page has."""
PARTS = {
    "parts.database": "the query and its rows",
    "parts.instances": "the query, then instances or values",
    "parts.serialization": "serialization",
    "parts.rendering": "rendering",
}


def load(count: int) -> None:
    """Make sure that the example project's database has enough flights."""
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=PROJECT, check=True)
    counting = "from flights.models import Flight; print(Flight.objects.count())"
    command = [*manage, "shell", "--verbosity", "0", "-c", counting]
    there = subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
    if int(there.stdout) < count:
        print(f"Loading {count:,} flights ...", flush=True)
        subprocess.run([*manage, "load_flights", "--rows", str(count)], cwd=PROJECT, check=True)


def drf_measures(count: int) -> list[Measure]:
    flights = f"{count:,} flights"
    found = [
        Measure("request.page", f"whole request: a page of {PAGE}, each with four objects", PAGE),
        Measure("one", "`.data` of one flight, the serializer alone"),
        Measure("request", f"whole request: {flights}, each with four objects", count),
        Measure("request.flat", f"whole request: {flights} of twelve plain columns", count),
        Measure("request.method", f"whole request: {flights}, and a method field", count),
        Measure("import", "whole request: 1,000 posted, validated and saved in bulk", 1000),
        Measure("lazy", f"a list view of {flights} in memory", count),
        Measure("rendering", f"serializer and renderer: {flights} in memory", count),
        Measure("serializer", f"the serializer alone: {flights} in memory", count),
    ]
    for ending, rows in (("", count), (".page", PAGE)):
        found += [
            Measure(name + ending, f"{title}, {rows:,}", rows) for name, title in PARTS.items()
        ]
    return found


def flask_measures(count: int) -> list[Measure]:
    return [
        Measure("flask.request.page", "whole request: 20 flights, each with four objects", PAGE),
        Measure("flask.request", f"whole request: {count:,} flights", count),
        Measure("flask.request.columns", f"whole request: {count:,} of twelve columns", count),
        Measure("flask.page", "rows in memory to body: 20 flights", PAGE),
        Measure("flask", f"rows in memory to body: {count:,} flights", count),
    ]


def measure_drf(count: int, rounds: int, *, with_peers: bool) -> Comparison:
    worker = [sys.executable, HERE / "flights_worker.py"]
    contenders = [
        Process(name, [*worker, name, str(count)], {"FASTSCHEMA": is_on, "DEBUG": "0"})
        for name, is_on in (("stock", "0"), ("fastschema", "1"))
    ]
    started, failures = peers.start(peers.DRF if with_peers else [], count)
    comparison = compare(drf_measures(count), contenders + started, rounds=rounds, enough=1.5)
    comparison.failures += failures
    return comparison


def measure_flask(count: int, rounds: int, *, with_peers: bool) -> Comparison:
    """Compare all contenders with Flask: ``fs.response`` is given rows, or a statement."""
    worker = [sys.executable, HERE / "flights_flask_worker.py"]
    names = ("stock", "fastschema", "fs.response")
    contenders = [Process(name, [*worker, name, str(count)]) for name in names]
    started, failures = peers.start(peers.FLASK if with_peers else [], count)
    comparison = compare(flask_measures(count), contenders + started, rounds=rounds, enough=1.5)
    comparison.failures += failures
    return comparison


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flights", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="run the peers, too")
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    arguments = parser.parse_args()
    count, rounds, with_peers = arguments.flights, arguments.rounds, arguments.peers
    load(count)
    for name, title, measure in (
        ("drf" if with_peers else "flights", "Django REST framework", measure_drf),
        ("flask" if with_peers else "flights_flask", "Flask and SQLAlchemy", measure_flask),
    ):
        comparison = measure(count, rounds, with_peers=with_peers)
        report = tables.report(name, f"{title}, {count:,} flights", comparison)
        for part in [each for each in report["measures"] if each.startswith("parts.")]:
            del report["measures"][part]  # the chart shows them
        tables.show(tables.contenders_table(report), report["title"])
        tables.write(arguments.results, report)
        if name == "flights":
            from harness.chart import draw_parts

            requests = {"": f"a list of {count:,} flights", ".page": f"a page of {PAGE}"}
            draw_parts(report, requests, arguments.results / "flights-parts.svg")


if __name__ == "__main__":
    main()
