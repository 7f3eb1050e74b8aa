"""The bulk endpoint of the example project: stock and fastschema side by side, in one run.

    python benchmarks/flights.py [--flights N] [--rounds N] [--results DIR]

Each contender has a process of its own; they take turns. What they return is compared before
anything is timed. Prints a table, and writes flights.json and flights.svg.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from rich.console import Console

from contenders import Contender, Measure, compare, positive
from showing import draw, report, table, write

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent / "example_project"


def load(count: int, console: Console) -> None:
    """Make sure that the example project's database has enough flights."""
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=PROJECT, check=True)
    counting = "from flights.models import Flight; print(Flight.objects.count())"
    there = subprocess.run(
        [*manage, "shell", "--verbosity", "0", "-c", counting],
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
    )
    if int(there.stdout) < count:
        console.print(f"Loading {count:,} flights ...")
        subprocess.run([*manage, "load_flights", "--rows", str(count)], cwd=PROJECT, check=True)


def main() -> None:
    """Load, compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flights", type=positive, default=20_000)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console = Console()
    count = arguments.flights
    load(count, console)
    measures = [
        Measure("serializer", "serializer only", count),
        Measure("rendering", "serializer + rendering", count),
        Measure("request", "whole request with database", count),
    ]
    worker = [sys.executable, str(HERE / "flights_worker.py"), str(count)]
    contenders = [
        Contender("stock", worker, {"FASTSCHEMA": "0", "DEBUG": "0"}),
        Contender("fastschema", worker, {"FASTSCHEMA": "1", "DEBUG": "0"}),
    ]
    comparison = compare(measures, contenders, arguments.rounds, console)
    title = f"{count:,} flights, each with airline, origin, destination and plane"
    console.print(table(title, measures, comparison))
    write(arguments.results, "flights", report("flights", comparison))
    label = f"milliseconds for {count:,} flights; less is better"
    draw(measures, comparison.figures, label, arguments.results / "flights.svg")
    console.print(f"The results are equal. Figures and chart: {arguments.results}")


if __name__ == "__main__":
    main()
