"""A schema that is dumped, and what may be changed about it later."""

import enum
from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from marshmallow import Schema, fields, post_dump

from tests.promises.marshmallow.differential import MARSHMALLOW_3


class Calls:
    """The calls of user code, which every test reads anew."""

    log: ClassVar[list] = []


class LoggedDict(dict):
    def __setitem__(self, key, value):
        if not isinstance(value, fields.Field):  # marshmallow keeps its fields in one, too
            Calls.log.append(("set", key))
        super().__setitem__(key, value)


class Colour(enum.Enum):
    RED = 1


class OtherColour(enum.Enum):
    RED = 2


class Dog(Schema):
    name = fields.String()


class Puppy(Dog):
    age = fields.Integer()


class Hooked(Dog):
    @post_dump
    def mark(self, data, **kwargs):
        Calls.log.append("hook")
        return {**data, "hooked": True}


def compute(obj):
    Calls.log.append("computed")
    return 1


class Late(Schema):
    text = fields.String()
    number = fields.Integer()
    real = fields.Float()
    amount = fields.Decimal(2, as_string=True)
    moment = fields.DateTime()
    numbers = fields.List(fields.Integer())
    dog = fields.Nested(Dog)
    dogs = fields.Nested(Dog, many=True)
    pack = fields.List(fields.Nested(Dog))
    flag = fields.Boolean()
    colour = fields.Enum(Colour, by_value=True)
    plucked = fields.Pluck(Dog, "name")
    computed = fields.Function(compute)
    constant = fields.Constant(7)
    pairs = fields.Dict(fields.String(), fields.Integer())
    both = fields.Tuple((fields.Nested(Dog), fields.Pluck(Dog, "name")))


LATE_ROW = {
    "text": "a",
    "number": 1,
    "real": 2.5,
    "amount": 3,
    "moment": datetime(2024, 1, 2),
    "numbers": [4, "5"],
    "dog": {"name": "Rex", "age": 6},
    "dogs": [{"name": "Rex", "age": 6}, {}],
    "pack": [{"name": "Rex", "age": 6}],
    "flag": True,
    "colour": Colour.RED,
    "plucked": {"name": "Rex"},
    "pairs": {"a": 1},
    "both": ({"name": "Rex", "age": 6}, {"name": "Rex", "age": 6}),
    "other": "o",
}


def set_on(name, attribute, value):
    return lambda schema: setattr(schema.dump_fields[name], attribute, value)


class Excited(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        return f"{value}!"


def on_dog(change, name="dog"):
    def change_dog(schema):
        field = schema.dump_fields[name]
        change(getattr(field, "inner", field).schema)

    return change_dog


LATE_CHANGES = {
    "data_key": set_on("text", "data_key", "label"),
    "attribute": set_on("text", "attribute", "other"),
    "dump_default": set_on("text", "dump_default", "default"),
    "as_string": set_on("number", "as_string", True),
    "places": set_on("amount", "places", Decimal("0.0001")),
    "format": set_on("moment", "format", "%Y"),
    "inner": set_on("numbers", "inner", fields.Float()),
    "truthy": set_on("flag", "truthy", {"ja"}),
    "_serialize": set_on("text", "_serialize", lambda value, *args, **kwargs: "own"),
    "__class__": set_on("text", "__class__", Excited),
    "a field removed": lambda schema: schema.dump_fields.pop("text"),
    "a field added": lambda schema: schema.dump_fields.update(other=fields.String()),
    "a field replaced": lambda schema: schema.dump_fields.update(text=Excited()),
    "fields reordered": lambda schema: schema.dump_fields.update(
        text=schema.dump_fields.pop("text")
    ),
    "all fields replaced": lambda schema: setattr(
        schema, "dump_fields", {"other": fields.String()}
    ),
    "key field": set_on("pairs", "key_field", None),
    "value field": lambda schema: setattr(
        schema.dump_fields["pairs"].value_field, "as_string", True
    ),
    "inner option": lambda schema: setattr(schema.dump_fields["numbers"].inner, "as_string", True),
    "enum": set_on("colour", "enum", OtherColour),
    "constant": set_on("constant", "constant", "late"),
    "function": set_on("computed", "serialize_func", lambda obj: "late"),
    "serialize": set_on("text", "serialize", lambda *args, **kwargs: "own"),
    "all attributes": lambda schema: setattr(
        schema.dump_fields["text"],
        "__dict__",
        {**vars(schema.dump_fields["text"]), "data_key": "label"},
    ),
    "a nested field": on_dog(lambda dog: setattr(dog.dump_fields["name"], "data_key", "called")),
    "a nested field in a list": on_dog(
        lambda dog: setattr(dog.dump_fields["name"], "data_key", "called"), "pack"
    ),
    "a plucked field": on_dog(
        lambda dog: setattr(dog.dump_fields["name"], "dump_default", "x"), "plucked"
    ),
    "nested schema many": on_dog(lambda dog: setattr(dog, "many", True)),
    "nested schema": set_on("dog", "_schema", Puppy()),
    "nested class": on_dog(lambda dog: setattr(dog, "__class__", Hooked)),
    "nested dump": on_dog(lambda dog: setattr(dog, "dump", lambda obj, **options: "dumped")),
    "nested _serialize": on_dog(
        lambda dog: setattr(dog, "_serialize", lambda obj, **options: "serialized"), "dogs"
    ),
    "hooks": lambda schema: (
        setattr(schema, "_hooks", Hooked._hooks)
        or setattr(schema, "mark", lambda data, **kwargs: {"marked": data})
    ),
    "schema class": lambda schema: setattr(schema, "__class__", type("Other", (Late,), {})),
    "dict_class": lambda schema: (
        None if MARSHMALLOW_3 else setattr(schema, "dict_class", LoggedDict)
    ),
    "get_attribute": lambda schema: setattr(
        schema, "get_attribute", lambda obj, attr, default: default
    ),
}
