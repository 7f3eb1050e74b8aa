"""One contender of the Flask benchmark.

python benchmarks/flights_flask_worker.py VARIANT FLIGHTS
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from worker import Measure, installed, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))


FASTSCHEMA = ("one line", "fs.response", "fs.stream", "statement")
"""The variants that it is on for."""
REQUESTS = {"stock": "/flights", "one line": "/flights", "statement": "/flights/select"}
"""What the variants are asked for that are measured by whole requests, with the database."""
COLUMNS = [
    "id",
    "number",
    "destination_code",
    "tail_number",
    "date",
    "departure",
    "departure_delay",
    "arrival_time",
    "arrival_delay",
    "air_time",
    "distance",
    "cancelled",
]
"""Twelve columns of one table."""


def measures(variant: str, count: int) -> dict[str, Measure]:
    """The measures by name."""
    return {**from_memory(variant, count), **requests(variant, count)}


def requests(variant: str, count: int) -> dict[str, Measure]:
    """Whole requests, with the database: to the body of the response."""
    if variant not in REQUESTS:
        return {}
    from flask import Response, jsonify
    from sqlalchemy import select

    from flights_flask import create_app
    from flights_flask.database import session
    from flights_flask.models import Flight
    from flights_flask.schemas import FlightSchema
    from flights_flask.views import fast

    app = create_app({"FASTSCHEMA": variant in FASTSCHEMA})

    @app.get("/columns")
    def columns() -> Response:
        schema, query = FlightSchema(only=COLUMNS), select(Flight).order_by(Flight.id).limit(10_000)
        if variant == "statement":
            return fast.response(schema, query, session=session())
        return jsonify(schema.dump(session().scalars(query).all(), many=True))

    client = app.test_client()
    path = REQUESTS[variant]
    paths = {
        "flask.request": f"{path}?limit={count}",
        "flask.request.page": f"{path}?limit={min(50, count)}",
        "flask.request.columns": "/columns",
    }
    return {name: partial(body_of, client, path) for name, path in paths.items()}


def body_of(client: Any, path: str) -> bytes:
    """The body of a successful response."""
    response = client.get(path)
    assert response.status_code == 200, response.text
    return response.data


def from_memory(variant: str, count: int) -> dict[str, Measure]:
    """From rows in memory to the body of the response."""
    if variant == "statement":
        return {}
    from flask import jsonify

    from flights_flask import create_app
    from flights_flask.database import session
    from flights_flask.schemas import FlightSchema
    from flights_flask.views import fast, selected_flights

    app = create_app({"FASTSCHEMA": variant in FASTSCHEMA})
    if variant == "flask-orjson":
        import orjson
        from flask_orjson import OrjsonProvider

        app.json = provider = OrjsonProvider(app)
        provider.option = (provider.option or 0) | orjson.OPT_SORT_KEYS  # as Flask's own does
    app.test_request_context(f"/flights?limit={count}").push()
    rows = session().scalars(selected_flights()).all()

    def view(some: Sequence[Any]) -> bytes:
        return jsonify(FlightSchema(many=True).dump(some)).get_data()

    def response(some: Sequence[Any]) -> bytes:
        return fast.response(FlightSchema(many=True), some).get_data()

    def stream(some: Sequence[Any]) -> bytes:
        return b"".join(fast.stream(FlightSchema(), some).iter_encoded())

    variants: dict[str, Callable[[Sequence[Any]], bytes]] = {
        "stock": view,
        "flask-orjson": view,
        "one line": view,
        "fs.response": response,
        "fs.stream": stream,
    }
    body = variants[variant]
    sizes = {"flask": rows, "flask.page": rows[:50], "flask.one": rows[:1]}
    return {name: partial(body, some) for name, some in sizes.items()}


if __name__ == "__main__":
    packages = ["flask", "marshmallow", "sqlalchemy"]
    if sys.argv[1] in FASTSCHEMA:
        packages = ["fastschema", *packages, "orjson"]
    if sys.argv[1] == "flask-orjson":
        packages = ["flask-orjson", *packages, "orjson"]
    serve(measures(sys.argv[1], int(sys.argv[2])), installed(*packages))
