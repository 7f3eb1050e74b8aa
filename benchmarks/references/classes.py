"""The workloads as dataclasses, for libraries that dump instances of these."""

from __future__ import annotations

import datetime
import decimal
import uuid
from dataclasses import dataclass
from typing import Any

from records import Status


@dataclass
class Author:
    """Three fields."""

    id: int
    name: str
    email: str


@dataclass
class Order:
    """An order."""

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
    author: Author
    tags: list[str]
    status: Status
    note: str | None


@dataclass
class Flat:
    """A flat row."""

    id: int
    title: str
    reference: str
    note: str
    quantity: int
    weight: float
    paid: bool
    due: datetime.date


@dataclass
class Sensor:
    """The innermost of five levels."""

    id: int
    name: str
    value: float


@dataclass
class Machine:
    """The fourth level."""

    id: int
    name: str
    sensors: list[Sensor]


@dataclass
class Line:
    """The third level."""

    id: int
    name: str
    machine: Machine


@dataclass
class Hall:
    """The second level."""

    id: int
    name: str
    line: Line


@dataclass
class Plant:
    """The outermost level."""

    id: int
    name: str
    hall: Hall


WORKLOADS = {"orders": Order, "flat": Flat, "deep": Plant}


def instances(workload: str, rows: list[Any]) -> list[Any]:
    """The rows as instances of the workload's dataclass."""
    if workload == "orders":
        return [Order(**{**vars(row), "author": Author(**vars(row.author))}) for row in rows]
    if workload == "flat":
        return [Flat(**row) for row in rows]
    return [plant(row) for row in rows]


def plant(row: Any) -> Plant:
    """A plant and what is in it."""
    hall, line, machine = row.hall, row.hall.line, row.hall.line.machine
    sensors = [Sensor(**vars(sensor)) for sensor in machine.sensors]
    return Plant(
        row.id,
        row.name,
        Hall(
            hall.id, hall.name, Line(line.id, line.name, Machine(machine.id, machine.name, sensors))
        ),
    )
