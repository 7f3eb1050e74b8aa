"""marshmallow schemas without a framework.

Imports nothing but marshmallow, the contender and the standard library; also what else is measured
with marshmallow has its schemas from here, and its rows from ``records.py``.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from marshmallow import Schema, ValidationError, fields

from harness.measuring import Run
from patterns import CONTENDER, ONE, PAGE, ROWS, Collection
from records import Status, flat_rows, orders

PATTERNS = Collection("orders")
add = PATTERNS.add


class AuthorSchema(Schema):
    """Three fields."""

    id = fields.Integer()
    name = fields.String()
    email = fields.Email()


class OrderSchema(Schema):
    """Fifteen fields, as in many an application."""

    id = fields.Integer()
    title = fields.String()
    reference = fields.String()
    uid = fields.UUID()
    created = fields.AwareDateTime()
    updated = fields.AwareDateTime()
    due = fields.Date()
    price = fields.Decimal(places=2, as_string=True)
    quantity = fields.Integer()
    weight = fields.Float()
    paid = fields.Boolean()
    author = fields.Nested(AuthorSchema)
    tags = fields.List(fields.String())
    status = fields.Enum(Status, by_value=True)
    note = fields.String(allow_none=True)


class FlatSchema(Schema):
    """Eight plain fields."""

    id = fields.Integer()
    title = fields.String()
    reference = fields.String()
    note = fields.String()
    quantity = fields.Integer()
    weight = fields.Float()
    paid = fields.Boolean()
    due = fields.Date()


def as_json(schema: Schema, rows: list[Any]) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(json.dumps(schema.dump(rows, many=True)))
    return loaded


WRONG_VALUES = {"quantity": "many", "due": "soon", "status": "lost", "title": 5, "weight": "heavy"}
"""A wrong value for some fields of :class:`OrderSchema`."""


def half_wrong(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Copies of the rows, of which every second has one wrong field, each time another."""
    wrong = list(WRONG_VALUES.items())
    return [
        {**row, **dict([wrong[number // 2 % len(wrong)]])} if number % 2 else row
        for number, row in enumerate(rows)
    ]


def outcome(schema: Schema, data: Any, **options: Any) -> Any:
    """What comes of a load: its result, or the messages of its error."""
    try:
        return schema.load(data, **options)
    except ValidationError as error:
        return {"messages": error.messages}


def dump(schema: Schema, rows: list[Any]) -> Run:
    """A schema that is there, as modules have them; one object, or a list."""
    if len(rows) == 1:
        return lambda: schema.dump(rows[0])
    return lambda: schema.dump(rows, many=True)


def dump_by_new(schema: Any, rows: list[Any], **options: Any) -> Run:
    if len(rows) == 1:
        return lambda: schema(**options).dump(rows[0])
    return lambda: schema(many=True, **options).dump(rows)


def load(schema: Schema, rows: list[Any], **options: Any) -> Run:
    """Load data; of errors, their messages."""
    if len(rows) == 1:
        return lambda: outcome(schema, rows[0], **options)
    return lambda: outcome(schema, rows, many=True, **options)


order_schema, flat_schema = OrderSchema(), FlatSchema()
order_rows, flat = functools.cache(orders), functools.cache(flat_rows)


def order_data(count: int) -> list[dict[str, Any]]:
    return as_json(order_schema, order_rows(count))


@functools.cache
def plan(schema: Schema) -> Any:
    """What dumps by a plan, where there are plans."""
    if CONTENDER != "fastschema":
        return schema
    import fastschema

    return fastschema.compile(schema)


def dumps(schema: Schema, rows: list[Any]) -> Run:
    """JSON text, ``str`` or ``bytes``: by a plan, by ``json``, or by the contender's schema."""
    if CONTENDER.startswith("stock"):
        return lambda: json.dumps(schema.dump(rows, many=True))
    return lambda: plan(schema).dumps(rows, many=True)


def loads(count: int) -> Run:
    text = json.dumps(order_data(count))
    return lambda: order_schema.loads(text, many=True)


def text(count: int) -> Run:
    rows = order_rows(count)
    return lambda: order_schema.dumps(rows, many=True)


MANY = (ROWS,)
add("`Schema.dump`", lambda n: dump(order_schema, order_rows(n)), (PAGE, 1, ROWS))
add("a schema made for them", lambda n: dump_by_new(OrderSchema, order_rows(n)), (PAGE, 1))
add("`Plan.dump`", lambda n: dump(plan(order_schema), order_rows(n)), ONE)
add("JSON by `plan.dumps`", lambda n: dumps(order_schema, order_rows(n)), (PAGE, ROWS))
add("stock's text by `Schema.dumps`", text, MANY)
add("`Schema.load`", lambda n: load(order_schema, order_data(n)), (1, ROWS))
add(
    "`Schema.load`, errors in every second one",
    lambda n: load(order_schema, half_wrong(order_data(n))),
    MANY,
)
add("`Schema.loads`", loads, MANY)
add("flat dictionaries: `Schema.dump`", lambda n: dump(flat_schema, flat(n)), MANY)
add("flat dictionaries: JSON by `plan.dumps`", lambda n: dumps(flat_schema, flat(n)), MANY)
add(
    "flat dictionaries: `Schema.load`",
    lambda n: load(flat_schema, as_json(flat_schema, flat(n))),
    MANY,
)
