"""The Django project's tables, as SQLAlchemy sees them."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

from sqlalchemy import DateTime, ForeignKey, Numeric, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Moment(TypeDecorator[datetime.datetime]):
    """A moment in UTC; SQLite, which knows no zones, keeps it without one, as Django does there."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime.datetime | None, dialect: Dialect) -> Any:
        """To the database: in UTC."""
        return None if value is None else value.astimezone(datetime.UTC)

    def process_result_value(self, value: datetime.datetime | None, dialect: Dialect) -> Any:
        """From the database: with the zone that it was kept without."""
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=datetime.UTC)


class Table(DeclarativeBase):
    """What all tables share."""

    type_annotation_map = {datetime.datetime: Moment}


class Airline(Table):
    """A carrier."""

    __tablename__ = "flights_airline"

    code: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]


class Airport(Table):
    """An airport in the United States."""

    __tablename__ = "flights_airport"

    code: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    latitude: Mapped[decimal.Decimal] = mapped_column(Numeric(9, 7))
    longitude: Mapped[decimal.Decimal] = mapped_column(Numeric(10, 7))
    altitude: Mapped[int]
    utc_offset: Mapped[int]
    daylight_saving: Mapped[str]
    time_zone: Mapped[str]


class Plane(Table):
    """One aircraft, known by its tail number."""

    __tablename__ = "flights_plane"

    tail_number: Mapped[str] = mapped_column(primary_key=True)
    year: Mapped[int | None]
    type: Mapped[str]
    manufacturer: Mapped[str]
    model: Mapped[str]
    engines: Mapped[int]
    seats: Mapped[int]
    speed: Mapped[int | None]
    engine: Mapped[str]


class Flight(Table):
    """One scheduled departure from New York City."""

    __tablename__ = "flights_flight"

    id: Mapped[int] = mapped_column(primary_key=True)
    airline_id: Mapped[str] = mapped_column(ForeignKey(Airline.code))
    airline: Mapped[Airline] = relationship()
    number: Mapped[int]
    origin_id: Mapped[str] = mapped_column(ForeignKey(Airport.code))
    origin: Mapped[Airport] = relationship(foreign_keys=origin_id)
    destination_id: Mapped[str | None] = mapped_column(ForeignKey(Airport.code))
    destination: Mapped[Airport | None] = relationship(foreign_keys=destination_id)
    destination_code: Mapped[str]
    plane_id: Mapped[str | None] = mapped_column(ForeignKey(Plane.tail_number))
    plane: Mapped[Plane | None] = relationship()
    tail_number: Mapped[str]
    date: Mapped[datetime.date]
    scheduled_departure: Mapped[datetime.datetime]
    departure: Mapped[datetime.datetime | None]
    departure_delay: Mapped[int | None]
    scheduled_arrival_time: Mapped[datetime.time]
    arrival_time: Mapped[datetime.time | None]
    arrival_delay: Mapped[int | None]
    air_time: Mapped[int | None]
    distance: Mapped[int]
    cancelled: Mapped[bool]
