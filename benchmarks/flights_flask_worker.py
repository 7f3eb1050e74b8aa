"""One contender of the flights benchmark, with Flask, SQLAlchemy and marshmallow.

python benchmarks/flights_flask_worker.py CONTENDER FLIGHTS
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

from harness.measuring import Contender, Run, installed, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))

PAGE = 20
COLUMNS = (
    *("id", "number", "destination_code", "tail_number", "date", "departure", "departure_delay"),
    *("arrival_time", "arrival_delay", "air_time", "distance", "cancelled"),
)
"""Twelve columns of one table."""
PACKAGES = {
    "stock": (),
    "fastschema": ("fastschema", "orjson"),
    "fs.response": ("fastschema", "orjson"),
    "flask-orjson": ("flask-orjson", "orjson"),
}


def measures(contender: str, count: int) -> dict[str, Run]:
    from flask import Response, jsonify
    from sqlalchemy import select

    from flights_flask import create_app
    from flights_flask.database import session
    from flights_flask.models import Flight
    from flights_flask.schemas import FlightSchema
    from flights_flask.views import fast, selected_flights

    app = create_app({"FASTSCHEMA": "fastschema" in PACKAGES[contender]})
    if contender == "flask-orjson":
        import orjson
        from flask_orjson import OrjsonProvider

        app.json = provider = OrjsonProvider(app)
        provider.option = (provider.option or 0) | orjson.OPT_SORT_KEYS  # as Flask's own does
    is_response = contender == "fs.response"

    @app.get("/columns")
    def columns() -> Response:
        schema, query = FlightSchema(only=COLUMNS), select(Flight).order_by(Flight.id).limit(count)
        if is_response:
            return fast.response(schema, query, session=session())
        return jsonify(schema.dump(session().scalars(query).all(), many=True))

    client, path = app.test_client(), "/flights/select" if is_response else "/flights"

    def get(path: str) -> bytes:
        response = client.get(path)
        assert response.status_code == 200, response.text
        return response.data

    app.test_request_context(f"/flights?limit={count}").push()
    rows = session().scalars(selected_flights()).all()

    def body(some: Any) -> bytes:
        if is_response:
            return fast.response(FlightSchema(many=True), some).get_data()
        return jsonify(FlightSchema(many=True).dump(some)).get_data()

    return {
        "flask.request.page": partial(get, f"{path}?limit={PAGE}"),
        "flask.request": partial(get, f"{path}?limit={count}"),
        "flask.request.columns": partial(get, "/columns"),
        "flask.page": partial(body, rows[:PAGE]),
        "flask": partial(body, rows),
    }


if __name__ == "__main__":
    name, number = sys.argv[1:]
    found = measures(name, int(number))
    versions = installed(*PACKAGES[name], "flask", "marshmallow", "sqlalchemy")
    serve(Contender(name, found, found.__getitem__, versions))
