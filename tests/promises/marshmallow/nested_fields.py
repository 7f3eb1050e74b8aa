"""Nested fields of every kind, to be dumped and to be loaded."""

from marshmallow import Schema, ValidationError, fields, validate

from tests.promises.marshmallow.load_schemas import Dog


class Child(Schema):
    name = fields.String(required=True)
    secret = fields.Integer(load_default=7)
    toys = fields.Nested(Dog, many=True)
    pet = fields.Nested(Dog)


class RenamedChild(Schema):
    name = fields.String(data_key="Name", required=True)
    empty = fields.Integer(data_key="")


def refuse():
    raise ValidationError({"refused": ["no schema"]})


NESTED = {
    "class": lambda: fields.Nested(Child),
    "object": lambda: fields.Nested(Child(only=("name", "pet"))),
    "object for many": lambda: fields.Nested(Child(many=True)),
    "partial object": lambda: fields.Nested(Child(partial=True)),
    "name": lambda: fields.Nested("RenamedChild"),
    "full name": lambda: fields.Nested(f"{__name__}.Child"),
    "unknown name": lambda: fields.Nested("NoSuchSchema"),
    "lambda": lambda: fields.Nested(lambda: Child(exclude=("secret",))),
    "lambda that raises": lambda: fields.Nested(lambda: 1 / 0),
    "lambda that refuses": lambda: fields.Nested(refuse),
    "no schema": lambda: fields.Nested(5),
    "only": lambda: fields.Nested(Child, only=("secret", "name")),
    "exclude": lambda: fields.Nested(Child, exclude=("secret", "toys")),
    "unknown field": lambda: fields.Nested(Child, only=("no such field",)),
    "many": lambda: fields.Nested(Child, many=True),
    "allow_none": lambda: fields.Nested(Child, allow_none=True),
    "required": lambda: fields.Nested(Child, required=True),
    "default": lambda: fields.Nested(Child, load_default=dict),
    "validated": lambda: fields.Nested(Child, validate=validate.Length(2)),
    "messages": lambda: fields.Nested(Child, error_messages={"type": "{type}", "null": "none"}),
    "pluck": lambda: fields.Pluck(Child, "name"),
    "pluck of the key": lambda: fields.Pluck(RenamedChild, "name"),
    "pluck of an empty key": lambda: fields.Pluck(RenamedChild, "empty"),
    "pluck of a lambda": lambda: fields.Pluck(lambda: Child(many=True), "name"),
    "pluck many": lambda: fields.Pluck(Child, "name", many=True),
    "pluck of nothing": lambda: fields.Pluck(Child, "no such field"),
    "pluck many of what is left out": lambda: fields.Pluck(Child(only=("pet",)), "name", many=True),
    "list of plucks": lambda: fields.List(fields.Pluck(Child, "name")),
    "dict of plucks": lambda: fields.Dict(values=fields.Pluck(Child, "name")),
    "list": lambda: fields.List(fields.Nested(Child)),
    "list of none": lambda: fields.List(fields.Nested(Child, allow_none=True)),
    "list of many": lambda: fields.List(fields.Nested(Child, many=True)),
    "list of lists": lambda: fields.List(fields.List(fields.Nested(Child))),
    "dict of": lambda: fields.Dict(values=fields.Nested(Child)),
    "dict from": lambda: fields.Dict(keys=fields.Pluck(Child, "name"), values=fields.Raw()),
    "tuple of": lambda: fields.Tuple((fields.Nested(Child), fields.String())),
}
