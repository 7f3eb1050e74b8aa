"""marshmallow schemas without a framework: stock and fastschema, or beside all peers.

    python benchmarks/orders.py [--rows N] [--rounds N] [--peers] [--results DIR]

With ``--peers``, other packages that make marshmallow fast run, the last marshmallow 3, and other
ways to the same JSON, each in an environment that is made for it. Writes orders.json, or
marshmallow.json.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import peers
from harness import tables
from harness.comparing import Measure, Process, compare

HERE = Path(__file__).resolve().parent


def measures(count: int) -> list[Measure]:
    return [
        Measure("orders.page", "20 orders of 15 fields: dictionaries by `Schema.dump`", 20),
        Measure("orders.fresh.20", "20 orders, by a schema made for them", 20),
        Measure("orders.page.dumps", "20 orders: JSON by `plan.dumps`", 20),
        Measure("orders.one", "one order, `Schema.dump`"),
        Measure("orders.fresh", "one order, by a schema made for it"),
        Measure("orders.plan.one", "one order, `Plan.dump`"),
        Measure("orders.load.one", "one order loaded by `Schema.load`"),
        Measure("orders.dump", f"{count:,} orders: dictionaries by `Schema.dump`", count),
        Measure("orders.dumps", f"{count:,} orders: JSON by `plan.dumps`", count),
        Measure("orders.text", f"{count:,} orders: stock's text by `Schema.dumps`", count),
        Measure("orders.load", f"{count:,} orders loaded by `Schema.load`", count),
        Measure("orders.load.wrong", "the same, with errors in every second one", count),
        Measure("orders.loads", f"{count:,} orders loaded from text by `Schema.loads`", count),
        Measure("flat.dump", f"{count:,} flat dictionaries of 8 fields: `Schema.dump`", count),
        Measure("flat.dumps", f"{count:,} flat dictionaries: JSON by `plan.dumps`", count),
        Measure("flat.load", f"{count:,} flat dictionaries loaded by `Schema.load`", count),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="run the peers, too")
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    arguments = parser.parse_args()
    rows = arguments.rows
    contenders = [
        Process(name, [sys.executable, HERE / "orders_worker.py", name, str(rows)])
        for name in ("stock", "fastschema")
    ]
    invited = [*peers.MARSHMALLOW, *peers.REFERENCES] if arguments.peers else []
    started, failures = peers.start(invited, rows)
    contenders += started
    comparison = compare(measures(rows), contenders, rounds=arguments.rounds, enough=1.5)
    comparison.failures += failures
    name = "marshmallow" if arguments.peers else "orders"
    report = tables.report(name, f"marshmallow, {rows:,} rows", comparison)
    tables.show(tables.contenders_table(report), report["title"])
    tables.write(arguments.results, report)


if __name__ == "__main__":
    main()
