"""MessagePack responses of Flask: the formats "msgpack" and "accept" of ``fs.response``."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, request

from fastschema.contrib.flask.responses import RESPONSES, json_response
from fastschema.message_pack.packing import packed
from fastschema.runtime.front_end import DumpingSchema

_JSON = "application/json"
_MESSAGE_PACK = "application/vnd.msgpack"


def _message_pack_response(compiled: DumpingSchema, obj: Any, many: bool | None = None) -> Response:
    """Return the values of the JSON response as one message."""
    text = json_response(compiled, obj, many).get_data()
    body = packed(text, type(compiled.schema).__name__)
    return current_app.response_class(body, mimetype=_MESSAGE_PACK)


def _accepted_response(compiled: DumpingSchema, obj: Any, many: bool | None = None) -> Response:
    """Return the one of the two that the request's ``Accept`` prefers; JSON, if it likes both."""
    best = request.accept_mimetypes.best_match([_JSON, _MESSAGE_PACK], _JSON)
    respond = _message_pack_response if best == _MESSAGE_PACK else json_response
    response = respond(compiled, obj, many)
    response.vary.add("Accept")
    return response


RESPONSES |= {"msgpack": _message_pack_response, "accept": _accepted_response}
