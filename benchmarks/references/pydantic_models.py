"""pydantic 2: models from attributes, and ``dump_json``."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainSerializer, TypeAdapter

from records import Status

CENT = decimal.Decimal("0.01")
Moment = Annotated[datetime.datetime, PlainSerializer(datetime.datetime.isoformat, return_type=str)]
Price = Annotated[
    decimal.Decimal, PlainSerializer(lambda value: str(value.quantize(CENT)), return_type=str)
]


class Model(BaseModel):
    """What all models share."""

    model_config = ConfigDict(from_attributes=True)


class Author(Model):
    """Three fields."""

    id: int
    name: str
    email: str


class Order(Model):
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


class Flat(Model):
    """A flat row."""

    id: int
    title: str
    reference: str
    note: str
    quantity: int
    weight: float
    paid: bool
    due: datetime.date


class Sensor(Model):
    """The innermost of five levels."""

    id: int
    name: str
    value: float


class Machine(Model):
    """The fourth level."""

    id: int
    name: str
    sensors: list[Sensor]


class Line(Model):
    """The third level."""

    id: int
    name: str
    machine: Machine


class Hall(Model):
    """The second level."""

    id: int
    name: str
    line: Line


class Plant(Model):
    """The outermost level."""

    id: int
    name: str
    hall: Hall


def writer(model: type[Model]) -> Callable[[list[Any]], bytes]:
    """From rows to JSON by a model."""
    adapter = TypeAdapter(list[model])
    return lambda rows: adapter.dump_json(adapter.validate_python(rows))


WRITERS = {"orders": writer(Order), "flat": writer(Flat), "deep": writer(Plant)}
PACKAGES = ["pydantic"]
