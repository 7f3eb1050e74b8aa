"""The rows that the marshmallow benchmarks and their references share, the same in every run.

Imports the standard library only: each reference has an environment of its own.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from typing import Any


class Status(enum.Enum):
    """The state of an order."""

    OPEN = "open"
    SHIPPED = "shipped"
    CLOSED = "closed"


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


PERSON = {
    "name": "Ann Müller",
    "age": 42,
    "points": 7,
    "height": 1.75,
    "is_active": True,
    "born": "1990-02-03",
    "seen": "2024-01-02T03:04:05Z",
    "balance": "12.50",
    "role": "member",
    "email": "ann@example.com",
}
MISTAKES = {"age": -1, "born": "yesterday", "name": ""}
WRONG = {**PERSON, **MISTAKES}
