"""The signal that tells what the extension has written."""

import flask_marshmallow
import pytest
from flask import Flask
from flask_marshmallow import Marshmallow
from marshmallow import Schema, fields, post_dump

import fastschema
from fastschema.contrib.flask import FastSchema, streaming
from fastschema.contrib.flask import responses as responses_module
from fastschema.contrib.flask.signals import CountingSchema, dumped
from tests.contrib.flask.schemas import ALL_ROWS


class Row(Schema):
    name = fields.String()
    number = fields.Integer()


class Enveloped(Row):
    @post_dump(**ALL_ROWS)
    def envelop(self, data, many, **kwargs):
        return {"rows": data} if many else data


class Odd(Row):
    def _serialize(self, obj, *, many=False):
        return super()._serialize(obj, many=many)


def rows(count):
    return [{"name": "a", "number": number} for number in range(count)]


@pytest.fixture
def told(app):
    """What the signal has told since."""
    received = []

    def receive(sender, **what):
        assert sender is app
        assert what.pop("seconds") > 0
        received.append(what)

    with dumped.connected_to(receive, app):
        yield received


def as_told(schema, count, *, compiled=True):
    return [{"schema": schema, "rows": count, "compiled": compiled}]


@pytest.mark.parametrize("format", ["json", "msgpack"])
@pytest.mark.parametrize(
    ("schema", "given", "many", "count"),
    [
        (Row, rows(300), True, 300),
        (Row, rows(3), True, 3),
        (Row(many=True), rows(3), None, 3),
        (Row, tuple(rows(3)), True, 3),
        (Row, rows(1)[0], None, 1),
        (Enveloped, rows(7), True, 7),
        (Enveloped, rows(1)[0], None, 1),
    ],
)
def test_a_response_is_told_with_its_rows(app, fast, told, format, schema, given, many, count):
    with app.test_request_context():
        fast.response(schema, given, many, format=format)
    cls = schema if isinstance(schema, type) else type(schema)
    assert told == as_told(cls, count)


def test_the_rows_of_a_generator_are_counted(app, fast, told):
    with app.test_request_context():
        fast.response(Row, iter(rows(200)), many=True)
    assert told == as_told(Row, 200)


def test_rows_that_only_a_hook_has_seen_are_not_counted(app, fast, told):
    with app.test_request_context():
        fast.response(Enveloped, iter(rows(200)), many=True)
    assert told == as_told(Enveloped, None)


def test_a_response_by_stock_is_told_as_such(app, fast, told):
    with app.test_request_context():
        fast.response(Odd, rows(5), many=True)
        with fastschema.disabled():
            fast.response(Row, rows(6), many=True)
    assert told == [
        *as_told(Odd, 5, compiled=False),
        *as_told(Row, 6, compiled=False),
    ]


@pytest.mark.parametrize("format", ["json", "ndjson"])
def test_a_stream_is_told_when_its_last_row_is_written(app, fast, told, format):
    with app.test_request_context():
        response = fast.stream(Row, iter(rows(25)), format=format, chunk_size=10)
        chunks = iter(response.response)
        next(chunks)
        assert told == []
        for _ in chunks:
            pass
    assert told == as_told(Row, 25)


def test_a_stream_in_one_piece_is_told(app, fast, told):
    with app.test_request_context():
        fast.stream(Enveloped, rows(25)).get_data()
    assert told == as_told(Enveloped, 25)


def test_a_stream_that_is_cut_off_is_not_told(app, fast, told):
    with app.test_request_context():
        response = fast.stream(Row, iter(rows(25)), chunk_size=10)
        next(iter(response.response))
        response.close()
    assert told == []


def test_a_response_that_fails_is_not_told(app, fast, told):
    with app.test_request_context(), pytest.raises(ValueError, match="none"):
        fast.response(Row, [{"number": "none"}], many=True)
    assert told == []


def test_a_view_with_output_is_told(app, fast, told):
    app.add_url_rule("/rows", view_func=fast.output(Row, many=True)(lambda: rows(4)), endpoint="r")
    app.test_client().get("/rows")
    assert told == as_told(Row, 4)


def test_jsonify_of_flask_marshmallow_is_told():
    assert flask_marshmallow
    app = Flask("app")
    ma = Marshmallow(app)
    FastSchema(app)
    cls = type("Rows", (ma.Schema,), {"name": fields.String()})
    received = []

    def receive(sender, schema, rows, **what):
        received.append((schema, rows))

    with dumped.connected_to(receive, app), app.test_request_context():
        cls().jsonify(rows(3), many=True)
    assert received == [(cls, 3)]


@pytest.mark.parametrize("given", [rows(3), iter(rows(300)), rows(1)[0]])
def test_who_listens_changes_no_byte(app, fast, told, given):
    given = list(given) if not isinstance(given, dict) else given
    with app.test_request_context():
        heard = fast.response(Row, given, isinstance(given, list))
        with dumped.muted():
            unheard = fast.response(Row, given, isinstance(given, list))
    assert heard.get_data() == unheard.get_data()
    assert heard.headers == unheard.headers


def test_nothing_is_counted_if_nobody_listens(app, fast, monkeypatch):
    def refuse(*args):
        raise AssertionError("watched")

    monkeypatch.setattr(CountingSchema, "__init__", refuse)
    monkeypatch.setattr(dumped, "receivers", {})
    with app.test_request_context():
        assert fast.response(Row, rows(3), many=True).json == rows(3)
        assert fast.stream(Row, rows(3)).get_data()
    assert responses_module.dumped is streaming.dumped is dumped
