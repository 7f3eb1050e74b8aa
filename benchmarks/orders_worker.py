"""One contender of the marshmallow benchmark.

python benchmarks/orders_worker.py CONTENDER ROWS

Imports nothing but marshmallow, the contender and the standard library. marshmallow is imported
late: some contenders replace it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.measuring import Contender, Run, installed, serve
from records import flat_rows, orders

if TYPE_CHECKING:
    from marshmallow import Schema

Dumps = Callable[["Schema", list[Any]], Any]
"""From a schema and rows to JSON text, ``str`` or ``bytes``."""


def stock() -> Dumps:
    return lambda schema, rows: json.dumps(schema.dump(rows, many=True))


def fastschema() -> Dumps:
    """Marshmallow with fastschema installed; JSON by a plan."""
    import fastschema

    fastschema.install()
    plans: dict[Schema, Any] = {}

    def dumps(schema: Schema, rows: list[Any]) -> Any:
        if schema not in plans:
            plans[schema] = fastschema.compile(schema)
        return plans[schema].dumps(rows, many=True)

    return dumps


def althaia() -> Dumps:
    """A fork of marshmallow, compiled with Cython, which takes its place."""
    import althaia

    althaia.patch()
    return own_dumps


def marshmallow_core() -> Dumps:
    """Marshmallow with its loops in Rust; ``Schema.dumps`` writes JSON by itself."""
    import marshmallow_core

    marshmallow_core.install()
    return own_dumps


def deepfriedmarshmallow() -> Dumps:
    import deepfriedmarshmallow

    deepfriedmarshmallow.deep_fry_marshmallow()
    return own_dumps


def pulse_marshmallow() -> Dumps:
    """Marshmallow with its loops in Rust, by a base class that is imported instead."""
    import marshmallow
    import pulse_marshmallow

    # What workloads.py imports from marshmallow, as if it did so from pulse_marshmallow.
    marshmallow.Schema = pulse_marshmallow.Schema
    return own_dumps


def own_dumps(schema: Schema, rows: list[Any]) -> str:
    return schema.dumps(rows, many=True)


CONTENDERS = {
    "stock": (stock, ["marshmallow"]),
    "stock 3.26": (stock, ["marshmallow"]),
    "fastschema": (fastschema, ["fastschema", "marshmallow", "orjson"]),
    "althaia": (althaia, ["althaia", "marshmallow"]),
    "marshmallow-core": (marshmallow_core, ["marshmallow-core", "marshmallow"]),
    "pulse-marshmallow": (pulse_marshmallow, ["pulse-marshmallow", "marshmallow"]),
    "deepfriedmarshmallow": (deepfriedmarshmallow, ["deepfriedmarshmallow", "marshmallow"]),
}
"""What switches a contender on, and the packages that it consists of."""


def measures(contender: str, dumps: Dumps, count: int) -> dict[str, Run]:
    from workloads import FlatSchema, OrderSchema, as_json, half_wrong, outcome

    rows, flat, page = orders(count), flat_rows(count), orders(20)
    schema, flat_schema, one = OrderSchema(), FlatSchema(), orders(2)[1]
    data, flat_data = as_json(schema, rows), as_json(flat_schema, flat)
    wrong, text = half_wrong(data), json.dumps(data)
    plan: Any = schema
    if contender == "fastschema":
        import fastschema

        plan = fastschema.compile(schema)
    return {
        "orders.page": lambda: schema.dump(page, many=True),
        "orders.fresh.20": lambda: OrderSchema(many=True).dump(page),
        "orders.page.dumps": lambda: dumps(schema, page),
        "orders.one": lambda: schema.dump(one),
        "orders.fresh": lambda: OrderSchema().dump(one),
        "orders.plan.one": lambda: plan.dump(one),
        "orders.load.one": lambda: outcome(schema, data[1]),
        "orders.dump": lambda: schema.dump(rows, many=True),
        "orders.dumps": lambda: dumps(schema, rows),
        "orders.text": lambda: schema.dumps(rows, many=True),
        "orders.load": lambda: outcome(schema, data, many=True),
        "orders.load.wrong": lambda: outcome(schema, wrong, many=True),
        "orders.loads": lambda: schema.loads(text, many=True),
        "flat.dump": lambda: flat_schema.dump(flat, many=True),
        "flat.dumps": lambda: dumps(flat_schema, flat),
        "flat.load": lambda: outcome(flat_schema, flat_data, many=True),
    }


if __name__ == "__main__":
    name, number = sys.argv[1:]
    switch_on, packages = CONTENDERS[name]
    found = measures(name, switch_on(), int(number))
    serve(Contender(name, found, found.__getitem__, installed(*packages)))
