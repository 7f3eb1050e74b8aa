"""Responses straight from a plan, against ``jsonify`` of what ``Schema.dump`` returns."""

import math
from collections import namedtuple
from itertools import product

import pytest
from flask import jsonify, make_response, redirect
from werkzeug.datastructures import Headers

import fastschema
from fastschema.contrib.flask import FastSchema
from tests.marks import counts_references
from tests.promises.flask.schemas import (
    AlbumSchema,
    BandSchema,
    Genre,
    Label,
    album,
    albums,
)

SETTINGS = [
    dict(zip(("sort_keys", "ensure_ascii", "compact", "debug"), values, strict=True))
    for values in product([True, False], [True, False], [None, False], [False, True])
]


class Html:
    def __init__(self, calls):
        self.calls = calls

    def __html__(self):
        self.calls.append("html")
        return "<é>"


VALUES = {
    "usual": {},
    "nothing": dict.fromkeys(album()),
    "nan": {"rating": math.nan},
    "huge integers": {"extra": 10**30},
    "lone surrogate": {"title": "\ud800", "extra": {"b": "\ud800", "a": "é"}},
    "keys of the field's own": {"counts": {2: 1, 10: 2}},
    "mixed keys": {"extra": {"a": 1, 2: 2}},
    "dataclass": {"extra": Label("é")},
    "set": {"extra": {1}},
    "wrong": {"price": "no number"},
}


def outcome(call):
    try:
        made = call()
        return made.status_code, made.headers.to_wsgi_list(), made.get_data()
    except Exception as error:
        return type(error), str(error)


def both(app, fast, schema, rows, many=None):
    """What ``jsonify`` and ``response`` give, for rows made anew for each."""
    with app.test_request_context():
        with fastschema.disabled():
            stock = outcome(lambda: jsonify(schema.dump(rows(), many=many)))
        return stock, outcome(lambda: fast.response(schema, rows(), many))


@pytest.mark.parametrize("many", [True, False])
@pytest.mark.parametrize("name", VALUES)
def test_a_response_is_what_jsonify_answers(make_app, fast, name, many):
    app = make_app()
    for settings in SETTINGS:
        app.debug = settings["debug"]
        for key in ("sort_keys", "ensure_ascii", "compact"):
            setattr(app.json, key, settings[key])

        def rows():
            row = album(**VALUES[name])
            return [album(), row, row] if many else row

        stock, made = both(app, fast, AlbumSchema(), rows, many)
        if stock[0] is UnicodeEncodeError:  # it tells the position in what it was to write
            stock, made = stock[0], made[0]
        assert made == stock


@pytest.mark.parametrize("count", [0, 1, 149, 150, 151, 400])
def test_any_number_of_rows(app, fast, count):
    stock, made = both(app, fast, AlbumSchema(many=True), lambda: albums(count))
    assert made == stock


@pytest.mark.parametrize(
    "make_rows",
    [
        lambda: iter(albums(3)),
        lambda: (row for row in albums(3)),
        lambda: tuple(albums(3)),
        lambda: dict(enumerate(albums(3))).values(),
        lambda: None,
        lambda: 5,
    ],
)
def test_rows_may_be_any_iterable(app, fast, make_rows):
    stock, made = both(app, fast, AlbumSchema(many=True), make_rows)
    assert made == stock


@counts_references
def test_no_list_of_all_rows_is_made(app, fast):
    alive = []

    class Row:
        name = "Can"

        def __init__(self):
            alive.append(1)

        def __del__(self):
            alive.pop()

    most = 0

    def rows():
        nonlocal most
        for _ in range(1000):
            yield Row()
            most = max(most, len(alive))

    with app.test_request_context():
        assert len(fast.response(BandSchema(many=True), rows()).json) == 1000
    assert most < 10


def test_values_that_are_left_to_the_encoder_are_asked_once(app, fast):
    calls = []
    rows = [album(extra=Html(calls), counts={"a": 10**30})]
    with app.test_request_context():
        fast.response(AlbumSchema(many=True), rows)
    assert calls == ["html"]


def test_values_are_written_by_the_default_of_the_application(app, fast):
    def default(value):
        if isinstance(value, Genre):
            return f"genre {value.name}"
        return str(value)

    app.json.default = default
    stock, made = both(app, fast, AlbumSchema(), lambda: album(extra=[Genre.ROCK, {1}]))
    assert made == stock


@pytest.mark.parametrize("status", [None, 201, "202 LATER"])
@pytest.mark.parametrize(
    "headers",
    [
        None,
        {"X-One": "1", "Content-Type": "text/json"},
        [("X-One", "1"), ("X-One", "2")],
        Headers({"X-One": "1"}),
    ],
)
def test_status_and_headers_are_set_as_by_a_views_tuple(app, fast, status, headers):
    with app.test_request_context():
        made = fast.response(BandSchema, {"name": "Can"}, status=status, headers=headers)
        stock = make_response(jsonify({"name": "Can"}), status, headers)
    assert (made.status, made.headers, made.data) == (stock.status, stock.headers, stock.data)


class TestDecorator:
    """``FastSchema.output``."""

    @staticmethod
    def get(app, view, schema=None, many=True):
        schema = BandSchema() if schema is None else schema
        app.add_url_rule("/", view_func=FastSchema().output(schema, many=many)(view))
        return app.test_client().get("/")

    @pytest.mark.parametrize(
        ("rest", "status", "header"),
        [
            ((201,), 201, None),
            (("202 LATER",), 202, None),
            (({"X-One": "1"},), 200, "1"),
            (([("X-One", "1")],), 200, "1"),
            ((201, {"X-One": "1"}), 201, "1"),
            ((201, Headers({"X-One": "1"})), 201, "1"),
        ],
    )
    def test_tuples_are_those_of_flask(self, app, rest, status, header):
        def view():
            return [{"name": "Can"}], *rest

        answer = self.get(app, view)
        assert (answer.status_code, answer.headers.get("X-One")) == (status, header)
        assert answer.json == [{"name": "Can"}]

    def test_a_response_stays_as_it_is(self, app):
        assert self.get(app, lambda: redirect("/elsewhere", 302)).status_code == 302

    def test_a_response_in_a_tuple_stays_too(self, app):
        answer = self.get(app, lambda: (jsonify(error="none"), 404))
        assert (answer.status_code, answer.json) == (404, {"error": "none"})

    def test_a_named_tuple_is_an_object(self, app):
        row = namedtuple("Band", "name founded")("Can", 1968)
        assert self.get(app, lambda: row, many=False).json == {"name": "Can"}

    def test_another_tuple_is_an_error(self, app):
        app.testing = True
        with pytest.raises(TypeError, match="not a tuple of 4"):
            self.get(app, lambda: (1, 2, 3, 4))

    def test_an_async_view(self, app):
        async def view():
            return [{"name": "Can"}], 201

        answer = self.get(app, view)
        assert (answer.status_code, answer.json) == (201, [{"name": "Can"}])


def test_the_decorator_needs_a_schema(fast):
    message = r"on .*view needs a schema: write @fs.output\(YourSchema\)"
    with pytest.raises(TypeError, match=message):

        @fast.output
        def view():
            return []


@pytest.mark.parametrize("schema", [5, "AlbumSchema", dict, None])
def test_the_decorator_refuses_what_is_no_schema_at_once(fast, schema):
    with pytest.raises(TypeError, match="is not a schema of marshmallow"):
        fast.output(schema)
