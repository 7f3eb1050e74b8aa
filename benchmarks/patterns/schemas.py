"""Schemas of marshmallow, and of the packages that people use with it."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask_marshmallow import Marshmallow
from marshmallow import (
    Schema,
    ValidationError,
    fields,
    post_dump,
    post_load,
    pre_dump,
    pre_load,
    validate,
    validates_schema,
)
from marshmallow_oneofschema import OneOfSchema
from marshmallow_sqlalchemy import SQLAlchemyAutoSchema
from marshmallow_sqlalchemy.fields import Nested

from harness.measuring import Run
from patterns import Collection, among_others, by_stock
from patterns.mapped import Airline, Flight, FlightSchema, flights
from patterns.orders import (
    AuthorSchema,
    FlatSchema,
    OrderSchema,
    as_json,
    dump,
    dump_by_new,
    half_wrong,
    load,
)
from records import Record, flat_rows, orders

PATTERNS = Collection("marshmallow")
add = PATTERNS.add
NAMES = ("id", "title", "quantity", "due")


def flat_data(count: int) -> list[dict[str, Any]]:
    return as_json(type("Data", (FlatSchema,), {})(), flat_rows(count))


def order_data(count: int) -> list[dict[str, Any]]:
    """Orders as JSON carries them; made by a class of its own, which nothing else uses."""
    return as_json(type("Data", (OrderSchema,), {})(), orders(count))


add("module-level schema, flat dictionaries", lambda n: dump(FlatSchema(), flat_rows(n)))
add("module-level schema, objects with nested ones", lambda n: dump(OrderSchema(), orders(n)))
add(
    "the same, 10,000 other objects in between",
    lambda n: among_others(dump(OrderSchema(), orders(n))),
)
add("schema made in the view", lambda n: dump_by_new(OrderSchema, orders(n)))
add(
    "schema made in the view, with only",
    lambda n: dump_by_new(OrderSchema, orders(n), only=(*NAMES, "author.name")),
)


class Owned(FlatSchema):
    def __init__(self, *args: Any, user: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user


add(
    "schema made in the view, with an own __init__",
    lambda n: dump_by_new(Owned, flat_rows(n), user="ann"),
)


@add("Schema.from_dict for each call")
def from_dict(count: int) -> Run:
    rows = flat_rows(count)

    def run() -> Any:
        content = {"id": fields.Integer(), "title": fields.String(), "due": fields.Date()}
        return dump(Schema.from_dict(content)(), rows)()

    return run


class Methods(FlatSchema):
    label = fields.Method("get_label")
    double = fields.Function(lambda row: row["quantity"] * 2)

    def get_label(self, row: Any) -> str:
        return f"{row['id']}: {row['title']}"


class Upper(fields.String):
    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        text = super()._serialize(value, attr, obj, **kwargs)
        return text and text.upper()

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return super()._deserialize(value, attr, data, **kwargs).lower()


class WithOwnFields(FlatSchema):
    title = Upper(required=True)
    reference = Upper()


class Hooked(FlatSchema):
    """Has hooks of all four kinds, and a validator."""

    @pre_dump
    def look(self, row: Any, **kwargs: Any) -> Any:
        return row

    @post_dump
    def mark(self, data: Any, **kwargs: Any) -> Any:
        data["kind"] = "item"
        return data

    @pre_load
    def strip(self, data: Any, **kwargs: Any) -> Any:
        return {key: value for key, value in data.items() if key != "kind"}

    @validates_schema
    def check(self, data: Any, **kwargs: Any) -> None:
        if data["quantity"] < 0:
            raise ValidationError("too few")

    @post_load
    def make(self, data: Any, **kwargs: Any) -> Any:
        return {**data, "made": True}


class DumpOverridden(FlatSchema):
    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        return {"data": super().dump(obj, many=many)}


class Polymorphic(FlatSchema):
    """Makes a schema of another class for each object."""

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        if many:
            return [self.dump(each) for each in obj]
        return (Methods, WithOwnFields)[obj["id"] % 2]().dump(obj)


class Node(Schema):
    id = fields.Integer()
    one = fields.Nested(AuthorSchema)
    many = fields.Nested(AuthorSchema, many=True)
    listed = fields.List(fields.Nested(AuthorSchema(only=("id", "name"))))
    plucked = fields.Pluck(AuthorSchema, "name", many=True)
    parent = fields.Nested(lambda: Node(exclude=("parent",)))


@add("nested: one, many, Pluck and self")
def all_nested(count: int) -> Run:
    people = [Record(id=n, name=f"Ann {n}", email="ann@example.com") for n in range(3)]
    shown = {"one": people[0], "many": people, "listed": people, "plucked": people}
    top = Record(id=0, parent=None, **shown)
    return dump(Node(), [Record(id=n, parent=top, **shown) for n in range(count)])


add("Method and Function", lambda n: dump(Methods(), flat_rows(n)))
add("own fields, dump", lambda n: dump(WithOwnFields(), flat_rows(n)))
add("own fields, load", lambda n: load(WithOwnFields(), flat_data(n)))
add("hooks, dump", lambda n: dump(Hooked(), flat_rows(n)))
add("hooks, load", lambda n: load(Hooked(), flat_data(n)))
add("polymorphic objects, a schema for each", lambda n: dump(Polymorphic(), flat_rows(n)))
add("dump overridden, calling super()", lambda n: dump(DumpOverridden(), flat_rows(n)))
add("load, module-level schema", lambda n: load(OrderSchema(), order_data(n)))


add("a schema older than FastSchema(app)", lambda n: dump(by_stock(OrderSchema), orders(n)))
add("load, the same", lambda n: load(by_stock(OrderSchema), order_data(n)))
add("load, module-level schema, flat", lambda n: load(FlatSchema(), flat_data(n)))


@add("load, schema made in the view")
def load_made_in_view(count: int) -> Run:
    data = order_data(count)
    return lambda: load(OrderSchema(), data)()


add(
    "load, every second row wrong",
    lambda n: load(OrderSchema(), half_wrong(order_data(n))),
    (20, 240),
)


class Validated(FlatSchema):
    title = fields.String(required=True, validate=validate.Length(1, 80))
    reference = fields.String(validate=validate.Regexp(r"^REF-\d+$"))
    note = fields.String(validate=validate.OneOf(["none", "gift"]))
    quantity = fields.Integer(validate=validate.Range(0, 100))


add("load with validators", lambda n: load(Validated(), flat_data(n)))


@add("validate() only")
def validated(count: int) -> Run:
    schema, data = OrderSchema(), order_data(count)
    return lambda: schema.validate(data, many=True)


class AnimalSchema(OneOfSchema):
    """Cats and dogs, each by its own schema."""

    type_schemas = {
        "Cat": Schema.from_dict({"name": fields.String(), "lives": fields.Integer()}),
        "Dog": Schema.from_dict({"name": fields.String(), "tail": fields.Float()}),
    }

    def get_obj_type(self, obj: Any) -> str:
        return str(obj.kind)


def animals(count: int) -> list[Record]:
    return [
        Record(kind="Dog" if number % 2 else "Cat", name=f"{number}", lives=number, tail=1.5)
        for number in range(count)
    ]


@add("marshmallow-oneofschema, load")
def load_one_of(count: int) -> Run:
    data = as_json(AnimalSchema(), animals(count))
    return lambda: AnimalSchema(many=True).load(data)


class AirlineAutoSchema(SQLAlchemyAutoSchema):
    class Meta:
        model = Airline


class FlightAutoSchema(SQLAlchemyAutoSchema):
    """All columns of a flight, the keys of what it refers to, and its airline."""

    airline = Nested(AirlineAutoSchema)

    class Meta:
        model = Flight
        include_fk = True
        include_relationships = True


add(
    "SQLAlchemy objects, four nested ones each",
    lambda n: dump_by_new(FlightSchema, flights(n)),
)
add(
    "SQLAlchemyAutoSchema with Related and Nested, made in the view",
    lambda n: dump_by_new(FlightAutoSchema, flights(n)),
)


@add("flask-marshmallow: URLFor, AbsoluteURLFor, Hyperlinks")
def links(count: int) -> Run:
    app = Flask("app")
    ma = Marshmallow(app)

    class Linked(ma.Schema):
        id = fields.Integer()
        title = fields.String()
        url = ma.URLFor("one", values={"id": "<id>"})
        absolute = ma.AbsoluteURLFor("one", values={"id": "<id>"})
        _links = ma.Hyperlinks({"self": ma.URLFor("one", values={"id": "<id>"})})

    app.add_url_rule("/books/<int:id>", "one", lambda id: "")
    run = dump(Linked(), [Record(id=n, title=f"Book {n}") for n in range(count)])

    def in_request() -> Any:
        with app.test_request_context():
            return run()

    return in_request
