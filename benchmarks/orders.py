"""marshmallow schemas: stock and fastschema side by side, in one run.

    python benchmarks/orders.py [--rows N] [--rounds N] [--all] [--results DIR] [--peers]

Each contender has a process of its own; they take turns. What they return is compared before
anything is timed. Prints a table, and writes orders.json and orders.svg.

With ``--all``, measures that the documentation does not show are there too. With ``--peers``,
they are, and other packages that make marshmallow fast run, the last marshmallow 3, and other ways
to the same JSON, each in an environment that is made for it. The files are then marshmallow.json,
marshmallow.svg and references.svg.
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
from ordinary_first import FIELDS, SCHEMAS
from showing import draw, report, table, write, write_timings

HERE = Path(__file__).resolve().parent
MARSHMALLOW = ["stock", "fastschema", *(peer.name for peer in peers.MARSHMALLOW)]
REFERENCES = ["stock", "fastschema", *(peer.name for peer in peers.REFERENCES)]
SHORT = (
    *("orders.dumps", "orders.dump", "orders.page", "orders.one", "orders.plan.one"),
    *("orders.fresh", "orders.fresh.20", "orders.load", "orders.load.wrong"),
    *("flat.dumps", "flat.dump", "flat.load", "compile", "schemas"),
    *("orders.text", "flat.text", "orders.loads", "flat.loads"),
    *("shapes.dump", "shapes.load", "custom.dump", "custom.load"),
)
"""The measures that the documentation shows."""


def measures(count: int, *, with_all: bool = True) -> list[Measure]:
    """What is measured of so many rows."""
    found = [
        Measure("orders.dumps", "orders to JSON text", count),
        Measure("orders.page.dumps", "a page of 50 orders to JSON text", min(50, count)),
        Measure("orders.one.dumps", "one order to JSON text", 1),
        Measure("flat.dumps", "flat rows to JSON text", count),
        Measure("deep.dumps", "five levels to JSON text", max(1, count // 5)),
        Measure("orders.text", "orders by Schema.dumps", count),
        Measure("flat.text", "flat rows by Schema.dumps", count),
        Measure("orders.dump", "orders to dictionaries", count),
        Measure("orders.page", "a page of 50 orders", min(50, count)),
        Measure("orders.one", "one order, schema made once", 1),
        Measure("orders.one.busy", "one order, among 2,000 other objects", 1),
        Measure("orders.plan.one", "one order, plan made once", 1),
        Measure("orders.fresh", "one order, a fresh schema", 1),
        Measure("orders.fresh.20", "20 orders, a fresh schema", min(20, count)),
        Measure("hooked.dump", "orders with two hooks", count),
        Measure("custom.dump", "custom fields only", count),
        Measure("shapes.dump", "polymorphic objects, a fresh schema each", max(1, count // 10)),
        Measure("shapes.load", "load polymorphic objects", max(1, count // 10)),
        Measure("custom.load", "load custom fields only", count),
        Measure("deep.dump", "five levels to dictionaries", max(1, count // 5)),
        Measure("flat.dump", "flat rows to dictionaries", count),
        Measure("flat.one", "one flat row", 1),
        Measure("flat.fresh", "one flat row, fresh schema", 1),
        Measure("orders.load", "load orders", count),
        Measure("orders.load.wrong", "load orders, every second one wrong", count),
        Measure("orders.load.objects", "load orders, make objects", count),
        Measure("orders.load.one", "load one order, schema made once", 1),
        Measure("items.load.wrong", "load nested items, all wrong", 2 * count),
        Measure("flat.load", "load flat rows", count),
        Measure("orders.loads", "orders by Schema.loads", count),
        Measure("flat.loads", "flat rows by Schema.loads", count),
        Measure("flat.load.wrong", "load flat rows, every second one wrong", count),
        # The last ones: what they compile stays in memory.
        Measure("compile", "first use of a schema of 18 fields", 1),
        Measure("schemas", f"first dump and load of {SCHEMAS} schemas of {FIELDS} fields", SCHEMAS),
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
    """Compare all contenders."""
    worker = HERE / "orders_worker.py"
    contenders = [
        Contender(name, [sys.executable, worker, name, str(count)])
        for name in ("stock", "fastschema")
    ]
    invited = [*peers.MARSHMALLOW, *peers.REFERENCES] if with_peers else []
    started, failures = peers.start(invited, count, console)
    how = {"min_time": min_time, "enough": enough, "with_memory": with_memory}
    chosen = measures(count, with_all=with_all or with_peers)
    comparison = compare(chosen, contenders + started, rounds, console, **how)
    comparison.failures += failures
    return comparison


def show(comparison: Comparison, count: int, results: Path, console: Console) -> None:
    """Print the table, write JSON and charts; files are named for who took part."""
    with_peers = len(comparison.contenders) > 2
    name = "marshmallow" if with_peers else "orders"
    console.print(table(f"marshmallow: {count:,} rows", comparison))
    write(results, name, report(name, f"marshmallow, {count:,} rows", comparison))
    write_timings(comparison, results / "pyperf" / name)
    bulk = ("orders.dumps", "orders.dump", "hooked.dump", "custom.dump", "flat.dumps", "flat.dump")
    loads = ("orders.load", "orders.load.wrong", "flat.load")
    title = f"marshmallow: {count:,} rows"
    draw(comparison, title, results / f"{name}.svg", measures=bulk + loads, contenders=MARSHMALLOW)
    if with_peers:
        title = f"Without marshmallow: {count:,} rows to JSON text"
        path = results / "references.svg"
        draw(
            comparison, title, path, measures=("orders.dumps", "flat.dumps"), contenders=REFERENCES
        )
    which = "results that have a time" if comparison.failures else "results"
    console.print(f"The {which} are equal. Figures and charts: {results}")


def main() -> None:
    """Compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=positive, default=10_000)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--enough", type=float, default=ENOUGH, metavar="SECONDS", help=ENOUGH_HELP)
    parser.add_argument(
        "--all", action="store_true", help="all measures, not only those of the documentation"
    )
    parser.add_argument("--memory", action="store_true", help="measure the peak memory too")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    parser.add_argument("--peers", action="store_true", help="run the peers too")
    arguments = parser.parse_args()
    console = Console()
    how = {
        "with_peers": arguments.peers,
        "with_all": arguments.all,
        "enough": arguments.enough,
        "min_time": MIN_TIME,
        "with_memory": arguments.memory,
    }
    comparison = run(arguments.rows, arguments.rounds, console, **how)
    show(comparison, arguments.rows, arguments.results, console)


if __name__ == "__main__":
    main()
