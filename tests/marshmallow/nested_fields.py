"""Nested fields of every kind, to be dumped and to be loaded."""

from marshmallow import INCLUDE, Schema, ValidationError, fields, validate

from tests.marshmallow.load_schemas import Dog


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
    "unknown object": lambda: fields.Nested(Child(unknown=INCLUDE)),
    "name": lambda: fields.Nested("RenamedChild"),
    "full name": lambda: fields.Nested(f"{__name__}.Child"),
    "unknown name": lambda: fields.Nested("NoSuchSchema"),
    "lambda": lambda: fields.Nested(lambda: Child(exclude=("secret",))),
    "lambda for a class": lambda: fields.Nested(lambda: Child),
    "lambda for many": lambda: fields.Nested(lambda: Child(many=True)),
    "lambda that raises": lambda: fields.Nested(lambda: 1 / 0),
    "lambda that refuses": lambda: fields.Nested(refuse),
    "dict": lambda: fields.Nested({"name": fields.Integer()}),
    "no schema": lambda: fields.Nested(5),
    "only": lambda: fields.Nested(Child, only=("secret", "name")),
    "only dotted": lambda: fields.Nested(Child, only=("name", "pet.name")),
    "exclude": lambda: fields.Nested(Child, exclude=("secret", "toys")),
    "exclude dotted": lambda: fields.Nested(Child, exclude=("toys.name",)),
    "unknown field": lambda: fields.Nested(Child, only=("no such field",)),
    "many": lambda: fields.Nested(Child, many=True),
    "not many": lambda: fields.Nested(Child, many=False),
    "object not for many": lambda: fields.Nested(Child(many=True), many=False),
    "allow_none": lambda: fields.Nested(Child, allow_none=True),
    "required": lambda: fields.Nested(Child, required=True),
    "default": lambda: fields.Nested(Child, load_default=dict),
    "validated": lambda: fields.Nested(Child, validate=validate.Length(2)),
    "messages": lambda: fields.Nested(Child, error_messages={"type": "{type}", "null": "none"}),
    "messages for many": lambda: fields.Nested(
        Child, many=True, error_messages={"type": "{input} is a {type}"}
    ),
    "pluck": lambda: fields.Pluck(Child, "name"),
    "pluck of the key": lambda: fields.Pluck(RenamedChild, "name"),
    "pluck of an empty key": lambda: fields.Pluck(RenamedChild, "empty"),
    "pluck of an object for many": lambda: fields.Pluck(Child(many=True), "name"),
    "pluck of a lambda": lambda: fields.Pluck(lambda: Child(many=True), "name"),
    "pluck of a nested one": lambda: fields.Pluck(Child, "pet"),
    "pluck many": lambda: fields.Pluck(Child, "name", many=True),
    "pluck of nothing": lambda: fields.Pluck(Child, "no such field"),
    "pluck of what is left out": lambda: fields.Pluck(Child(only=("pet",)), "name"),
    "pluck many of what is left out": lambda: fields.Pluck(Child(only=("pet",)), "name", many=True),
    "list of plucks": lambda: fields.List(fields.Pluck(Child, "name")),
    "dict of plucks": lambda: fields.Dict(values=fields.Pluck(Child, "name")),
    "list": lambda: fields.List(fields.Nested(Child)),
    "list of none": lambda: fields.List(fields.Nested(Child, allow_none=True)),
    "list of many": lambda: fields.List(fields.Nested(Child, many=True)),
    "list with only": lambda: fields.List(fields.Nested(Child, only=("name",))),
    "list of unknown name": lambda: fields.List(fields.Nested("NoSuchSchema")),
    "list of lists": lambda: fields.List(fields.List(fields.Nested(Child))),
    "dict of": lambda: fields.Dict(values=fields.Nested(Child)),
    "dict from": lambda: fields.Dict(keys=fields.Pluck(Child, "name"), values=fields.Raw()),
    "tuple of": lambda: fields.Tuple((fields.Nested(Child), fields.String())),
}
