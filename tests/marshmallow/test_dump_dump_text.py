"""``Schema.dumps`` gives the text of stock, however it comes about."""

import collections
import datetime
import decimal
import json
import uuid

import pytest
from marshmallow import Schema, fields, missing

from fastschema.marshmallow import dump
from tests.marks import needs_orjson
from tests.marshmallow.differential import assert_same, installed, outcome


class ToySchema(Schema):
    name = fields.String()


class DogSchema(Schema):
    name = fields.String()
    age = fields.Integer()
    weight = fields.Float()
    born = fields.Date()
    seen = fields.DateTime()
    chip = fields.UUID()
    good = fields.Boolean()
    price = fields.Decimal(as_string=True)
    tags = fields.List(fields.String())
    extra = fields.Raw()
    toys = fields.List(fields.Nested(ToySchema))
    best = fields.Nested(ToySchema, data_key='the "{best}" é')


DOG = {
    "name": 'Rex "é" \x7f\n',
    "age": 3,
    "weight": 2.5,
    "born": datetime.date(2020, 1, 2),
    "seen": datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC),
    "chip": uuid.UUID(int=5),
    "good": True,
    "price": decimal.Decimal("1.50"),
    "tags": ["a", "é", None],
    "extra": {"a": [1, 2.5, None]},
    "toys": [{"name": "ball"}, {}],
    "best": {"name": "stick"},
}
DOGS = [DOG] * 30


def is_written_directly(schema, rows):
    """Whether the text of rows is made without dictionaries."""
    with installed():
        schema.dump(rows, many=True)
        return dump.dumps(schema, rows, True) is not None


def same(make_schema, rows, *arguments, **options):
    """Compare ``Schema.dumps`` of stock with that of fastschema; return whether rows are text."""
    expected = outcome(lambda: make_schema().dumps(rows, *arguments, **options))
    schema = make_schema()
    with installed():
        for _ in range(3):
            assert outcome(lambda: schema.dumps(rows, *arguments, **options)) == expected
    return expected


@needs_orjson
def test_rows_become_text_without_dictionaries():
    assert is_written_directly(DogSchema(), DOGS)
    assert same(DogSchema, DOGS, many=True).value is not None


@pytest.mark.parametrize(
    "change",
    [
        {"age": 2**70},
        {"weight": float("nan")},
        {"weight": 1e22},
        {"name": "\ud800"},
        {"tags": [1, 2]},
        {"toys": ({"name": "x"},)},
        {"toys": [None, {"name": "x"}]},
        {"born": None, "seen": None, "chip": None},
        {"seen": datetime.datetime(1, 2, 3)},
        {"extra": {1: 2, None: 3, 2.5: 4, False: 5}},
        {"extra": object()},
        {"extra": collections.OrderedDict(b=1, a=2)},
        {"price": decimal.Decimal("1E+3")},
    ],
)
def test_each_value_is_written_as_by_stock(change):
    changed = {**DOG, **change}
    assert_same(DogSchema, [changed, DOG] * 13, many=True)
    without = {name: value for name, value in DOG.items() if name not in change}
    assert_same(DogSchema, [without, changed] * 13, many=True)


@pytest.mark.parametrize(
    "options",
    [
        {"indent": 2},
        {"sort_keys": True},
        {"default": str},
        {"cls": json.JSONEncoder},
        {"nonsense": 1},
    ],
    ids=repr,
)
def test_further_arguments_are_those_of_the_render_module(options):
    assert_json = same(DogSchema, DOGS, many=True, **options)
    assert assert_json.value is not None or assert_json.error[0] is TypeError


def test_a_render_module_of_ones_own_writes():
    class Renderer:
        @staticmethod
        def dumps(data, **options):
            return f"written {json.dumps(data)}"

        loads = json.loads

    class OwnSchema(DogSchema):
        class Meta:
            render_module = Renderer

    assert not is_written_directly(OwnSchema(), DOGS)
    assert same(OwnSchema, DOGS, many=True).value.startswith("written ")


def test_a_json_module_that_was_changed_writes(monkeypatch):
    monkeypatch.setattr(json, "_default_encoder", json.JSONEncoder(ensure_ascii=False))
    assert not is_written_directly(DogSchema(), DOGS)
    assert "é" in same(DogSchema, DOGS, many=True).value


class RawSchema(Schema):
    number = fields.Integer()
    members = fields.List(fields.Raw())
    value = fields.Raw()


def test_an_integer_of_too_many_digits_is_refused_after_all_rows_are_dumped():
    rows = [{"value": object()}, *[{"number": 1}] * 30, {"number": 10**5000}]
    same(lambda: RawSchema(many=True), rows)


def test_values_of_unknown_classes_are_written_in_their_order(monkeypatch):
    monkeypatch.setattr(json.JSONEncoder, "default", lambda self, value: type(value).__name__)
    rows = [{"members": [missing, {1}, None, [missing]], "value": {2}}] * 30
    same(lambda: RawSchema(many=True), rows)


def test_code_of_users_writes_each_value_once_though_another_is_refused():
    calls = []

    class Counted(dict):
        def items(self):
            calls.append(self)
            return super().items()

    rows = [*[{"value": Counted(x=1)}] * 30, {"value": object()}]
    same(lambda: RawSchema(many=True), rows)
    assert len(calls) == 4 * 30  # once by stock, three times by fastschema


@needs_orjson
def test_a_dictionary_class_of_ones_own_is_filled():
    class OwnSchema(ToySchema):
        dict_class = collections.OrderedDict

    class OwnerSchema(Schema):
        toy = fields.Nested(OwnSchema)

    assert not is_written_directly(OwnSchema(), [{"name": "a"}] * 30)
    assert is_written_directly(OwnerSchema(), [{"toy": {"name": "a"}}] * 30)
    assert_same(OwnSchema, [{"name": "a"}] * 30, many=True)
    assert_same(OwnerSchema, [{"toy": {"name": "a"}}] * 30, many=True)
