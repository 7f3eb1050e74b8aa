"""Ordinary schemas of marshmallow, and how they are used."""

from __future__ import annotations

import importlib.metadata
from typing import Any

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

from ordinary_pattern import Collection, Run, other_objects
from records import Record, flat_rows, orders
from shapes import ShapeSchema, shapes
from workloads import AuthorSchema, FlatSchema, OrderSchema, as_json, half_wrong

MARSHMALLOW = Collection("marshmallow")
IS_3 = importlib.metadata.version("marshmallow").startswith("3.")
NAMES = ("id", "title", "quantity", "due")


def dump(schema: Schema, rows: list[Any]) -> Run:
    """A schema that is there, as modules have them; one object, or a list."""
    if len(rows) == 1:
        return lambda: schema.dump(rows[0])
    return lambda: schema.dump(rows, many=True)


def dump_by_new(schema: Any, rows: list[Any], **options: Any) -> Run:
    """A schema made for each call, as views make it."""
    if len(rows) == 1:
        return lambda: schema(**options).dump(rows[0])
    return lambda: schema(many=True, **options).dump(rows)


def load(schema: Schema, rows: list[Any], **options: Any) -> Run:
    """Load data; of errors, their messages."""
    data, many = (rows[0], False) if len(rows) == 1 else (rows, True)

    def run() -> Any:
        try:
            return schema.load(data, many=many, **options)
        except ValidationError as error:
            return error.messages

    return run


def order_data(count: int) -> list[dict[str, Any]]:
    """Orders as JSON carries them; made by a class of its own, which nothing else uses."""
    return as_json(type("Data", (OrderSchema,), {})(), orders(count))


@MARSHMALLOW.add("module-level schema, flat dictionaries")
def flat(count: int) -> Run:
    return dump(FlatSchema(), flat_rows(count))


@MARSHMALLOW.add("module-level schema, objects with nested ones")
def nested(count: int) -> Run:
    return dump(OrderSchema(), orders(count))


@MARSHMALLOW.add("the same, 10,000 other objects in between", between=other_objects)
def among_others(count: int) -> Run:
    return dump(OrderSchema(), orders(count))


@MARSHMALLOW.add("flat rows, 10,000 other objects in between", between=other_objects)
def flat_among_others(count: int) -> Run:
    return dump(FlatSchema(), flat_rows(count))


@MARSHMALLOW.add("module-level schema whose fields somebody has looked at")
def looked_at(count: int) -> Run:
    schema = OrderSchema()
    assert schema.fields
    return dump(schema, orders(count))


OLDER = FlatSchema()


@MARSHMALLOW.add("module-level schema, older than install()")
def older(count: int) -> Run:
    return dump(OLDER, flat_rows(count))


@MARSHMALLOW.add("module-level schema of three fields")
def three_fields(count: int) -> Run:
    class Three(Schema):
        id = fields.Integer()
        title = fields.String()
        quantity = fields.Integer()

    return dump(Three(), flat_rows(count))


@MARSHMALLOW.add("a Method that dumps by a module-level schema")
def by_method(count: int) -> Run:
    flat = FlatSchema()

    class Outer(Schema):
        inner = fields.Method("get_inner")

        def get_inner(self, row: Any) -> Any:
            return flat.dump(row)

    return dump(Outer(), flat_rows(count))


@MARSHMALLOW.add("schema made in the view")
def made_in_view(count: int) -> Run:
    return dump_by_new(OrderSchema, orders(count))


@MARSHMALLOW.add("schema made in the view, 10,000 other objects in between", between=other_objects)
def made_among_others(count: int) -> Run:
    return dump_by_new(OrderSchema, orders(count))


@MARSHMALLOW.add("schema made in the view, flat")
def flat_made_in_view(count: int) -> Run:
    return dump_by_new(FlatSchema, flat_rows(count))


@MARSHMALLOW.add("schema made in the view, with only")
def with_only(count: int) -> Run:
    return dump_by_new(OrderSchema, orders(count), only=(*NAMES, "author.name"))


@MARSHMALLOW.add("schema made in the view, with exclude")
def with_exclude(count: int) -> Run:
    return dump_by_new(OrderSchema, orders(count), exclude=NAMES)


@MARSHMALLOW.add("schema made in the view, with an own __init__")
def with_own_init(count: int) -> Run:
    class Owned(FlatSchema):
        def __init__(self, *args: Any, user: Any = None, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.user = user

    return dump_by_new(Owned, flat_rows(count), user="ann")


@MARSHMALLOW.add("schema made in the view, whose __init__ removes a field")
def removes_field(count: int) -> Run:
    class Removes(FlatSchema):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.dump_fields.pop("due")

    return dump_by_new(Removes, flat_rows(count))


@MARSHMALLOW.add("schema made in the view, with a field that binds itself")
def binds_itself(count: int) -> Run:
    class Bound(fields.String):
        def _bind_to_schema(self, field_name: str, parent: Any) -> None:
            super()._bind_to_schema(field_name, parent)
            self.metadata = {**self.metadata, "label": field_name.title()}

    return dump_by_new(type("Binding", (FlatSchema,), {"title": Bound()}), flat_rows(count))


@MARSHMALLOW.add("schema made in the view, that nests schema objects")
def nests_objects(count: int) -> Run:
    class Nesting(OrderSchema):
        author = fields.Nested(AuthorSchema(only=["name"]))

    return dump_by_new(Nesting, orders(count))


@MARSHMALLOW.add("classes made for each call, one nested in the other")
def nested_from_dict(count: int) -> Run:
    rows = orders(count)

    def run() -> Any:
        author = Schema.from_dict({"name": fields.String()})
        content = {"id": fields.Integer(), "title": fields.String(), "due": fields.Date()}
        schema = Schema.from_dict({**content, "author": fields.Nested(author)})()
        return dump(schema, rows)()

    return run


@MARSHMALLOW.add("Schema.from_dict for each call")
def from_dict(count: int) -> Run:
    rows = flat_rows(count)

    def run() -> Any:
        content = {"id": fields.Integer(), "title": fields.String(), "due": fields.Date()}
        return dump(Schema.from_dict(content)(), rows)()

    return run


@MARSHMALLOW.add("a class made once by from_dict")
def from_dict_once(count: int) -> Run:
    content = {"id": fields.Integer(), "title": fields.String(), "due": fields.Date()}
    return dump_by_new(Schema.from_dict(content), flat_rows(count))


@MARSHMALLOW.add("Method and Function")
def methods(count: int) -> Run:
    class Methods(FlatSchema):
        label = fields.Method("get_label")
        double = fields.Function(lambda row: row["quantity"] * 2)

        def get_label(self, row: Any) -> str:
            return f"{row['id']}: {row['title']}"

    return dump(Methods(), flat_rows(count))


def upper_schema() -> Any:
    """A schema with fields of its own."""

    class Upper(fields.String):
        def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
            text = super()._serialize(value, attr, obj, **kwargs)
            return text and text.upper()

        def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
            return super()._deserialize(value, attr, data, **kwargs).lower()

    class Owned(FlatSchema):
        title = Upper(required=True)
        reference = Upper()

    return Owned


@MARSHMALLOW.add("own fields, dump")
def own_fields(count: int) -> Run:
    return dump(upper_schema()(), flat_rows(count))


@MARSHMALLOW.add("own fields, load")
def own_fields_load(count: int) -> Run:
    return load(upper_schema()(), as_json(FlatSchema(), flat_rows(count)))


def hooked_schema() -> Any:
    """A schema with hooks of all four kinds, and a validator."""

    class Hooked(FlatSchema):
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

    return Hooked


@MARSHMALLOW.add("hooks, dump")
def hooks(count: int) -> Run:
    return dump(hooked_schema()(), flat_rows(count))


@MARSHMALLOW.add("hooks, schema made in the view, dump")
def hooks_made_in_view(count: int) -> Run:
    return dump_by_new(hooked_schema(), flat_rows(count))


@MARSHMALLOW.add("hooks, load")
def hooks_load(count: int) -> Run:
    return load(hooked_schema()(), as_json(FlatSchema(), flat_rows(count)))


@MARSHMALLOW.add("hooks and two Methods")
def hooks_and_methods(count: int) -> Run:
    class Both(hooked_schema()):
        first = fields.Method("get_first")
        second = fields.Method("get_second")

        def get_first(self, row: Any) -> str:
            return row["title"][:3]

        def get_second(self, row: Any) -> int:
            return row["quantity"] + 1

    return dump(Both(), flat_rows(count))


@MARSHMALLOW.add("nested: one, many, Pluck and self")
def all_nested(count: int) -> Run:
    class Node(Schema):
        id = fields.Integer()
        one = fields.Nested(AuthorSchema)
        many = fields.Nested(AuthorSchema, many=True)
        listed = fields.List(fields.Nested(AuthorSchema(only=("id", "name"))))
        plucked = fields.Pluck(AuthorSchema, "name", many=True)
        parent = fields.Nested(lambda: Node(exclude=("parent",)))

    people = [Record(id=n, name=f"Ann {n}", email="ann@example.com") for n in range(3)]
    shown = {"one": people[0], "many": people, "listed": people, "plucked": people}
    top = Record(id=0, parent=None, **shown)
    return dump(Node(), [Record(id=n, parent=top, **shown) for n in range(count)])


@MARSHMALLOW.add("polymorphic objects, a schema for each")
def polymorphic(count: int) -> Run:
    schema, rows = ShapeSchema(), shapes(count)
    return lambda: schema.dump(rows, many=True)


@MARSHMALLOW.add("polymorphic objects, a schema for each, load")
def load_polymorphic(count: int) -> Run:
    schema, data = ShapeSchema(), as_json(ShapeSchema(), shapes(count))
    return lambda: repr(schema.load(data, many=True))


@MARSHMALLOW.add("dump overridden, calling super()")
def dump_overridden(count: int) -> Run:
    class Wrapped(FlatSchema):
        def dump(self, obj: Any, *, many: bool | None = None) -> Any:
            return {"data": super().dump(obj, many=many)}

    return dump(Wrapped(), flat_rows(count))


@MARSHMALLOW.add("load overridden, calling super()")
def load_overridden(count: int) -> Run:
    class Wrapped(FlatSchema):
        def load(self, data: Any, **options: Any) -> Any:
            return {"data": super().load(data, **options)}

    return load(Wrapped(), as_json(FlatSchema(), flat_rows(count)))


@MARSHMALLOW.add("get_attribute overridden, calling super()")
def attribute_overridden(count: int) -> Run:
    class Reading(FlatSchema):
        def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
            return super().get_attribute(obj, attr, default)

    return dump(Reading(), flat_rows(count))


@MARSHMALLOW.add("load, module-level schema")
def load_orders(count: int) -> Run:
    return load(OrderSchema(), order_data(count))


@MARSHMALLOW.add("load, module-level schema, flat")
def load_flat(count: int) -> Run:
    return load(FlatSchema(), as_json(FlatSchema(), flat_rows(count)))


@MARSHMALLOW.add("load, module-level schema whose fields somebody has looked at")
def load_looked_at(count: int) -> Run:
    schema = OrderSchema()
    assert schema.fields
    return load(schema, order_data(count))


@MARSHMALLOW.add("load, 10,000 other objects in between", between=other_objects)
def load_among_others(count: int) -> Run:
    return load(OrderSchema(), order_data(count))


@MARSHMALLOW.add("load, schema made in the view")
def load_made_in_view(count: int) -> Run:
    data = order_data(count)
    return lambda: load(OrderSchema(), data)()


@MARSHMALLOW.add("load, every second row wrong", sizes=(20, 240))
def load_wrong(count: int) -> Run:
    return load(OrderSchema(), half_wrong(order_data(count)))


@MARSHMALLOW.add("load one object that is wrong", sizes=(1,))
def load_one_wrong(count: int) -> Run:
    return load(OrderSchema(), half_wrong(order_data(2))[1:])


@MARSHMALLOW.add("load with validators")
def load_validated(count: int) -> Run:
    class Validated(FlatSchema):
        title = fields.String(required=True, validate=validate.Length(1, 80))
        reference = fields.String(validate=validate.Regexp(r"^REF-\d+$"))
        note = fields.String(validate=validate.OneOf(["none", "gift"]))
        quantity = fields.Integer(validate=validate.Range(0, 100))

    return load(Validated(), as_json(FlatSchema(), flat_rows(count)))


@MARSHMALLOW.add("validate() only")
def validated(count: int) -> Run:
    schema, data = OrderSchema(), order_data(count)
    if count == 1:
        return lambda: schema.validate(data[0])
    return lambda: schema.validate(data, many=True)


@MARSHMALLOW.add("partial load")
def partial(count: int) -> Run:
    data = [{key: row[key] for key in NAMES} for row in order_data(count)]
    return load(OrderSchema(), data, partial=True)


@MARSHMALLOW.add("SQLAlchemy objects, four nested ones each")
def sqlalchemy(count: int) -> Run:
    from ordinary_sqlalchemy import FlightSchema, flights

    return dump_by_new(FlightSchema, flights(count))


@MARSHMALLOW.add("SQLAlchemy objects, columns only")
def sqlalchemy_columns(count: int) -> Run:
    from ordinary_sqlalchemy import FlightSchema, flights

    nested = ("airline", "origin", "destination", "plane")
    return dump(FlightSchema(exclude=nested), flights(count))


if IS_3:

    @MARSHMALLOW.add("fields inferred from Meta.fields")
    def inferred(count: int) -> Run:
        class Inferred(Schema):
            class Meta:
                fields = ("id", "title", "reference", "note", "quantity", "weight", "due")

        return dump(Inferred(), flat_rows(count))
