"""Shadow mode: stock makes a share of what ``fs.response`` and ``Schema.dump`` make as well.

It does so right after them, within the view: the objects, the database session and the context
variables are those of the view. Lists and tuples only: other rows may be gone once they were read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from flask import (
    Flask,
    Response,
    current_app,
    has_app_context,
    has_request_context,
    request,
    signals,
)
from marshmallow import Schema

from fastschema.contrib.flask.configuration import Settings, settings_of
from fastschema.runtime.front_end import DumpingSchema
from fastschema.runtime.switch import is_disabled
from fastschema.shadow import Difference, compare, is_sampled

_MESSAGE_PACK = "application/vnd.msgpack"
# Flask 2.2 need not have blinker, and has what stands for it.
shadow_differed = cast(Any, signals).Namespace().signal("fastschema-shadow-differed")
"""Sent for each difference, with the application as the sender and a ``difference``."""


def _is_plain(response: Any) -> bool:
    return (
        isinstance(response, Response)
        and response.is_sequence
        and not response.direct_passthrough
        and response.mimetype != _MESSAGE_PACK
    )


def schedule_comparison(
    response: Response, compiled: DumpingSchema, rows: Any, many: bool | None, settings: Settings
) -> None:
    """Compare a share of the responses with stock's: lists in memory, as JSON by fastschema."""
    is_list = type(rows) in (list, tuple) and compiled.is_collection(rows, many)
    if not is_list or is_disabled() or not _is_plain(response):
        return
    if not is_sampled(settings.shadow):
        return

    def by_stock() -> bytes:
        stock_response = cast(Response, current_app.json.response(compiled.stock_dump(rows, many)))
        return stock_response.get_data()

    _compare(response.get_data(), by_stock, compiled.schema, has_values=settings.shadow_values)


def follow_dump(schema: Any, rows: Any, data: Any) -> None:
    """Compare a list that ``Schema.dump`` has dumped with stock's, as JSON, in sampled requests.

    Does nothing outside of an application with shadow mode, and for data that JSON cannot hold.
    """
    settings = settings_of(current_app) if has_app_context() else None
    if settings is None or is_disabled() or type(rows) not in (list, tuple):
        return
    if not is_sampled(settings.shadow):
        return
    try:
        written = current_app.json.dumps(data).encode()
    except Exception:  # it may be meant for something else
        return

    def by_stock() -> bytes:
        return current_app.json.dumps(Schema.dump(schema, rows, many=True)).encode()

    _compare(written, by_stock, schema, has_values=settings.shadow_values)


def _compare(
    written: bytes, by_stock: Callable[[], bytes], schema: Any, *, has_values: bool
) -> None:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # a proxy
    endpoint = request.endpoint if has_request_context() else None

    def tell(difference: Difference) -> None:
        shadow_differed.send(app, difference=difference)

    compare(
        written,
        by_stock,
        schema=type(schema).__name__,
        view=endpoint or app.name,
        has_values=has_values,
        tell=tell,
    )
