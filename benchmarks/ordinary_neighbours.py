"""Ordinary schemas of the packages that people use with marshmallow, Flask and SQLAlchemy.

Imported with the patterns of ``ordinary_marshmallow``, and adds to them. Requests are made by
Flask's test client; with fastschema, the applications have the one line ``FastSchema(app)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from apiflask import APIFlask
from flask import Flask, jsonify
from flask.views import MethodView
from flask_marshmallow import Marshmallow
from flask_smorest import Api, Blueprint
from marshmallow import Schema, fields, validate
from marshmallow_oneofschema import OneOfSchema
from marshmallow_sqlalchemy import SQLAlchemyAutoSchema
from marshmallow_sqlalchemy.fields import Nested
from webargs.flaskparser import use_kwargs

from ordinary_flask import extended
from ordinary_marshmallow import MARSHMALLOW, dump, dump_by_new, load
from ordinary_pattern import Run
from ordinary_sqlalchemy import Airline, Flight, flights
from records import Record, flat_rows
from workloads import FlatSchema, as_json


class AirlineAutoSchema(SQLAlchemyAutoSchema):
    """All columns of an airline."""

    class Meta:
        model = Airline


class FlightAutoSchema(SQLAlchemyAutoSchema):
    """All columns of a flight, the keys of what it refers to, and its airline."""

    airline = Nested(AirlineAutoSchema)

    class Meta:
        model = Flight
        include_fk = True
        include_relationships = True


class FlightColumnsSchema(SQLAlchemyAutoSchema):
    """All columns of a flight."""

    class Meta:
        model = Flight
        include_fk = True


class FlightNestedSchema(FlightColumnsSchema):
    """All columns of a flight, and its airline."""

    airline = Nested(AirlineAutoSchema)

    class Meta:
        model = Flight
        include_fk = True
        transient = True


class QuerySchema(Schema):
    """The query string of a list view."""

    limit = fields.Integer(load_default=20, validate=validate.Range(max=1000))
    order = fields.String(load_default="id", validate=validate.OneOf(["id", "title"]))


class AnimalSchema(OneOfSchema):
    """Cats and dogs, each by its own schema."""

    type_schemas = {
        "Cat": Schema.from_dict({"name": fields.String(), "lives": fields.Integer()}),
        "Dog": Schema.from_dict({"name": fields.String(), "tail": fields.Float()}),
    }

    def get_obj_type(self, obj: Any) -> str:
        """The class that an animal has."""
        return str(obj.kind)


def animals(count: int) -> list[Record]:
    """As many cats as dogs."""
    return [
        Record(kind="Dog" if number % 2 else "Cat", name=f"{number}", lives=number, tail=1.5)
        for number in range(count)
    ]


@MARSHMALLOW.add("marshmallow-oneofschema, dump")
def one_of(count: int) -> Run:
    return dump_by_new(AnimalSchema, animals(count))


@MARSHMALLOW.add("marshmallow-oneofschema, load")
def load_one_of(count: int) -> Run:
    data = as_json(AnimalSchema(), animals(count))
    return lambda: AnimalSchema(many=True).load(data)


@MARSHMALLOW.add("SQLAlchemyAutoSchema, columns")
def auto_columns(count: int) -> Run:
    return dump(FlightColumnsSchema(), flights(count))


@MARSHMALLOW.add("SQLAlchemyAutoSchema with Related and Nested, made in the view")
def auto_related(count: int) -> Run:
    return dump_by_new(FlightAutoSchema, flights(count))


@MARSHMALLOW.add("SQLAlchemyAutoSchema, load")
def auto_load(count: int) -> Run:
    return load(FlightColumnsSchema(), as_json(FlightColumnsSchema(), flights(count)))


@MARSHMALLOW.add("SQLAlchemyAutoSchema with Nested, load")
def auto_load_nested(count: int) -> Run:
    return load(FlightNestedSchema(), as_json(FlightNestedSchema(), flights(count)))


@MARSHMALLOW.add("flask-marshmallow: URLFor, AbsoluteURLFor, Hyperlinks")
def links(count: int) -> Run:
    app = Flask("app")
    ma = Marshmallow(app)

    class Linked(ma.Schema):
        class Meta:
            fields = ("id", "title", "url", "absolute", "_links")

        id = fields.Integer()
        title = fields.String()
        url = ma.URLFor("one", values={"id": "<id>"})
        absolute = ma.AbsoluteURLFor("one", values={"id": "<id>"})
        _links = ma.Hyperlinks({"self": ma.URLFor("one", values={"id": "<id>"})})

    app.add_url_rule("/books/<int:id>", "one", lambda id: "")
    rows = [Record(id=n, title=f"Book {n}") for n in range(count)]
    schema = Linked()

    def run() -> Any:
        with app.test_request_context():
            return schema.dump(rows, many=True) if count > 1 else schema.dump(rows[0])

    return run


def request(app: Flask, count: int) -> Run:
    """The body that a list view answers with."""
    client = app.test_client()
    return lambda: client.get(f"/books/?limit={count}").get_json()


@MARSHMALLOW.add("a Flask view: jsonify, webargs for the query string")
def webargs(count: int) -> Run:
    rows = flat_rows(count)
    app = extended(Flask("app"))

    @app.get("/books/")
    @use_kwargs(QuerySchema, location="query")
    def books(limit: int, order: str) -> Any:
        return jsonify(FlatSchema(many=True).dump(rows[:limit]))

    return request(app, count)


def smorest_app(rows: list[Any]) -> Flask:
    """An application with flask-smorest."""
    app = extended(Flask("app"))
    app.config.update(API_TITLE="Books", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    blueprint = Blueprint("books", "books", url_prefix="/books")

    @blueprint.route("/")
    class Books(MethodView):
        @blueprint.arguments(QuerySchema, location="query")
        @blueprint.response(200, FlatSchema(many=True))
        def get(self, query: dict[str, Any]) -> Any:
            return rows[: query["limit"]]

    Api(app).register_blueprint(blueprint)
    return app


def apiflask_app(rows: list[Any]) -> Flask:
    """An application with APIFlask."""
    app = extended(APIFlask("app"))

    @app.get("/books/")
    @app.input(QuerySchema, location="query")
    @app.output(FlatSchema(many=True))
    def books(query_data: dict[str, Any]) -> Any:
        return rows[: query_data["limit"]]

    return app


def add_application(name: str, make: Callable[[list[Any]], Flask]) -> None:
    """Add the list view of an application."""

    @MARSHMALLOW.add(name)
    def pattern(count: int) -> Run:
        return request(make(flat_rows(count)), count)


add_application("a flask-smorest view", smorest_app)
add_application("an APIFlask view", apiflask_app)
