"""marshmallow schemas: stock and fastschema side by side, in one run.

    python benchmarks/orders.py [--rows N] [--rounds N] [--results DIR] [--peers]

Each contender has a process of its own; they take turns. What they return is compared before
anything is timed. Prints a table, and writes orders.json and orders.svg.

With ``--peers``, other packages that make marshmallow fast run too, and the last marshmallow 3,
each in the environment that ``make bench-peers`` makes for it. The files are then peers.json and
peers.svg.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from contenders import Contender, Measure, compare, positive
from showing import draw, report, table, write

HERE = Path(__file__).resolve().parent
PEERS = {
    "stock 3.26": "stock",
    "althaia": "althaia",
    "marshmallow-core": "marshmallow-core",
    "deepfriedmarshmallow": "deepfriedmarshmallow",
}
"""By the name that is shown, what the worker runs."""


def python(peer: str) -> Path:
    """The interpreter of a peer's environment.

    :raises SystemExit: if there is none
    """
    path = HERE.parent / ".venv" / f"peer-{peer.replace(' ', '-')}" / "bin" / "python"
    if not path.exists():
        raise SystemExit(f"there is no environment for {peer}: make bench-peers")
    return path


def main() -> None:
    """Compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=positive, default=10_000)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    parser.add_argument("--peers", action="store_true", help="run the peers too")
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
        Measure("flat.one", "one flat row", 1, repeat=2000),
        Measure("flat.fresh", "one flat row, fresh schema", 1, repeat=300),
        # The last one: what it compiles stays in memory.
        Measure("compile", "first use of a schema", 1, repeat=30),
    ]
    worker = HERE / "orders_worker.py"
    contenders = [
        Contender(name, [sys.executable, worker, name, str(count)])
        for name in ("stock", "fastschema")
    ]
    if arguments.peers:
        commands = {name: [python(name), worker, PEERS[name], str(count)] for name in PEERS}
        contenders += [Contender(name, commands[name], is_peer=True) for name in PEERS]
    comparison = compare(measures, contenders, arguments.rounds, console)
    console.print(table(f"marshmallow: {count:,} rows", measures, comparison))
    name = "peers" if arguments.peers else "orders"
    write(arguments.results, name, report(name, comparison))
    bulk = [measure for measure in measures if measure.name.endswith((".dump", ".dumps"))]
    shown = [figure for figure in comparison.figures if figure.measure in {m.name for m in bulk}]
    label = f"milliseconds for {count:,} rows; less is better"
    draw(bulk, shown, label, arguments.results / f"{name}.svg")
    which = "results that have a time" if comparison.failures else "results"
    console.print(f"The {which} are equal. Figures and chart: {arguments.results}")


if __name__ == "__main__":
    main()
