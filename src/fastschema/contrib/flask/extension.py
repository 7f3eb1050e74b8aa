"""The extension: what ``FastSchema(app)`` does, and its helpers for views."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import closing, nullcontext
from functools import cache, partial
from types import FunctionType
from typing import Any

from flask import Flask, Response, current_app

from fastschema.contrib.flask.configuration import (
    EXTENSION,
    Settings,
    answer_by_stock,
    configured,
    current_settings,
    settings_of,
)
from fastschema.contrib.flask.json_provider import fast_provider
from fastschema.contrib.flask.responses import (
    HeadersLike,
    Status,
    checked_format,
    class_of,
    dumping,
    response_in,
    schema_and_rows,
    with_status,
)
from fastschema.marshmallow.compiled_schema import refuse_collection
from fastschema.marshmallow.installation import follow_lists, install
from fastschema.runtime.patching import Replacements, stock_method
from fastschema.runtime.plugins import plugin

_doctor, _shadow = plugin("fastschema.doctor.flask"), plugin("fastschema.shadow.flask")
_relations = plugin("fastschema.contrib.sqlalchemy_relations.flask")
plugin("fastschema.message_pack.flask")  # which adds its formats


class FastSchema:
    """The Flask extension.

    One object may serve several applications. It keeps nothing of them.

    :param app: an application to begin with, as for :meth:`init_app`
    """

    def __init__(self, app: Flask | None = None) -> None:
        if app is not None:
            self.init_app(app)

    def init_app(self, app: Flask) -> None:
        """Make an application's marshmallow responses fast. A second call does nothing.

        - ``FASTSCHEMA_INSTALL`` (True): compile all marshmallow schemas of the process
          (:func:`fastschema.install`).
        - ``FASTSCHEMA_JSON_PROVIDER`` (True): put a :class:`FastJSONProvider` in the place of
          ``app.json``, with its settings. A provider of the application's own that overrides more
          than settings stays, with a warning.
        - ``FASTSCHEMA_CHUNK_SIZE`` (150): how many rows :meth:`stream` writes at a time.
        - ``FASTSCHEMA_LOAD_RELATIONS`` (False): before objects of SQLAlchemy are dumped, load the
          relationships that the schema reads and that are not loaded, for all of them at once.
          "all": also lists that the database may return in any order.
        - ``FASTSCHEMA_SHADOW`` (0): the share, from 0 to 1, of lists that :meth:`response` writes,
          or ``Schema.dump`` dumps, and that stock then makes as well, to compare the two.
        - ``FASTSCHEMA_SHADOW_VALUES`` (False): show values where the two differ.
        - ``FASTSCHEMA_ENABLED`` (True): False: the application stays as it is.
        - ``FASTSCHEMA_DISABLED`` (False): whether the application stays as it is, whatever the
          other keys say.

        :raises TypeError: for what is no Flask application, such as a blueprint
        :raises ValueError: for a configuration key that there is not, or one with a value that it
            cannot have
        :raises ImportError: if a setting needs another version of a package
        """
        if not isinstance(app, Flask):
            raise TypeError(
                f"FastSchema takes the Flask application, not {app!r}: FastSchema(app), where "
                "app = Flask(__name__). It serves all blueprints of the application."
            )
        if EXTENSION in app.extensions:
            return
        settings = configured(app)
        if settings.is_off:
            answer_by_stock(app)
        else:
            _switch_on(app, settings)
        if _doctor is not None:
            app.cli.add_command(_doctor.command)
        app.extensions[EXTENSION] = settings

    def response(
        self,
        schema: Any,
        rows: Any,
        many: bool | None = None,
        status: Status | None = None,
        headers: HeadersLike | None = None,
        format: str = "json",
        session: Any = None,
    ) -> Response:
        """Return what ``jsonify(schema.dump(rows, many=many))`` returns, straight from the program.

        :param schema: a marshmallow schema, instance or class
        :param rows: an object, or a collection of objects (any iterable); with a session, a
            SQLAlchemy statement, as for :meth:`fastschema.Plan.dumps_select`
        :param many: whether it is a collection; None: as the schema says
        :param status: the status, if it is not 200
        :param headers: further headers
        :param format: "json"; "msgpack", MessagePack with the same values; or "accept", which of
            the two the request's ``Accept`` header prefers
        :param session: the SQLAlchemy session that runs the statement
        :raises RuntimeError: without an application context, or for an application that this
            extension does not know
        :raises TypeError: for a statement or a session that is not one of those
        :raises ValueError: for another format, a value that MessagePack cannot hold, or a
            statement with ``many=False``
        :raises Exception: what stock or SQLAlchemy raises
        """
        settings = current_settings()
        checked_format(format)
        with settings.switched():
            compiled, rows = schema_and_rows(schema, rows, session, many)
            with nullcontext() if session is None else closing(rows):
                refuse_collection(compiled, rows, many)
                response = response_in(format, compiled, rows, many)
            if settings.shadow and _shadow is not None:
                _shadow.schedule_comparison(response, compiled, rows, many, settings)
        return with_status(response, status, headers)

    def stream(
        self,
        schema: Any,
        rows: Iterable[Any],
        format: str = "json",
        status: Status | None = None,
        headers: HeadersLike | None = None,
        chunk_size: int | None = None,
        session: Any = None,
    ) -> Response:
        """Return a response with all rows, sent in chunks while they are read.

        The request's context is kept until then. If a row raises an exception after the first chunk
        was sent, the connection is cut and the exception logged. When the response ends, also
        because the client is gone, ``rows.close()`` is called, if there is one.

        :param schema: a marshmallow schema, instance or class; one with hooks is dumped in one
            piece
        :param rows: any iterable, such as a generator or a database result; with a session, a
            SQLAlchemy statement, as for :meth:`fastschema.Plan.stream_select`
        :param format: "json" (one array), or "ndjson" (a line for each row)
        :param status: the status, if it is not 200
        :param headers: further headers
        :param chunk_size: how many rows to write at a time; None: ``FASTSCHEMA_CHUNK_SIZE``
        :param session: the SQLAlchemy session that runs the statement
        :raises RuntimeError: as for :meth:`response`
        :raises ValueError: for another format, or a chunk size that is not positive
        :raises TypeError: for rows that are a mapping or text, and as for :meth:`response`
        :raises Exception: what stock or SQLAlchemy raises for the rows of the first chunk
        """
        # Imported here, as is what else can be taken out: see CONTRIBUTING.md.
        from fastschema.contrib.flask.streaming.responses import stream_response

        settings = current_settings()
        size = settings.chunk_size if chunk_size is None else chunk_size
        with settings.switched():
            response = stream_response(schema, rows, format, size, session)
        try:
            return with_status(response, status, headers)
        except BaseException:
            response.close()
            raise

    def output(
        self, schema: Any, many: bool | None = None, format: str = "json"
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator for views, ``async`` or not, that return objects: :meth:`response` of
        those.

        The view may also return a tuple as Flask knows it (objects, status), (objects, headers) or
        (objects, status, headers), or a finished response, which stays as it is.

        :param schema: a marshmallow schema, instance or class
        :param many: whether views return collections; None: as the schema says
        :param format: as for :meth:`response`
        :raises TypeError: if it is no schema
        :raises ValueError: for another format
        """
        if isinstance(schema, FunctionType):
            raise TypeError(
                f"@fs.output on {schema.__qualname__} needs a schema: write @fs.output(YourSchema)"
            )
        class_of(schema)
        checked_format(format)
        respond = partial(self.response, schema, many=many, format=format)
        return partial(dumping, respond, schema)


def _switch_on(app: Flask, settings: Settings) -> None:
    if _relations is not None:
        _relations.switch_on(settings, is_debug=app.debug)
    if settings.install:
        install()
        install_jsonify()
    if settings.json_provider:
        _replace_provider(app)
    if settings.shadow and _shadow is not None:
        follow_lists(_shadow.follow_dump)


def _replace_provider(app: Flask) -> None:
    provider = fast_provider(app)
    if provider is not None:
        app.json = provider
        return
    app.logger.warning(
        "fastschema leaves app.json alone, a %s of your own that overrides methods. Let it inherit "
        "from fastschema.contrib.flask.FastJSONProvider, or set FASTSCHEMA_JSON_PROVIDER = False.",
        type(app.json).__name__,
    )


def install_jsonify() -> None:
    """Make ``Schema.jsonify`` write by compiled programs, if flask-marshmallow has been imported.

    In applications without the extension, and in those that are switched off, it stays as it is.
    """
    module = sys.modules.get("flask_marshmallow.schema")
    if module is not None:
        _replacing_jsonify(module.Schema).install()


@cache
def _replacing_jsonify(cls: Any) -> Replacements:
    stock = stock_method(cls, "jsonify")

    def jsonify(self: Any, obj: Any, many: bool | None = None, *args: Any, **kwargs: Any) -> Any:
        settings = settings_of(current_app)
        if args or kwargs or settings is None or settings.is_off:
            return stock(self, obj, many, *args, **kwargs)
        compiled, _ = schema_and_rows(self, obj)
        return response_in("json", compiled, obj, many)

    return Replacements([(cls, "jsonify", stock, jsonify)])
