"""What all tests of the Django REST framework front end share."""

import datetime
from decimal import Decimal

import pytest

from flights.models import Airline, Airport, Flight, Plane
from tests.instruments.core import orjson
from tests.promises.django.lists.people import more_people, people, rows_of_people, tables_of_people

__all__ = ["more_people", "people", "rows_of_people", "tables_of_people"]
"""Fixtures that several folders use, and whose tables are made once."""

# List views make their rows as stock does where orjson does not write them.
collect_ignore = [] if orjson is not None else ["lists"]


@pytest.fixture
def flights(db: None) -> list[Flight]:
    """Four flights of two airlines; one has neither a destination nor a plane."""
    united = Airline.objects.create(code="UA", name="United")
    delta = Airline.objects.create(code="DL", name="Delta \u2028 Lines")
    Airline.objects.create(code="XX", name="")
    newark, houston = (
        Airport.objects.create(
            code=code,
            name=name,
            latitude=Decimal("40.6925"),
            longitude=Decimal("-74.168667"),
            altitude=18,
            utc_offset=-5,
            daylight_saving="A",
        )
        for code, name in (("EWR", "Newark"), ("IAH", "Houston"))
    )
    plane = Plane.objects.create(
        tail_number="N1", type="", manufacturer="", model="", engines=2, seats=149, engine="jet"
    )
    return [
        Flight.objects.create(
            id=number,
            airline=united if number < 3 else delta,
            number=number,
            origin=newark,
            destination=None if number == 4 else houston,
            plane=None if number == 4 else plane,
            destination_code="IAH",
            tail_number="N1",
            date=datetime.date(2013, 1, number),
            scheduled_departure=datetime.datetime(2013, 1, number, 5, 15, tzinfo=datetime.UTC),
            scheduled_arrival_time=datetime.time(8, 19),
            distance=1400,
        )
        for number in (1, 2, 3, 4)
    ]
