"""register(): users compile their own fields."""

import re

import pytest
from marshmallow import Schema, fields, post_load, validates_schema

import fastschema
from tests.promises.marshmallow.differential import assert_same, is_compiled

pytestmark = pytest.mark.usefixtures("nothing_stays_registered")


class OwnSchema(Schema):
    def dump(self, obj, **kwargs):
        return super().dump(obj, **kwargs)

    @post_load
    def make(self, data, **kwargs):
        return data

    @validates_schema
    def check(self, data, **kwargs):
        pass


def own_field(name):
    """A new class of fields that write a value with a name before it."""

    class Own(fields.Field):
        def _serialize(self, value, attr, obj, **kwargs):
            return None if value is None else f"{name} {value}"

    return Own


def write(name):
    return lambda value: f"{name} {value}"


VALUES = [1, "a", None, [1], True]


def assert_same_for_values(make_field):
    schema = Schema.from_dict(
        {
            "one": make_field(),
            "listed": fields.List(make_field()),
            "mapped": fields.Dict(values=make_field()),
            "paired": fields.Tuple((make_field(), make_field())),
        }
    )
    for value in VALUES:
        row = {"one": value, "listed": [value], "mapped": {"a": value}, "paired": (value, value)}
        assert_same(schema, row)


@pytest.mark.parametrize("common", [None, int, str])
@pytest.mark.parametrize(
    "how",
    [
        {"function": write("a")},
        {"expression": "written({value})", "names": {"written": write("a")}},
        {"expression": "'a ' + str({value})"},
        {"expression": "'$value a $field'[7:9] + str({value})"},
    ],
)
def test_a_registered_field_is_compiled_and_dumps_as_by_stock(how, common):
    field = own_field("a")
    fastschema.register(field._serialize, common=common, **how)

    assert is_compiled(Schema.from_dict({"one": field()}), "one")
    assert_same_for_values(field)


def test_a_subclass_that_overrides_the_method_is_stock():
    field = own_field("a")
    fastschema.register(field._serialize, function=write("a"))

    class Sub(field):
        def _serialize(self, value, attr, obj, **kwargs):
            return "own"

    assert not is_compiled(Schema.from_dict({"one": Sub()}), "one")
    assert_same_for_values(Sub)


class Found(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return [each for each in "abc" if each in value]


@pytest.mark.parametrize("common", [None, str])
@pytest.mark.parametrize("name", ["value", "obj", "each", "known"])
@pytest.mark.parametrize(
    "expression",
    [
        "[{name} for {name} in 'abc' if {name} in {{value}}]",
        "list({{{{{name}: {name} for {name} in 'abc' if {name} in {{value}}}}}})",
        "list(filter(lambda {name}: {name} in {{value}}, 'abc'))",
        "(lambda letters, *, {name}: [x for x in letters if x in {name}])('abc', {name}={{value}})",
        "({name} := [x for x in 'abc' if x in {{value}}])",
        "sorted(({name} for {name} in 'cba' if {name} in {{value}}), key=lambda key: key)",
    ],
)
def test_an_expression_may_bind_any_name(expression, name, common):
    fastschema.register(Found._serialize, expression=expression.format(name=name), common=common)
    schema = Schema.from_dict(
        {
            "one": Found(),
            "each": fields.String(),
            "member": fields.Integer(),
            "value": fields.List(Found()),
            "mapped": fields.Dict(values=Found()),
            "paired": fields.Tuple((Found(), Found())),
        }
    )

    assert is_compiled(schema, "one")
    for value in ("ac", "", "cba"):
        row = {"one": value, "value": [value, "b"], "mapped": {"a": value}, "paired": ["b", value]}
        assert_same(schema, {**row, "paired": (value, value), "each": "x", "member": 5})


@pytest.mark.parametrize(
    "hows",
    [
        [{"function": write("a")}, {"function": write("b")}],
        [{"function": write("a"), "common": int}, {"function": write("b"), "common": str}],
        [
            {"expression": "helper({value})", "names": {"helper": write("a")}},
            {"expression": "helper + str({value})", "names": {"helper": "b "}},
        ],
        [
            {
                "expression": "'a ' + str({value}) if (missing, obj, fields, text) else known",
                "names": dict.fromkeys(
                    ["missing", "obj", "fields", "text", "known", "json_value", "dispatch"], 1
                ),
            },
            {"function": write("b")},
        ],
    ],
)
def test_registered_fields_of_one_schema_do_not_mix(hows):
    first, second = own_field("a"), own_field("b")
    for field, how in zip((first, second), hows, strict=True):
        fastschema.register(field._serialize, **how)

    schema = Schema.from_dict(
        {
            "one": first(),
            "two": second(),
            "listed": fields.List(first()),
            "both": fields.Tuple((first(), second())),
            "mapped": fields.Dict(first(), second()),
            "text": fields.String(),
            "missing": fields.Raw(),
        }
    )
    for value in (1, "a", None):
        row = {"one": value, "two": value, "listed": [value], "both": (value, value)}
        assert_same(schema, {**row, "mapped": {value: value}, "text": value})


@pytest.mark.parametrize("uses", [1, 5])
def test_a_field_that_is_registered_after_its_first_use_is_compiled(uses):
    field = own_field("a")
    schema = Schema.from_dict({"one": field()})
    for _ in range(uses):
        fastschema.compile(schema).dump({"one": 1})

    fastschema.register(field._serialize, function=write("a"))

    assert is_compiled(schema, "one")


def test_a_method_is_registered_once():
    field = own_field("a")
    schema = Schema.from_dict({"one": field()})
    fastschema.register(field._serialize, function=write("first"))

    with pytest.raises(ValueError, match=r"Own._serialize is registered already"):
        fastschema.register(field._serialize, function=write("second"))

    assert fastschema.compile(schema).dump({"one": 1}) == {"one": "first 1"}


EXPRESSION = "str({value})"
WRONG_METHODS = [
    *(None, 5, "MyField._serialize", print, own_field("a"), fields.Field.serialize),
    *(OwnSchema.check, OwnSchema),
]
NO_EXPRESSIONS = ["", "str(", "x = {value}", "{unknown}", "{value", "{0}"]
NO_EXPRESSIONS += ["[x for x in (y := {value})]"]
OF_MARSHMALLOW = [fields.String._serialize, fields.Field._serialize, fields.Nested._deserialize]
REFUSED = [
    *[(method, {"function": str}, TypeError, "register") for method in WRONG_METHODS],
    (own_field("a")()._serialize, {}, TypeError, "takes _serialize of the class, not of an object"),
    *[
        (method, how, TypeError, "takes a function or a maker")
        for method in (OwnSchema.dump, OwnSchema.make)
        for how in ({"expression": "{value}"}, {"function": str, "common": int})
    ],
    *[
        (method, {"function": str}, ValueError, "is a method of marshmallow.fields, which all its")
        for method in OF_MARSHMALLOW[:2]
    ],
    *[
        (method, {}, ValueError, "is a method of marshmallow")
        for method in (Schema.dump, Schema.load, *OF_MARSHMALLOW[2:])
    ],
    *[
        (None, how, TypeError, message)
        for how, message in [
            ({"function": 5}, "function= must be a function of one value, not 5"),
            ({"function": str, "common": "int"}, "common= must be a class, such as int, not 'int'"),
            ({"function": str, "expression": EXPRESSION}, "one of function= and expression="),
            ({"common": int}, "names= and common= belong to function= and expression="),
            ({"names": {"a": 1}}, "names= and common= belong to function= and expression="),
        ]
    ],
    *[
        (None, {"expression": each}, ValueError, "does not use {value}, the value of")
        for each in ("5", "{field}.name", "'{{value}}'")
    ],
    *[(None, {"expression": each}, ValueError, "not an expression") for each in NO_EXPRESSIONS],
]


@pytest.mark.parametrize(("method", "how", "error", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(method, how, error, message):
    if message != "register":
        method = method or own_field("a")._serialize
    with pytest.raises(error, match=re.escape(message)):
        fastschema.register(method, **how)


def test_a_maker_has_to_be_a_function():
    with pytest.raises(TypeError, match="a maker must be a function of a field and compiled"):
        fastschema.register(OwnSchema.dump)(5)


@pytest.mark.parametrize("result", [object(), {1, 2}, float("nan"), 2**70, "\ud800", [1], None])
def test_whatever_a_registered_function_returns_is_written_as_by_stock(result):
    class Returning(fields.Field):
        def _serialize(self, value, attr, obj, **kwargs):
            return result

    fastschema.register(Returning._serialize, function=lambda value: result)

    assert_same(Schema.from_dict({"one": Returning()}), {"one": 1})
