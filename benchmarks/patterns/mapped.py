"""Flights as SQLAlchemy loads them, and the schema of the example project's Flask application."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Engine, create_engine, select
from sqlalchemy.orm import Session, joinedload
from sqlalchemy.pool import StaticPool

from flights_flask.models import Airline, Airport, Flight, Plane, Table
from flights_flask.schemas import FlightSchema

__all__ = ["FLIGHTS", "Airline", "Flight", "FlightSchema", "database", "flights"]

LINKS = [Flight.airline, Flight.origin, Flight.destination, Flight.plane]
FLIGHTS = select(Flight).order_by(Flight.id).options(*map(joinedload, LINKS))
"""All flights, with what they refer to."""


def flights(count: int) -> list[Any]:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    return list(Session(database(count, engine)).scalars(FLIGHTS))


def database(count: int, engine: Engine) -> Engine:
    Table.metadata.drop_all(engine)
    Table.metadata.create_all(engine)
    port = {"latitude": Decimal("40.5"), "longitude": Decimal("-73.5"), "altitude": 18}
    port |= {"utc_offset": -5, "daylight_saving": "A", "time_zone": "America/New_York"}
    plane = {"type": "jet", "manufacturer": "BOEING", "model": "737", "engine": "fan"}
    moment, clock = datetime.datetime(2013, 1, 1, 8, tzinfo=datetime.UTC), datetime.time(8, 30)
    delays = {"departure_delay": 3, "arrival_delay": None, "air_time": 120, "distance": 700}
    session = Session(engine)
    session.add(Airline(code="UA", name="United"))
    session.add_all(Airport(code=code, name=code, **port) for code in ("EWR", "JFK"))
    session.add(Plane(tail_number="N1", year=None, engines=2, seats=149, speed=None, **plane))
    session.flush()
    session.add_all(
        Flight(
            id=n,
            airline_id="UA",
            number=n,
            origin_id="EWR",
            destination_id="JFK",
            destination_code="JFK",
            plane_id="N1",
            tail_number="N1",
            date=moment.date(),
            scheduled_departure=moment,
            departure=moment,
            scheduled_arrival_time=clock,
            arrival_time=clock,
            cancelled=False,
            **delays,
        )
        for n in range(1, count + 1)
    )
    session.commit()
    return engine
