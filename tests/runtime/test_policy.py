"""When compiling pays."""

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.marshmallow.dump import read_for_plan
from fastschema.runtime import policy


def node_of(**declared):
    return read_for_plan(Schema.from_dict(declared)()).program.node


@pytest.mark.parametrize(("values", "rows"), [(0, 1), (6, 2), (7, 3), (9, 3), (10, 4)])
def test_a_schema_of_few_fields_needs_more_rows(values, rows, monkeypatch):
    monkeypatch.setattr(policy, "values_worth_comparing", values)
    node = node_of(a=fields.String(), b=fields.String(), c=fields.String())
    assert policy.least_rows(node) == rows


def test_a_list_of_nested_objects_counts_as_several_values(monkeypatch):
    monkeypatch.setattr(policy, "values_worth_comparing", 27)
    node = node_of(a=fields.String(), b=fields.List(fields.Nested(Schema())))
    assert policy.least_rows(node) == 3


def test_a_schema_without_fields_is_no_error(monkeypatch):
    monkeypatch.setattr(policy, "values_worth_comparing", 24)
    assert policy.least_rows(node_of()) == 24


@pytest.mark.parametrize(
    ("row", "is_compiled"),
    [
        ({}, False),
        ({"a": 1, "b": 2, "c": None}, False),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, True),
        ({"e": [1]}, True),
        ({"f": {}}, True),
    ],
)
def test_a_row_with_few_plain_values_is_loaded_as_stock(monkeypatch, row, is_compiled):
    monkeypatch.setattr(policy, "keys_worth_loading", 4)
    content = dict.fromkeys("abcd", fields.Integer(allow_none=True))
    fastschema.install()
    try:
        inner = {"e": fields.List(fields.Integer()), "f": fields.Dict()}
        schema = Schema.from_dict(content | inner)()
        before = fastschema.stats().compiled_rows
        assert schema.load(row) == row
        assert (fastschema.stats().compiled_rows > before) is is_compiled
    finally:
        fastschema.uninstall()


def test_a_schema_of_which_too_few_rows_are_dumped_runs_as_stock(monkeypatch):
    monkeypatch.setattr(policy, "values_worth_binding", {"dump": 24, "load": 40})
    fastschema.install()
    try:
        schema = Schema.from_dict({"a": fields.String()})()
        before = fastschema.stats()
        assert schema.dump([{"a": 1}] * 23, many=True) == [{"a": "1"}] * 23
        assert fastschema.stats().compiled_rows == before.compiled_rows
        assert schema.dump([{"a": 1}] * 24, many=True) == [{"a": "1"}] * 24
        assert fastschema.stats().compiled_rows == before.compiled_rows + 24
    finally:
        fastschema.uninstall()
