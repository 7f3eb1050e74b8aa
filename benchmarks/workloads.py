"""Schemas and objects that the marshmallow benchmarks share."""

from __future__ import annotations

import copy
import datetime
import decimal
import enum
import uuid
from typing import Any, NamedTuple

from marshmallow import Schema, fields, post_dump, pre_dump


class Status(enum.Enum):
    """The state of an order."""

    OPEN = "open"
    SHIPPED = "shipped"
    CLOSED = "closed"


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


class CustomSchema(Schema):
    """Custom fields only."""

    title = Upper()
    reference = Upper()
    note = Upper()


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


class Record:
    """A plain object."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def orders(count: int) -> list[Record]:
    """Objects for :class:`OrderSchema`, the same in every run."""
    start = datetime.datetime(2024, 1, 1, 8, 30, tzinfo=datetime.UTC)
    return [
        Record(
            id=number,
            title=f"Order number {number}",
            reference=f"REF-{number:08}",
            uid=uuid.UUID(int=number * 7919),
            created=start + datetime.timedelta(minutes=number, microseconds=number),
            updated=start + datetime.timedelta(hours=number),
            due=datetime.date(2024, 1, 1) + datetime.timedelta(days=number % 1000),
            price=decimal.Decimal(number * 5) / 4,
            quantity=number % 17,
            weight=number * 0.25 + 0.1,
            paid=number % 3 == 0,
            author=Record(id=number % 50, name=f"Author {number % 50}", email="a@example.com"),
            tags=["new", "gift", f"group-{number % 9}"],
            status=list(Status)[number % 3],
            note=None if number % 2 else "leave at the door",
        )
        for number in range(count)
    ]


def flat_rows(count: int) -> list[dict[str, Any]]:
    """Dictionaries for :class:`FlatSchema`, the same in every run."""
    return [
        {
            "id": number,
            "title": f"Item number {number}",
            "reference": f"REF-{number:08}",
            "note": "none",
            "quantity": number % 17,
            "weight": number * 0.25 + 0.1,
            "paid": number % 3 == 0,
            "due": datetime.date(2024, 1, 1) + datetime.timedelta(days=number % 1000),
        }
        for number in range(count)
    ]


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
