"""One contender of the marshmallow benchmark.

python benchmarks/orders_worker.py CONTENDER ROWS
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from marshmallow import Schema

from worker import Measure, serve
from workloads import CustomSchema, FlatSchema, HookedOrderSchema, OrderSchema, flat_rows, orders

Dumps = Callable[[Schema, list[Any]], Any]
"""From a schema and rows to JSON text."""


def stock() -> Dumps:
    """Marshmallow as it is."""
    return lambda schema, rows: json.dumps(schema.dump(rows, many=True))


def fastschema() -> Dumps:
    """Marshmallow with fastschema installed; JSON by a plan."""
    import fastschema

    fastschema.install()
    return lambda schema, rows: fastschema.compile(schema).dumps(rows, many=True).decode()


CONTENDERS = {"stock": stock, "fastschema": fastschema}


def measures(dumps: Dumps, count: int) -> dict[str, Measure]:
    """The measures by name."""
    rows, flat = orders(count), flat_rows(count)
    schema, hooked, custom, flat_schema = (
        OrderSchema(),
        HookedOrderSchema(),
        CustomSchema(),
        FlatSchema(),
    )
    one = rows[1]
    return {
        "orders.dumps": lambda: dumps(schema, rows),
        "orders.dump": lambda: schema.dump(rows, many=True),
        "orders.one": lambda: schema.dump(one),
        "orders.fresh": lambda: OrderSchema().dump(one),
        "orders.page": lambda: schema.dump(rows[:50], many=True),
        "custom.dump": lambda: custom.dump(rows, many=True),
        "hooked.dump": lambda: hooked.dump(rows, many=True),
        "flat.dumps": lambda: dumps(flat_schema, flat),
        "flat.dump": lambda: flat_schema.dump(flat, many=True),
    }


if __name__ == "__main__":
    serve(measures(CONTENDERS[sys.argv[1]](), int(sys.argv[2])))
