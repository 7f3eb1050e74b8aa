"""Responses of so few rows that compiling does not pay."""

import flask
import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.contrib.flask import FastSchema
from tests.instruments.core import thresholds


class Item(Schema):
    name = fields.String()
    number = fields.Integer()


ITEMS = [{"name": "a", "number": 1}]


@pytest.fixture
def fs(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 8)
    app = flask.Flask(__name__)
    fs = FastSchema(app)
    with app.test_request_context():
        yield fs


def test_the_first_row_of_a_schema_runs_as_stock(fs):
    fastschema.forget()
    before = fastschema.stats()
    response = fs.response(Item(many=True), ITEMS)
    assert response.get_data() == b'[{"name":"a","number":1}]\n'
    after = fastschema.stats()
    assert after.compiled_rows == before.compiled_rows
    assert after.stock_rows == before.stock_rows + 1
