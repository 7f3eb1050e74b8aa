"""Fields of a user's own, method fields, and what a field does before and after it loads."""

import collections
from functools import partial

import pytest
from marshmallow import Schema, ValidationError, fields, missing, validate

from tests.promises.marshmallow.differential import MARSHMALLOW_3
from tests.promises.marshmallow.load_differential import Comparison, assert_loads_same
from tests.promises.marshmallow.test_fields import (
    Size,
)
from tests.promises.marshmallow.test_load_fields import FIELDS, is_hashable, logged, schema_of

LOG = []


class Shouted(fields.String):
    def _deserialize(self, value, attr, data, **kwargs):
        LOG.append(("shouted", value, attr, data, kwargs))
        return super()._deserialize(value, attr, data, **kwargs).upper()


class Preprocessed(fields.Integer):
    def deserialize(self, value, attr=None, data=None, **kwargs):
        LOG.append(("deserialize", value, attr, data, kwargs))
        return super().deserialize("1" if value == "one" else value, attr, data, **kwargs)


def noting(name, base, change=lambda loaded: loaded):
    """A class of fields with a method that notes its value, and calls the one of its base."""

    def method(self, value, *args, **kwargs):
        LOG.append((name, value, args, kwargs))
        return change(getattr(base, name)(self, value, *args, **kwargs))

    return type(f"Noting {name}", (base,), {name: method})


Validated = noting("_validated", fields.Integer, lambda loaded: loaded + 1)


class ValidatingNested(fields.Nested):
    def _validate(self, value):
        LOG.append(("validate", value))
        super()._validate(value)
        if not value:
            raise ValidationError(["nothing in it"])


class ValidatingList(fields.List):
    def _validate(self, value):
        LOG.append(("validate", value))
        if not value:
            raise ValidationError(["nothing in it"])


class Validating(fields.String):
    def _validate(self, value):
        LOG.append(("validate", value))
        super()._validate(value)
        if value == "bad":
            raise ValidationError({"a": ["bad"]}, field_name="elsewhere", code=5)


class OtherErrors(fields.Integer):
    default_error_messages = {"invalid": "{input!r} is no number", "null": "none at all"}

    def make_error(self, key, **kwargs):
        LOG.append(("error", key, kwargs))
        return super().make_error(key, **kwargs)


class Refusing(fields.Raw):
    def _deserialize(self, value, attr, data, **kwargs):
        LOG.append(("refusing", attr))
        if value == "list":
            raise ValidationError(["a", {"b": 1}], valid_data=[1, 2], code=3)
        if value == "dict":
            raise ValidationError({"a": ["b"], "_schema": ["c"]}, valid_data={"partly": 1})
        if value == "zero":
            raise ValidationError("zero", valid_data=0)
        if value == "subclass":
            raise SpecialError("special")
        if value == "other":
            raise ZeroDivisionError("other")
        if value == "missing":
            return missing
        return value


class SpecialError(ValidationError):
    pass


class ParsedDate(fields.DateTime):
    DESERIALIZATION_FUNCS = {**fields.DateTime.DESERIALIZATION_FUNCS, "iso": lambda value: value}


class MadeDate(fields.DateTime):
    @staticmethod
    def _make_object_from_format(value, data_format):
        return value, data_format


class OrderedMapping(fields.Dict):
    mapping_type = collections.OrderedDict


class NarrowBoolean(fields.Boolean):
    truthy = {"ja"}
    falsy = {"nein"}


OWN = {
    "Shouted": Shouted,
    "Preprocessed": Preprocessed,
    "Validated": Validated,
    "OtherNumber": noting("_format_num", fields.Integer, lambda loaded: loaded * 2),
    "Missing": noting("_validate_missing", fields.String),
    "Validating": Validating,
    "ValidatingNested": partial(ValidatingNested, {"a": Shouted()}),
    "ValidatingList": partial(ValidatingList, fields.Raw(allow_none=True)),
    "ValidatingList of Nested": partial(ValidatingList, fields.Nested({"a": fields.Raw()})),
    "OtherErrors": OtherErrors,
    "Refusing": Refusing,
    "ParsedDate": ParsedDate,
    "MadeDate of a format": partial(MadeDate, "%Y"),
    "Identity": noting("_validated", fields.UUID),
    "OrderedMapping of Integer": partial(OrderedMapping, values=fields.Integer()),
    "LoadingNested": partial(noting("_load", fields.Nested), {"a": Shouted()}),
    "NarrowBoolean": NarrowBoolean,
    "Enum by a field": partial(fields.Enum, Size, by_value=Validated),
    "Function": partial(fields.Function, deserialize=logged("function", LOG)),
}
if MARSHMALLOW_3:
    OWN["TimeDelta of int"] = lambda **options: fields.TimeDelta(serialization_type=int, **options)

OWN_VALUES = [
    *["list", "dict", "zero", "subclass", "other", "missing"],
    *["one", "bad", "", "long", "1", "2", 1, 2, 1.5, None, missing, True, [], {}, {"a": "x"}],
    *["2024-02-29", "2024.02.29", "2024", "ja", "nein", "true", b"ja", "RED", "red", "1.2.3.4"],
    *[[{}], [[]], [None], [{"b": 1}]],
    *["12345678-1234-5678-1234-567812345678", {"a": 1}, {"b": 2}, [{"a": "1"}], 10**400],
]


@pytest.mark.parametrize("options", [{}, {"allow_none": True, "load_default": "x"}])
@pytest.mark.parametrize("name", OWN)
def test_fields_of_a_users_own_are_loaded_as_by_stock(name, options):
    make = OWN[name]
    comparison = Comparison(schema_of(make, **options), LOG)
    listed = Comparison(schema_of(lambda: fields.List(make(**options))), LOG)
    for value in OWN_VALUES:
        comparison.check({"value": value, "after": "x"})
        for some in (True, ["value.a"]):
            comparison.check_plan({"value": value, "after": "x"}, partial=some)
        listed.check({"value": [1, value, "1"], "after": 5})


@pytest.mark.parametrize("name", OWN)
def test_fields_of_a_users_own_in_dicts_and_tuples_are_loaded_as_by_stock(name):
    make = OWN[name]
    values = Comparison(schema_of(lambda: fields.Dict(make(), make())), LOG)
    tuples = Comparison(schema_of(lambda: fields.Tuple((make(), make()))), LOG)
    for value in OWN_VALUES:
        if is_hashable(value):
            values.check_plan({"value": {value: value, "1": value, "a": "1"}}, partial=("value.a",))
        tuples.check_plan({"value": (value, "1")}, partial=False)


class MethodFields(Schema):
    both = fields.Method("dumped", "loaded")
    loading = fields.Method(deserialize="loaded", data_key="Loading")
    plain = fields.Method()
    dumping = fields.Method("dumped")

    def dumped(self, obj):
        return "dumped"

    def loaded(self, value):
        LOG.append(("loaded", value))
        if value == "bad":
            raise ValidationError("bad", "elsewhere")
        return missing if value == "missing" else [value]


def test_method_fields_are_loaded_as_by_stock():
    for value in (1, "bad", "missing", None, [], missing):
        row = {"both": value, "Loading": value, "plain": value}
        assert_loads_same(MethodFields, row, {**row, "dumping": 1}, calls=LOG)


# A field's own processors


def fail(value):
    LOG.append(("fail", value))
    raise ValidationError(["refused", {"a": 1}], code=1)


PROCESSORS = {
    "several": {
        "pre_load": [logged("pre 1", LOG), logged("pre 2", LOG, "12")],
        "post_load": (logged("post 1", LOG, [1]), logged("post 2", LOG)),
    },
    "pre_load that gives None": {"pre_load": lambda value: None},
    "post_load that gives missing": {"post_load": lambda value: missing},
    "pre_load that fails": {"pre_load": [logged("pre", LOG), fail], "post_load": fail},
    "post_load that fails": {"post_load": [logged("post", LOG), fail, logged("never", LOG)]},
    "with validators": {
        "pre_load": [logged("pre", LOG)],
        "validate": [logged("validate", LOG), validate.NoneOf([5, "5"])],
        "post_load": [logged("post", LOG), str],
    },
}


@pytest.mark.skipif(MARSHMALLOW_3, reason="fields have processors since marshmallow 4.3")
@pytest.mark.parametrize("options", [{}, {"allow_none": True, "load_default": 5}])
@pytest.mark.parametrize("processors", PROCESSORS)
def test_processors_of_a_field_are_called_as_by_stock(processors, options):
    given = {**PROCESSORS[processors], **options}
    kinds = ["String", "Integer", "List of String", "Nested", "Date", "Raw", "Dict of values"]
    for name in kinds:
        comparison = Comparison(schema_of(FIELDS[name], **given), LOG)
        listed = Comparison(schema_of(lambda: fields.List(FIELDS[name](**given))), LOG)  # noqa: B023  # called at once
        for value in (" 12 ", 5, "5", None, missing, ["a"], {"a": 1}, "2024-02-29", {"a": "x"}):
            comparison.check({"value": value})
            listed.check_plan({"value": [value, value]})
        comparison.check({})
        comparison.check({}, partial=True)
