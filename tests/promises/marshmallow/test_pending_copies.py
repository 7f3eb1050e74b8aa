"""Copies of schemas, those that ``copy`` and ``Nested`` make: they have fields, as in stock."""

import copy
import pickle

import pytest
from marshmallow import EXCLUDE, Schema, fields

import fastschema
from tests.promises.marshmallow.differential import MARSHMALLOW_3, assert_as_stock, outcome

NAMES = ("declared_fields", "fields", "load_fields", "dump_fields")


pytestmark = pytest.mark.usefixtures("_installed")


class Tag(Schema):
    label = fields.String()


class Upper(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        return f"{value} of {type(self.parent).__name__}".upper()


class Pet(Schema):
    class Meta:
        unknown = EXCLUDE

    id = fields.Integer(dump_only=True)
    name = Upper()
    tags = fields.List(fields.Nested(Tag))
    about = fields.Method("get_about")
    secret = fields.String(load_only=True)

    def get_about(self, obj):
        return repr(self)


PET = {"id": "1", "name": "Rex", "tags": [{"label": 5}], "secret": "x"}
GIVEN = {"name": "Rex", "tags": [{"label": "big"}], "secret": "x"}


class Home:
    """A schema that nests another one, which it is given by a function, or as it is.

    :param by_name: "function", "object" or "object of stock"
    :param options: those of the field
    """

    def __init__(self, by_name, **options):
        self.is_many = options.get("many")
        if by_name == "object of stock":
            with fastschema.disabled():
                self.original = Pet()
        else:
            self.original = Pet()
        nested = (lambda: self.original) if by_name == "function" else self.original
        self.schema = Schema.from_dict({"pet": fields.Nested(nested, **options)})()

    @property
    def copy(self):
        return self.schema.declared_fields["pet"].schema

    def dump(self):
        return self.schema.dump({"pet": [PET] if self.is_many else PET})

    def load(self):
        return self.schema.load({"pet": [GIVEN] if self.is_many else GIVEN})

    def described(self):
        """Which fields the copy has, and what they are like."""
        return [
            (name, [(each, field.load_only, field.dump_only) for each, field in made.items()])
            for name in NAMES
            for made in [getattr(self.copy, name)]
        ]


def warmed(home):
    for _ in range(30):
        home.dump()
        home.load()
    return home


CHANGES = {
    "nothing": lambda schema: None,
    "key": lambda schema: setattr(schema.fields["name"], "data_key", "called"),
    "a field less": lambda schema: schema.dump_fields.pop("name"),
    "load_only": lambda schema: setattr(schema.fields["id"], "load_only", True),
    "inner": lambda schema: setattr(schema.fields["tags"], "inner", fields.Raw()),
    "option": lambda schema: schema.dump_only.add("name"),
}
FIELD_OPTIONS = [{}, {"many": True}, {"only": ("id", "about")}]


@pytest.mark.parametrize("field_options", FIELD_OPTIONS, ids=str)
@pytest.mark.parametrize("by_name", ["function", "object", "object of stock"])
def test_a_copy_has_the_fields_of_the_schema_that_it_is_a_copy_of(by_name, field_options):
    def use():
        home = Home(by_name, **field_options)
        before = home.described()
        warmed(home)
        return before, home.described(), home.dump(), home.load()

    is_refused = MARSHMALLOW_3 and "many" in field_options  # which it does not hand on
    assert bool(assert_as_stock(use).error) == is_refused


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("when", ["to the original", "before a use", "after some"])
@pytest.mark.parametrize("by_name", ["function", "object", "object of stock"])
def test_what_is_done_to_a_copy_or_was_done_to_the_original_is_seen(change, when, by_name):
    def use():
        home = Home(by_name)
        if when == "after some":
            warmed(home)
        changed = home.original if when == "to the original" else home.copy
        CHANGES[change](changed)
        results = [home.dump(), home.load(), home.described(), home.dump()]
        return results, copy.copy(changed).dump(PET)

    assert not assert_as_stock(use).error


@pytest.mark.parametrize("binds", [False, True])
@pytest.mark.parametrize("looks", ["before", "after", "at the copy"])
def test_a_copy_shares_its_fields_with_the_original(looks, binds):
    def use():
        schema = Pet()
        names = [*schema.fields] if looks == "before" else []
        copied = copy.copy(schema)
        if binds:
            copied._init_fields()
        CHANGES["key"](copied if looks == "at the copy" else schema)
        CHANGES["a field less"](schema)
        shared = [getattr(copied, name) is getattr(schema, name) for name in NAMES]
        fields = [copied.fields[name] is field for name, field in schema.fields.items()]
        parents = [field.parent is schema for field in copied.fields.values()]
        return names, schema.dump(PET), copied.dump(PET), shared, fields, parents

    assert not assert_as_stock(use).error


@pytest.mark.parametrize("looks", [False, True])
def test_what_is_nested_in_a_nested_schema_is_found_once(looks):
    def use():
        made = []

        class Deep(Schema):
            a = fields.Integer()

            def on_bind_field(self, name, field):
                made.append(self)
                if len(made) > 3:
                    field.data_key = "A"

        class Inner(Schema):
            deep = fields.Nested(Deep)
            many = fields.List(fields.Nested(Deep))
            table = fields.Dict(fields.String(), fields.Nested(Deep))

        shared = Inner()

        class Outer(Schema):
            inner = fields.Nested(shared)
            some = fields.List(fields.Nested(shared))
            chosen = fields.Nested(shared, only=["deep"])

        row = {"deep": {"a": 1}, "many": [{"a": 1}], "table": {"k": {"a": 1}}}
        dumped = []
        for _ in range(30):
            schema = Outer()
            if looks:
                list(schema.fields["inner"].schema.fields)
            dumped.append(schema.dump({"inner": row, "some": [row], "chosen": row}))
            schema.load({"inner": {}, "some": [{}], "chosen": {}})
        return dumped, len(made)

    assert not assert_as_stock(use).error


def test_a_method_is_that_of_the_copy_that_was_made_last():
    def use():
        pet = Pet(only=["name", "about"])
        home, other = (Schema.from_dict({"pet": fields.Nested(pet)})() for _ in range(2))
        dumped = [home.dump({"pet": PET})]
        home.fields["pet"].schema.many = True  # which its repr tells
        dumped.append(home.dump({"pet": [PET]}))
        dumped.append(other.dump({"pet": PET}))
        dumped.append(home.dump({"pet": [PET]}))
        return dumped

    assert not assert_as_stock(use).error


def test_a_schema_that_was_given_the_attributes_of_another_dumps_as_that():
    def use():
        copied = object.__new__(Pet)
        vars(copied).update(vars(Pet(only=["id", "name"])))
        return copied.dump(PET), [*copied.fields]

    assert not assert_as_stock(use).error


class Noting(Schema):
    """Notes which schema reads an attribute."""

    readers = []
    id = fields.Integer()

    def get_attribute(self, obj, attr, default):
        self.readers.append(self)
        return 5


def attributes_copied(schema):
    copied = object.__new__(type(schema))
    vars(copied).update(vars(schema))
    return copied


@pytest.mark.parametrize("is_looked_at", [False, True])
@pytest.mark.parametrize("duplicate", [copy.copy, attributes_copied])
def test_methods_of_a_copy_are_called_with_the_copy(duplicate, is_looked_at):
    schema = Noting()
    if is_looked_at:
        assert schema.fields
    schema.dump({})
    copied = duplicate(schema)
    for each in (copied, schema, copied):
        Noting.readers.clear()
        each.dump([{}] * 3, many=True)
        assert Noting.readers == [each] * 3


@pytest.mark.usefixtures("users_thresholds")
@pytest.mark.parametrize("base", [Schema, Noting])
def test_a_first_schema_shares_its_fields_with_one_that_was_given_its_attributes(base):
    def use():
        cls = base.from_dict({name: fields.Integer() for name in "abcdefgh"})
        schema = cls()
        copied = attributes_copied(schema)
        dumped = [copied.dump(dict.fromkeys("abcdefgh", "1")) for _ in range(30)]
        field = copied.fields["a"]
        return (
            dumped,
            copied.fields is schema.fields,
            field.parent is schema,
            field.parent is copied,
        )

    assert not assert_as_stock(use).error


def test_a_copy_has_what_was_done_to_nested_schemas():
    def use():
        schema = Pet()
        schema.fields["tags"].inner.schema.fields["label"].data_key = "called"

        class Owner(Schema):
            pet = fields.Nested(schema)

        return copy.copy(schema).dump(PET)["tags"], Owner().dump({"pet": PET})["pet"]["tags"]

    assert not assert_as_stock(use).error


def test_dotted_names_are_handed_on_by_stock():
    def use():
        with fastschema.disabled():
            original = Pet(only=["name", "tags.label"])
        warm = Pet(only=["name", "tags"]).dump(PET)
        return warm, copy.copy(original).dump(PET), copy.copy(copy.deepcopy(original)).dump(PET)

    assert not assert_as_stock(use).error


class Copies(Schema):
    id = fields.Integer()

    def __copy__(self):
        return "a copy"


class Reduces(Schema):
    id = fields.Integer()

    def __reduce_ex__(self, protocol):
        return (type(self), (), {"reduced": True})


@pytest.mark.parametrize("cls", [Copies, Reduces])
def test_a_class_that_says_how_it_is_copied_is_asked(cls):
    def use():
        schema = cls()
        for _ in range(3):
            schema.dump([{"id": 1}] * 30, many=True)
        copied = copy.copy(schema)
        own = vars(copied) if isinstance(copied, cls) else copied
        return copied is schema, "fields" in own, "reduced" in own

    with fastschema.disabled():
        expected = outcome(use)
    got = outcome(use)
    assert not expected.error
    assert got == expected


def test_stock_has_no_method_for_it():
    assert not hasattr(Pet(), "__copy__")
    Pet().dump([PET] * 30, many=True)
    with pytest.raises(AttributeError, match="Pet"):
        Pet().__copy__  # noqa: B018  # the access raises


def test_a_pending_schema_is_pickled_with_its_fields():
    pet = Pet()
    assert "fields" not in vars(pet)
    again = pickle.loads(pickle.dumps(pet))
    assert [*vars(again)["fields"]] == ["id", "name", "tags", "about", "secret"]
    assert copy.deepcopy(copy.copy(Pet())).dump(PET) == Pet().dump(PET)


def test_a_copy_of_a_schema_that_was_bound_anew_shares_its_dictionaries():
    def use():
        schema = warmed(Home("object")).copy
        copied = copy.copy(schema)
        schema.dump_fields["size"] = fields.Constant(5)
        schema.fields.pop("name")
        return copied.dump({}), list(copied.fields)

    assert_as_stock(use)
