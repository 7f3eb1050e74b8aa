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

from records import flat_rows, orders, plants
from worker import Measure, Prepared, installed, serve

if TYPE_CHECKING:
    from marshmallow import Schema

Dumps = Callable[["Schema"], Callable[[list[Any]], Any]]
"""From a schema to what makes JSON text of rows, ``str`` or ``bytes``."""


def stock() -> Dumps:
    """Marshmallow as it is."""
    return lambda schema: lambda rows: json.dumps(schema.dump(rows, many=True))


def fastschema() -> Dumps:
    """Marshmallow with fastschema installed; JSON by a plan that is made once."""
    import fastschema

    fastschema.install()

    def dumps(schema: Schema) -> Callable[[list[Any]], Any]:
        plan = fastschema.compile(schema)
        return lambda rows: plan.dumps(rows, many=True)

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
    """Marshmallow whose schemas generate code."""
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


def own_dumps(schema: Schema) -> Callable[[list[Any]], str]:
    """JSON text by the schema's own method."""
    return lambda rows: schema.dumps(rows, many=True)


CONTENDERS = {
    "stock": (stock, ["marshmallow"]),
    "fastschema": (fastschema, ["fastschema", "marshmallow", "orjson"]),
    "althaia": (althaia, ["althaia", "marshmallow"]),
    "marshmallow-core": (marshmallow_core, ["marshmallow-core", "marshmallow"]),
    "pulse-marshmallow": (pulse_marshmallow, ["pulse-marshmallow", "marshmallow"]),
    "deepfriedmarshmallow": (deepfriedmarshmallow, ["deepfriedmarshmallow", "marshmallow"]),
}
"""What switches a contender on, and the packages that it consists of."""


def outcome(schema: Schema, data: Any, **options: Any) -> Any:
    """What comes of a load: its result, or the messages of its error."""
    from marshmallow import ValidationError

    try:
        return schema.load(data, **options)
    except ValidationError as error:
        return {"messages": error.messages}


def measures(contender: str, dumps: Dumps, count: int) -> dict[str, Measure]:
    """The measures by name."""
    found = {**dump_measures(dumps, count), **load_measures(count), **shape_measures(count // 10)}
    return {**found, "orders.plan.one": plan_measure(contender), **compile_measures()}


def dump_measures(dumps: Dumps, count: int) -> dict[str, Measure]:
    """Those of objects that become dictionaries, or text."""
    from workloads import CustomSchema, FlatSchema, HookedOrderSchema, OrderSchema, PlantSchema

    rows, flat, deep = orders(count), flat_rows(count), plants(max(1, count // 5))
    schema, hooked, custom = OrderSchema(), HookedOrderSchema(), CustomSchema()
    flat_schema, deep_schema = FlatSchema(), PlantSchema()
    one, flat_one = rows[1 % count], flat[1 % count]
    orders_json, flat_json, deep_json = map(dumps, (schema, flat_schema, deep_schema))
    return {
        "orders.dumps": lambda: orders_json(rows),
        "orders.page.dumps": lambda: orders_json(rows[:50]),
        "orders.one.dumps": lambda: orders_json([one]),
        "flat.dumps": lambda: flat_json(flat),
        "deep.dumps": lambda: deep_json(deep),
        "orders.text": lambda: schema.dumps(rows, many=True),
        "flat.text": lambda: flat_schema.dumps(flat, many=True),
        "orders.dump": lambda: schema.dump(rows, many=True),
        "orders.one": lambda: schema.dump(one),
        "orders.one.busy": lambda: among_others(lambda: schema.dump(one)),
        "orders.fresh": lambda: OrderSchema().dump(one),
        "orders.fresh.20": lambda: OrderSchema(many=True).dump(rows[:20]),
        "orders.page": lambda: schema.dump(rows[:50], many=True),
        "custom.dump": lambda: custom.dump(rows, many=True),
        "hooked.dump": lambda: hooked.dump(rows, many=True),
        "deep.dump": lambda: deep_schema.dump(deep, many=True),
        "flat.dump": lambda: flat_schema.dump(flat, many=True),
        "flat.one": lambda: flat_schema.dump(flat_one),
        "flat.fresh": lambda: FlatSchema().dump(flat_one),
    }


def shape_measures(count: int) -> dict[str, Measure]:
    """Those of objects of many classes."""
    from shapes import ShapeSchema, shapes

    schema, objects = ShapeSchema(many=True), shapes(max(1, count))
    data = schema.dump(objects)
    return {
        "shapes.dump": lambda: schema.dump(objects),
        "shapes.load": lambda: schema.load(data),
    }


def plan_measure(contender: str) -> Measure:
    """That of one object by a plan made once, beside those who have none: ``Schema.dump``."""
    from workloads import OrderSchema

    schema, one = OrderSchema(), orders(2)[1]
    if contender != "fastschema":
        return lambda: schema.dump(one)

    import fastschema

    plan = fastschema.compile(schema)
    return lambda: plan.dump(one)


def among_others(dump: Measure) -> Any:
    """Dump where much else is alive, as in a request: garbage is collected again and again."""
    others = [[number] for number in range(2_000)]
    dumped = dump()
    del others
    return dumped


def load_measures(count: int) -> dict[str, Measure]:
    """Those of data that become dictionaries, or objects, or errors."""
    from workloads import (
        BasketSchema,
        CustomSchema,
        FlatSchema,
        OrderObjectSchema,
        OrderSchema,
        as_json,
        half_wrong,
        wrong_basket,
    )

    schema, objects, flat_schema, basket = (
        OrderSchema(),
        OrderObjectSchema(),
        FlatSchema(),
        BasketSchema(),
    )
    rows, flat = as_json(schema, orders(count)), as_json(flat_schema, flat_rows(count))
    wrong, wrong_flat, items = half_wrong(rows), half_wrong(flat), wrong_basket(2 * count)
    text, flat_text = json.dumps(rows), json.dumps(flat)
    one = rows[1 % count]
    custom, titles = CustomSchema(), as_json(CustomSchema(), orders(count))
    return {
        "custom.load": lambda: custom.load(titles, many=True),
        "orders.loads": lambda: schema.loads(text, many=True),
        "flat.loads": lambda: flat_schema.loads(flat_text, many=True),
        "orders.load": lambda: outcome(schema, rows, many=True),
        "orders.load.wrong": lambda: outcome(schema, wrong, many=True),
        "orders.load.objects": lambda: outcome(objects, rows, many=True),
        "orders.load.one": lambda: outcome(schema, one),
        "items.load.wrong": lambda: outcome(basket, items),
        "flat.load": lambda: outcome(flat_schema, flat, many=True),
        "flat.load.wrong": lambda: outcome(flat_schema, wrong_flat, many=True),
    }


def compile_measures() -> dict[str, Measure]:
    """Those of the first use of a schema, and of many."""
    from ordinary_first import FIELDS, SCHEMAS, schemas, use
    from workloads import unused

    numbers, first = itertools.count(), itertools.count(step=SCHEMAS)
    one = orders(2)[1]
    return {
        "compile": Prepared(
            lambda: unused(next(numbers), one), lambda new: new.schema().dump(new.row)
        ),
        "schemas": Prepared(lambda: schemas(next(first), SCHEMAS, FIELDS), use),
    }


if __name__ == "__main__":
    switch_on, packages = CONTENDERS[sys.argv[1]]
    json_writer = switch_on()
    serve(measures(sys.argv[1], json_writer, int(sys.argv[2])), installed(*packages))
