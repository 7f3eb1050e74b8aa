"""marshmallow by stock and by fastschema, on PyPy or any other Python.

    pypy3 benchmarks/pypy.py [--rows N] [--rounds N]

Imports nothing but marshmallow, fastschema and the standard library: what the other benchmarks need
is not published for PyPy. Both run in one process, warmed up; results are compared before
anything is timed, and the best of all rounds counts. Prints milliseconds, or microseconds for one
object, and how many times as fast as stock fastschema is.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from typing import Any

import fastschema
from records import flat_rows, orders
from workloads import FlatSchema, OrderSchema

Call = Callable[[], Any]
SINGLES = 1_000
"""A single object is dumped and loaded so often for one measure."""


def calls(schema_class: Any, rows: list[Any]) -> dict[str, tuple[Call, Call, int]]:
    """For each measure: what is called, what gives its result, and how often it does it."""
    schema, one = schema_class(many=True), schema_class()
    data = schema.dump(rows)
    text, row, single = json.dumps(data), rows[1], data[1]
    return {
        "dump": (lambda: schema.dump(rows), lambda: schema.dump(rows), 1),
        "dumps": (lambda: schema.dumps(rows), lambda: schema.dumps(rows), 1),
        "load": (lambda: schema.load(data), lambda: schema.load(data), 1),
        "loads": (lambda: schema.loads(text), lambda: schema.loads(text), 1),
        "dump one": (repeated(lambda: one.dump(row)), lambda: one.dump(row), SINGLES),
        "load one": (repeated(lambda: one.load(single)), lambda: one.load(single), SINGLES),
    }


def repeated(call: Call) -> Call:
    """Call it many times."""

    def repeat() -> None:
        for _ in range(SINGLES):
            call()

    return repeat


def best(call: Call, rounds: int) -> float:
    """The shortest time of a call, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    print(platform.python_implementation(), platform.python_version())
    print(f"{'':20}{'stock':>10}{'fastschema':>12}{'times':>8}")
    for name, schema_class, rows in (
        ("orders", OrderSchema, orders(arguments.rows)),
        ("flat", FlatSchema, flat_rows(arguments.rows)),
    ):
        stock = calls(schema_class, rows)
        expected = {key: result() for key, (_, result, _) in stock.items()}
        slow = {key: best(call, arguments.rounds) for key, (call, _, _) in stock.items()}
        fastschema.install()
        for key, (call, result, times) in calls(schema_class, rows).items():
            assert result() == expected[key], key
            fast = best(call, arguments.rounds)
            unit = 1_000 if times == 1 else 1_000_000 / times
            ratio = slow[key] / fast
            print(f"{name + ', ' + key:20}{slow[key] * unit:10.1f}{fast * unit:12.1f}{ratio:8.2f}")
        fastschema.uninstall()


if __name__ == "__main__":
    main()
