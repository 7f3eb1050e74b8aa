"""The endpoints: one flight, all flights, or those that a query string selects."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, jsonify, request
from sqlalchemy import ScalarResult, Select, extract, select
from sqlalchemy.orm import joinedload

from fastschema.contrib.flask import FastSchema
from flights_flask.database import session
from flights_flask.models import Flight
from flights_flask.schemas import FlightSchema
from race.flask import raced
from race.stopwatch import phase

flights = Blueprint("flights", __name__)
fast = FastSchema()

RELATIONS = [
    joinedload(each) for each in (Flight.airline, Flight.origin, Flight.destination, Flight.plane)
]
"""What the query for a flight loads with it."""

ROWS_AT_A_TIME = 500
"""How many flights a stream fetches from the database at a time."""


@flights.get("/flights")
@raced
def list_flights() -> Response:
    """The flights; filters: carrier, origin, month and limit.

    ``?stream=json`` or ``?stream=ndjson`` sends them while they are read.
    """
    query = selected_flights()
    form = request.args.get("stream")
    if form is None:
        with phase("instances"):
            rows = session().scalars(query).all()
        return jsonify(FlightSchema(many=True).dump(rows))
    if form not in ("json", "ndjson") or not current_app.config["FASTSCHEMA"]:
        abort(400, "stream is json or ndjson, and needs fastschema")
    return fast.stream(FlightSchema(), rows_of(query), format=form)


@flights.get("/flights/<int:key>")
@raced
def get_flight(key: int) -> Response:
    """One flight, by its row in the data set."""
    with phase("instances"):
        flight = session().get(Flight, key, options=RELATIONS)
    if flight is None:
        abort(404)
    return jsonify(FlightSchema().dump(flight))


@flights.get("/flights/select")
@raced
def select_flights() -> Response:
    """All flights, written from the rows of the database, without making objects of them."""
    form = request.args.get("stream")
    if form not in (None, "json", "ndjson") or not current_app.config["FASTSCHEMA"]:
        abort(400, "this needs fastschema; stream is json or ndjson")
    query = selected_flights()
    if form is None:
        return fast.response(FlightSchema(), query, session=session())
    return fast.stream(FlightSchema(), query, format=form, session=session())


def rows_of(query: Select[tuple[Flight]]) -> ScalarResult[Flight]:
    """The flights of a query, fetched as they are asked for."""
    return session().scalars(query.execution_options(yield_per=ROWS_AT_A_TIME))


def selected_flights() -> Select[tuple[Flight]]:
    """The query for the flights that the query string selects; one, whatever their number."""
    query = select(Flight).order_by(Flight.id).options(*RELATIONS)
    if carrier := request.args.get("carrier"):
        query = query.where(Flight.airline_id == carrier)
    if origin := request.args.get("origin"):
        query = query.where(Flight.origin_id == origin)
    if month := number("month", 12):
        query = query.where(extract("month", Flight.date) == month)
    if limit := number("limit", 2**31 - 1):
        query = query.limit(limit)
    return query


def number(name: str, largest: int) -> int | None:
    """A number from the query string, or None if it has none; a 400 if it is not in 1..largest."""
    text = request.args.get(name)
    if text is None:
        return None
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(largest))
    if not (is_number and 1 <= int(text) <= largest):
        abort(400, f"{name} is a number from 1 to {largest}")
    return int(text)
