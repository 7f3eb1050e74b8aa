"""Fields with methods of their own: they are called as by stock, and all else is as in stock."""

import pytest
from marshmallow import INCLUDE, Schema, ValidationError, fields, missing, validate

from tests.marshmallow.differential import assert_same
from tests.marshmallow.load_differential import Comparison
from tests.marshmallow.load_schemas import LOG, noted

LONG = validate.Length(max=3)


class Own(fields.String):
    def _deserialize(self, value, attr, data, **kwargs):
        noted("_deserialize", value, attr, data, kwargs)
        if value == "refused":
            raise ValidationError("refused")
        if value == "in parts":
            raise ValidationError({"first": ["wrong"]}, valid_data="valid")
        if value == "broken":
            raise ZeroDivisionError("broken")
        return None if value == "none" else super()._deserialize(value, attr, data, **kwargs)


class OwnNumber(fields.Integer):
    def _format_num(self, value):
        noted("_format_num", value)
        return int(str(value).replace(",", ""))


class OwnNumberType(fields.Number):
    num_type = complex


class OwnValidated(fields.Integer):
    def _validated(self, value):
        noted("_validated", value)
        return super()._validated(value)


class OwnValidate(Own):
    def _validate(self, value):
        noted("_validate", value)
        super()._validate(value)


def refuse_x(value):
    noted("validator", value)
    if value == "x":
        raise ValidationError("not x")


class OwnSchema(Schema):
    plain = Own()
    required = Own(required=True)
    default = Own(load_default="d", allow_none=True)
    called = Own(load_default=lambda: "called", data_key="Called")
    checked = Own(validate=[LONG, refuse_x])
    validated = OwnValidate(validate=LONG, attribute="other")
    number = OwnNumber(strict=False)
    typed = OwnNumberType()
    again = OwnValidated()
    last = fields.String()


ROW = {"plain": "a", "required": "b", "default": "c", "Called": "e", "checked": "f"}
VALUES = [
    None,
    "x",
    "",
    "none",
    5,
    ["a"],
    {"a": 1},
    "refused",
    "in parts",
    "1,000",
    "too long",
    True,
]


@pytest.mark.parametrize("name", ["plain", "required", "default", "Called", "checked", "validated"])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_field_with_its_own_deserialize_is_loaded_as_by_stock(name, value):
    Comparison(OwnSchema, LOG).check([{**ROW, name: value}, {**ROW, "last": "z"}], many=True)
    Comparison(OwnSchema, LOG).check({**ROW, name: value})


@pytest.mark.parametrize("name", ["number", "typed", "again"])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_number_with_methods_of_its_own_is_loaded_as_by_stock(name, value):
    Comparison(OwnSchema, LOG).check([{**ROW, name: value}, ROW], many=True)


@pytest.mark.parametrize(
    "options", [{"partial": True}, {"partial": ("required",)}, {"unknown": INCLUDE}]
)
def test_a_missing_key_is_treated_as_by_stock(options):
    Comparison(OwnSchema, LOG).check([{}, {"plain": "a", "more": 1}, ROW], many=True)
    Comparison(lambda: OwnSchema(**options), LOG).check([{}, {"plain": "a", "more": 1}], many=True)


def test_what_the_method_raises_else_is_raised():
    Comparison(OwnSchema, LOG).check([ROW, {**ROW, "plain": "broken"}], many=True)


class OwnValue(fields.String):
    def get_value(self, obj, attr, accessor=None, default=None):
        LOG.append(("get_value", attr, accessor is not None, default))
        return obj.get(attr.upper(), default)


class OwnNumberValue(fields.Integer):
    def get_value(self, obj, attr, **kwargs):
        LOG.append(("number", attr, sorted(kwargs)))
        return super().get_value(obj, attr, **kwargs)


class OwnValueSchema(Schema):
    first = OwnValue()
    second = OwnValue(dump_default="default")
    third = OwnNumberValue(data_key="3rd", attribute="other.number")
    nested = fields.Nested("OwnValueSchema", only=["first"])


def test_a_field_with_its_own_get_value_is_dumped_as_by_stock():
    rows = [
        {"FIRST": "a", "SECOND": 5, "other": {"number": "7"}, "nested": {"FIRST": "b"}},
        {"first": "no", "other": {}},
        {"FIRST": None, "other": {"number": None}},
    ]
    assert_same(OwnValueSchema, rows, many=True, calls=LOG)
    assert_same(OwnValueSchema, [{"other": {"number": "x"}}], many=True, calls=LOG)


class OddAttribute(OwnValue):
    def __init__(self):
        super().__init__(attribute=("odd",))


def test_who_gets_its_value_itself_may_have_any_attribute():
    schema = Schema.from_dict({"first": OddAttribute()})
    assert_same(schema, [{"FIRST": "a"}] * 3, many=True, calls=LOG)


class OwnOutput(fields.Field):
    _CHECK_ATTRIBUTE = False

    def _serialize(self, value, attr, obj, **kwargs):
        LOG.append((value, attr, kwargs))
        return missing if obj.get("skip") else obj.get("name")


def test_a_field_that_reads_no_value_is_called_as_by_stock():
    schema = Schema.from_dict({"first": OwnOutput(), "second": OwnOutput(dump_default=5)})
    rows = [{"name": "a"}, {"skip": True}, {}, {"name": ["b"]}]
    assert_same(schema, rows, many=True, calls=LOG)
