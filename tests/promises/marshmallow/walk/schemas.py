"""Schemas of users: this module is run anew for each walk, so that its classes are unused."""

from __future__ import annotations

import enum
from datetime import date, datetime
from typing import Any

from marshmallow import (
    EXCLUDE,
    Schema,
    ValidationError,
    fields,
    post_dump,
    post_load,
    pre_dump,
    pre_load,
    validate,
    validates,
    validates_schema,
)

from tests.promises.marshmallow.walk.notes import note

REQUEST = {"flag": False, "looks": False}
"""What code of these schemas looks at."""


def look(schema: Any) -> None:
    """Look at the fields of a schema in the midst of a dump or load, if that is what code does."""
    if REQUEST["looks"]:
        note("looks", *schema.fields.values())


def mark():
    """What code of these schemas adds, which depends on the request."""
    return "?" if REQUEST["flag"] else "!"


class Loud(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        note("loud dump", self, self.parent, self.root)
        look(self.parent)
        return f"{super()._serialize(value, attr, obj, **kwargs)}{mark()}"

    def _deserialize(self, value, attr, data, **kwargs):
        note("loud load", self, self.parent, self.root)
        look(self.parent)
        return f"{super()._deserialize(value, attr, data, **kwargs)}{mark()}"


class Shouting(fields.String):
    """A field that takes the place of another one."""

    def _serialize(self, value, attr, obj, **kwargs):
        note("shouts", self)
        return str(value).upper()

    def _deserialize(self, value, attr, data, **kwargs):
        note("hears", self)
        return str(value).lower()


class BindsItself(fields.String):
    def _bind_to_schema(self, field_name, parent):
        note("binds itself", parent)
        super()._bind_to_schema(field_name, parent)
        self.data_key = "Own" if REQUEST["flag"] else "own"


class Mixin:
    """What schemas and nested schemas inherit."""

    shape = "list"
    """Of what is nested in the objects that they dump."""

    class Meta:
        unknown = EXCLUDE

    def get_about(self, obj):
        note("get_about", self)
        look(self)
        return f"about{mark()}"

    def set_about(self, value):
        note("set_about", self)
        look(self)
        return [value, mark()]


class Dog(Mixin, Schema):
    name = fields.String(validate=validate.Length(max=5))
    number = fields.Integer()
    absent = fields.Integer()
    flag = fields.Boolean()


class DogWithCode(Dog):
    about = fields.Method("get_about", deserialize="set_about")
    loud = Loud()

    @post_dump
    def after(self, data, **kwargs):
        note("after the dump of a dog", self)
        return {**data, "mark": mark()}


class Plain(Mixin, Schema):
    name = fields.String(validate=validate.Length(max=5))
    number = fields.Integer()
    absent = fields.Integer()
    secret = fields.String(load_only=True)
    id = fields.Integer(dump_only=True)
    day = fields.Date()
    price = fields.Decimal(2, as_string=True)
    numbers = fields.List(fields.Integer())


class Tiny(Mixin, Schema):
    name = fields.String()
    number = fields.Integer()


class WithMethod(Plain):
    about = fields.Method("get_about", deserialize="set_about")
    loud = Loud()


class WithAttribute(Plain):
    def get_attribute(self, obj, attr, default):
        note("get_attribute", self)
        return mark() if attr == "name" else super().get_attribute(obj, attr, default)


class Hooked(Plain):
    @pre_dump
    def before_dump(self, data, **kwargs):
        note("before the dump", self)
        look(self)
        return data

    @post_dump(pass_original=True)
    def after_dump(self, data, original, **kwargs):
        note("after the dump", self)
        return {**data, "hooked": True}

    @pre_load
    def before_load(self, data, **kwargs):
        note("before the load", self)
        look(self)
        return data

    @post_load
    def after_load(self, data, **kwargs):
        note("after the load", self)
        return {**data, "mark": mark()}

    @validates("number")
    def check(self, value, **kwargs):
        note("check", self)
        if value == 13:
            raise ValidationError("unlucky")

    @validates_schema
    def check_all(self, data, **kwargs):
        note("check all", self)


class Chooses(Plain):
    """Its fields depend on the request, and so do those that it removes."""

    def __init__(self, **options):
        note("made", self)
        super().__init__(**options)
        look(self)
        if REQUEST["flag"]:
            for chosen in (self.fields, self.dump_fields, self.load_fields):
                chosen.pop("price", None)
            self.fields["name"].data_key = "Chosen"


class OnBind(Plain):
    own = BindsItself()

    def on_bind_field(self, field_name, field_obj):
        note("on_bind_field", self)
        if REQUEST["flag"] and field_name == "number":
            field_obj.data_key = "Bound"


class ByClass(Plain):
    dog = fields.Nested(Dog)
    dogs = fields.List(fields.Nested(Dog))


class ByName(Plain):
    dog = fields.Nested(f"{__name__}.Dog")
    dogs = fields.Nested(f"{__name__}.Dog", many=True, only=("name", "number"))


THE_DOG = Dog()


class ByObject(Plain):
    dog = fields.Nested(THE_DOG)
    dogs = fields.List(fields.Nested(THE_DOG))


class ByObjectWithMethod(ByObject):
    about = fields.Method("get_about")


def a_dog():
    note("a dog is asked for")
    return Dog(exclude=("flag" if REQUEST["flag"] else "absent",))


def the_dog():
    return THE_DOG


class ByFunction(Plain):
    shape = "dict"
    dog = fields.Nested(a_dog)
    dogs = fields.Dict(fields.String(), fields.Nested(the_dog))


class Plucked(Plain):
    shape = "tuple"
    dog = fields.Pluck(Dog, "name")
    dogs = fields.Tuple((fields.Nested(Dog), fields.Pluck(THE_DOG, "number")))


class WithCodeNested(Plain):
    dog = fields.Nested(DogWithCode)
    dogs = fields.List(fields.Nested(DogWithCode(exclude=("absent",))))


class Deep(Plain):
    dog = fields.Nested(ByClass)
    dogs = fields.List(fields.Nested(ByObject))


class DeepWithMethod(Deep):
    about = fields.Method("get_about")


class WithVisitors(Plain):
    """What code of nested schemas does depends on the request."""

    dog = fields.Nested(Chooses)
    dogs = fields.List(fields.Nested(OnBind))


class Colour(enum.Enum):
    RED = 1


class OtherColour(enum.Enum):
    RED = 2


def compute(obj):
    note("computed")
    return 1


class OfAllKinds(Plain):
    flag = fields.Boolean()
    real = fields.Float()
    moment = fields.DateTime()
    colour = fields.Enum(Colour, by_value=True)
    pairs = fields.Dict(fields.String(), fields.Integer())
    both = fields.Tuple((fields.Integer(), fields.String()))
    odd = fields.Tuple((fields.Enum(Colour), fields.Integer()))
    computed = fields.Function(compute)
    constant = fields.Constant(7)
    plucked = fields.Pluck(Dog, "name")


class Holding(OfAllKinds):
    dog = fields.Nested(OfAllKinds)
    dogs = fields.List(fields.Nested(OfAllKinds))


SCHEMAS = [
    *(Plain, Tiny, WithMethod, WithAttribute, Hooked, Chooses, OnBind),
    *(ByClass, ByName, ByObject, ByObjectWithMethod, ByFunction, Plucked),
    *(WithCodeNested, Deep, DeepWithMethod, Holding, WithVisitors),
]


class Row:
    """An object to dump."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


_FLAT = {
    "name": "Rex",
    "Name": "Max",
    "number": 3,
    "secret": "s",
    "id": 7,
    "about": "a",
    "own": "own",
    "loud": "l",
    "flag": True,
    "numbers": [1, "2"],
    "pairs": {"a": "1"},
    "both": (1, "b"),
    "plucked": {"name": "Rex"},
}
_TO_DUMP = {**_FLAT, "day": date(2024, 2, 29), "moment": datetime(2024, 2, 29), "price": 2.5}
_TO_DUMP |= {"colour": Colour.RED, "odd": (Colour.RED, 1), "real": 1.5}
_TO_LOAD = {**_FLAT, "day": "2024-02-29", "moment": "2024-02-29T12:00", "price": "2.5"}
_TO_LOAD |= {"colour": 1, "odd": ["RED", 1], "real": "1.5", "plucked": "Rex"}


def _with_dogs(flat: dict[str, Any], shape: str, make: Any = dict) -> Any:
    """A dictionary or object with what schemas of a shape nest, which nest others, perhaps."""
    dog = make(**flat, dog=make(**flat), dogs=[make(**flat)])
    dogs = {"list": [dog, dog], "dict": {"k": dog}, "tuple": (dog, dog)}
    return make(**flat, dog=dog, dogs=dogs[shape])


def row_of(cls: Any) -> Any:
    """A dictionary to dump."""
    return _with_dogs(_TO_DUMP, cls.shape)


def object_of(cls: Any) -> Any:
    """An object to dump."""
    return _with_dogs(_TO_DUMP, cls.shape, Row)


def data_of(cls: Any) -> Any:
    """A dictionary to load."""
    data = _with_dogs(_TO_LOAD, cls.shape)
    if cls.shape == "tuple":
        data |= {"dog": "Rex", "dogs": [data["dog"], 3]}
    return data


# What may take the place of methods of schemas and classes.


def get_number(self, obj, attr=None, default=None):
    """On a class, the first is the schema; on a schema, it is the object."""
    note("get_number")
    return 5


def dump_by_itself(*args, **kwargs):
    note("dumps by itself")
    return {"dumped": sorted(kwargs)}


def load_by_itself(*args, **kwargs):
    note("loads by itself")
    return {"loaded": sorted(kwargs)}


def handle(self, error, data, **kwargs):
    note("handles an error", self)


def bind(self, field_name, field_obj):
    note("is bound", self)
    if field_name == "name":
        field_obj.data_key = "Bound"


def init(self, **options):
    note("is made", self)
    Schema.__init__(self, **options)


def get_more(self, obj):
    note("get_more", self)
    return "more"


an_attribute = property(lambda self: 9)
