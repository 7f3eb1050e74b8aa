"""New schemas are as stock makes them, be it from a template or not."""

import copy
import copyreg
import enum
import gc
import inspect
import pickle
import subprocess
import sys
import threading
import weakref
from abc import ABC
from collections import OrderedDict
from types import MethodType
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import EXCLUDE, INCLUDE, Schema, SchemaOpts, fields, validate
from marshmallow.orderedset import OrderedSet

import fastschema
from fastschema.marshmallow import initializing
from fastschema.marshmallow.initializing import STOCK_INIT
from tests.marshmallow.differential import MADE_UNTIL_ALIKE, MARSHMALLOW_3, installed, outcome

pytestmark = pytest.mark.skipif(
    MARSHMALLOW_3, reason="marshmallow 3 warns the caller of Schema.__init__"
)

LOG = []


class Colour(enum.Enum):
    RED = 1


class Owner(Schema):
    name = fields.String()


class Text(str):
    __slots__ = ()


class Upper(fields.String):
    """A field of a user's own, with attributes of its own."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.own = [1]

    def _serialize(self, value, attr, obj, **kwargs):
        return value.upper()


class Dog(Schema):
    id = fields.Integer(dump_only=True)
    name = fields.String(required=True, validate=validate.Length(1), metadata={"a": 1})
    secret = fields.String(load_only=True)
    born = fields.DateTime()
    seen = fields.DateTime(format="rfc", data_key="lastSeen")
    fed = fields.Time()
    weight = fields.Decimal(places=2, attribute="kilograms")
    owner = fields.Nested(Owner)
    friends = fields.List(fields.Nested(lambda: Dog(only=("name",))))
    days = fields.List(fields.List(fields.Date()))
    pair = fields.Tuple((fields.Integer(), fields.Date()))
    by_day = fields.Dict(keys=fields.Date(), values=fields.Nested(Owner))
    anything = fields.Dict()
    colour = fields.Enum(Colour, by_value=fields.Integer)
    father = fields.Pluck("Dog", "name")
    loud = Upper()
    age = fields.Method("get_age", deserialize="load_age")
    both = fields.Function(lambda obj: 1, lambda value: 2)
    always = fields.Constant(3)

    def get_age(self, obj):
        return 4

    def load_age(self, value):
        return 5


class WithMessages(Dog):
    error_messages = {"unknown": "What?", "more": "More."}


class WithMoreMessages(WithMessages):
    error_messages = {"more": "Even more."}


def _with_options(**options):
    return type("Dog", (Dog,), {"Meta": type("Meta", (), {"register": False, **options})})


ALIKE = {
    "every field": Dog,
    "error messages": WithMoreMessages,
    "no fields": Schema.from_dict({}),
    "formats": _with_options(datetimeformat="timestamp", dateformat="%Y", timeformat="%H"),
    "many": _with_options(many=True),
    "unknown": _with_options(unknown=INCLUDE),
    "load_only": _with_options(load_only=("name", "owner")),
    "dump_only": _with_options(dump_only=["name"]),
    "exclude": _with_options(exclude=("name", "owner")),
    "fields": _with_options(fields=("name", "id", "days")),
    "a list of fields": _with_options(fields=["name", "id", "days"]),
    "a mixin": type("Mixed", (type("Mixin", (), {"extra": 1}), Dog), {}),
    "an abstract base": type("Abstract", (Dog, ABC), {}),
    "hostile names": Schema.from_dict({"a'\n\\": fields.String(), "": fields.Date()}),
}


def likeness(schema):
    """All that a schema consists of, and what of it is what."""
    known = {id(schema): "the schema"}

    def described(value):
        if id(value) in known:
            return known[id(value)]
        if isinstance(value, MethodType):
            return "method", id(value.__func__), described(value.__self__)
        if id(value) in originals:
            return "shared", id(value)
        if isinstance(value, fields.Field):
            known[id(value)] = f"field {len(known)}"
            return known[id(value)], type(value), described(vars(value))
        if isinstance(value, dict):
            return type(value), [(name, described(each)) for name, each in value.items()]
        if isinstance(value, (list, set, OrderedSet)):
            return type(value), [described(each) for each in value]
        return type(value), value if isinstance(value, str) else id(value)

    originals = _originals(type(schema))
    return described(vars(schema))


def _originals(cls):
    """The ids of the fields of a class, and of what they have."""
    found, left = {}, [*cls._declared_fields.values()]
    while left:
        field = left.pop()
        for each in (field, *vars(field).values()):
            if id(each) not in found and not isinstance(each, (str, bool, type(None))):
                found[id(each)] = each
                left += [one for one in _inside(each) if isinstance(one, fields.Field)]
    return found


def _inside(value):
    return value if isinstance(value, list) else [value]


def made_from_template(cls, **arguments):
    """One more new schema, which stock has no part in."""
    with mock.patch.object(initializing, "STOCK_INIT", side_effect=AssertionError("by stock")):
        return cls(**arguments)


def made_by_stock(cls, **arguments):
    """One that stock makes."""
    with fastschema.disabled():
        return cls(**arguments)


@pytest.fixture
def _alike():
    """Installed, and what is learnt stays: a full collection of garbage would let go of it."""
    gc.collect()
    gc.disable()
    with installed():
        yield
    gc.enable()


def _learn(cls):
    for _ in range(MADE_UNTIL_ALIKE):
        cls()


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize("name", ALIKE)
def test_a_schema_from_a_template_is_what_stock_makes(name):
    cls = ALIKE[name]
    expected = likeness(made_by_stock(cls))
    _learn(cls)
    for _ in range(2):
        assert likeness(made_from_template(cls)) == expected


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize("name", ALIKE)
def test_two_schemas_from_a_template_share_what_two_of_stock_share(name):
    cls = ALIKE[name]

    def shared(make):
        one, other = make(cls), make(cls)
        paths = []

        def compare(some, others, path):
            if some is others:
                paths.append(path)
            elif isinstance(some, fields.Field) and path.count("/") < 6:
                compare(vars(some), vars(others), path)
            elif isinstance(some, dict):
                for key in some:
                    if key not in ("parent", "root"):
                        compare(some[key], others[key], f"{path}/{key}")

        compare(vars(one), vars(other), "")
        return paths

    expected = shared(made_by_stock)
    _learn(cls)
    assert shared(made_from_template) == expected


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize(
    "arguments",
    [
        {"many": True},
        {"many": False},
        {"many": None, "only": None, "exclude": (), "partial": None, "unknown": None},
        {"load_only": [], "dump_only": set(), "exclude": []},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["every field", "many", "exclude"])
def test_arguments_that_make_no_difference_are_as_for_stock(name, arguments):
    cls = ALIKE[name]
    _learn(cls)
    expected = likeness(made_by_stock(cls, **arguments))
    assert likeness(made_from_template(cls, **arguments)) == expected


NAMED = [
    {"only": []},
    {"only": ["name"]},
    {"only": ("owner", "name", "owner")},
    {"only": {"name"}},
    {"only": OrderedSet(["days", "age"])},
    {"exclude": ("name",)},
    {"exclude": ["days", "name", "pair"], "many": True},
    {"only": ("name", "id", "days"), "exclude": ["id"]},
    {"load_only": ("name", "owner")},
    {"dump_only": ["name"], "load_only": ["pair"]},
    {"only": ["name"], "load_only": ["id"], "dump_only": ("born",)},
]


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize("arguments", NAMED, ids=str)
@pytest.mark.parametrize("name", ["every field", "load_only", "a mixin"])
def test_names_that_are_given_are_part_of_the_template(name, arguments):
    cls = ALIKE[name]
    expected = likeness(made_by_stock(cls, **arguments))
    for _ in range(MADE_UNTIL_ALIKE):
        cls(**arguments)
    for _ in range(2):
        assert likeness(made_from_template(cls, **arguments)) == expected
    assert likeness(cls()) == likeness(made_by_stock(cls))


@pytest.mark.usefixtures("_alike")
def test_a_template_is_for_the_names_that_were_given():
    for arguments in NAMED:
        for _ in range(MADE_UNTIL_ALIKE):
            Dog(**arguments)
    for arguments in [*NAMED, {}]:
        assert likeness(Dog(**arguments)) == likeness(made_by_stock(Dog, **arguments))


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize(
    "arguments",
    [
        {"many": 1},
        {"many": []},
        {"only": ["owner.name"]},
        {"only": ["colour.red"]},
        {"only": ["no such field"]},
        {"only": "name"},
        {"only": [1]},
        {"only": [Text("name")]},
        {"only": {"name": 1}},
        {"exclude": "name"},
        {"exclude": None},
        {"exclude": {}},
        {"exclude": {"name", "owner", "pair"}},
        {"exclude": ["owner.name"]},
        {"exclude": ["no such field"]},
        {"load_only": ""},
        {"load_only": None},
        {"load_only": ["no such field"]},
        {"dump_only": {"name", "owner", "pair"}},
        {"partial": True},
        {"partial": ()},
        {"partial": ("name",)},
        {"unknown": EXCLUDE},
        {"colour": None},
        {"self": None},
        {"args": None},
    ],
    ids=str,
)
def test_other_arguments_go_to_stock(arguments):
    _learn(Dog)

    def made():
        return likeness(Dog(**arguments))

    with fastschema.disabled():
        expected = outcome(made)
    for _ in range(2 * MADE_UNTIL_ALIKE):
        assert outcome(made) == expected


@pytest.mark.usefixtures("_alike")
def test_positional_arguments_are_refused_as_by_stock():
    _learn(Dog)
    with fastschema.disabled():
        expected = outcome(lambda: Dog(["name"]))
    assert outcome(lambda: Dog(["name"])) == expected


def test_the_signature_is_that_of_stock():
    expected = inspect.signature(Schema), Schema.__init__.__doc__, Schema.__init__.__qualname__
    with installed():
        init = Schema.__init__
        assert init is not STOCK_INIT
        assert (inspect.signature(Schema), init.__doc__, init.__qualname__) == expected
    assert Schema.__init__ is STOCK_INIT


@pytest.mark.usefixtures("_alike")
def test_it_can_be_called_by_name():
    _learn(Owner)
    schema = Owner.__new__(Owner)
    Schema.__init__(self=schema)
    assert likeness(schema) == likeness(made_by_stock(Owner))


@pytest.mark.usefixtures("_alike")
def test_what_is_no_schema_is_refused_as_by_stock():
    class NoSchema:
        pass

    expected = outcome(lambda: STOCK_INIT(NoSchema()))
    assert outcome(lambda: Schema.__init__(NoSchema())) == expected


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize("made_before", [0, 3, MADE_UNTIL_ALIKE])
def test_other_defaults_are_those_of_stock(made_before):
    for _ in range(made_before):
        Owner()
    with mock.patch.dict(Schema.__init__.__kwdefaults__, unknown=EXCLUDE):
        for _ in range(MADE_UNTIL_ALIKE):
            assert Owner().unknown == EXCLUDE
    assert Owner().unknown == "raise"


def test_an_init_that_somebody_has_wrapped_before_is_called_each_time():
    code = """
import functools
from marshmallow import Schema

calls = []
init = Schema.__init__

@functools.wraps(init)
def wrapped(self, **options):
    calls.append(1)
    init(self, **options)

Schema.__init__ = wrapped
import fastschema
fastschema.install()
calls.clear()
for _ in range(20):
    Schema()
assert len(calls) == 20
"""
    subprocess.run([sys.executable, "-c", code], check=True)


class OnBindField(Dog):
    def on_bind_field(self, field_name, field_obj):
        LOG.append((field_name, [*vars(self)]))


class InitFields(Dog):
    def _init_fields(self):
        LOG.append([*self.declared_fields])
        self.declared_fields["name"].dump_only = True
        super()._init_fields()


class SetsAttributes(Dog):
    def __setattr__(self, name, value):
        LOG.append(name)
        super().__setattr__(name, value)


class ReadsAttributes(Dog):
    def __getattribute__(self, name):
        LOG.append(name)
        return super().__getattribute__(name)


class WatchedClass(type(Schema)):
    def __getattribute__(cls, name):
        LOG.append(("class", name))
        return super().__getattribute__(name)


class OfAWatchedClass(Dog, metaclass=WatchedClass):
    pass


class BeforeInit(Dog):
    def __init__(self, **kwargs):
        self.error_messages = {"own": "Own."}
        super().__init__(**kwargs)


class AfterInit(Dog):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.extra = [*self.fields]
        self.fields["name"].metadata = {}


class Fields(Dog):
    @property
    def fields(self):
        return self._its_fields

    @fields.setter
    def fields(self, value):
        LOG.append([*value])
        self._its_fields = value


class OtherDictionary(Dog):
    dict_class = dict.fromkeys([]).__class__
    set_class = type("Names", (OrderedSet,), {})


class Bound(fields.String):
    def _bind_to_schema(self, field_name, parent):
        LOG.append((field_name, [*parent.declared_fields], vars(parent).get("fields")))
        super()._bind_to_schema(field_name, parent)


class BindsNext(fields.Field):
    def _bind_to_schema(self, field_name, parent):
        LOG.append(("next", field_name))
        super()._bind_to_schema(field_name, parent)


class BoundNext(fields.DateTime, BindsNext):
    pass


class SetsNext:
    def __setattr__(self, name, value):
        LOG.append(("next", name))
        super().__setattr__(name, value)


class SetNext(fields.DateTime, SetsNext):
    pass


class Copied(fields.String):
    def __deepcopy__(self, memo):
        LOG.append("copied")
        return Copied(metadata={"copied": True})


class Flag(fields.String):
    @property
    def load_only(self):
        LOG.append("load_only")
        return False

    @load_only.setter
    def load_only(self, value):
        LOG.append(("load_only", value))


class Truth:
    def __bool__(self):
        LOG.append("asked")
        return False


class Options(SchemaOpts):
    @property
    def unknown(self):
        LOG.append("unknown")
        return INCLUDE

    @unknown.setter
    def unknown(self, value):
        pass


class ClassOptions(SchemaOpts):
    """Options that a new schema does not find in their dictionary."""

    monthformat = "%m"
    unknown = INCLUDE

    def __init__(self, meta, **kwargs):
        super().__init__(meta, **kwargs)
        del self.many, self.unknown

    def __getattr__(self, name):
        LOG.append(name)
        return {}


class Monthly(fields.Date):
    SCHEMA_OPTS_VAR_NAME = "monthformat"


class DynamicOnly(fields.List):
    @property
    def only(self):
        LOG.append("only")
        return ("name",)

    @only.setter
    def only(self, value):
        LOG.append(("only", value))


class MetaclassWithOrder(type(Schema)):
    @property
    def __mro__(cls):
        LOG.append("mro")
        return type.__dict__["__mro__"].__get__(cls)


class OfAMetaclassWithOrder(Owner, metaclass=MetaclassWithOrder):
    pass


# As a class would have it that is named Schema, too.
AppliesNestedOptions = type(
    "AppliesNestedOptions",
    (Dog,),
    {"_Schema__apply_nested_option": lambda self, *args: LOG.append(args)},
)


class FormatOptions(SchemaOpts):
    dateformat = property(
        lambda self: LOG.append("dateformat") or vars(self)["dateformat"],
        lambda self, value: vars(self).update(dateformat=value),
    )


class WithoutFormat(fields.Date):
    DEFAULT_FORMAT = None


def _binding_itself():
    field = fields.String()

    def bind(name, parent):
        LOG.append(name)
        fields.String._bind_to_schema(parent.declared_fields[name], name, parent)

    field._bind_to_schema = bind
    return field


class Truthy(fields.String):
    def __bool__(self):
        LOG.append("bool")
        return True


class StoredPartial(Dog):
    partial = property(
        lambda self: LOG.append("partial"),
        lambda self, value: LOG.append(value) or vars(self).update(partial=value),
    )


class StoredOptions(SchemaOpts):
    many = property(
        lambda self: LOG.append("many") or vars(self)["many"],
        lambda self, value: vars(self).update(many=value),
    )


class Falsy(fields.String):
    def __bool__(self):
        LOG.append("bool")
        return False


class LoggedMethod(Schema):
    age = fields.Method("get_age")

    @property
    def get_age(self):
        LOG.append("get_age")
        return len


def _with_parent():
    field = fields.String()
    field.parent = Schema()
    return field


def _twice():
    field = fields.String()
    return {"a": field, "b": field}


NOT_ALIKE = {
    **{
        cls.__name__: cls
        for cls in (
            OnBindField,
            InitFields,
            SetsAttributes,
            ReadsAttributes,
            OfAWatchedClass,
            OfAMetaclassWithOrder,
            BeforeInit,
            AfterInit,
            Fields,
            OtherDictionary,
            StoredPartial,
            AppliesNestedOptions,
            LoggedMethod,
        )
    },
    "bound by its own": Schema.from_dict({"a": fields.String(), "b": Bound(), "c": fields.Date()}),
    "bound by the next class": Schema.from_dict({"a": BoundNext()}),
    "set by the next class": Schema.from_dict({"a": SetNext()}),
    "bound inside": Schema.from_dict({"a": fields.List(Bound())}),
    "copied by its own": Schema.from_dict({"a": Copied()}),
    "copied inside": Schema.from_dict({"a": fields.Dict(values=Copied())}),
    "a property of the field": Schema.from_dict({"a": Flag()}),
    "a truth": Schema.from_dict({"a": fields.String(load_only=Truth())}),
    "a field that is false": Schema.from_dict({"a": fields.Dict(values=Falsy())}),
    "options": type("WithOptions", (Dog,), {"OPTIONS_CLASS": Options}),
    "options that are properties": type("Stored", (Dog,), {"OPTIONS_CLASS": StoredOptions}),
    "a format that is a property": type(
        "Formats", (Owner,), {"OPTIONS_CLASS": FormatOptions, "day": WithoutFormat()}
    ),
    "a field that is true": Schema.from_dict({"a": fields.Dict(values=Truthy())}),
    "options of the class": type(
        "WithClassOptions", (Dog,), {"OPTIONS_CLASS": ClassOptions, "month": Monthly()}
    ),
    "a property that binding reads": Schema.from_dict({"a": DynamicOnly(fields.Nested(Owner))}),
    "a field that binds itself": Schema.from_dict({"a": _binding_itself()}),
    "bound before": Schema.from_dict({"a": _with_parent()}),
    "two names": Schema.from_dict(_twice()),
}


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize("name", NOT_ALIKE)
def test_code_of_the_users_runs_as_by_stock(name):
    cls = NOT_ALIKE[name]
    arguments = {"only": ("name",)} if cls is AppliesNestedOptions else {}

    def made():
        return likeness(cls(**arguments))

    with fastschema.disabled():
        expected = outcome(made, LOG)
    for _ in range(2 * MADE_UNTIL_ALIKE):
        assert outcome(made, LOG) == expected


class _Day(fields.Date):
    pass


class Unhashable:
    __hash__ = None

    def __get__(self, instance, owner):
        return lambda name, parent: fields.String._bind_to_schema(instance, name, parent)


def _refuse(self):
    raise AttributeError("refused")


def _stored(name):
    """A property that has the attribute's value."""

    def get(self):
        LOG.append(name)
        return True

    return property(get, lambda self, value: vars(self).update({name: value}))


LATE = {
    "a field": lambda cls, own: setattr(cls._declared_fields["name"], "data_key", "title"),
    "a field, past its class": lambda cls, own: vars(cls._declared_fields["name"]).update(
        dump_only=True
    ),
    "a field inside": lambda cls, own: setattr(cls._declared_fields["days"].inner, "format", "%Y"),
    "a field's dictionary": lambda cls, own: object.__setattr__(
        cls._declared_fields["name"], "__dict__", {**vars(fields.String()), "more": 1}
    ),
    "a field's class": lambda cls, own: object.__setattr__(
        cls._declared_fields["name"], "__class__", fields.Email
    ),
    "another field": lambda cls, own: cls._declared_fields.update(name=fields.Integer()),
    "one more field": lambda cls, own: cls._declared_fields.update(more=fields.Integer()),
    "no such field": lambda cls, own: cls._declared_fields.pop("name"),
    "other fields": lambda cls, own: setattr(cls, "_declared_fields", {"a": fields.Date()}),
    "an option": lambda cls, own: setattr(cls.opts, "many", True),
    "an option that is a list": lambda cls, own: cls.opts.dump_only.append("days"),
    "other options": lambda cls, own: setattr(cls, "opts", copy.copy(Dog.opts)),
    "messages": lambda cls, own: cls.error_messages.update(more="M"),
    "other messages": lambda cls, own: setattr(cls, "error_messages", {"other": "O"}),
    "a hook": lambda cls, own: setattr(cls, "on_bind_field", OnBindField.on_bind_field),
    "a field class": lambda cls, own: setattr(own, "_bind_to_schema", Bound._bind_to_schema),
    "a property": lambda cls, own: setattr(own, "data_key", property(lambda self: "p")),
    "a property with a value": lambda cls, own: setattr(own, "load_only", _stored("load_only")),
    "a property of another name": lambda cls, own: setattr(own, "format", property(_refuse)),
    "messages of another kind": lambda cls, own: setattr(cls, "error_messages", OrderedDict(a="A")),
    "messages that are none": lambda cls, own: setattr(cls, "error_messages", 5),
    "a format": lambda cls, own: setattr(_Day, "DEFAULT_FORMAT", "%Y"),
    "the option of a format": lambda cls, own: setattr(_Day, "SCHEMA_OPTS_VAR_NAME", "timeformat"),
    "a list of fields": lambda cls, own: cls._declared_fields["pair"].tuple_fields.append(own()),
    "options with other attributes": lambda cls, own: setattr(
        cls.opts, "__dict__", {**vars(cls.opts), "many": True}
    ),
    "options of another class": lambda cls, own: setattr(cls.opts, "__class__", Options),
    "another binding": lambda cls, own: setattr(
        _Day, "_bind_to_schema", fields.Field._bind_to_schema
    ),
    "other bases": lambda cls, own: setattr(own, "__bases__", (fields.Email,)),
    "a binding without a hash": lambda cls, own: setattr(own, "_bind_to_schema", Unhashable()),
    "an attribute of the class": lambda cls, own: setattr(_Day, "format", "%Y"),
    "a way to copy": lambda cls, own: setattr(own, "__deepcopy__", Copied.__deepcopy__),
    "copyreg": lambda cls, own: copyreg.dispatch_table.update(
        {own: lambda field: (Copied, ())},
    ),
    "a method": lambda cls, own: setattr(cls, "get_age", lambda self, obj: 2),
}


@pytest.mark.usefixtures("_alike")
@pytest.mark.parametrize("made_before", [1, 3, 4, 5, MADE_UNTIL_ALIKE, 20])
@pytest.mark.parametrize("name", LATE)
def test_late_changes_are_seen(name, made_before):
    own = type("Own", (fields.String,), {})

    class Changing(Schema):
        error_messages = {"more": "More."}
        name = own()
        days = fields.List(fields.Date())
        day = _Day()
        pair = fields.Tuple((fields.Integer(), fields.Date()))
        age = fields.Method("get_age")

        class Meta:
            register = False
            dump_only = ["age"]

        def get_age(self, obj):
            return 1

    for _ in range(made_before):
        Changing()
    day = dict(vars(_Day))
    with mock.patch.dict(copyreg.dispatch_table):
        LATE[name](Changing, own)

        def made():
            return likeness(Changing())

        with fastschema.disabled():
            expected = outcome(made, LOG)
        try:
            for _ in range(MADE_UNTIL_ALIKE):
                assert outcome(made, LOG) == expected
        finally:
            for each in {*vars(_Day)} - {*day}:
                delattr(_Day, each)


@pytest.mark.usefixtures("_alike")
def test_schemas_from_a_template_have_nothing_in_common():
    _learn(Dog)
    one, other = made_from_template(Dog), made_from_template(Dog)
    one.fields["name"].data_key = "title"
    one.exclude.add("name")
    one.error_messages["more"] = "More."
    one.dump_fields.clear()
    assert likeness(other) == likeness(made_by_stock(Dog))
    assert likeness(made_from_template(Dog)) == likeness(made_by_stock(Dog))


@pytest.mark.usefixtures("_alike")
def test_a_schema_from_a_template_can_be_copied_and_pickled():
    _learn(Owner)
    for copied in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        schema = copied(made_from_template(Owner))
        assert schema.dump({"name": "Ann"}) == {"name": "Ann"}
        assert schema.fields["name"].name == "name"


@pytest.mark.usefixtures("_alike")
def test_the_fields_of_a_schema_from_a_template_tell_of_writes():
    _learn(Owner)
    schema = made_from_template(Owner)
    for _ in range(MADE_UNTIL_ALIKE):
        assert schema.dump({"name": "Ann"}) == {"name": "Ann"}
    schema.fields["name"].data_key = "title"
    assert schema.dump({"name": "Ann"}) == {"title": "Ann"}


@pytest.mark.usefixtures("_alike")
def test_a_class_that_nobody_uses_any_longer_is_collected():
    cls = Schema.from_dict({"name": fields.String(validate=validate.Length(1))})
    _learn(cls)
    made_from_template(cls)
    gone = weakref.ref(cls)
    del cls
    gc.collect()
    assert gone() is None


@pytest.mark.usefixtures("_alike")
def test_a_schema_from_a_template_is_collected_as_stocks():
    _learn(Dog)
    gone = weakref.ref(made_from_template(Dog))
    gc.collect()
    assert gone() is None


@pytest.fixture
def _collecting():
    """Installed, with collections of garbage only where the test asks for them."""
    thresholds = gc.get_threshold()
    gc.set_threshold(0)
    with installed():
        yield
    gc.set_threshold(*thresholds)


def _is_made_from_template(cls):
    try:
        made_from_template(cls)
    except AssertionError:
        return False
    return True


@pytest.mark.usefixtures("_collecting")
def test_a_class_is_learnt_when_it_has_outlived_a_collection():
    _learn(Owner)
    assert not _is_made_from_template(Owner)
    gc.collect(1)
    _learn(Owner)
    assert _is_made_from_template(Owner)


@pytest.mark.usefixtures("_collecting")
def test_what_is_learnt_stays_while_it_is_used():
    gc.collect(1)
    Owner()
    gc.collect(1)
    _learn(Owner)
    for _ in range(12):
        made_from_template(Owner)
        gc.collect(1)
    for _ in range(initializing._LONGEST_IDLE):
        gc.collect(1)
    assert _is_made_from_template(Owner)
    for _ in range(initializing._LONGEST_IDLE + 2):
        gc.collect(1)
    assert not _is_made_from_template(Owner)


@pytest.mark.usefixtures("_collecting")
def test_what_was_of_little_use_goes_when_it_is_idle():
    Owner()
    gc.collect(1)
    _learn(Owner)
    gc.collect(1)
    assert _is_made_from_template(Owner)
    gc.collect(1)
    gc.collect(1)
    assert not _is_made_from_template(Owner)


@pytest.mark.usefixtures("_collecting")
def test_after_a_full_collection_a_class_is_learnt_anew():
    Owner()
    gc.collect(1)
    _learn(Owner)
    gc.collect()
    assert not _is_made_from_template(Owner)
    _learn(Owner)
    assert _is_made_from_template(Owner)


@pytest.mark.usefixtures("_collecting")
def test_throw_away_classes_go_with_the_youngest_garbage():
    gone = []
    for _ in range(20):
        cls = Schema.from_dict({"name": fields.String()})
        _learn(cls)
        gone.append(weakref.ref(cls))
        del cls
    gc.collect(1)
    assert [each() for each in gone] == [None] * 20


@pytest.mark.usefixtures("_alike")
def test_no_more_classes_are_known_than_a_bound():
    with mock.patch.object(initializing, "_MOST_KNOWN", 8):
        classes = [Schema.from_dict({"name": fields.String()}) for _ in range(20)]
        for cls in classes:
            cls()
            assert len(initializing._known) <= 8


@pytest.mark.usefixtures("_alike")
def test_schemas_are_made_in_many_threads_at_once():
    failures = []
    expected = likeness(made_by_stock(Dog))
    barrier = threading.Barrier(8)

    def make():
        barrier.wait()
        for _ in range(40):
            made = likeness(Dog())
            if made != expected:
                failures.append(made)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def _fields():
    options = st.fixed_dictionaries(
        {},
        optional={
            "data_key": st.sampled_from(["key", "", "a b"]),
            "attribute": st.sampled_from(["other", "a.b"]),
            "load_only": st.booleans(),
            "dump_only": st.booleans(),
            "required": st.booleans(),
            "allow_none": st.booleans(),
            "metadata": st.just({"a": 1}),
        },
    )
    plain = st.sampled_from(
        [fields.String, fields.Integer, fields.DateTime, fields.Date, fields.UUID, Upper]
    )
    simple = st.builds(lambda cls, given: cls(**given), plain, options)
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            st.builds(lambda each, given: fields.List(each, **given), inner, options),
            st.builds(lambda *each: fields.Tuple(each), inner, inner),
            st.builds(lambda *each: fields.Dict(keys=each[0], values=each[1]), inner, inner),
            st.builds(lambda given: fields.Nested(Owner, **given), options),
        ),
        max_leaves=4,
    )


NAMES = ["a", "b", "c", "d'"]


def _options(*options):
    names = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
    return st.fixed_dictionaries({}, optional=dict.fromkeys(options, names))


@given(
    declared=st.dictionaries(st.sampled_from(NAMES), _fields(), min_size=1),
    options=_options("fields", "exclude", "load_only", "dump_only"),
    arguments=_options("only", "exclude", "load_only", "dump_only"),
)
def test_random_schemas_are_made_as_by_stock(declared, options, arguments):
    arguments, options = [
        {name: [each for each in names if each in declared] for name, names in some.items()}
        for some in (arguments, options)
    ]
    meta = type("Meta", (), {"register": False, **options})
    cls = type("Random", (Schema,), {**declared, "Meta": meta})

    def made():
        return likeness(cls(**arguments))

    with installed():
        with fastschema.disabled():
            expected = outcome(made)
        for _ in range(MADE_UNTIL_ALIKE):
            assert outcome(made) == expected
