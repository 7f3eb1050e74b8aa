"""The application that the tests in test_server.py start; what it notes goes to standard output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import Flask, Response, request

from fastschema.contrib.flask import FastSchema
from tests.promises.flask.schemas import BandSchema

app = Flask("served")
app.config["FASTSCHEMA_CHUNK_SIZE"] = 2
fast = FastSchema(app)


def note(text: str) -> None:
    """Write a line that the test waits for."""
    print(f"note: {text}", flush=True)


def rows(count: int, fail_at: int | None) -> Iterator[dict[str, Any]]:
    """Rows that note their end."""
    try:
        for number in range(count):
            if number == fail_at:
                raise LookupError(f"no row {number}")
            yield {"name": f"{request.path} {number}"}
    finally:
        note("rows closed")


@app.get("/bands")
def bands() -> Response:
    """``count`` rows, of which one may fail."""
    count = request.args.get("count", 5, int)
    form = request.args.get("format", "json")
    return fast.stream(BandSchema, rows(count, request.args.get("fail_at", None, int)), form)


@app.get("/whole")
@fast.output(BandSchema, many=True)
def whole() -> list[dict[str, Any]]:
    """The same in one piece."""
    return [*rows(request.args.get("count", 5, int), None)]


@app.get("/async")
async def async_bands() -> Response:
    """The same from an ``async`` view."""
    return bands()


@app.errorhandler(LookupError)
def no_row(error: LookupError) -> tuple[dict[str, str], int]:
    """The normal error response."""
    return {"error": str(error)}, 503


@app.teardown_request
def ended(error: BaseException | None) -> None:
    """Note the end of a request."""
    note(f"request ended with {error!r}")
