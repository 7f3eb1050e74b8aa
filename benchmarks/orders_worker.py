"""One contender of the marshmallow benchmark.

python benchmarks/orders_worker.py CONTENDER ROWS

Imports nothing but marshmallow, the contender and the standard library. marshmallow is imported
late: some contenders replace it.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from worker import Measure, Prepared, installed, serve

if TYPE_CHECKING:
    from marshmallow import Schema

Dumps = Callable[["Schema", list[Any]], str]
"""From a schema and rows to JSON text."""


def stock() -> Dumps:
    """Marshmallow as it is."""
    return lambda schema, rows: json.dumps(schema.dump(rows, many=True))


def fastschema() -> Dumps:
    """Marshmallow with fastschema installed; JSON by a plan."""
    import fastschema

    fastschema.install()
    return lambda schema, rows: fastschema.compile(schema).dumps(rows, many=True).decode()


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
    """Marshmallow whose schemas generate code."""
    import deepfriedmarshmallow

    deepfriedmarshmallow.deep_fry_marshmallow()
    return own_dumps


def own_dumps(schema: Schema, rows: list[Any]) -> str:
    """JSON text by the schema's own method."""
    text: str = schema.dumps(rows, many=True)
    return text


CONTENDERS = {
    "stock": (stock, ["marshmallow"]),
    "fastschema": (fastschema, ["fastschema", "marshmallow", "orjson"]),
    "althaia": (althaia, ["althaia", "marshmallow"]),
    "marshmallow-core": (marshmallow_core, ["marshmallow-core", "marshmallow"]),
    "deepfriedmarshmallow": (deepfriedmarshmallow, ["deepfriedmarshmallow", "marshmallow"]),
}
"""What switches a contender on, and the packages that it consists of."""


def measures(dumps: Dumps, count: int) -> dict[str, Measure]:
    """The measures by name."""
    from workloads import (
        CustomSchema,
        FlatSchema,
        HookedOrderSchema,
        OrderSchema,
        flat_rows,
        orders,
        unused,
    )

    rows, flat = orders(count), flat_rows(count)
    schema, hooked, custom, flat_schema = (
        OrderSchema(),
        HookedOrderSchema(),
        CustomSchema(),
        FlatSchema(),
    )
    one, flat_one = rows[1 % count], flat[1 % count]
    numbers = itertools.count()
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
        "flat.one": lambda: flat_schema.dump(flat_one),
        "flat.fresh": lambda: FlatSchema().dump(flat_one),
        "compile": Prepared(
            lambda: unused(next(numbers), one), lambda new: new.schema().dump(new.row)
        ),
    }


if __name__ == "__main__":
    switch_on, packages = CONTENDERS[sys.argv[1]]
    json_writer = switch_on()
    serve(measures(json_writer, int(sys.argv[2])), installed(*packages))
