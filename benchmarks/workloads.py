"""Schemas and data that the marshmallow benchmarks share; their rows are in ``records.py``."""

from __future__ import annotations

import copy
import datetime
import decimal
import json
import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

from marshmallow import Schema, fields, post_dump, post_load, pre_dump, validate

from records import Record, Status


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


class HookedOrderSchema(OrderSchema):
    """The same with a hook before and a hook after."""

    @pre_dump
    def look(self, data: Any, **kwargs: Any) -> Any:
        """Pass on the object."""
        return data

    @post_dump
    def mark(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Add a key."""
        data["kind"] = "order"
        return data


class Upper(fields.String):
    """A field of a user's own."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        text = super()._serialize(value, attr, obj, **kwargs)
        return None if text is None else text.upper()

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return super()._deserialize(value, attr, data, **kwargs).lower()


class CustomSchema(Schema):
    """Custom fields only."""

    title = Upper()
    reference = Upper()
    note = Upper(allow_none=True)


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


class SensorSchema(Schema):
    """The innermost of five levels."""

    id = fields.Integer()
    name = fields.String()
    value = fields.Float()


class MachineSchema(Schema):
    """The fourth level: a list of nested objects."""

    id = fields.Integer()
    name = fields.String()
    sensors = fields.List(fields.Nested(SensorSchema))


class LineSchema(Schema):
    """The third level."""

    id = fields.Integer()
    name = fields.String()
    machine = fields.Nested(MachineSchema)


class HallSchema(Schema):
    """The second level."""

    id = fields.Integer()
    name = fields.String()
    line = fields.Nested(LineSchema)


class PlantSchema(Schema):
    """Nested five levels deep."""

    id = fields.Integer()
    name = fields.String()
    hall = fields.Nested(HallSchema)


@dataclass
class Order:
    """What :class:`OrderObjectSchema` makes."""

    id: int
    title: str
    reference: str
    uid: uuid.UUID
    created: datetime.datetime
    updated: datetime.datetime
    due: datetime.date
    price: decimal.Decimal
    quantity: int
    weight: float
    paid: bool
    author: dict[str, Any]
    tags: list[str]
    status: Status
    note: str | None


class OrderObjectSchema(OrderSchema):
    """The same with two validators, and an object for each order that is loaded."""

    title = fields.String(validate=validate.Length(1, 80))
    quantity = fields.Integer(validate=validate.Range(0, 1000))

    @post_load
    def make(self, data: dict[str, Any], **kwargs: Any) -> Order:
        """Make the object."""
        return Order(**data)


class ItemSchema(Schema):
    """Two fields of a certain form, and a number."""

    code = fields.String(validate=validate.Regexp(r"^[A-Z]{3}-\d{4}$"))
    color = fields.String(validate=validate.Regexp(r"^#[0-9a-f]{6}$"))
    count = fields.Integer()


class BasketSchema(Schema):
    """A list of nested items."""

    items = fields.List(fields.Nested(ItemSchema))


def as_json(schema: Schema, rows: list[Any]) -> list[dict[str, Any]]:
    """Rows as they come out of JSON text that a schema has made."""
    loaded: list[dict[str, Any]] = json.loads(json.dumps(schema.dump(rows, many=True)))
    return loaded


WRONG_VALUES = {"quantity": "many", "due": "soon", "status": "lost", "title": 5, "weight": "heavy"}
"""A wrong value for some fields of :class:`OrderSchema` and of :class:`FlatSchema`."""


def half_wrong(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Copies of the rows, of which every second has one wrong field, each time another."""
    wrong = [(key, value) for key, value in WRONG_VALUES.items() if key in rows[0]]
    return [
        {**row, **dict([wrong[number // 2 % len(wrong)]])} if number % 2 else row
        for number, row in enumerate(rows)
    ]


def wrong_basket(count: int) -> dict[str, Any]:
    """Data for :class:`BasketSchema`: neither the code nor the color of any item is right."""
    items = [{"code": f"no-{number}", "color": "red", "count": number} for number in range(count)]
    return {"items": items}


class Unused(NamedTuple):
    """A schema class that was never used, and a row for it."""

    schema: type[Schema]
    row: Record


def unused(number: int, order: Record) -> Unused:
    """:class:`OrderSchema` again with other field names, and an order that has them."""
    suffix = f"_{number}"
    author = Schema.from_dict(renamed_fields(AuthorSchema, suffix))
    declared = renamed_fields(OrderSchema, suffix)
    declared[f"author{suffix}"] = fields.Nested(author)
    return Unused(Schema.from_dict(declared), renamed(order, suffix))


def renamed_fields(schema: type[Schema], suffix: str) -> dict[str, Any]:
    """Copies of a schema's fields under other names."""
    return {name + suffix: copy.copy(field) for name, field in schema._declared_fields.items()}


def renamed(record: Record, suffix: str) -> Record:
    """The same record, with other names."""
    values = {
        name + suffix: renamed(value, suffix) if isinstance(value, Record) else value
        for name, value in vars(record).items()
    }
    return Record(**values)
