"""Schemas that the marshmallow benchmarks share; their rows are in ``records.py``."""

from __future__ import annotations

import json
from typing import Any

from marshmallow import Schema, ValidationError, fields

from records import Status


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
