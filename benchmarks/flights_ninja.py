"""The example project's bulk endpoint by django-ninja."""

import datetime
import decimal
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import NinjaAPI, Schema
from pydantic import PlainSerializer

from flights.views import FLIGHTS

PLACES = decimal.Decimal("0.0000001")
Degrees = Annotated[
    decimal.Decimal, PlainSerializer(lambda value: str(value.quantize(PLACES)), return_type=str)
]
IN_MEMORY: list[Any] = []
"""The flights that ``memory`` answers with."""


class AirlineOut(Schema):
    """An airline."""

    code: str
    name: str


class AirportOut(Schema):
    """An airport."""

    code: str
    name: str
    latitude: Degrees
    longitude: Degrees
    altitude: int
    utc_offset: int
    daylight_saving: str
    time_zone: str


class PlaneOut(Schema):
    """A plane."""

    tail_number: str
    year: int | None
    type: str
    manufacturer: str
    model: str
    engines: int
    seats: int
    speed: int | None
    engine: str


class FlightOut(Schema):
    """A flight with what it refers to."""

    id: int
    airline: AirlineOut
    origin: AirportOut
    destination: AirportOut | None
    plane: PlaneOut | None
    number: int
    destination_code: str
    tail_number: str
    date: datetime.date
    scheduled_departure: datetime.datetime
    departure: datetime.datetime | None
    departure_delay: int | None
    scheduled_arrival_time: datetime.time
    arrival_time: datetime.time | None
    arrival_delay: int | None
    air_time: int | None
    distance: int
    cancelled: bool


API = NinjaAPI()


@API.get("/flights/bulk/", response=list[FlightOut])
def bulk(request: HttpRequest, limit: int) -> Any:
    """Flights from the database."""
    return FLIGHTS.all()[:limit]


@API.get("/flights/memory/", response=list[FlightOut])
def memory(request: HttpRequest) -> Any:
    """Flights that are there already."""
    return IN_MEMORY
