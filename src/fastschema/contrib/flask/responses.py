"""Responses written straight from objects, by a compiled program."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, cast

from flask import Response, current_app
from flask.typing import ResponseReturnValue
from marshmallow import Schema
from werkzeug.datastructures import Headers
from werkzeug.wrappers import Response as BaseResponse

from fastschema.contrib.flask.json_provider import FastJSONProvider, jsonify_engine
from fastschema.marshmallow.compiled_schema import CompiledMarshmallowSchema
from fastschema.runtime.encode import dumped_bytes
from fastschema.runtime.front_end import DumpingSchema, dumped_data

SCHEMA = "_fastschema_schema"
"""The attribute of a decorated view that says by which schema it answers."""
Arguments = ParamSpec("Arguments")
Status = int | str
"""``201`` or ``"201 CREATED"``."""
HeadersLike = Headers | Mapping[str, Any] | Iterable[tuple[str, Any]]
"""Headers as views may return them."""


def class_of(schema: Any) -> type[Schema]:
    cls = schema if isinstance(schema, type) else type(schema)
    if not issubclass(cls, Schema):
        raise TypeError(f"{cls.__module__}.{cls.__qualname__} is not a schema of marshmallow")
    return cls


def schema_and_rows(
    schema: Any,
    rows: Any,
    session: Any = None,
    many: bool | None = None,
    *,
    is_streamed: bool = False,
) -> tuple[DumpingSchema, Any]:
    """Return what dumps rows, and the rows: those of a statement, if there is a session."""
    cls = class_of(schema)
    compiled = CompiledMarshmallowSchema(cls() if schema is cls else schema)
    if session is None:
        sqlalchemy = sys.modules.get("sqlalchemy")
        if sqlalchemy is not None and isinstance(rows, sqlalchemy.sql.Select):
            raise TypeError("rows is a SQLAlchemy statement: pass the session that runs it, too")
        return compiled, rows
    if many is False:
        raise ValueError("many=False is for one object, and a statement selects many")
    from fastschema.contrib.sqlalchemy.selection import SelectDumper

    selecting = SelectDumper(compiled, rows, session, is_streamed=is_streamed)
    return selecting, selecting


def json_response(compiled: DumpingSchema, obj: Any, many: bool | None = None) -> Response:
    """Return what ``jsonify(schema.dump(obj, many=many))`` returns, straight from the program."""
    provider = current_app.json
    if isinstance(provider, FastJSONProvider) and provider.is_fast and provider.is_compact:
        body = dumped_bytes(compiled, obj, many, jsonify_engine(provider), b"\n")
        if body is not None:
            return current_app.response_class(body, mimetype=provider.mimetype)
    return cast(Response, provider.response(dumped_data(compiled, obj, many)))


RESPONSES: dict[str, Callable[[DumpingSchema, Any, bool | None], Response]] = {
    "json": json_response
}
"""What makes a response in each format. Plugins add theirs."""


def response_in(format: str, compiled: DumpingSchema, obj: Any, many: bool | None) -> Response:
    return RESPONSES[checked_format(format)](compiled, obj, many)


def checked_format(format: str) -> str:
    if format not in RESPONSES:
        raise ValueError(f"format must be one of {', '.join(RESPONSES)}, not {format!r}")
    return format


def with_status(response: Response, status: Status | None, headers: HeadersLike | None) -> Response:
    """Return the response with the status and the headers of a view's tuple, as Flask sets them."""
    return current_app.make_response((response, status, headers))  # type: ignore[arg-type]  # may be None


def dumping(
    respond: Callable[[Any], Response], schema: Any, view: Callable[Arguments, Any]
) -> Callable[Arguments, Any]:
    """Return a view, ``async`` or not, whose objects become a response; it notes the schema."""
    if inspect.iscoroutinefunction(view):

        @wraps(view)
        async def async_view(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
            awaitable: Awaitable[Any] = view(*args, **kwargs)
            return _view_response(respond, await awaitable)

        setattr(async_view, SCHEMA, schema)
        return async_view

    @wraps(view)
    def sync_view(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
        return _view_response(respond, view(*args, **kwargs))

    setattr(sync_view, SCHEMA, schema)
    return sync_view


def _view_response(respond: Callable[[Any], Response], returned: Any) -> ResponseReturnValue:
    """Return what Flask gets for what a decorated view returned."""
    if isinstance(returned, BaseResponse):
        return returned
    if type(returned) is not tuple:  # a named tuple is an object to dump
        return respond(returned)
    if len(returned) not in (2, 3):
        raise TypeError(
            "A view decorated with @fs.output returns objects, or a tuple (objects, status), "
            f"(objects, headers) or (objects, status, headers), not a tuple of {len(returned)}. "
            "Return a list of objects instead."
        )
    body, *rest = returned
    return (body if isinstance(body, BaseResponse) else respond(body), *rest)
