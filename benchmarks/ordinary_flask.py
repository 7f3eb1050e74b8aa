"""Whole requests to Flask: JSON in, validated, and JSON out; lists from a database.

Imported with the patterns of ``ordinary_marshmallow``, and adds to them. Applications are asked
through WSGI, as servers do; with fastschema, they have the one line ``FastSchema(app)``.
"""

from __future__ import annotations

import io
import json
from typing import Any

from flask import Flask, jsonify, request
from flask.views import MethodView
from flask_smorest import Api, Blueprint
from marshmallow import Schema, ValidationError, fields, validate
from sqlalchemy.orm import Session
from webargs.flaskparser import use_args
from werkzeug.test import create_environ

from fastschema.contrib.flask import FastSchema
from ordinary_marshmallow import MARSHMALLOW
from ordinary_pattern import Run
from ordinary_sqlalchemy import FLIGHTS, FlightSchema, database
from records import orders
from workloads import OrderSchema

ONE = (1,)
STOCK_DUMP = Schema.dump


class PersonSchema(Schema):
    """Ten fields of usual classes."""

    name = fields.String(required=True, validate=validate.Length(1, 50))
    nickname = fields.String()
    age = fields.Integer(required=True, validate=validate.Range(0, 150))
    points = fields.Integer(required=True)
    height = fields.Float(required=True)
    is_active = fields.Boolean(required=True)
    born = fields.Date(required=True)
    seen = fields.AwareDateTime(required=True)
    balance = fields.Decimal(places=2, as_string=True, required=True)
    role = fields.String(validate=validate.OneOf(["admin", "member"]), required=True)
    email = fields.Email(required=True)


PERSON = {
    "name": "Ann Müller",
    "age": 42,
    "points": 7,
    "height": 1.75,
    "is_active": True,
    "born": "1990-02-03",
    "seen": "2024-01-02T03:04:05+00:00",
    "balance": "12.50",
    "role": "member",
    "email": "ann@example.com",
}
WRONG = {**PERSON, "age": -1, "born": "yesterday", "name": ""}


def application() -> Flask:
    """An application, which has fastschema's line if fastschema is installed."""
    app = extended(Flask("app"))
    app.config.update(API_TITLE="People", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    return app


def extended(app: Flask) -> Flask:
    """The same application, with fastschema's line if fastschema is installed."""
    if Schema.dump is not STOCK_DUMP:
        FastSchema(app)
    return app


def answered(app: Flask, method: str, data: Any = None) -> Run:
    """What an application answers to a request: status, headers and body."""
    environ = create_environ("/", method=method, content_type="application/json")
    body = b"" if data is None else json.dumps(data).encode()
    environ["CONTENT_LENGTH"] = str(len(body))

    def run() -> Any:
        head: list[Any] = []
        sent = {**environ, "wsgi.input": io.BytesIO(body)}
        chunks = app(sent, lambda *arguments: head.extend(arguments))
        return (*head, b"".join(chunks))

    return run


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
    return answered(app, "POST", data)


@MARSHMALLOW.add("request: POST by flask-smorest, answered, no database", sizes=ONE)
def posted_to_smorest(count: int) -> Run:
    return smorest(PERSON)


@MARSHMALLOW.add("request: POST by flask-smorest, wrong", sizes=ONE)
def refused_by_smorest(count: int) -> Run:
    return smorest(WRONG)


@MARSHMALLOW.add("request: POST by webargs, answered by jsonify, no database", sizes=ONE)
def posted_by_webargs(count: int) -> Run:
    app = application()

    @app.post("/")
    @use_args(PersonSchema)
    def people(person: dict[str, Any]) -> Any:
        return jsonify(PersonSchema().dump(person)), 201

    return answered(app, "POST", PERSON)


def by_hand(data: Any) -> Run:
    """A view answers with what it was sent, validated."""
    app = application()

    @app.post("/")
    def people() -> Any:
        schema = PersonSchema()
        try:
            person = schema.load(request.get_json())
        except ValidationError as error:
            return error.messages, 422
        return schema.dump(person), 201

    return answered(app, "POST", data)


@MARSHMALLOW.add("request: POST by load(request.get_json()), answered by dump", sizes=ONE)
def posted_by_hand(count: int) -> Run:
    return by_hand(PERSON)


@MARSHMALLOW.add("request: POST by load(request.get_json()), wrong", sizes=ONE)
def refused_by_hand(count: int) -> Run:
    return by_hand(WRONG)


@MARSHMALLOW.add("request: GET of an order with its author", sizes=ONE)
def retrieved(count: int) -> Run:
    app = application()
    [order] = orders(1)
    schema = OrderSchema()

    @app.get("/")
    def one() -> Any:
        return schema.dump(order)

    return answered(app, "GET")


@MARSHMALLOW.add("a Flask view of SQLAlchemy objects with four relations, with its query")
def flights_of_database(count: int) -> Run:
    app, engine = application(), database(count)

    @app.get("/")
    def flights() -> Any:
        with Session(engine) as session:
            return jsonify(FlightSchema(many=True).dump(session.scalars(FLIGHTS)))

    return answered(app, "GET")
