"""msgspec: ``convert`` from attributes, and ``encode``.

msgspec writes a time in UTC with a Z, and decimals with as many places as they have; marshmallow
does neither. Types of our own, which its hooks convert, write them as marshmallow does.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from records import Status

CENT = decimal.Decimal("0.01")


class Text:
    """A text that a hook has made."""

    def __init__(self, text: str) -> None:
        self.text = text


class Moment(Text):
    """A time."""


class Price(Text):
    """An amount with two places."""


class Author(msgspec.Struct):
    """Three fields."""

    id: int
    name: str
    email: str


class Order(msgspec.Struct):
    """An order."""

    id: int
    title: str
    reference: str
    uid: uuid.UUID
    created: Moment
    updated: Moment
    due: datetime.date
    price: Price
    quantity: int
    weight: float
    paid: bool
    author: Author
    tags: list[str]
    status: Status
    note: str | None


class Flat(msgspec.Struct):
    """A flat row."""

    id: int
    title: str
    reference: str
    note: str
    quantity: int
    weight: float
    paid: bool
    due: datetime.date


class Sensor(msgspec.Struct):
    """The innermost of five levels."""

    id: int
    name: str
    value: float


class Machine(msgspec.Struct):
    """The fourth level."""

    id: int
    name: str
    sensors: list[Sensor]


class Line(msgspec.Struct):
    """The third level."""

    id: int
    name: str
    machine: Machine


class Hall(msgspec.Struct):
    """The second level."""

    id: int
    name: str
    line: Line


class Plant(msgspec.Struct):
    """The outermost level."""

    id: int
    name: str
    hall: Hall


def from_value(kind: type[Any], value: Any) -> Any:
    """A value of a type of ours."""
    return kind(value.isoformat() if kind is Moment else str(value.quantize(CENT)))


def writer(struct: type[msgspec.Struct]) -> Callable[[list[Any]], bytes]:
    """From rows to JSON by a struct."""
    kind, encode = list[struct], msgspec.json.Encoder(enc_hook=lambda made: made.text).encode
    return lambda rows: encode(
        msgspec.convert(rows, kind, from_attributes=True, dec_hook=from_value)
    )


WRITERS = {"orders": writer(Order), "flat": writer(Flat), "deep": writer(Plant)}
PACKAGES = ["msgspec"]
