"""The flights of the example project with Flask, SQLAlchemy and marshmallow.

``fs.response`` is given rows, or a statement.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response, jsonify
from sqlalchemy import select

from flights_flask import create_app
from flights_flask.database import session
from flights_flask.models import Flight
from flights_flask.schemas import FlightSchema
from flights_flask.views import fast, selected_flights
from harness.measuring import Run
from patterns import CONTENDER, PAGE, ROWS, Collection, is_fast

PATTERNS = Collection("flights")
COLUMNS = (
    *("id", "number", "destination_code", "tail_number", "date", "departure", "departure_delay"),
    *("arrival_time", "arrival_delay", "air_time", "distance", "cancelled"),
)
"""Twelve columns of one table."""
IS_RESPONSE = CONTENDER == "fs.response"

app = create_app({"FASTSCHEMA": is_fast()})
if CONTENDER == "flask-orjson":
    import orjson
    from flask_orjson import OrjsonProvider

    app.json = provider = OrjsonProvider(app)
    provider.option = (provider.option or 0) | orjson.OPT_SORT_KEYS  # as Flask's own does
client, path = app.test_client(), "/flights/select" if IS_RESPONSE else "/flights"
app.test_request_context(f"/flights?limit={ROWS}").push()


@app.get("/columns")
def columns() -> Response:
    schema, query = FlightSchema(only=COLUMNS), select(Flight).order_by(Flight.id).limit(ROWS)
    if IS_RESPONSE:
        return fast.response(schema, query, session=session())
    return jsonify(schema.dump(session().scalars(query).all(), many=True))


def get(path: str) -> bytes:
    response = client.get(path)
    assert response.status_code == 200, response.text
    return response.data


def in_memory(count: int) -> Run:
    rows = session().scalars(selected_flights()).all()[:count]

    def body() -> Any:
        if IS_RESPONSE:
            return fast.response(FlightSchema(many=True), rows).get_data()
        return jsonify(FlightSchema(many=True).dump(rows)).get_data()

    return body


PATTERNS.add(
    "whole request, each with four objects",
    lambda n: partial(get, f"{path}?limit={n}"),
    (PAGE, ROWS),
)
PATTERNS.add("whole request, twelve columns", lambda _: partial(get, "/columns"), (ROWS,))
PATTERNS.add("rows in memory to body", in_memory, (PAGE, ROWS))
