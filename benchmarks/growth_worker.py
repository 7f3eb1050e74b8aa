"""One contender of the growth benchmark: stock or fastschema.

python benchmarks/growth_worker.py CONTENDER SIZES

SIZES is JSON: the numbers of "rows" and of "fields", and how many "values" the rows of a schema
with many fields have together.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any

from marshmallow import Schema

from orders_worker import CONTENDERS, Dumps
from records import flat_rows, orders
from worker import Measure, Prepared, installed, serve
from workloads import FlatSchema, OrderSchema

few_orders = lru_cache(maxsize=1)(orders)
"""Made when a measure begins, and kept until the next begins: many orders take much memory."""
NUMBERS = itertools.count()


def wide_schema(count: int, suffix: str = "") -> type[Schema]:
    """A schema of so many fields: those of the flat rows over and over."""
    plain = itertools.cycle(FlatSchema._declared_fields.values())
    declared: dict[str, Any] = {
        f"field_{number}{suffix}": type(field)()
        for number, field in enumerate(itertools.islice(plain, count))
    }
    return Schema.from_dict(declared)


def wide_rows(count: int, rows: int, suffix: str = "") -> list[dict[str, Any]]:
    """Rows for :func:`wide_schema`."""
    return [
        {
            f"field_{number}{suffix}": value
            for number, value in enumerate(itertools.islice(itertools.cycle(row.values()), count))
        }
        for row in flat_rows(rows)
    ]


def unused(count: int) -> tuple[type[Schema], dict[str, Any]]:
    """A schema class that was never used, and a row for it."""
    suffix = f"_{next(NUMBERS)}"
    return wide_schema(count, suffix), wide_rows(count, 1, suffix)[0]


def beginning(contender: str, schema: Schema, dumps: Dumps) -> Callable[[list[Any]], bool]:
    """What makes as much of the JSON as must be there to send its first byte."""
    if contender == "stock":
        text = dumps(schema)
        return lambda rows: text(rows).startswith("[{")
    import fastschema

    plan = fastschema.compile(schema)
    return lambda rows: next(iter(plan.stream(rows))).startswith(b"[{")


def measures(contender: str, sizes: dict[str, Any], dumps: Dumps) -> dict[str, Measure]:
    """The measures by name."""
    schema = OrderSchema()
    text, begins = dumps(schema), beginning(contender, schema, dumps)
    for _ in range(2):  # compiles it: what that takes is a measure of its own
        text(orders(100))
    found: dict[str, Measure] = {}
    for count in sizes["rows"]:
        rows = partial(few_orders, count)
        found[f"rows.{count}"] = Prepared(rows, text)
        found[f"first.{count}"] = Prepared(rows, begins)

    @cache
    def wide(count: int) -> tuple[Callable[[list[Any]], Any], list[dict[str, Any]]]:
        return dumps(wide_schema(count)()), wide_rows(count, max(1, sizes["values"] // count))

    def run_wide(count: int) -> Any:
        wide_text, rows = wide(count)
        return wide_text(rows)

    for count in sizes["fields"]:
        wide_text, few = wide(count)
        wide_text(few[:1])
        found[f"fields.{count}"] = partial(run_wide, count)
        found[f"compile.{count}"] = Prepared(
            partial(unused, count), lambda new: list(new[0]().dump(new[1]).values())
        )
    return found


if __name__ == "__main__":
    switch_on, packages = CONTENDERS[sys.argv[1]]
    serve(measures(sys.argv[1], json.loads(sys.argv[2]), switch_on()), installed(*packages))
