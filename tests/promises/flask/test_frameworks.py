"""Small applications with the packages that people use with Flask and marshmallow.

Each is made twice, with stock and with fastschema, and gives the same answers.
"""

import flask_marshmallow
import pytest
from apiflask import APIFlask
from flask import Flask, jsonify
from flask.views import MethodView
from flask_marshmallow import Marshmallow
from flask_smorest import Api
from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, fields, post_dump, validate
from webargs.flaskparser import use_args, use_kwargs

import fastschema
from fastschema.contrib.flask import FastSchema, extension
from tests.instruments.marshmallow import dump as marshmallow_dump
from tests.promises.flask.schemas import ALL_ROWS, AlbumSchema, album, albums


class InputSchema(Schema):
    name = fields.String(required=True, validate=validate.Length(max=10))
    founded = fields.Integer(load_default=1968)


class QuerySchema(Schema):
    limit = fields.Integer(load_default=3, validate=validate.Range(max=300))


def with_flask_marshmallow(fast):
    app = Flask("app")
    if fast:
        FastSchema(app)
    ma = Marshmallow(app)

    class Output(AlbumSchema, ma.Schema):
        links = ma.Hyperlinks({"self": ma.URLFor("one")})

    class Hooked(Output):
        @post_dump(**ALL_ROWS)
        def wrap(self, data, many, **kwargs):
            return {"albums": data}

    class Own(Output):
        def dump(self, obj, *, many=None):
            return {"own": super().dump(obj, many=many)}

    app.add_url_rule("/one", "one", lambda: Output().jsonify(album()))
    app.add_url_rule("/many", "many", lambda: Output(many=True).jsonify(albums(200)))
    app.add_url_rule("/told", "told", lambda: Output().jsonify(albums(2), many=True))
    app.add_url_rule("/hooked", "hooked", lambda: Hooked().jsonify(albums(2), many=True))
    app.add_url_rule("/own", "own", lambda: Own().jsonify(albums(2), many=True))
    app.add_url_rule("/more", "more", lambda: Output().jsonify(album(), None, 1))
    app.add_url_rule("/wrong", "wrong", lambda: Output().jsonify(album(price="none")))
    return app


def with_smorest(fast):
    app = Flask("app")
    app.config.update(API_TITLE="Bands", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    if fast:
        FastSchema(app)
    blueprint = SmorestBlueprint("bands", "bands", url_prefix="/bands")

    @blueprint.route("/")
    class Bands(MethodView):
        @blueprint.arguments(QuerySchema, location="query")
        @blueprint.response(200, AlbumSchema(many=True))
        def get(self, query):
            return albums(query["limit"])

        @blueprint.arguments(InputSchema)
        @blueprint.response(201, InputSchema)
        def post(self, data):
            return data, {"X-One": "1"}

    Api(app).register_blueprint(blueprint)
    return app


def with_apiflask(fast):
    app = APIFlask("app")
    if fast:
        FastSchema(app)

    @app.get("/bands/")
    @app.input(QuerySchema, location="query")
    @app.output(AlbumSchema(many=True))
    def list_bands(query_data):
        return albums(query_data["limit"])

    @app.post("/bands/")
    @app.input(InputSchema)
    @app.output(InputSchema, status_code=201)
    def add_band(json_data):
        return json_data, 201, {"X-One": "1"}

    return app


def with_webargs(fast):
    app = Flask("app")
    if fast:
        FastSchema(app)

    @app.get("/bands/")
    @use_kwargs(QuerySchema, location="query")
    def list_bands(limit):
        return jsonify(AlbumSchema(many=True).dump(albums(limit)))

    @app.post("/bands/")
    @use_args(InputSchema)
    def add_band(data):
        return jsonify(data), 201, {"X-One": "1"}

    return app


BANDS = [
    ("get", "/bands/", {}),
    ("get", "/bands/?limit=200", {}),
    ("get", "/bands/?limit=many", {}),
    ("post", "/bands/", {"json": {"name": "Can"}}),
    ("post", "/bands/", {"json": {"name": "far too long a name"}}),
    ("post", "/bands/", {"data": b'{"name": ', "content_type": "application/json"}),
    ("post", "/bands/", {"data": b'{"name": "\xff"}', "content_type": "application/json"}),
]
JSONIFY = [
    ("get", f"/{name}", {}) for name in ("one", "many", "told", "hooked", "own", "more", "wrong")
]
REQUESTS = [
    *[(with_flask_marshmallow, *each) for each in JSONIFY],
    *[(make, *each) for make in (with_smorest, with_apiflask, with_webargs) for each in BANDS],
    (with_smorest, "get", "/none", {}),
    (with_apiflask, "get", "/openapi.json", {}),
]


def answer(app, method, path, options):
    with app.test_client() as client:
        made = getattr(client, method)(path, **options)
        return made.status, sorted(made.headers.to_wsgi_list()), made.data


@pytest.mark.parametrize(("make", "method", "path", "options"), REQUESTS)
def test_an_application_gives_the_same_answers(make, method, path, options):
    with fastschema.disabled():
        stock = answer(make(fast=False), method, path, options)
    fastschema.uninstall()
    assert answer(make(fast=True), method, path, options) == stock


@pytest.mark.parametrize(
    ("make", "path", "small"),
    [
        (with_flask_marshmallow, "/many", 0),
        (with_smorest, "/bands/?limit=200", 1),
        (with_apiflask, "/bands/?limit=200", 1),
        (with_webargs, "/bands/?limit=200", 1),
    ],
)
def test_an_application_gains(make, path, small):
    app = make(fast=True)
    before = fastschema.stats()
    answer(app, "get", path, {})
    after = fastschema.stats()
    assert after.compiled_rows - before.compiled_rows >= 200
    assert after.stock_rows - before.stock_rows == small  # the query string, which is no dictionary


def test_jsonify_of_flask_marshmallow_writes_straight_from_the_plan(monkeypatch):
    app = with_flask_marshmallow(fast=True)
    monkeypatch.setattr(AlbumSchema, "dump", None)
    monkeypatch.setitem(marshmallow_dump._METHODS, "dump", None)
    assert answer(app, "get", "/many", {})[0] == "200 OK"


def test_jsonify_that_a_library_has_replaced_stays(monkeypatch):
    with_flask_marshmallow(fast=True)
    monkeypatch.setattr(flask_marshmallow.Schema, "jsonify", lambda self, *args: "theirs")

    app = with_flask_marshmallow(fast=True)

    assert answer(app, "get", "/many", {})[-1] == b"theirs"


def test_jsonify_is_replaced_once():
    extension.install_jsonify()
    jsonify_method = flask_marshmallow.Schema.jsonify
    extension.install_jsonify()
    assert flask_marshmallow.Schema.jsonify is jsonify_method
