"""Streams by the configuration of their application."""

import pytest
from flask import Flask
from marshmallow import Schema, fields

import fastschema
from fastschema.contrib.flask import FastSchema
from tests.instruments.core import thresholds
from tests.promises.flask.schemas import BandSchema

BANDS = [{"name": "Can"}, {"name": "Neu!"}]


def compiled_rows(call):
    """How many rows generated code dumps in a call, and what it returns."""
    before = fastschema.stats().compiled_rows
    result = call()
    return fastschema.stats().compiled_rows - before, result


@pytest.mark.parametrize(("chunk_size", "chunks"), [(1, 5), (2, 4)])
def test_an_application_says_how_many_rows_are_a_chunk(make_app, fast, chunk_size, chunks):
    app = make_app(FASTSCHEMA_CHUNK_SIZE=chunk_size)
    make_app(FASTSCHEMA_CHUNK_SIZE=4)
    with app.test_request_context():
        response = fast.stream(BandSchema, [{"name": "Can"}] * 3)
        assert len(list(response.iter_encoded())) == chunks


@pytest.mark.parametrize(
    "config",
    [
        {"FASTSCHEMA_ENABLED": False},
        {"FASTSCHEMA_DISABLED": "yes"},
        {"FASTSCHEMA_DISABLED": True, "FASTSCHEMA_ENABLED": True},
    ],
)
def test_an_application_that_is_switched_off_streams_by_stock(make_app, fast, config):
    app = make_app(**config)

    def stream(form):
        return fast.stream(BandSchema, iter(BANDS), format=form, chunk_size=1).data

    with app.app_context():
        expected = app.json.response(BANDS).data
        assert compiled_rows(lambda: stream("json")) == (0, expected)
        assert compiled_rows(lambda: stream("ndjson"))[0] == 0


def test_the_first_row_of_a_schema_runs_as_stock(monkeypatch):
    class Item(Schema):
        name = fields.String()

    monkeypatch.setattr(thresholds, "rows_worth_reading", 8)
    app = Flask(__name__)
    fast = FastSchema(app)
    before = fastschema.stats().stock_rows

    def stream():
        return fast.stream(Item(many=True), [{"name": "a"}]).get_data()

    with app.test_request_context():
        assert compiled_rows(stream) == (0, b'[{"name":"a"}]\n')
    assert fastschema.stats().stock_rows == before + 1
