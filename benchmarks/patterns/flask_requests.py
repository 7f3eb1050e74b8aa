"""Whole requests to Flask, with marshmallow and SQLAlchemy.

Applications are asked through WSGI, as servers do; with fastschema, they have the one line
``FastSchema(app)``. Over SQLite in memory, or the server that DATABASE_URL leads to.
"""

from __future__ import annotations

import functools
import io
import json
import os
from typing import Any

import sqlalchemy
from flask import Flask, Response, jsonify, request
from flask.views import MethodView
from flask_smorest import Api, Blueprint
from marshmallow import Schema, ValidationError, fields, validate
from sqlalchemy.orm import Session
from webargs.flaskparser import use_args
from werkzeug.test import create_environ

from applications.postgresql import sqlalchemy_url
from harness.measuring import Run
from patterns import ONE, Collection, is_fast
from patterns.mapped import FLIGHTS, FlightSchema, database
from patterns.orders import FlatSchema, OrderSchema, as_json
from records import PERSON, WRONG, flat_rows, orders

PATTERNS = Collection("marshmallow")
add = PATTERNS.add
LISTS, SIZES = (20, 240), (20, 240, 2400)


class PersonSchema(Schema):
    """Ten fields of usual classes."""

    name = fields.String(required=True, validate=validate.Length(1, 50))
    age = fields.Integer(required=True, validate=validate.Range(0, 150))
    points = fields.Integer(required=True)
    height = fields.Float(required=True)
    is_active = fields.Boolean(required=True)
    born = fields.Date(required=True)
    seen = fields.AwareDateTime(required=True)
    balance = fields.Decimal(places=2, as_string=True, required=True)
    role = fields.String(validate=validate.OneOf(["admin", "member"]), required=True)
    email = fields.Email(required=True)


class QuerySchema(Schema):
    """The query string of a list view."""

    limit = fields.Integer(load_default=240, validate=validate.Range(max=1000))
    order = fields.String(load_default="id", validate=validate.OneOf(["id", "title"]))


def application(kind: type[Flask] = Flask) -> Any:
    app = kind("app")
    if is_fast():
        from fastschema.contrib.flask import FastSchema

        FastSchema(app)
    app.config.update(API_TITLE="People", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    return app


def asked(app: Flask, data: Any = None) -> Run:
    """What an application answers to a request, or to what is posted: status, headers and body."""
    method = "GET" if data is None else "POST"
    environ = create_environ("/", method=method, content_type="application/json")
    body = b"" if data is None else json.dumps(data).encode()
    environ["CONTENT_LENGTH"] = str(len(body))

    def run() -> Any:
        head: list[Any] = []
        sent = {**environ, "wsgi.input": io.BytesIO(body)}
        chunks = app(sent, lambda *arguments: head.extend(arguments))
        return [head[0], [[*each] for each in head[1]], b"".join(chunks)]

    return run


def answers(view: Any, data: Any = None) -> Run:
    app = application()
    app.add_url_rule("/", view_func=view, endpoint="/", methods=["GET", "POST"])
    return asked(app, data)


@functools.cache
def engine() -> sqlalchemy.Engine:
    if name := os.environ.get("FLASK_DATABASE"):
        return sqlalchemy.create_engine(sqlalchemy_url(name, "psycopg", name))
    return sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.StaticPool)


@functools.lru_cache(maxsize=1)
def filled(count: int) -> sqlalchemy.Engine:
    return database(count, engine())


def own(schema: type[Schema]) -> type[Schema]:
    """A class of one way to answer: what is known of it belongs to that."""
    return type(schema.__name__, (schema,), {})


def flights(count: int, respond: Any = None) -> Run:
    engine, schema = filled(count), own(FlightSchema)

    def view() -> Any:
        with Session(engine) as session:
            if respond:
                return respond(schema(), FLIGHTS, session=session)
            return jsonify(schema(many=True).dump(session.scalars(FLIGHTS)))

    return answers(view)


add("jsonify(schema.dump(...)) of a query", flights, SIZES)


@add("fs.response of a statement", sizes=SIZES)
def selected(count: int) -> Run:
    if not is_fast():
        return flights(count)
    from fastschema.contrib.flask import FastSchema

    return flights(count, FastSchema().response)


@add("text by schema.dumps", sizes=SIZES)
def text(count: int) -> Run:
    rows, schema = orders(count), own(OrderSchema)
    return answers(lambda: Response(schema(many=True).dumps(rows), mimetype="application/json"))


@add("a flask-smorest view of rows in memory", sizes=LISTS)
def smorest_list(count: int) -> Run:
    app, rows = application(), flat_rows(count)
    blueprint = Blueprint("books", "books")

    @blueprint.route("/")
    class Books(MethodView):
        @blueprint.arguments(QuerySchema, location="query")
        @blueprint.response(200, FlatSchema(many=True))
        def get(self, query: dict[str, Any]) -> Any:
            return rows[: query["limit"]]

    Api(app).register_blueprint(blueprint)
    return asked(app)


@add("one object", sizes=ONE)
def one(count: int) -> Run:
    [row], schema = orders(1), own(OrderSchema)
    return answers(lambda: schema().dump(row))


def smorest(data: Any) -> Run:
    """An application with flask-smorest answers with what it was sent, validated."""
    app = application()
    blueprint = Blueprint("people", "people")

    @blueprint.route("/")
    class People(MethodView):
        @blueprint.arguments(PersonSchema)
        @blueprint.response(201, PersonSchema)
        def post(self, person: dict[str, Any]) -> Any:
            return person

    Api(app).register_blueprint(blueprint)
    return asked(app, data)


def by_hand(data: Any) -> Run:
    schema = own(PersonSchema)

    def view() -> Any:
        try:
            person = schema().load(request.get_json())
        except ValidationError as error:
            return error.messages, 422
        return schema().dump(person), 201

    return answers(view, data)


@add("POST by webargs, answered by jsonify", sizes=ONE)
def posted_by_webargs(count: int) -> Run:
    @use_args(PersonSchema)
    def view(person: dict[str, Any]) -> Any:
        return jsonify(PersonSchema().dump(person)), 201

    return answers(view, PERSON)


add("POST by flask-smorest, answered", lambda n: smorest(PERSON), ONE)
add("POST by flask-smorest, three fields wrong", lambda n: smorest(WRONG), ONE)
add("POST of a form, answered", lambda n: by_hand(PERSON), ONE)
add("POST of a form, three fields wrong", lambda n: by_hand(WRONG), ONE)


@add("POST of a list, by schema.loads", sizes=LISTS)
def posted_list(count: int) -> Run:
    schema, data = own(OrderSchema), as_json(OrderSchema(), orders(count))

    def view() -> Any:
        return {"loaded": len(schema(many=True).loads(request.get_data(as_text=True)))}

    return answers(view, data)
