"""marshmallow-oneofschema: what its schemas dump and load is what stock's do."""

from types import SimpleNamespace

import pytest
from marshmallow import EXCLUDE, Schema, ValidationError, fields, post_dump, post_load
from marshmallow_oneofschema import OneOfSchema

import fastschema
from tests.promises.marshmallow import load_differential
from tests.promises.marshmallow.differential import assert_same, installed

calls = []


class CatSchema(Schema):
    name = fields.String(required=True)
    lives = fields.Integer()


class DogSchema(Schema):
    class Meta:
        unknown = EXCLUDE

    name = fields.String()
    friend = fields.Nested(lambda: AnimalSchema())

    @post_load
    def make(self, data, **kwargs):
        calls.append(("make", dict(data), kwargs))
        if data.get("name") == "refused":
            raise ValidationError("refused")
        return SimpleNamespace(**data)


class BirdSchema(Schema):
    """A schema whose objects code of users makes."""

    name = fields.String()

    def __init__(self, **kwargs):
        calls.append("made a bird's schema")
        super().__init__(**kwargs)


class AnimalSchema(OneOfSchema):
    type_schemas = {"Cat": CatSchema, "Dog": DogSchema(), "Bird": BirdSchema}

    def get_obj_type(self, obj):
        calls.append(("type", obj))
        if obj["kind"] == "wrong":
            raise ValidationError("a wrong kind")
        return obj["kind"]


class Keeping(AnimalSchema):
    type_field = "kind"
    type_field_remove = False
    type_schemas = {
        "Cat": CatSchema(unknown=EXCLUDE),
        "Dog": DogSchema(unknown=EXCLUDE),
        "Bird": BirdSchema,
    }


class Zoo(Schema):
    first = fields.Nested(AnimalSchema)
    animals = fields.List(fields.Nested(AnimalSchema))
    more = fields.Nested(AnimalSchema, many=True)


SCHEMAS = [AnimalSchema, Keeping]
CAT = {"kind": "Cat", "name": "a", "lives": 9}
DOG = {"kind": "Dog", "name": "b", "friend": CAT}
BIRD = {"kind": "Bird", "name": "c"}
ANIMALS = [CAT, DOG, BIRD] * 3
OTHERS = [{"kind": None}, {"kind": "Cow"}, {"kind": "Cat", "lives": "x"}, {"kind": []}]


def many(schema, **options):
    return lambda: schema(many=True, **options)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_animals_are_dumped_as_by_stock(schema):
    assert_same(schema, DOG, calls=calls)
    assert_same(many(schema), ANIMALS, calls=calls)
    assert_same(many(schema), [*ANIMALS, {"kind": "wrong"}, CAT, {"kind": "wrong"}], calls=calls)


@pytest.mark.parametrize("animal", [CAT, DOG, BIRD, *OTHERS])
def test_nested_animals_are_dumped_as_by_stock(animal):
    assert_same(AnimalSchema, animal, calls=calls)
    assert_same(many(AnimalSchema), [*ANIMALS, animal, CAT], calls=calls)
    row = {"first": animal, "animals": [*ANIMALS, animal], "more": [CAT, animal]}
    assert_same(Zoo, row, calls=calls)


LOADED_CAT = {"type": "Cat", "name": "a", "lives": "9"}
LOADED_DOG = {"type": "Dog", "name": "b", "friend": LOADED_CAT, "unknown": 1}
LOADED = [LOADED_CAT, LOADED_DOG, {"type": "Bird", "name": "c"}]
WRONG = [
    {"type": "Cow"},
    {"type": ["Cat"]},
    {"name": "a"},
    {"type": "Cat", "name": "a", "unknown": 1},
    {"type": "Dog", "name": 5, "friend": {"type": "Cat", "lives": "x"}},
    {"type": "Dog", "name": "refused"},
    None,
]


def with_kind(data):
    if not isinstance(data, dict):
        return data
    return {"kind" if key == "type" else key: with_kind(value) for key, value in data.items()}


@pytest.mark.parametrize("options", [{}, {"unknown": EXCLUDE}, {"partial": True}])
@pytest.mark.parametrize("schema", SCHEMAS)
def test_animals_are_loaded_as_by_stock(schema, options):
    comparison = load_differential.Comparison(many(schema, **options), calls)
    rows = [with_kind(each) for each in LOADED] if schema is Keeping else LOADED
    comparison.check(rows * 3)
    for wrong in WRONG:
        comparison.check([*rows, *rows, with_kind(wrong) if schema is Keeping else wrong, rows[0]])
    comparison.check(rows * 3, unknown=EXCLUDE)
    comparison.check(rows * 3, partial=True)
    comparison.check(rows[0], many=False)


@pytest.mark.parametrize("animal", [*LOADED, *WRONG])
def test_nested_animals_are_loaded_as_by_stock(animal):
    comparison = load_differential.Comparison(Zoo, calls)
    row = {"first": animal, "animals": [*LOADED, animal], "more": [LOADED_CAT, animal]}
    comparison.check(row)
    comparison.check([row] * 3, many=True, partial=True)


class CountingSchema(Schema):
    """A schema that keeps something for itself."""

    name = fields.String()
    count = 0

    @post_dump
    @post_load
    def counted(self, data, **kwargs):
        self.count += 1
        return {**data, "count": self.count}


class CallingSchema(Schema):
    """A schema with a field that calls its method."""

    name = fields.Method("get_name", deserialize="get_name")
    count = 0

    def get_name(self, obj):
        self.count += 1
        return self.count


class BindingSchema(Schema):
    """A schema that sees its fields made."""

    name = fields.String()

    def on_bind_field(self, field_name, field_obj):
        calls.append(("on_bind_field", field_name))


class OuterSchema(Schema):
    name = fields.String()
    inner = fields.Nested(CountingSchema)


def make_outer():
    calls.append("made an outer schema")
    return OuterSchema()


class Seeing(AnimalSchema):
    type_schemas = {
        "Cat": CountingSchema,
        "Dog": OuterSchema,
        "Cow": CallingSchema,
        "Bird": BindingSchema,
        "Fish": make_outer,
    }


def test_code_of_users_sees_a_schema_for_each_object():
    names = [*Seeing.type_schemas] * 2
    objects = [{"kind": name, "name": "a", "inner": {"name": "b"}} for name in names]
    assert_same(many(Seeing), objects, calls=calls)
    assert_same(Schema.from_dict({"one": fields.List(fields.Nested(Seeing))}), {"one": objects})

    comparison = load_differential.Comparison(many(Seeing, unknown=EXCLUDE), calls)
    comparison.check([{"type" if k == "kind" else k: v for k, v in o.items()} for o in objects])


def test_a_method_that_a_nested_class_gets_later_sees_a_schema_for_each_object(monkeypatch):
    class Inner(Schema):
        name = fields.String()

    class Keeper(Schema):
        pet = fields.Nested(Inner)

    keepers = type("Keepers", (AnimalSchema,), {"type_schemas": {"Keeper": Keeper}})
    objects = [{"kind": "Keeper", "pet": {"name": "a"}}] * 3
    seen = []

    def get_attribute(self, obj, attr, default):
        seen.append(self)
        return default

    with installed():
        for _ in range(3):
            keepers().dump(objects, many=True)
        monkeypatch.setattr(Inner, "get_attribute", get_attribute)
        keepers().dump(objects, many=True)
    assert len({id(schema) for schema in seen}) == len(objects)


def uses(zoo):
    data = {"animals": [{"type": "Cat", "name": "a"}]}
    return zoo.dump({"animals": [CAT]}), zoo.load(data)


def test_another_schema_for_a_type_is_seen(monkeypatch):
    schemas = dict(AnimalSchema.type_schemas)
    monkeypatch.setattr(AnimalSchema, "type_schemas", schemas)
    zoo = Zoo()
    with installed():
        for schema in (CatSchema, OuterSchema, CatSchema):
            schemas["Cat"] = schema
            with fastschema.disabled():
                expected = uses(zoo)
            assert uses(zoo) == expected


@pytest.mark.parametrize("options", [{"unknown": EXCLUDE}, {"partial": True}])
def test_other_options_of_a_nested_schema_are_seen(options):
    zoo = Zoo()
    rows = [{"first": {"type": "Cat", "color": "red"}}] * 3
    with installed():
        zoo.validate(rows, many=True)
        vars(zoo.fields["first"].schema).update(options)
        with fastschema.disabled():
            expected = zoo.validate(rows, many=True)

        assert zoo.validate(rows, many=True) == expected


def test_reports_name_what_is_compiled():
    report = str(fastschema.compile(Zoo).explain())

    assert "nested schema, compiled for OneOfSchema.dump" in report
    assert "nested schema, compiled for OneOfSchema.load" in report
