"""Whole requests to Flask, with marshmallow and SQLAlchemy: see ``parts.py``."""

from __future__ import annotations

import functools
import os
from typing import Any

import sqlalchemy
from flask import Response, jsonify, request
from marshmallow import Schema
from sqlalchemy.orm import Session

from applications.postgresql import address
from fastschema.contrib.flask import FastSchema
from ordinary_flask import PERSON, STOCK_DUMP, PersonSchema, answered, application
from ordinary_pattern import Collection, Run
from ordinary_sqlalchemy import FLIGHTS, FlightSchema, database
from records import orders
from workloads import OrderSchema, as_json

MARSHMALLOW = Collection("marshmallow")
SIZES = (20, 240, 2400)


def own(schema: type[Schema]) -> type[Schema]:
    """A class of one way to answer: what is known of it belongs to that."""
    return type(schema.__name__, (schema,), {})


@functools.lru_cache(maxsize=1)
def filled(count: int) -> sqlalchemy.Engine:
    """A database with so many flights, of the PostgreSQL server if there is one."""
    if not os.environ["DATABASE_URL"].startswith("postgres"):
        return database(count)
    at = address()
    where = at.user, at.password, at.host, at.port, at.database
    url = sqlalchemy.URL.create("postgresql+psycopg", *where)
    return database(count, sqlalchemy.create_engine(url))


def answers(view: Any, data: Any = None) -> Run:
    """An application answers by one view."""
    app, method = application(), "GET" if data is None else "POST"
    app.add_url_rule("/", view_func=view, endpoint="/", methods=[method])
    return answered(app, method, data)


@MARSHMALLOW.add("jsonify(schema.dump(...)) of a query", sizes=SIZES)
def dumped(count: int) -> Run:
    engine, schema = filled(count), own(FlightSchema)

    def view() -> Any:
        with Session(engine) as session:
            return jsonify(schema(many=True).dump(session.scalars(FLIGHTS)))

    return answers(view)


@MARSHMALLOW.add("fs.response of a statement", sizes=SIZES)
def selected(count: int) -> Run:
    if Schema.dump is STOCK_DUMP:
        return dumped(count)
    engine, schema, fs = filled(count), own(FlightSchema), FastSchema()

    def view() -> Any:
        with Session(engine) as session:
            return fs.response(schema(), FLIGHTS, session=session)

    return answers(view)


@MARSHMALLOW.add("text by schema.dumps", sizes=SIZES)
def text(count: int) -> Run:
    rows, schema = orders(count), own(OrderSchema)
    return answers(lambda: Response(schema(many=True).dumps(rows), mimetype="application/json"))


@MARSHMALLOW.add("one object", sizes=(1,))
def one(count: int) -> Run:
    [row], schema = orders(1), own(OrderSchema)
    return answers(lambda: schema().dump(row))


@MARSHMALLOW.add("POST of a form, answered", sizes=(1,))
def form(count: int) -> Run:
    schema = own(PersonSchema)
    return answers(lambda: schema().dump(schema().load(request.get_json())), PERSON)


@MARSHMALLOW.add("POST of a list, by schema.loads", sizes=(20, 240))
def form_list(count: int) -> Run:
    schema, data = own(OrderSchema), as_json(own(OrderSchema)(), orders(count))
    return answers(
        lambda: {"loaded": len(schema(many=True).loads(request.get_data(as_text=True)))}, data
    )
