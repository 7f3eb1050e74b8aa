"""A function written by hand for each workload, and orjson."""

from __future__ import annotations

import decimal
from typing import Any

import orjson

CENT = decimal.Decimal("0.01")


def order(row: Any) -> dict[str, Any]:
    """An order; orjson writes identifiers and dates."""
    author = row.author
    return {
        "id": row.id,
        "title": row.title,
        "reference": row.reference,
        "uid": row.uid,
        "created": row.created,
        "updated": row.updated,
        "due": row.due,
        "price": str(row.price.quantize(CENT)),
        "quantity": row.quantity,
        "weight": row.weight,
        "paid": row.paid,
        "author": {"id": author.id, "name": author.name, "email": author.email},
        "tags": row.tags,
        "status": row.status.value,
        "note": row.note,
    }


def plant(row: Any) -> dict[str, Any]:
    """A plant and what is in it."""
    hall = row.hall
    line = hall.line
    machine = line.machine
    sensors = [{"id": s.id, "name": s.name, "value": s.value} for s in machine.sensors]
    return {
        "id": row.id,
        "name": row.name,
        "hall": {
            "id": hall.id,
            "name": hall.name,
            "line": {
                "id": line.id,
                "name": line.name,
                "machine": {"id": machine.id, "name": machine.name, "sensors": sensors},
            },
        },
    }


WRITERS = {
    "orders": lambda rows: orjson.dumps([order(row) for row in rows]),
    "flat": orjson.dumps,
    "deep": lambda rows: orjson.dumps([plant(row) for row in rows]),
}
PACKAGES = ["orjson"]
