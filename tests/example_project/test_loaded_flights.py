"""What ``manage.py load_flights`` loads: the facts of the data set, found in the database."""

from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from flights.models import Airline, Airport, Flight, Plane

pytestmark = [pytest.mark.usefixtures("sample_in_database"), pytest.mark.django_db]


def test_every_table_is_loaded(sample_size):
    tables = (Airline, Airport, Plane, Flight)
    assert [table.objects.count() for table in tables] == [16, 1458, 3322, sample_size]


def test_an_airline_has_its_name():
    assert Airline.objects.get(pk="UA").name == "United Air Lines Inc."


def test_an_airport_has_all_its_fields():
    airport = Airport.objects.values().get(pk="04G")
    assert airport == {
        "code": "04G",
        "name": "Lansdowne Airport",
        "latitude": Decimal("41.1304722"),
        "longitude": Decimal("-80.6195833"),
        "altitude": 1044,
        "utc_offset": -5,
        "daylight_saving": "A",
        "time_zone": "America/New_York",
    }


def test_a_coordinate_of_many_decimals_is_rounded_to_seven():
    assert Airport.objects.filter(latitude=Decimal("54.0133333")).count() == 1


def test_a_plane_has_all_its_fields():
    plane = Plane.objects.values().get(pk="N10156")
    assert plane == {
        "tail_number": "N10156",
        "year": 2004,
        "type": "Fixed wing multi engine",
        "manufacturer": "EMBRAER",
        "model": "EMB-145XR",
        "engines": 2,
        "seats": 55,
        "speed": None,
        "engine": "Turbo-fan",
    }


def test_the_year_of_a_plane_may_be_unknown():
    assert Plane.objects.filter(year=None).count() == 70


def test_a_flight_has_all_its_fields():
    flight = Flight.objects.values().get(pk=1)
    assert flight == {
        "id": 1,
        "airline_id": "UA",
        "number": 1545,
        "origin_id": "EWR",
        "destination_id": "IAH",
        "destination_code": "IAH",
        "plane_id": "N14228",
        "tail_number": "N14228",
        "date": date(2013, 1, 1),
        "scheduled_departure": datetime(2013, 1, 1, 10, 15, tzinfo=UTC),
        "departure": datetime(2013, 1, 1, 10, 17, tzinfo=UTC),
        "departure_delay": 2,
        "scheduled_arrival_time": time(8, 19),
        "arrival_time": time(8, 30),
        "arrival_delay": 11,
        "air_time": 227,
        "distance": 1400,
        "cancelled": False,
    }


def test_a_cancelled_flight_has_neither_departure_nor_arrival(id_of):
    flight = Flight.objects.get(pk=id_of("cancelled"))
    assert flight.cancelled
    assert flight.scheduled_departure == datetime(2013, 1, 1, 21, 30, tzinfo=UTC)
    unknown = (flight.departure, flight.departure_delay, flight.arrival_time)
    assert unknown == (None, None, None)
    assert (flight.arrival_delay, flight.air_time) == (None, None)


def test_a_flight_that_left_may_have_no_arrival_and_is_not_cancelled(id_of):
    flight = Flight.objects.get(pk=id_of("arrival unknown"))
    assert (flight.cancelled, flight.departure_delay) == (False, 46)
    assert (flight.arrival_time, flight.arrival_delay) == (None, None)


def test_a_flight_that_arrived_may_have_no_arrival_delay(id_of):
    flight = Flight.objects.get(pk=id_of("arrival delay unknown"))
    assert (flight.arrival_time, flight.arrival_delay) == (time(19, 34), None)


def test_an_arrival_at_2400_is_at_midnight(id_of):
    assert Flight.objects.get(pk=id_of("arrived at midnight")).arrival_time == time(0, 0)


def test_an_unknown_tail_number_is_empty_and_has_no_plane(id_of):
    flight = Flight.objects.get(pk=id_of("plane unknown"))
    assert (flight.tail_number, flight.plane) == ("", None)


def test_a_tail_number_that_no_plane_has_is_kept():
    flight = Flight.objects.get(pk=10)
    assert (flight.tail_number, flight.plane) == ("N3ALAA", None)


def test_a_destination_that_no_airport_has_is_kept():
    flight = Flight.objects.get(pk=4)
    assert (flight.destination_code, flight.destination) == ("BQN", None)


def test_the_date_is_that_of_new_york(id_of):
    flight = Flight.objects.get(pk=id_of("last of January"))
    assert flight.date == date(2013, 1, 31)
    assert flight.scheduled_departure == datetime(2013, 2, 1, 2, 0, tzinfo=UTC)


def test_summer_time_is_taken_into_account(id_of):
    flight = Flight.objects.get(pk=id_of("first of October"))
    assert flight.scheduled_departure == datetime(2013, 10, 1, 9, 0, tzinfo=UTC)
