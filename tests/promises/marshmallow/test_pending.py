"""New schemas have the fields that stock gives them, and the same errors."""

import warnings
from collections import OrderedDict
from unittest import mock

import pytest
from marshmallow import Schema, fields
from marshmallow.orderedset import OrderedSet

import fastschema
from tests.promises.marshmallow.differential import MARSHMALLOW_3, installed, outcome

LOG = []
OPTIONS = {
    "nothing": {},
    "only": {"only": ["name", "id"]},
    "only unknown": {"only": ["name", "colour"]},
    "only dotted": {"only": ["owner.name"]},
    "exclude": {"exclude": ["name"]},
    "exclude dotted": {"exclude": ["owner.name"]},
    "only and exclude": {"only": ["name", "id"], "exclude": ["id"]},
    "only a str": {"only": "name"},
    "load_only": {"load_only": ["name"]},
    "dump_only": {"dump_only": ["name", "id"]},
}


class Owner(Schema):
    id = fields.Integer()
    name = fields.String()


class Dog(Schema):
    id = fields.Integer(dump_only=True)
    name = fields.String(load_only=True)
    owner = fields.Nested(Owner)
    tags = fields.List(fields.DateTime())


class OnBindField(Dog):
    def on_bind_field(self, field_name, field_obj):
        LOG.append((field_name, field_obj.parent is self, [*self.fields]))
        field_obj.data_key = field_name.upper()


class ReplacesOnBind(Dog):
    def on_bind_field(self, field_name, field_obj):
        self.declared_fields["tags"] = fields.Integer(dump_only=True)


class CollidesOnBind(Dog):
    def on_bind_field(self, field_name, field_obj):
        LOG.append(field_name)
        field_obj.data_key = "same"
        field_obj.attribute = "same"


class BindField(Dog):
    def _bind_field(self, field_name, field_obj):
        LOG.append(field_name)
        super()._bind_field(field_name, field_obj)


class InitFields(Dog):
    def _init_fields(self):
        LOG.append([*self.declared_fields])
        super()._init_fields()


class WithMethod(Dog):
    field = fields.Method("get")

    @property
    def get(self):
        LOG.append("get")
        return str


class OwnOnBindField(Dog):
    def __init__(self, **options):
        self.on_bind_field = lambda name, field: LOG.append(name)
        super().__init__(**options)


class AskedField(fields.String):
    """Tells of each question."""

    def __getattribute__(self, name):
        if name in ("data_key", "attribute", "load_only", "dump_only", "_bind_to_schema"):
            LOG.append(name)
        return super().__getattribute__(name)


class Asked(Dog):
    first = AskedField()
    second = AskedField(data_key="2nd", attribute="other")


class HashlessKeys(Dog):
    first = AskedField(data_key=["a", "list"])
    second = AskedField(data_key="2nd")


class GivesHook(fields.String):
    """Gives the schema that it is bound to a hook of its own."""

    def _bind_to_schema(self, name, schema):
        super()._bind_to_schema(name, schema)
        schema.on_bind_field = lambda name, field: LOG.append(name)


class GivenOnBindField(Dog):
    first = GivesHook()
    second = fields.String()


class BindsItself(Dog):
    first = fields.String()
    first._bind_to_schema = lambda name, schema: LOG.append(("binds itself", name))
    second = fields.String()


class NoticesWrites(Dog):
    def __setattr__(self, name, value):
        LOG.append((name, [*value] if isinstance(value, dict) else None))
        super().__setattr__(name, value)


def _asked_property(name):
    def get(self):
        LOG.append(("get", name))
        return vars(self)[f"_{name}"]

    def set(self, value):
        vars(self)[f"_{name}"] = value

    return property(get, set)


class Properties(Dog):
    declared_fields = _asked_property("declared_fields")
    only = _asked_property("only")
    exclude = _asked_property("exclude")
    load_only = _asked_property("load_only")
    dump_only = _asked_property("dump_only")


class PropertyOfClasses(Dog):
    @property
    def set_class(self):
        LOG.append("set_class")
        return OrderedSet

    @property
    def dict_class(self):
        LOG.append("dict_class")
        return dict


def variant(name, attributes=None, **meta):
    """A class of dogs with attributes of its own, and options in its ``Meta``."""
    own = {"Meta": type("Meta", (), meta)} if meta else {}
    return type(name, (Dog,), {**(attributes or {}), **own})


VARIANTS = [
    variant("SameKeys", {"other": fields.Integer(data_key="id")}),
    variant("SameAttributes", {"other": fields.Integer(attribute="name")}),
    variant("EmptyNames", {"other": fields.Integer(data_key="", attribute="")}),
    variant("Ordered", {"dict_class": OrderedDict}),
    variant("SetClass", {"set_class": set if MARSHMALLOW_3 else frozenset}),
    variant("MetaFields", fields=("name", "id")),
    variant("MetaInclude", include={"from": fields.String()}),
    variant("MetaOnly", load_only=("id",), dump_only=("name",)),
    variant("MetaAdditional", additional=("colour",)),
]
SCHEMAS = [
    each
    for each in list(globals().values())
    if isinstance(each, type) and issubclass(each, Schema) and each is not Schema
] + VARIANTS


def bound(schema):
    """What the fields of a schema are like, in order."""
    return {
        which: [
            (
                name,
                type(field).__name__,
                field.name,
                field.parent is schema,
                field.root is schema,
                object.__getattribute__(field, "load_only"),
                object.__getattribute__(field, "dump_only"),
                object.__getattribute__(field, "data_key"),
                [*field.__dict__],
                field is schema.declared_fields.get(name),
            )
            for name, field in getattr(schema, which).items()
        ]
        for which in ("fields", "load_fields", "dump_fields")
    } | {"classes": [type(schema.fields), type(schema.load_fields), type(schema.dump_fields)]}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("cls", SCHEMAS, ids=lambda cls: cls.__name__)
def test_a_new_schema_has_the_fields_that_stock_gives_it(cls, options):
    def made():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are errors in tests, and would end it
            return bound(cls(**OPTIONS[options]))

    expected = outcome(made, LOG)
    with installed():
        got = outcome(made, LOG)
    assert got.calls == expected.calls
    assert got == expected


@pytest.mark.parametrize("options", OPTIONS)
def test_a_nested_schema_has_the_fields_that_stock_gives_it(options):
    def made():
        class Home(Schema):
            by_class = fields.Nested(Dog, **chosen)
            many = fields.List(fields.Nested(Dog, **chosen))

        home = Home()
        inner = [home.fields["by_class"], home.fields["many"].inner]
        return [bound(field.schema) for field in inner]

    chosen = {key: value for key, value in OPTIONS[options].items() if key in ("only", "exclude")}
    expected = outcome(made)
    with installed():
        assert outcome(made) == expected


def test_a_hook_that_a_package_put_into_marshmallow_before_is_called():
    Bound = Schema.from_dict({"id": fields.Integer(), "name": fields.String()})  # noqa: N806  # a class
    with mock.patch.object(Schema, "on_bind_field") as hook, installed():
        dog = Bound()
    assert hook.mock_calls == [mock.call(name, field) for name, field in dog.fields.items()]


def test_declared_fields_may_be_any_mapping():
    def made():
        schema = Dog()
        schema.declared_fields = OrderedDict(reversed(schema.declared_fields.items()))
        schema._init_fields()
        return bound(schema)

    expected = made()
    with installed():
        assert made() == expected


def test_while_disabled_stock_binds():
    with installed(), fastschema.disabled():
        assert bound(OnBindField())["fields"]
    with installed():
        enabled = bound(OnBindField())
    assert bound(OnBindField()) == enabled


def test_a_class_made_of_the_attributes_of_another_is_read_by_itself():
    class Original(Schema):
        a = fields.Integer()

    own = {"a": fields.Integer(), "get_attribute": lambda self, obj, name, default: 99}
    with installed():
        for _ in range(3):
            assert Original().dump([{"a": 1}] * 30, many=True) == [{"a": 1}] * 30
        copied = type(Original)("Original", Original.__bases__, {**vars(Original), **own})
        assert copied().dump([{"a": 1}] * 30, many=True) == [{"a": 99}] * 30


def test_a_dictionary_class_of_ones_own_is_filled_as_by_stock():
    filled = []

    class Watched(dict):
        def __setitem__(self, name, field):
            filled.append(name)
            super().__setitem__(name, field)

    class CountingSchema(Dog):
        dict_class = Watched

    CountingSchema()
    stock = list(filled)
    filled.clear()
    with installed():
        CountingSchema()
    assert filled == stock


if MARSHMALLOW_3:

    class Deep(Schema):
        a = fields.Integer()

    class WithDeep(Schema):
        deep = fields.Nested(Deep)

    class Binding(WithDeep):
        def on_bind_field(self, name, field):
            assert self.context

    class OwnInit(WithDeep):
        def __init__(self, **options):
            super().__init__(**options)

    @pytest.mark.parametrize("options", [{}, {"only": ["deep.a"]}, {"only": "a"}, {"unknown": 1}])
    @pytest.mark.parametrize("cls", [WithDeep, Binding, OwnInit])
    @pytest.mark.usefixtures("_installed")
    def test_a_warning_of_the_context_names_the_file_that_stocks_names(cls, options):
        def use():
            schemas = [lambda: cls(context={"user": 1}, **options) for _ in range(2)]
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                errors = []
                for make in schemas:
                    try:
                        make().dump({"deep": {"a": 1}})
                    except Exception as error:
                        errors.append(repr(error))
            return errors, [(each.filename, each.lineno, str(each.message)) for each in caught]

        fastschema.uninstall()
        expected = use()
        fastschema.install()
        assert use() == expected
        with fastschema.disabled():
            assert use() == expected
        assert expected[0] or {expected[1][0][0]} == {__file__}
