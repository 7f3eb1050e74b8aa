"""Others replace methods of marshmallow and SQLAlchemy that generated code bypasses."""

import datetime
import decimal
import enum
import uuid

import pytest
from marshmallow import Schema, fields, post_dump, utils
from sqlalchemy.orm import attributes

import fastschema
from fastschema.marshmallow.customization import FIELD_CLASSES
from fastschema.marshmallow.schema_reader import access_of
from fastschema.marshmallow.sqlalchemy import MAPPED
from tests.promises.marshmallow.differential import USES, installed, outcome
from tests.promises.sqlalchemy.models import Author, Book


class Color(enum.Enum):
    RED = "r"


class InnerSchema(Schema):
    number = fields.Integer()


class OwnField(fields.Decimal):
    """Inherits all that it does."""


class EverySchema(Schema):
    text = fields.String(validate=bool)
    integer = fields.Integer()
    float = fields.Float(as_string=True)
    decimal = OwnField(as_string=True)
    boolean = fields.Boolean()
    uuid = fields.UUID()
    date = fields.Date()
    time = fields.Time()
    datetime = fields.DateTime()
    naive = fields.NaiveDateTime()
    delta = fields.TimeDelta()
    enum = fields.Enum(Color)
    list = fields.List(fields.Integer())
    pair = fields.Tuple((fields.String(), fields.Integer()))
    dict = fields.Dict(fields.String(), fields.Float())
    inner = fields.Nested(InnerSchema)
    many = fields.List(fields.Nested(InnerSchema))
    plucked = fields.Pluck(InnerSchema, "number")
    url = fields.Url()
    email = fields.Email()
    constant = fields.Constant(5)
    function = fields.Function(lambda row: 6)
    method = fields.Method("get_method")

    def get_method(self, row):
        return 7


ROW = {
    "text": "a",
    "integer": 1,
    "float": 1.5,
    "decimal": decimal.Decimal("1.50"),
    "boolean": True,
    "uuid": uuid.UUID(int=5),
    "date": datetime.date(2020, 1, 2),
    "time": datetime.time(1, 2),
    "datetime": datetime.datetime(2020, 1, 2),
    "naive": datetime.datetime(2020, 1, 3),
    "delta": datetime.timedelta(5),
    "enum": Color.RED,
    "list": [1, 2],
    "pair": ("a", 1),
    "dict": {"a": 1.5},
    "inner": {"number": 1},
    "plucked": {"number": 4},
    "many": [{"number": 2}, {"number": 3}],
    "url": "http://a.example",
    "email": "a@a.example",
}
DATA = {
    name: value
    for name, value in EverySchema().dump(ROW).items()
    if name not in ("constant", "function", "method")
}
DUMPED = ("serialize", "get_value", "_serialize", "_format_num", "_to_string", "_call_or_raise")
LOADED = (
    *("deserialize", "_deserialize", "_validate", "_validate_all", "_validate_missing"),
    *("_validated", "_format_num", "_make_object_from_format", "_load", "_test_collection"),
)
OF_NESTED = ("schema", "_field_data_key")
OWNERS = sorted(FIELD_CLASSES, key=lambda cls: cls.__qualname__)


def methods(names):
    """The methods of these names, in the classes that have them and in those that inherit them."""
    return [
        pytest.param(owner, name, id=f"{owner.__name__}.{name}")
        for owner in OWNERS
        for name in names
        if hasattr(owner, name)
    ]


def wrapped(owner, name, calls):
    """What counts the calls of a method, or the reads of a property, and passes them on."""
    stock = getattr(owner, name)
    if isinstance(stock, property):
        return property(lambda self: calls.append(name) or stock.fget(self))

    def wrapper(*args, **kwargs):
        calls.append(name)
        return stock(*args, **kwargs)

    return wrapper


def assert_called_as_in_stock(owner, name, use, monkeypatch):
    """Assert that whoever replaces a method is asked as often as in stock, now and then.

    :param use: is given a schema
    """
    calls = []
    kept = EverySchema()
    with fastschema.disabled():
        before = outcome(lambda: use(EverySchema()), calls)
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, wrapped(owner, name, calls))
            expected = outcome(lambda: use(EverySchema()), calls)
    with installed():
        for _ in range(USES):
            assert outcome(lambda: use(kept), calls) == before
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, wrapped(owner, name, calls))
            for _ in range(USES):
                assert outcome(lambda: use(EverySchema()), calls) == expected
                assert outcome(lambda: use(kept), calls) == expected
        for _ in range(USES):
            assert outcome(lambda: use(kept), calls) == before
            assert outcome(lambda: use(EverySchema()), calls) == before


def dump_some(schema):
    return [schema.dump(ROW), schema.dump([ROW, ROW], many=True)]


def load_some(schema):
    return [schema.load(DATA), schema.load([DATA, DATA], many=True)]


@pytest.mark.parametrize(("owner", "name"), methods(DUMPED + OF_NESTED))
def test_a_method_of_a_field_that_is_replaced_dumps(owner, name, monkeypatch):
    assert_called_as_in_stock(owner, name, dump_some, monkeypatch)


@pytest.mark.parametrize(("owner", "name"), methods(LOADED + OF_NESTED))
def test_a_method_of_a_field_that_is_replaced_loads(owner, name, monkeypatch):
    assert_called_as_in_stock(owner, name, load_some, monkeypatch)


@pytest.mark.parametrize(("direction", "name"), [("dump", "_serialize"), ("load", "_deserialize")])
def test_a_replaced_method_of_a_field_that_only_a_nested_schema_has_is_called(
    direction, name, monkeypatch
):
    inner = Schema.from_dict({"flag": fields.Boolean()})
    outer = Schema.from_dict({"number": fields.Integer(), "inner": fields.Nested(inner)})
    row = {"number": 1, "inner": {"flag": True}}
    with installed():
        for _ in range(USES):
            assert getattr(outer(), direction)(row) == row
        monkeypatch.setattr(fields.Boolean, name, lambda *args, **kwargs: "replaced")
        assert getattr(outer(), direction)(row)["inner"] == {"flag": "replaced"}


class HookedSchema(Schema):
    number = fields.Integer()

    @post_dump
    def after(self, data, **kwargs):
        return data


@pytest.mark.parametrize("name", ["_invoke_dump_processors", "_invoke_processors"])
def test_a_replaced_method_that_calls_hooks_is_called_for_nested_schemas(name, monkeypatch):
    outer = Schema.from_dict({"inner": fields.Nested(HookedSchema)})()
    calls = []
    with installed():
        assert outer.fields["inner"].schema.fields
        for _ in range(USES):
            outer.dump({"inner": {"number": 1}})
        monkeypatch.setattr(Schema, name, wrapped(Schema, name, calls))
        outer.dump({"inner": {"number": 1}})
    assert name in calls


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        *[(utils, name) for name in vars(utils) if "get_value" in name],
        *[(Schema, name) for name in ("get_attribute", "dump", "_serialize")],
    ],
)
def test_a_function_that_reads_values_is_called(owner, name, monkeypatch):
    assert_called_as_in_stock(owner, name, dump_some, monkeypatch)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (utils, "set_value"),
        *[(Schema, name) for name in ("_call_and_store", "_do_load", "load", "_deserialize")],
        (Schema, "_invoke_field_validators"),
    ],
)
def test_a_function_that_keeps_what_is_loaded_is_called(owner, name, monkeypatch):
    assert_called_as_in_stock(owner, name, load_some, monkeypatch)


def test_a_reason_names_what_is_replaced(monkeypatch):
    monkeypatch.setattr(fields.Number, "_format_num", wrapped(fields.Number, "_format_num", []))
    reasons = {field.key: field.why for field in fastschema.compile(EverySchema).explain()}
    assert reasons["integer"] == "Integer._format_num is replaced"
    assert reasons["text"] == ""


# SQLAlchemy


class BookSchema(Schema):
    title = fields.String()
    author = fields.Nested({"name": fields.String()})


class TestMapped:
    """Another library puts something around what reads the attributes of mapped instances."""

    @pytest.fixture
    def reads(self):
        return []

    @pytest.fixture
    def patch(self, reads, monkeypatch):
        """What replaces the method, as nplusone does."""
        stock = attributes.InstrumentedAttribute.__get__

        def get(self, instance, owner):
            if instance is not None:
                reads.append(self.key)
            return stock(self, instance, owner)

        return lambda: monkeypatch.setattr(attributes.InstrumentedAttribute, "__get__", get)

    @pytest.mark.parametrize("is_used_before", [False, True])
    def test_it_sees_each_attribute_that_is_read(self, is_used_before, reads, patch, monkeypatch):
        book = Book(title="a", author=Author(name="b"))
        schema = BookSchema()
        plan = fastschema.compile(BookSchema)
        dumps = [schema.dump, plan.dump, lambda row: BookSchema().dump([row], many=True)]
        with installed():
            if is_used_before:
                for dump in dumps * USES:
                    dump(book)
                assert access_of(Book) == MAPPED
            patch()
            for dump in dumps * USES:
                reads.clear()
                dump(book)
                assert reads == ["title", "author", "name"]
            monkeypatch.undo()
            reads.clear()
            assert access_of(Book) == MAPPED
            for dump in dumps:
                dump(book)
            assert reads == []


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        *[(Schema, name) for name in ("on_bind_field", "_bind_field", "_init_fields")],
        (Schema, "_normalize_nested_options"),
        *[(fields.Field, name) for name in ("_bind_to_schema", "__deepcopy__")],
        (fields.List, "_bind_to_schema"),
    ],
    ids=str,
)
def test_a_replaced_method_by_which_fields_are_made_is_called(owner, name, monkeypatch):
    def calls():
        class Numbers(Schema):
            number = fields.Integer()
            numbers = fields.List(fields.Integer())

        noted = []
        for _ in range(USES):
            Numbers().dump({"number": 1})
        stock = getattr(owner, name)

        def replacement(*args, **kwargs):
            noted.append(name)
            return stock(*args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, replacement)
            for _ in range(USES):
                Numbers().dump({"number": 1})
                Numbers().load({"number": 1})
        return noted

    expected = calls()
    with installed():
        assert calls() == expected != []
