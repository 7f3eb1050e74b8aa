"""The race for Flask and SQLAlchemy: its page, and what times a view and its queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Blueprint, Response, current_app, make_response, render_template, request, url_for
from sqlalchemy import Engine, event

from fastschema.runtime.switch import is_disabled
from race.stopwatch import HEADER, LANES, in_phase, running, timed_lane

race = Blueprint(
    "race", __name__, template_folder="templates", static_folder="static", static_url_path="/race"
)


@race.get("/")
def page() -> str:
    """The page of the race."""
    is_on = current_app.config["FASTSCHEMA"]
    flights = url_for("flights.list_flights")
    endpoints = [
        (f"{flights}?carrier=UA&month=1&limit=20", "20 flights, filtered", 20),
        (url_for("flights.get_flight", key=1), "One flight", 1),
        (f"{flights}?limit=1000", "1,000 flights", 1000),
        (f"{flights}?limit=20000", "20,000 flights", 20_000),
    ]
    if is_on:
        rows = url_for("flights.select_flights")
        endpoints.append((f"{rows}?limit=20000", "20,000 flights, from rows", 20_000))
    return render_template(
        "race/race.html",
        framework="Flask and marshmallow",
        static=url_for("race.static", filename="race"),
        is_on=is_on and not is_disabled(),
        endpoints=endpoints,
        api=None,
    )


def raced(view: Callable[..., Any]) -> Callable[..., Any]:
    """A view that runs, and is timed, as its lane says; without one, nothing changes."""

    @wraps(view)
    def timed_view(*args: Any, **kwargs: Any) -> Any:
        lane = request.headers.get(HEADER)
        if lane not in LANES:
            return view(*args, **kwargs)
        with timed_lane(lane) as stopwatch:
            response: Response = make_response(view(*args, **kwargs))
        response.headers["Server-Timing"] = stopwatch.header()
        return response

    return timed_view


def time_queries(engine: Engine) -> None:
    """Have an engine run its queries, and fetch their rows, in the phase ``database``."""
    event.listen(engine, "before_cursor_execute", _begin)
    event.listen(engine, "after_cursor_execute", _end)


def _begin(
    connection: Any, cursor: Any, statement: Any, values: Any, context: Any, *_: Any
) -> None:
    stopwatch = running()
    if stopwatch is not None:
        context.race_phase = stopwatch.switch("database")


def _end(connection: Any, cursor: Any, statement: Any, values: Any, context: Any, *_: Any) -> None:
    stopwatch = running()
    if stopwatch is not None:
        stopwatch.switch(context.race_phase)
        context.cursor = _TimedCursor(cursor)  # SQLite finds most rows only when they are fetched


class _TimedCursor:
    """A cursor of the database's driver that fetches in the phase ``database``."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        for name in ("fetchone", "fetchmany", "fetchall"):
            setattr(self, name, in_phase("database", getattr(cursor, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)
