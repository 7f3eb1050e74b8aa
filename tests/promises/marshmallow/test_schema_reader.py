"""Where values come from, which keys they get, and names of all kinds."""

import collections
import contextlib
import dataclasses
import typing
from unittest import mock

import pytest
from marshmallow import Schema, fields, missing

import fastschema
from tests.promises.marshmallow.differential import assert_same, installed, is_compiled


class Names(list):
    pass


class Pair(Schema):
    first = fields.String()
    second = fields.Integer()


class Logged:
    """The calls of user code, which every test reads anew."""

    calls: typing.ClassVar[list] = []


class Plain:
    def __init__(self, **values):
        vars(self).update(values)


class Slotted:
    __slots__ = ("first", "second")


@dataclasses.dataclass
class Data:
    first: object
    second: object = 2


class Named(typing.NamedTuple):
    first: object
    second: object


class OnClass:
    first = "class attribute"
    second = 3


class WithMissing(dict):
    def __missing__(self, key):
        Logged.calls.append(key)
        return f"no {key}"


class DictWithAttributes(dict):
    second = 4


class LoggedMapping(collections.abc.Mapping):
    def __init__(self, **values):
        self.values_ = values

    def __getitem__(self, key):
        Logged.calls.append(("item", key))
        return self.values_[key]

    def __iter__(self):
        raise AssertionError("stock does not iterate over an object")

    __len__ = __iter__


class ItemsAndAttributes:
    first = "attribute"
    second = 5

    def __init__(self, error=KeyError):
        self.error = error

    def __getitem__(self, key):
        Logged.calls.append(("item", key))
        if key == "first":
            return "item"
        raise self.error(key)


class NoItems:
    __getitem__ = None
    first = "attribute"


class OnlyGetattr:
    def __getattr__(self, name):
        Logged.calls.append(name)
        if name == "first":
            return "by __getattr__"
        raise AttributeError(name)


class Getattribute:
    first = "attribute"

    def __getattribute__(self, name):
        Logged.calls.append(name)
        return super().__getattribute__(name)


class Properties:
    @property
    def first(self):
        Logged.calls.append("first")
        return "property"

    @property
    def second(self):
        Logged.calls.append("second")
        return 6


class LazyProperties(Properties):
    @property
    def second(self):
        Logged.calls.append("second")
        raise AttributeError("not yet")


class Disguised:
    first = "disguised"

    @property
    def __class__(self):
        return dict


class Descriptor:
    def __get__(self, instance, owner):
        Logged.calls.append("described")
        return 8


class Described:
    second = Descriptor()


class Unfriendly:
    """Nothing of it but the attributes may be touched."""

    first = "unfriendly"

    def refuse(self, *args):
        raise AssertionError("called")

    __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __call__ = __repr__ = refuse


def slotted(cls, **values):
    obj = cls()
    for name, value in values.items():
        setattr(obj, name, value)
    return obj


def with_own_getitem():
    obj = Plain(first="plain")
    obj.__getitem__ = lambda key: "never"
    return obj


OBJECTS = {
    "dict": lambda: {"first": "a", "second": 1},
    "dict with other keys": lambda: {1: 2, None: 3, "third": 4},
    "dict subclass": lambda: DictWithAttributes(first="a"),
    "dict with __missing__": lambda: WithMissing(first="a"),
    "defaultdict": lambda: collections.defaultdict(lambda: "1"),
    "ChainMap": lambda: collections.ChainMap({}, {"first": "a"}),
    "Mapping": lambda: LoggedMapping(second=1),
    "plain": lambda: Plain(first="a", second=1),
    "plain without any": Plain,
    "slotted": lambda: slotted(Slotted, first="a", second=1),
    "dataclass": lambda: Data("a"),
    "namedtuple": lambda: Named("a", 1),
    "class attributes": OnClass,
    "a class": lambda: OnClass,
    "items and attributes": ItemsAndAttributes,
    "items that raise TypeError": lambda: ItemsAndAttributes(TypeError),
    "items that raise ValueError": lambda: ItemsAndAttributes(ValueError),
    "__getitem__ is None": NoItems,
    "__getitem__ on the object": with_own_getitem,
    "__getattr__": OnlyGetattr,
    "__getattribute__": Getattribute,
    "properties": Properties,
    "property that raises AttributeError": LazyProperties,
    "descriptor": Described,
    "disguised as another class": Disguised,
    "unfriendly": Unfriendly,
    "None": lambda: None,
    "text": lambda: "first",
    "list": lambda: Names(["first"]),  # a plan refuses a plain one
    "object": object,
    "MagicMock": lambda: mock.MagicMock(second=1, **{"__getitem__.return_value": "2"}),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_any_make_are_read_as_by_stock(name):
    assert_same(Pair, OBJECTS[name], calls=Logged.calls)

    def objects():
        return [{"first": "b"}, OBJECTS[name](), Plain(second=2), OBJECTS[name]()]

    assert_same(Pair, objects, many=True, calls=Logged.calls)


@pytest.mark.parametrize("error", [ValueError, StopIteration])
@pytest.mark.parametrize("many", [False, True])
def test_any_other_error_of_a_property_is_raised(error, many):
    class Raising(Properties):
        @property
        def second(self):
            Logged.calls.append("second")
            raise error("by the property")

    def objects():
        return [Properties(), Raising(), Properties()] if many else Raising()

    assert_same(Pair, objects, many=many, calls=Logged.calls)


def test_each_value_is_converted_before_the_next_is_read():
    class Talking:
        def __str__(self):
            Logged.calls.append("converted")
            return "talking"

    class Row(Properties):
        @property
        def first(self):
            Logged.calls.append("first")
            return Talking()

    assert_same(Pair, Row, calls=Logged.calls)


ATTRIBUTES = [
    *("first", "second.first", "nothing.first", ".first", ".", "", "items", "__class__.__name__"),
    *("__private", "class", "not an identifier", "a\"b'c\\", "$value", "\ud800"),
    "\N{LATIN SMALL LIGATURE FI}",
]


def family(attribute):
    """Objects that have an attribute in many ways."""
    grandchild = {attribute: 1, "first": "grandchild"}
    child = Plain(first=Plain(first="nephew"), second=grandchild)
    with contextlib.suppress(UnicodeEncodeError, TypeError):
        setattr(child, attribute, 2)
    return [grandchild, child, {"second": child}, {"second": None}, Plain(second=grandchild)]


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_an_attribute_is_looked_up_as_by_stock(attribute):
    schema = Schema.from_dict({"value": fields.Raw(attribute=attribute)})

    assert_same(schema, family(attribute), many=True)


@pytest.mark.parametrize("attribute", [0, 1, -3, True, b"first", ("first",), 1.5])
def test_an_attribute_that_is_no_text_is_looked_up_as_by_stock(attribute):
    class Positioned(Schema):
        value = fields.Raw(attribute=attribute)
        first = fields.String()

    assert_same(Positioned, [["a", "b"], {attribute: 2, "first": 3}, Named(1, 2)], many=True)


class TextSubclass(str):
    __slots__ = ()

    def __repr__(self):
        return "__import__('os')"


@pytest.mark.parametrize("option", ["attribute", "data_key"])
def test_names_of_a_subclass_of_str_are_dumped_as_by_stock(option):
    class Subclassed(Schema):
        value = fields.String(**{option: TextSubclass("first")})
        second = fields.Integer()

    assert_same(Subclassed, [{"first": 1, "value": 2, "second": 3}, Plain(first=4)], many=True)


class DecidesEachRead(fields.String):
    """Its methods are whatever it says, each time that it is asked."""

    def __getattribute__(self, name):
        if name == "_serialize":
            return lambda value, attr, obj, **kwargs: value.upper()
        if name == "_deserialize":
            return lambda value, attr, data, **kwargs: value.lower()
        return super().__getattribute__(name)


def test_fields_that_decide_what_is_read_of_them_run_as_stock():
    class Deciding(Schema):
        one = DecidesEachRead()
        many = fields.List(DecidesEachRead())

    rows = [{"one": "aB", "many": ["cD"]}] * 60
    assert_same(Deciding, rows, many=True)
    with installed():
        assert Deciding(many=True).load(rows)[0] == {"one": "ab", "many": ["cd"]}
    assert fastschema.compile(Deciding).explain().compiled == 0


HOSTILE_NAMES = [
    *('"); import os #', '"""', "line\nbreak\r\n\tand tab", "trailing\\", "$value", "nul\0byte"),
    *("\ud800", "\N{ROCKET}", "\N{LATIN SMALL LIGATURE FI}", "\u2028", "class", "__debug__"),
    *("__class__", " ", "", "a.b", "type", "AttributeError", "obj", "missing", "known", "result"),
    *("key", "value", "Decimal", "nested_2", "x" * 5000),
]


FIELD_MAKERS = [
    fields.String,
    fields.Integer,
    fields.Raw,
    lambda: fields.List(fields.Float()),
    lambda: fields.List(fields.List(fields.Integer())),
    lambda: fields.Nested(Pair),
    lambda: fields.List(fields.Nested(Pair)),
    lambda: fields.Function(lambda obj: 1),
    lambda: fields.Decimal(2, as_string=True),
]


def schema_with_fields(named):
    """A schema with fields of any name; ``Meta.include`` takes names that no class body can."""

    class Named(Schema):
        class Meta:
            include = named

    return Named


def fitting(make_field, value):
    """A value that the field accepts."""
    field = make_field()
    if isinstance(field, fields.Nested):
        return {"first": value}
    if isinstance(field, fields.List):
        return [fitting(lambda: field.inner, value)]
    return value


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_or_key_is_just_a_key(name):
    for make_field in FIELD_MAKERS:
        objects = [{name: fitting(make_field, "7")}, {}, {name: None}]
        assert_same(schema_with_fields({name: make_field()}), objects, many=True)
    keyed = Schema.from_dict({"value": fields.Raw(data_key=name), "more": fields.String()})
    assert_same(keyed, [{"value": 1, "more": 2}, {"value": missing}, {"more": 3}], many=True)


def test_fields_with_like_names_do_not_mix():
    names = ["a b", "a_b", "a-b", "a_b_2", "class", "class_", "obj", "missing", "", "_"]
    schema = schema_with_fields({name: fields.Raw() for name in names})
    assert_same(schema, {name: number for number, name in enumerate(names)})


def test_a_hostile_name_is_compiled():
    assert is_compiled(schema_with_fields({'"); import os #': fields.String()}), '"); import os #')


def test_a_field_name_that_is_no_text_is_dumped_as_by_stock():
    named = {1: fields.String(attribute="first"), 2: fields.String(data_key="two")}

    assert_same(
        schema_with_fields({**named, "second": fields.Integer()}), {"first": 1, "second": 2}
    )


def test_a_schema_of_very_many_fields_is_dumped_as_by_stock():
    names = [f"field_{number}" for number in range(2000)]

    assert_same(
        lambda: Schema.from_dict({name: fields.Integer() for name in names})(),
        [dict.fromkeys(names, "1"), {names[-1]: 2}],
        many=True,
    )


DEFAULTS = [None, 0, "", "text", [], "12", missing, int, dict, lambda: None, lambda: missing]


@pytest.mark.parametrize("default", DEFAULTS)
def test_a_dump_default_stands_for_what_is_missing(default):
    class Defaulting(Schema):
        text = fields.String(dump_default=default)
        number = fields.Raw(dump_default=default, attribute="no.such")
        nested = fields.Nested(Pair, dump_default=default)
        several = fields.List(fields.Raw(), dump_default=default)
        last = fields.Function(lambda obj: 1, dump_default=default)

    rows = [{}, {"text": None, "nested": None}, {"text": 1, "several": [1]}, Plain(text=missing)]
    for row in rows:
        assert_same(Defaulting, row)
    assert_same(Defaulting, rows, many=True)


def test_a_callable_dump_default_is_called_for_each_missing_value_in_order():
    calls = []

    def default():
        calls.append("default")
        return len(calls)

    class Counting(Schema):
        one = fields.Integer(dump_default=default)
        two = fields.Integer(dump_default=default)

    assert_same(Counting, [{}, {"two": 5}, Plain()], many=True, calls=calls)


class Selected(Schema):
    a = fields.String(load_only=True)
    b = fields.String(dump_only=True, data_key="B")
    c = fields.String(data_key="")
    d = fields.Nested(Pair, data_key="a")

    class Meta:
        exclude = ("e",)

    e = fields.String()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"only": ("c", "b")},
        {"only": ("d.first",)},
        {"only": ()},
        {"exclude": ("b",)},
        {"exclude": ("d.second", "c")},
        {"load_only": ("b",)},
        {"dump_only": ("a",)},
        {"only": ("b", "c"), "exclude": ("c",)},
    ],
)
def test_only_the_selected_fields_are_dumped(options):
    row = {"a": 1, "b": 2, "c": 3, "d": {"first": 4, "second": 5}, "e": 6}

    assert_same(lambda: Selected(**options), [row, {}], many=True)


def test_an_overridden_get_attribute_is_called_as_by_stock():
    calls = []

    class Accessing(Pair):
        def get_attribute(self, obj, attr, default):
            calls.append((attr, default))
            if attr == "second":
                return default
            return super().get_attribute(obj, f"{attr}.{attr}", default)

    rows = [{"first": {"first": "a"}}, Plain(first=Plain(first=1)), {}]

    assert_same(Accessing, rows, many=True, calls=calls)


@pytest.mark.parametrize("uses", [2, 20])
def test_schemas_of_one_class_that_read_differently_are_kept_apart(uses):
    class Varying(Schema):
        first = fields.String()
        second = fields.Integer()

        def __init__(self, key, **options):
            super().__init__(**options)
            for field in self.dump_fields.values():
                field.data_key = f"{field.name}{key}" if key else None

    row = {"first": 1, "second": 2}
    for _ in range(uses):
        for key in ("a", "b", "c", None, "d", "e"):
            for only in (None, ("first",), ("second", "first"), ()):
                schema = Varying(key, only=only)
                assert fastschema.compile(schema).dump(row) == schema.dump(row)


def test_a_key_that_a_class_of_fields_computes_is_asked_for_each_dump():
    user = ["ann"]

    class Keyed(fields.Integer):
        data_key = property(lambda self: f"of_{user[0]}", lambda self, key: None)

    def keys():
        user[0] = "ann"
        schema = Schema.from_dict({"number": Keyed()})()
        found = [schema.dump([{"number": 1}] * 30, many=True)[0]]
        user[0] = "bob"
        return [*found, schema.dump([{"number": 1}] * 30, many=True)[0], schema.load({"of_bob": 1})]

    expected = keys()
    with installed():
        assert keys() == expected
