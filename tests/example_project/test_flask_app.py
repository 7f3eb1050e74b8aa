"""The Flask application of the example project."""

import datetime
import json
from decimal import Decimal

import pytest
from django.apps import apps
from sqlalchemy import create_engine, make_url
from sqlalchemy.orm import Session

import fastschema
from flights_flask import create_app
from flights_flask.database import database_url
from flights_flask.models import Airline, Airport, Flight, Plane, Table
from tests.example_project import first_flight

UTC = datetime.UTC
FLIGHT = {
    **first_flight.FLIGHT,
    "destination": None,
    "destination_code": "BQN",
    "scheduled_departure": "2013-01-01T10:15:00+00:00",
    "departure": "2013-01-01T10:17:00+00:00",
}
"""A flight to an airport that is not in the data set, its times as marshmallow writes them."""


def flight(number: int, **values: object) -> Flight:
    """A flight, with some values replaced."""
    usual = {
        "id": number,
        "airline_id": "UA",
        "number": 1545,
        "origin_id": "EWR",
        "destination_code": "BQN",
        "plane_id": "N14228",
        "tail_number": "N14228",
        "date": datetime.date(2013, 1, 1),
        "scheduled_departure": datetime.datetime(2013, 1, 1, 10, 15, tzinfo=UTC),
        "departure": datetime.datetime(2013, 1, 1, 10, 17, tzinfo=UTC),
        "departure_delay": 2,
        "scheduled_arrival_time": datetime.time(8, 19),
        "arrival_time": datetime.time(8, 30),
        "arrival_delay": 11,
        "air_time": 227,
        "distance": 1400,
        "cancelled": False,
    }
    return Flight(**{**usual, **values})


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a few flights."""
    path = tmp_path_factory.mktemp("flask") / "flights.sqlite3"
    engine = create_engine(f"sqlite:///{path}")
    Table.metadata.create_all(engine)
    with Session(engine) as session:
        place = FLIGHT["origin"]
        numbers = {name: Decimal(place[name]) for name in ("latitude", "longitude")}
        session.add_all(
            [
                Airline(**FLIGHT["airline"]),
                Airline(code="B6", name="JetBlue Airways"),
                Airport(**{**place, **numbers}),
                Airport(**{**place, **numbers, "code": "JFK"}),
                Plane(**FLIGHT["plane"]),
                flight(1),
                flight(2, airline_id="B6", origin_id="JFK", destination_id="EWR"),
                flight(3, date=datetime.date(2013, 2, 1), departure=None, plane_id=None),
                flight(4, airline_id="B6", date=datetime.date(2013, 2, 28)),
            ]
        )
        session.commit()
    engine.dispose()
    return f"sqlite:///{path}"


@pytest.fixture
def make_client(url: str):
    """A function that makes a client, of stock or of fastschema."""
    engines = []

    def make(fast: bool = True):
        app = create_app({"DATABASE_URL": url, "FASTSCHEMA": fast})
        engines.append(app.extensions["engine"])
        return app.test_client()

    yield make
    fastschema.uninstall()
    for engine in engines:
        engine.dispose()


@pytest.fixture
def client(make_client):
    return make_client()


def test_a_flight_is_written_out_in_full(client):
    assert client.get("/flights").json[0] == FLIGHT


def test_stock_gives_the_same_bytes(make_client):
    fast = make_client().get("/flights").data
    fastschema.uninstall()
    assert make_client(fast=False).get("/flights").data == fast


@pytest.mark.parametrize("stream", ["", "?stream=json"])
def test_the_rows_of_the_database_give_the_same_bytes(make_client, stream):
    fast = make_client().get(f"/flights/select{stream}")
    assert fast.status_code == 200
    fastschema.uninstall()
    assert make_client(fast=False).get("/flights").data == fast.data


def test_the_rows_of_the_database_need_fastschema(make_client):
    assert make_client(fast=False).get("/flights/select").status_code == 400


def test_a_stream_has_the_same_bytes(client):
    streamed = client.get("/flights?stream=json")
    assert streamed.data == client.get("/flights").data
    assert streamed.mimetype == "application/json"


def test_a_stream_can_be_lines(client):
    lines = client.get("/flights?stream=ndjson").data.splitlines()
    assert [json.loads(line) for line in lines] == client.get("/flights").json


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("carrier=B6", [2, 4]),
        ("carrier=ZZ", []),
        ("origin=JFK", [2]),
        ("month=2", [3, 4]),
        ("limit=2", [1, 2]),
        ("carrier=B6&month=2&limit=1", [4]),
        ("carrier=B6&stream=json", [2, 4]),
    ],
)
def test_a_query_string_selects_flights(client, query, ids):
    assert [flight["id"] for flight in client.get(f"/flights?{query}").json] == ids


@pytest.mark.parametrize(
    "query",
    [
        "month=0",
        "month=13",
        "month=May",
        "limit=0",
        "limit=-1",
        "limit=x",
        f"limit={'9' * 5000}",
        "stream=csv",
    ],
    ids=lambda query: query[:20],
)
def test_a_query_string_that_makes_no_sense_is_an_error(client, query):
    assert client.get(f"/flights?{query}").status_code == 400


def test_without_fastschema_there_are_no_streams(make_client):
    assert make_client(fast=False).get("/flights?stream=json").status_code == 400


@pytest.mark.parametrize("model", [Airline, Airport, Plane, Flight])
def test_the_tables_are_those_of_the_django_project(model):
    django_model = next(
        each for each in apps.get_models() if each._meta.db_table == model.__tablename__
    )
    columns = {field.column: field.null for field in django_model._meta.concrete_fields}
    assert {column.name: column.nullable for column in model.__table__.columns} == columns


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite:////tmp/flights.sqlite3", "sqlite:////tmp/flights.sqlite3"),
        ("postgres://me:secret@host/flights", "postgresql+psycopg://me:secret@host/flights"),
        ("postgresql://host/flights", "postgresql+psycopg://host/flights"),
    ],
)
def test_a_database_url_is_that_of_django(url, expected):
    assert database_url(url) == make_url(expected)


def test_a_socket_is_found_as_django_finds_it():
    assert database_url("postgres://me@%2Fvar%2Frun/flights").host == "/var/run"


def test_the_usual_database_is_that_of_django():
    found = database_url(None)
    assert (found.drivername, found.database.endswith("example_project/db.sqlite3")) == (
        "sqlite",
        True,
    )
