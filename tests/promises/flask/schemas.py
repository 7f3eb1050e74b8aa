"""Schemas and rows that the tests share."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from marshmallow import Schema, fields, post_dump

ALL_ROWS = {("pass_many" if version("marshmallow") < "4" else "pass_collection"): True}
"""What a hook is declared with to get all rows at once."""


class Genre(enum.Enum):
    """What an album is filed under."""

    ROCK = "rock"


@dataclass
class Label:
    """Who published it."""

    name: str


class BandSchema(Schema):
    """A nested one."""

    name = fields.String()


class MarkedBandSchema(BandSchema):
    """A nested one with a hook."""

    @post_dump
    def mark(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Add a key, not in the order of the alphabet."""
        return {**data, "a": "é"}


class AlbumSchema(Schema):
    """Fields that JSON writers differ about."""

    title = fields.String()
    released = fields.Date()
    price = fields.Decimal(places=2)
    key = fields.UUID()
    rating = fields.Float(allow_nan=True)
    genre = fields.Enum(Genre, by_value=True)
    band = fields.Nested(BandSchema)
    marked = fields.Nested(MarkedBandSchema)
    extra = fields.Raw()
    counts = fields.Dict()


def album(**values: Any) -> dict[str, Any]:
    """A row, with some values replaced."""
    return {
        "title": "Ægë 😀\x7f",
        "released": datetime.date(1971, 6, 22),
        "price": decimal.Decimal("9.5"),
        "key": uuid.UUID(int=7),
        "rating": 4.5,
        "genre": Genre.ROCK,
        "band": {"name": "Can"},
        "marked": {"name": "Neu!"},
        "extra": {"z": 1, "a": [datetime.datetime(2013, 1, 1), Label("é")]},
        "counts": {"b": 1, "a": 2},
        **values,
    }


def albums(count: int) -> list[dict[str, Any]]:
    """Rows."""
    return [album(title=f"Album {number}") for number in range(count)]
