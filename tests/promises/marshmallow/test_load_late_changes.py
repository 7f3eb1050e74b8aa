"""What is changed after the first load is seen by the next one."""

import enum

import pytest
from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields, missing, validate

from tests.promises.marshmallow.differential import USES
from tests.promises.marshmallow.load_differential import Comparison
from tests.promises.marshmallow.load_schemas import DOG, LOG, Dog, Owner, WithHooks, noted


class Colour(enum.Enum):
    RED = 1


class OtherColour(enum.Enum):
    RED = 2


def refuse(value):
    raise ValidationError("refused")


class Changeable(Schema):
    number = fields.Integer()
    text = fields.String(required=True)
    moment = fields.DateTime()
    flag = fields.Boolean()
    real = fields.Float()
    amount = fields.Decimal(2)
    numbers = fields.List(fields.Integer())
    pairs = fields.Dict(fields.String(), fields.Integer())
    both = fields.Tuple((fields.Integer(), fields.String()))
    dog = fields.Nested(Dog)
    dogs = fields.List(fields.Nested(Dog))
    odd = fields.Tuple((fields.Enum(Colour), fields.Integer()))


CHANGEABLE = [
    {
        "number": "1",
        "text": "a",
        "moment": "2024-02-29T12:00",
        "flag": "yes",
        "real": "1.5",
        "amount": "1.005",
        "numbers": ["1", 2],
        "pairs": {"a": "1"},
        "both": ["1", "b"],
        "dog": DOG,
        "dogs": [DOG],
        "odd": ["RED", 1],
    },
    {"number": 1.5, "text": b"a", "moment": "29.02.2024", "flag": "ja", "real": "nan"},
    {"number": None, "text": None, "dog": {"name": 1}, "dogs": [{}], "both": [1], "numbers": "a"},
    {"Number": 5, "unknown": 6, "pairs": {1: "x"}},
    {"number": 5, "text": "a", "real": 1.5, "numbers": [1, 2], "flag": True},
    {},
]


def field(field_name, /, **attributes):
    def change(schema):
        for attribute, value in attributes.items():
            setattr(schema.fields[field_name], attribute, value)

    return change


CHANGES = {
    "required": field("number", required=True),
    "allow_none": field("text", allow_none=True),
    "default": field("number", load_default=5),
    "data_key": field("number", data_key="Number"),
    "attribute": field("number", attribute="a.b"),
    "strict": field("number", strict=True),
    "allow_nan": field("real", allow_nan=True),
    "places": field("amount", places=None),
    "truthy": field("flag", truthy={"ja"}),
    "format": field("moment", format="%d.%m.%Y"),
    "validators": field("number", validators=[validate.Range(2)]),
    "messages": field("number", error_messages={"invalid": "changed", "required": "!"}),
    "message": lambda schema: schema.fields["number"].error_messages.update(invalid="changed"),
    "inner": lambda schema: setattr(schema.fields["numbers"], "inner", fields.String()),
    "inner option": lambda schema: setattr(schema.fields["numbers"].inner, "strict", True),
    "key field": field("pairs", key_field=None),
    "value field": field("pairs", value_field=fields.String()),
    "tuple fields": lambda schema: schema.fields["both"].tuple_fields.reverse(),
    "tuple length": field("both", validate_length=validate.Length(1)),
    "tuple enum": lambda schema: setattr(schema.fields["odd"].tuple_fields[0], "enum", OtherColour),
    "listed validators": lambda schema: schema.fields["dogs"].inner.validators.append(refuse),
    "nested unknown": field("dog", unknown=EXCLUDE),
    "nested option": lambda schema: setattr(schema.fields["dog"].schema, "unknown", INCLUDE),
    "nested field": lambda schema: setattr(
        schema.fields["dog"].schema.fields["name"], "required", False
    ),
    "nested class": lambda schema: setattr(schema.fields["dog"].schema, "__class__", WithHooks),
    "deserialize": field("number", deserialize=lambda *args, **kwargs: ("deserialize", args[1:2])),
    "_deserialize": field("text", _deserialize=lambda *args, **kwargs: "_deserialize"),
    "_validate": field("number", _validate=lambda value: noted("_validate", value)),
    "make_error": field("number", make_error=lambda key, **kwargs: ValidationError([key, kwargs])),
    "field class": lambda schema: setattr(schema.fields["number"], "__class__", fields.Float),
    "field replaced": lambda schema: schema.load_fields.update(number=fields.String()),
    "fields reordered": lambda schema: schema.load_fields.update(
        number=schema.load_fields.pop("number")
    ),
    "dump_only and init": lambda schema: (
        setattr(schema.declared_fields["number"], "dump_only", True),
        schema._init_fields(),
    ),
    "schema unknown": lambda schema: setattr(schema, "unknown", INCLUDE),
    "schema messages": lambda schema: schema.error_messages.update(unknown="changed"),
    "schema partial": lambda schema: setattr(schema, "partial", True),
    "schema partial by name": lambda schema: setattr(schema, "partial", ("text", "dog.name")),
}


def make_change(change, comparison, path=lambda schema: schema):
    """Make a change of both schemas, or of those that they have within."""
    for schema in map(path, (comparison.stock, comparison.schema)):
        # Of a list that fields share, only one may be edited; so each has its own.
        for name in ("number", "numbers", "dogs"):
            each = getattr(schema.fields[name], "inner", schema.fields[name])
            each.validators = [*each.validators]
            each.error_messages = {**each.error_messages}
        CHANGES[change](schema)


def check_kept(comparison, rows, **arguments):
    """Load rows one by one, and all of them at once, as often as it takes to be kept."""
    for _ in range(USES):
        for row in rows:
            comparison.check_installed(row, **arguments)
        comparison.check_installed(rows, many=True, **arguments)


def look(comparison, path=lambda schema: schema):
    """Look at the fields of both schemas, or of those within, which are compared from now on."""
    for schema in map(path, (comparison.stock, comparison.schema)):
        assert schema.fields


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("is_looked_at", [False, True])
def test_a_change_of_a_schema_that_is_kept_is_seen(change, is_looked_at):
    comparison = Comparison(Changeable, LOG)
    if is_looked_at:
        look(comparison)
    check_kept(comparison, CHANGEABLE)
    make_change(change, comparison)
    check_kept(comparison, CHANGEABLE)
    check_kept(comparison, CHANGEABLE, partial=True, unknown=EXCLUDE)


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_schema_in_a_kept_one_is_seen(change):
    comparison = Comparison(Schema.from_dict({"in": fields.Nested(Changeable)}), LOG)
    rows = [{"in": row} for row in CHANGEABLE]
    look(comparison, lambda schema: schema.fields["in"].schema)
    check_kept(comparison, rows)
    make_change(change, comparison, lambda schema: schema.fields["in"].schema)
    check_kept(comparison, rows)


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("option", "value"), [("partial", True), ("unknown", INCLUDE), ("many", True)]
)
def test_an_option_of_a_nested_schema_is_seen_that_alone_has_changed(option, value):
    inner = Schema.from_dict({"number": fields.Integer(required=True)})
    comparison = Comparison(Schema.from_dict({"in": fields.Nested(inner)}), LOG)
    rows = [{"in": {"number": "1"}}, {"in": {"other": 1}}, {"in": [{"number": "1"}]}]
    look(comparison, lambda schema: schema.fields["in"].schema)
    check_kept(comparison, rows)
    for schema in (comparison.stock, comparison.schema):
        setattr(schema.fields["in"].schema, option, value)
    check_kept(comparison, rows)


@pytest.mark.usefixtures("_installed")
def test_options_of_a_load_are_those_of_this_load():
    comparison = Comparison(Changeable, LOG)
    for _ in range(3):
        for options in (
            {},
            {"partial": True},
            {"partial": False},
            {"partial": ("text",)},
            {"partial": ("dog.name",)},
            {"unknown": INCLUDE},
            {"unknown": EXCLUDE, "partial": True},
            {"unknown": "".join(["inc", "lude"])},
        ):
            check_kept(comparison, CHANGEABLE, **options)


CLASS_CHANGES = {
    "Schema.load": (Dog, "load", lambda self, data, **kwargs: ("load", data, kwargs)),
    "Schema._do_load": (Dog, "_do_load", lambda self, data, **kwargs: ("do", sorted(kwargs))),
    "Schema.handle_error": (
        Dog,
        "handle_error",
        lambda self, error, data, **kwargs: noted("handled", error.messages, data, kwargs),
    ),
    "own _call_and_store": (Changeable, "_call_and_store", staticmethod(lambda *_, **__: "s")),
    "own load": (Changeable, "load", lambda self, data, **kwargs: ("load", data, kwargs)),
}


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("change", CLASS_CHANGES)
def test_what_is_changed_on_a_class_is_seen_for_a_kept_schema(change, monkeypatch):
    comparison = Comparison(Changeable, LOG)
    check_kept(comparison, CHANGEABLE)
    with monkeypatch.context() as patch:
        patch.setattr(*CLASS_CHANGES[change])
        check_kept(comparison, CHANGEABLE)
    check_kept(comparison, CHANGEABLE)


def test_schemas_that_differ_in_one_setting_do_not_mix():
    """All are made and compiled before any is used, then used in turns."""
    options = [
        {},
        {"required": True},
        {"allow_none": True},
        {"load_default": 5},
        {"load_default": None},
        {"data_key": "B"},
        {"attribute": "c"},
        {"error_messages": {"invalid": "one", "null": "none"}},
        {"error_messages": {"invalid": "two", "null": "none"}},
        *[{"validate": validate.Range(bound)} for bound in (1, 2, 1.5)],
        *[{"validate": validate.Range(max=bound, error=str(bound))} for bound in (1, 2)],
        *[{"validate": validate.OneOf(choices)} for choices in ([1], [2], {1}, {1: 1}, ["1"])],
        *[{"validate": function} for function in (lambda value: noted(1), lambda value: noted(2))],
    ]
    makes = [
        fields.Integer,
        lambda **given: fields.Integer(strict=True, **given),
        fields.Float,
        fields.String,
        fields.Boolean,
        lambda **given: fields.Boolean(truthy={2}, **given),
        lambda **given: fields.Decimal(1, **given),
        lambda **given: fields.Decimal(2, **given),
        lambda **given: fields.List(fields.Integer(), **given),
        lambda **given: fields.List(fields.Integer(strict=True), **given),
        lambda **given: fields.Nested({"a": fields.Integer()}, **given),
        lambda **given: fields.Nested({"a": fields.Integer()}, unknown=EXCLUDE, **given),
        lambda **given: fields.Nested({"a": fields.String()}, many=True, **given),
    ]
    comparisons = []
    for make in makes:
        for given in options:
            schema = Schema.from_dict({"a": fields.Raw(), "b": make(**given)})
            comparisons.append(Comparison(schema, LOG))
    for value in (1, "1", "2.25", None, [1], ["1"], {"a": 1, "b": 2}, [{"a": "x"}], missing):
        for comparison in comparisons:
            comparison.check_plan({"b": value})
            comparison.check_plan({"B": value})


class Animal(Schema):
    """Which sort of animal it is says which schema it is loaded by."""

    kind = fields.Method(deserialize="set_kind")
    data = fields.Nested(Dog)

    def set_kind(self, value):
        field = self.fields["data"]
        if value == "owner" and not isinstance(field.schema, Owner):
            field._schema = Owner()
        elif value == "dog" and not isinstance(field.schema, Dog):
            field._schema = Dog()
        elif value in (EXCLUDE, RAISE):
            field.schema.unknown = value
        return value


@pytest.mark.usefixtures("_installed")
def test_code_in_the_midst_of_a_load_may_change_what_comes_next():
    comparison = Comparison(Animal, LOG)
    rows = [{"kind": kind, "data": {**DOG, "other": 1}} for kind in ("dog", EXCLUDE, RAISE)]
    rows += [{"kind": "owner", "data": {"dog": DOG}}, {"kind": "dog", "data": DOG}]
    for _ in range(3):
        for row in rows:
            check_kept(comparison, [row])
        for row in rows:
            comparison.check_installed(row)
