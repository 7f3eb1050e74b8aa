"""marshmallow schemas: stock and fastschema side by side, in one run.

    python benchmarks/orders.py [--rows N] [--rounds N] [--results DIR]

Each contender has a process of its own; they take turns. What they return is compared before
anything is timed. Prints a table, and writes orders.json and orders.svg.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from contenders import Contender, Measure, compare, draw, positive, report, table, write

HERE = Path(__file__).resolve().parent
PACKAGES = ["fastschema", "marshmallow", "orjson"]


def main() -> None:
    """Compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=positive, default=10_000)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console = Console()
    count = arguments.rows
    measures = [
        Measure("orders.dumps", "orders to JSON text", count),
        Measure("orders.dump", "orders to dictionaries", count),
        Measure("orders.page", "a page of 50 orders", 50, repeat=20),
        Measure("orders.one", "one order, schema made once", 1, repeat=1000),
        Measure("orders.fresh", "one order, a fresh schema", 1, repeat=300),
        Measure("hooked.dump", "orders with two hooks", count),
        Measure("custom.dump", "custom fields only", count),
        Measure("flat.dumps", "flat rows to JSON text", count),
        Measure("flat.dump", "flat rows to dictionaries", count),
    ]
    contenders = [
        Contender(name, [sys.executable, str(HERE / "orders_worker.py"), name, str(count)], {})
        for name in ("stock", "fastschema")
    ]
    figures = compare(measures, contenders, arguments.rounds, console)
    console.print(table(f"marshmallow: {count:,} rows", measures, figures))
    versions = {package: version(package) for package in PACKAGES}
    write(arguments.results, "orders", report("orders", versions, figures))
    bulk = [measure for measure in measures if measure.rows == count]
    shown = [figure for figure in figures if figure.measure in {each.name for each in bulk}]
    label = f"milliseconds for {count:,} rows; less is better"
    draw(bulk, shown, label, arguments.results / "orders.svg")
    console.print(f"The results are equal. Figures and chart: {arguments.results}")


if __name__ == "__main__":
    main()
