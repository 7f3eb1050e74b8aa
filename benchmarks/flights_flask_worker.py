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


FASTSCHEMA = ("one line", "fs.response", "fs.stream")
"""The variants that it is on for."""


def measures(variant: str, count: int) -> dict[str, Measure]:
    """The measures by name: from rows in memory to the body of the response."""
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
