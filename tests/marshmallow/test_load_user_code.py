"""Code of the user's that runs in the midst of a load may change how what comes next is loaded."""

import pytest
from marshmallow import Schema, ValidationError, fields, missing, post_load, validates

import fastschema


class Trap:
    """Changes the class of a field, and with it all schemas, when a test has set it."""

    is_set = False

    def spring(self, value=None, **_):
        """What user code does in these tests; as a validator, it finds nothing wrong."""
        if self.is_set:
            fields.Integer.num_type = float
        return value


TRAP = Trap()


class OwnField(fields.Integer):
    def _deserialize(self, value, attr, data, **kwargs):
        return TRAP.spring(value)


class OwnError(fields.Integer):
    def make_error(self, key, **kwargs):
        TRAP.spring()
        return super().make_error(key, **kwargs)


class OwnDefault(fields.Integer):
    load_default = property(lambda self: TRAP.spring(5), lambda self, value: None)


class OwnNumber:
    def __int__(self):
        return TRAP.spring(7)


class OwnMessages(dict):
    def __getitem__(self, key):
        TRAP.spring()
        return super().__getitem__(key)


class OwnDict(dict):
    def __setitem__(self, key, value):
        TRAP.spring()
        super().__setitem__(key, value)


class Inner(Schema):
    number = fields.Integer()


class ByMethod(Inner):
    number = fields.Method(deserialize="spring")

    def spring(self, value):
        return TRAP.spring(value)


class WithDict(Inner):
    @property
    def dict_class(self):
        return OwnDict


class WithHandler(Inner):
    def handle_error(self, error, data, **kwargs):
        TRAP.spring()


class WithHook(Inner):
    @post_load
    def spring(self, data, **kwargs):
        return TRAP.spring(data)


class WithValidator(Inner):
    @validates("number")
    def spring(self, value, **kwargs):
        TRAP.spring()


class Outer(ByMethod):
    inner = fields.Nested(ByMethod)


ONE = {"number": 1}
TRIGGERS = {
    "method": (fields.Method(deserialize="spring"), 1),
    "function": (fields.Function(deserialize=lambda value: TRAP.spring(value)), 1),
    "own field": (OwnField(), 1),
    "own value": (fields.Integer(), OwnNumber()),
    "own error": (OwnError(), "x"),
    "own default": (OwnDefault(), missing),
    "validator": (fields.Integer(validate=TRAP.spring), 1),
    "validator in a list": (fields.List(fields.Integer(validate=TRAP.spring)), [1]),
    "pre_load": (fields.Integer(pre_load=TRAP.spring), 1)
    if hasattr(fields.Raw(), "pre_load")
    else (OwnField(), 1),
    "nested": (fields.Nested(ByMethod), ONE),
    "twice nested": (fields.Nested(Outer(exclude=["number"])), {"inner": ONE}),
    "nested with a validator": (fields.Nested(Inner, validate=TRAP.spring), ONE),
    "nested with a handler": (fields.Nested(WithHandler), {"number": "x"}),
    "nested with a hook": (fields.Nested(WithHook), ONE),
    "nested with a field validator": (fields.Nested(WithValidator), ONE),
    "nested with a dict_class": (fields.Nested(WithDict), ONE),
    "nested list": (fields.Nested(ByMethod, many=True), [ONE]),
    "nested list with a validator": (fields.Nested(Inner, many=True, validate=TRAP.spring), [ONE]),
    "list of nested": (fields.List(fields.Nested(ByMethod)), [ONE]),
    "list of nested, validated": (fields.List(fields.Nested(Inner), validate=TRAP.spring), [ONE]),
    "list of nested with a dict_class": (fields.List(fields.Nested(WithDict)), [ONE]),
    "list of nested with a handler": (fields.List(fields.Nested(WithHandler)), [{"number": "x"}]),
    "pluck": (fields.Pluck(ByMethod, "number"), 1),
    "pluck many": (fields.Pluck(ByMethod, "number", many=True), [1]),
}
NESTED = {
    "nested": (fields.Nested(Inner), ONE),
    "nested list": (fields.Nested(Inner, many=True), [ONE]),
    "list of nested": (fields.List(fields.Nested(Inner)), [ONE]),
    "pluck": (fields.Pluck(Inner, "number"), 1),
    "twice nested": (
        fields.Nested(Schema.from_dict({"count": fields.Integer(), "inner": fields.Nested(Inner)})),
        {"inner": ONE},
    ),
}


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr(fields.Integer, "num_type", int)
    fastschema.install()
    yield
    fastschema.uninstall()
    TRAP.is_set = False


def outcome(schema, data, **options):
    fields.Integer.num_type = int
    try:
        loaded = schema.load(data, **options)
    except ValidationError as error:
        loaded = error.messages, error.valid_data
    finally:
        fields.Integer.num_type = int
    return repr(loaded)


def check_trap(make, data, **options):
    """Load data until the schema is kept, and then with the trap set."""
    schema, stock = make(), make()
    with fastschema.disabled():
        outcome(stock, data, **options)
    for _ in range(5):
        outcome(schema, data, **options)
    for _ in range(2):
        TRAP.is_set = True
        with fastschema.disabled():
            expected = outcome(stock, data, **options)
        assert "1.0" in expected, "the trap is not sprung"
        assert outcome(schema, data, **options) == expected
        TRAP.is_set = False
        assert "1.0" not in outcome(schema, data, **options)


def schema_class(trigger, nested, *bases):
    namespace = {"count": fields.Integer(), "trigger": trigger, "nested": nested}
    namespace["spring"] = lambda self, value: TRAP.spring(value)
    return type("Kept", bases or (Schema,), namespace)


@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("trigger", TRIGGERS)
def test_user_code_in_a_field_is_seen_by_the_nested_schema_after_it(trigger, nested):
    field, value = TRIGGERS[trigger]
    nested_field, nested_value = NESTED[nested]
    data = {"count": 5, "trigger": value, "nested": nested_value}
    if value is missing:
        del data["trigger"]

    check_trap(schema_class(field, nested_field), data)


@pytest.mark.parametrize("nested", NESTED)
def test_user_code_in_the_class_of_the_result_is_seen(nested):
    nested_field, value = NESTED[nested]
    data = {"count": 5, "nested": value}

    check_trap(schema_class(fields.Integer(), nested_field, WithDict), data)


@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("first", [{"unknown": 1}, [1]], ids=["unknown key", "no dictionary"])
def test_user_code_in_a_row_is_seen_by_the_nested_schema_of_the_next_row(nested, first):
    def make():
        schema = schema_class(fields.Integer(), nested_field)()
        schema.error_messages = OwnMessages(schema.error_messages)
        return schema

    nested_field, value = NESTED[nested]
    check_trap(make, [first, {"nested": value}], many=True)
