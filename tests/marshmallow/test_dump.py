"""What stock does around the fields: hooks, nested schemas, collections, memory."""

import collections
import contextlib
import copy
import datetime as dt
import gc
import itertools
import pickle
import types
import uuid
import weakref
from decimal import Decimal

import pytest
from marshmallow import Schema, fields, missing, post_dump, post_load, pre_dump

import fastschema
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.programs import CACHE_SIZE, programs
from tests.at_once import at_once
from tests.marks import counts_references
from tests.marshmallow.differential import (
    MARSHMALLOW_3,
    USES,
    assert_same,
    installed,
    is_compiled,
    outcome,
)
from tests.marshmallow.late_changes import LATE_ROW, Calls, Excited, Late, LoggedDict
from tests.marshmallow.nested_fields import NESTED


class Person(Schema):
    name = fields.String()
    age = fields.Integer()


class Dog(Schema):
    name = fields.String()


MOMENTS = [dt.date(2020, 1, 2), uuid.UUID(int=7), dt.datetime(2020, 1, 2, 3, 4, 5)]
PEOPLE = [{"name": "Ada", "age": "36"}, {"name": None}, {"age": 5}, {}]


@pytest.mark.parametrize("many", [None, False, True, 1, 0])
def test_many_is_understood_as_by_stock(many):
    assert_same(Person, PEOPLE if many else PEOPLE[0], many=many)


@pytest.mark.parametrize("many", [None, False, True])
def test_many_of_the_schema_is_understood_as_by_stock(many):
    assert_same(lambda: Person(many=True), [] if many is False else PEOPLE, many=many)


def test_many_of_the_schema_may_change():
    schema = Person()
    plan = fastschema.compile(schema)
    assert plan.dump(PEOPLE[0]) == {"name": "Ada", "age": 36}
    schema.many = True

    assert plan.dump(PEOPLE[:1]) == [{"name": "Ada", "age": 36}]
    assert fastschema.compile(schema).dump(PEOPLE[:1]) == [{"name": "Ada", "age": 36}]


class OnlyNext:
    """An iterator that cannot be asked for an iterator."""

    def __init__(self):
        self.rows = iter(PEOPLE)

    def __next__(self):
        return next(self.rows)


class Iterated:
    def __iter__(self):
        Calls.log.append("iter")
        return OnlyNext()


class IteratedList(list):
    def __iter__(self):
        return OnlyNext()


class LoggedIterator(OnlyNext):
    def __iter__(self):
        Calls.log.append("iter")
        return self

    def __next__(self):
        Calls.log.append("next")
        return super().__next__()


class BySequenceProtocol:
    def __getitem__(self, index):
        Calls.log.append(index)
        return PEOPLE[index]


def reusing_one_dict():
    row = {}
    for each in PEOPLE:
        row.clear()
        row.update(each)
        yield row


def failing_rows():
    yield PEOPLE[0]
    raise LookupError("no more rows")


COLLECTIONS = {
    "list": lambda: PEOPLE,
    "empty list": list,
    "tuple": lambda: tuple(PEOPLE),
    "set": lambda: {1, 2},
    "dict": lambda: {"a": 1},
    "text": lambda: "text",
    "generator": lambda: (row for row in PEOPLE),
    "empty generator": lambda: iter(()),
    "generator that reuses one dict": reusing_one_dict,
    "generator that raises": failing_rows,
    "iterator": lambda: iter(PEOPLE),
    "deque": lambda: collections.deque(PEOPLE),
    "dict values": lambda: dict(enumerate(PEOPLE)).values(),
    "iterator without __iter__": Iterated,
    "list with an iterator without __iter__": IteratedList,
    "iterator that logs": LoggedIterator,
    "sequence protocol": BySequenceProtocol,
    "None": lambda: None,
    "number": lambda: 5,
    "object": object,
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_collection_of_any_make_is_dumped_as_by_stock(name):
    assert_same(Person, COLLECTIONS[name], many=True, calls=Calls.log)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_nested_collection_of_any_make_is_dumped_as_by_stock(name):
    class Club(Schema):
        many = fields.Nested(Person, many=True)
        listed = fields.List(fields.Nested(Person))

    for key in ("many", "listed"):
        assert_same(Club, lambda key=key: {key: COLLECTIONS[name]()}, calls=Calls.log)


@pytest.mark.parametrize(
    "people",
    [
        [None, PEOPLE[0]],
        [PEOPLE[0], None, PEOPLE[0]],
        [None],
        [],
        [{"name": "a"}, types.SimpleNamespace(name="b"), PEOPLE[0], {"name": 1}, 5],
        ({"name": "a"}, None),
    ],
)
def test_a_list_of_nested_objects_is_dumped_as_by_stock(people):
    class Club(Schema):
        listed = fields.List(fields.Nested(Person))
        lists = fields.List(fields.List(fields.Nested(Person)))

    rows = [{"listed": each, "lists": [each, each]} for each in (people, [PEOPLE[0]], people)]

    assert_same(Club, rows, many=True)


def test_a_list_of_nested_objects_that_grows_while_it_is_dumped_is_dumped_as_by_stock():
    class Growing:
        def __init__(self, people):
            self.people = people

        @property
        def name(self):
            if len(self.people) < 4:
                self.people.append(Growing(self.people))
            return str(len(self.people))

    class Club(Schema):
        listed = fields.List(fields.Nested(Person))

    def club():
        people = []
        people.append(Growing(people))
        return {"listed": people}

    assert_same(Club, club)


def test_values_that_change_while_the_rows_are_read_are_dumped_as_they_were():
    class Growing(Schema):
        raw = fields.Raw()
        numbers = fields.List(fields.Raw())
        child = fields.Nested(Hooked)

    def rows():
        row = {"raw": [], "numbers": [], "child": {"name": []}}
        for number in range(3):
            row["numbers"].append(number)
            row["child"]["name"].append(number)
            yield row

    assert_same(Growing, rows, many=True)


def test_a_collection_of_mixed_classes_is_dumped_as_by_stock():
    rows = [PEOPLE[0], types.SimpleNamespace(name="b"), collections.UserDict(age=1)] * 3

    assert_same(Person, rows, many=True)


# Nested schemas

CHILD = {"name": 1, "secret": 2, "toys": [{"name": 3}], "pet": {"name": 4}}

NESTED_VALUES = [
    None,
    CHILD,
    [CHILD, {}],
    [None, CHILD],
    [],
    [[CHILD], [None]],
    [None],
    {},
    {"a": CHILD},
    (CHILD, "b"),
    "text",
    5,
    missing,
    types.SimpleNamespace(name=1, pet=types.SimpleNamespace(name=2)),
]


@pytest.mark.parametrize("name", NESTED)
def test_a_nested_field_of_any_kind_is_dumped_as_by_stock(name):
    schema = Schema.from_dict({"child": NESTED[name]()})
    for value in NESTED_VALUES:
        assert_same(schema, {"child": value})


@pytest.mark.parametrize("options", [{"only": ("child.pet.name",)}, {"exclude": ("child.toys",)}])
@pytest.mark.parametrize("name", ["class", "only", "exclude", "list", "many", "full name"])
def test_dotted_selections_reach_nested_schemas(name, options):
    parent = Schema.from_dict({"child": NESTED[name](), "name": fields.String()})
    value = {"child": [CHILD] if name in ("list", "many") else CHILD, "name": 5}

    assert_same(lambda: parent(**options), value)


@pytest.mark.parametrize("name", ["class", "object", "name", "lambda", "only", "many", "list"])
def test_a_nested_field_is_compiled(name):
    assert is_compiled(Schema.from_dict({"child": NESTED[name]()}), "child")


class Employee(Schema):
    name = fields.String()
    boss = fields.Nested(lambda: Employee(exclude=("reports",)))
    reports = fields.List(fields.Nested(lambda: Employee(exclude=("boss",))))


class Author(Schema):
    name = fields.String()
    books = fields.Nested("Book", many=True, exclude=("author",))


class Book(Schema):
    title = fields.String()
    author = fields.Nested(Author)


def chain(length):
    row = {"name": "last", "boss": None}
    for number in range(length):
        row = {"name": number, "boss": row, "reports": [{"name": "r"}, {"reports": [{}]}]}
    return row


@pytest.mark.parametrize("length", [0, 1, 2, 40])
def test_a_recursive_schema_is_dumped_as_by_stock(length):
    assert_same(Employee, chain(length))


def test_a_cycle_of_objects_ends_in_a_recursion_error():
    row = {"name": "round and round"}
    row["boss"] = row

    assert_same(Employee, row)


@pytest.mark.parametrize(
    "row",
    [
        {"title": "T", "author": {"name": "A", "books": [{"title": "U", "author": {}}, {}]}},
        {"title": "T", "author": None},
        {"author": {"books": None}},
    ],
)
def test_mutually_recursive_schemas_are_dumped_as_by_stock(row):
    assert_same(Book, row)


@pytest.mark.filterwarnings("ignore:Passing 'self'")  # deprecated in marshmallow 3 already
def test_a_schema_nested_in_itself_is_dumped_as_by_stock():
    itself = "self" if MARSHMALLOW_3 else lambda: Tree

    class Tree(Schema):
        name = fields.String()
        children = fields.Nested(itself, many=True, exclude=("parent",))
        parent = fields.Nested(itself, only=("name",))

    leaf = {"name": 1, "parent": {"name": 2, "parent": {}}}
    assert_same(Tree, {"children": [leaf, leaf, {"children": [leaf]}], "parent": leaf})


# Hooks


class Hooked(Schema):
    name = fields.String()

    @pre_dump
    def before(self, data, **kwargs):
        Calls.log.append(("before", data, kwargs))
        return {"name": f"{data['name']} before"}

    @pre_dump(**{"pass_many" if MARSHMALLOW_3 else "pass_collection": True})
    def before_all(self, data, **kwargs):
        Calls.log.append(("before all", data, kwargs))
        return data

    @post_dump
    def after(self, data, **kwargs):
        Calls.log.append(("after", data, kwargs))
        return {**data, "after": kwargs}

    @post_dump(pass_original=True)
    def after_with_original(self, data, original, **kwargs):
        Calls.log.append(("after with original", data, original, kwargs))
        return data

    @post_dump(**{"pass_many" if MARSHMALLOW_3 else "pass_collection": True}, pass_original=True)
    def after_all(self, data, original, **kwargs):
        Calls.log.append(("after all", data, original, kwargs))
        return {"data": data, **kwargs}


NAMED = [{"name": "a"}, {"name": 2}]


@pytest.mark.parametrize("many", [None, False, True])
def test_hooks_are_called_as_by_stock(many):
    assert_same(Hooked, NAMED if many else NAMED[0], many=many, calls=Calls.log)


def test_hooks_see_the_many_of_the_schema():
    assert_same(lambda: Hooked(many=True), NAMED, calls=Calls.log)


@pytest.mark.parametrize(
    "make_field",
    [
        lambda: fields.Nested(Hooked),
        lambda: fields.Nested(Hooked, many=True),
        lambda: fields.Nested(Hooked, many=False),
        lambda: fields.Nested(Hooked, many=1),
        lambda: fields.Nested(Hooked(many=True)),
        lambda: fields.List(fields.Nested(Hooked)),
        lambda: fields.Pluck(Hooked, "name"),
    ],
)
def test_hooks_of_a_nested_schema_are_called_as_by_stock(make_field):
    schema = Schema.from_dict({"inner": make_field(), "name": fields.String()})
    for value in [NAMED, NAMED[0], None, [], missing]:
        assert_same(schema, {"inner": value, "name": 1}, calls=Calls.log)


def test_hooks_around_a_nested_schema_with_hooks_are_called_as_by_stock():
    class Outer(Hooked):
        inner = fields.Nested(Hooked)
        several = fields.Nested(Hooked, many=True)

        @pre_dump
        def before(self, data, **kwargs):
            Calls.log.append(("outer before", data, kwargs))
            return data

    rows = [{"name": 1, "inner": NAMED[0], "several": NAMED}, {"inner": None, "several": []}]
    assert_same(Outer, rows, many=True, calls=Calls.log)


@pytest.mark.parametrize("moment", [pre_dump, post_dump])
@pytest.mark.parametrize("many", [False, True])
def test_an_error_of_a_hook_is_raised(moment, many):
    class Raising(Schema):
        name = fields.String()

        @moment
        def refuse(self, data, **kwargs):
            Calls.log.append(data)
            raise LookupError("refused")

    assert_same(Raising, NAMED if many else NAMED[0], many=many, calls=Calls.log)


def test_a_hook_may_be_a_generator_source():
    class Lazy(Schema):
        name = fields.String()

        @pre_dump(**{"pass_many" if MARSHMALLOW_3 else "pass_collection": True})
        def later(self, data, many, **kwargs):
            return ({"name": f"lazy {row['name']}"} for row in data) if many else data

    assert_same(Lazy, NAMED, many=True)


def test_a_hook_that_changes_the_schema_is_obeyed_by_the_same_dump():
    class Narrowing(Schema):
        name = fields.String()
        age = fields.Integer()

        @pre_dump
        def narrow(self, data, **kwargs):
            self.dump_fields.pop("age", None)
            return data

    assert_same(Narrowing, PEOPLE[0])


@pytest.mark.parametrize("result", [missing, None, [], "text", {1: 2}, {"name": {1, 2}}])
def test_whatever_a_nested_post_dump_returns_is_dumped_as_by_stock(result):
    class Replacing(Schema):
        name = fields.String()

        @post_dump
        def replace(self, data, **kwargs):
            return result

    class Outer(Schema):
        one = fields.Nested(Replacing)
        several = fields.Nested(Replacing, many=True)
        listed = fields.List(fields.Nested(Replacing))
        plucked = fields.Pluck(Replacing, "name")
        all_plucked = fields.Pluck(Replacing, "name", many=True)
        last = fields.String()

    whole = {"one": {}, "several": [{}], "listed": [{}], "plucked": {}, "all_plucked": [{}]}
    whole["last"] = 1
    for key in whole:
        assert_same(Outer, {key: whole[key]})


# Overrides on the schema class


class Enveloped(Person):
    def dump(self, obj, *, many=None):
        Calls.log.append(("dump", many))
        return {"envelope": super().dump(obj, many=many)}


class PlainDump(Person):
    def dump(self, obj):
        return super().dump(obj)


class NothingDumped(Person):
    def dump(self, obj, *, many=None):
        return missing


class OwnSerialize(Person):
    def _serialize(self, obj, *, many=False):
        Calls.log.append(("_serialize", many))
        return super()._serialize(obj, many=many)


class OwnProcessors(Person):
    @post_dump
    def after(self, data, **kwargs):
        return data

    def _invoke_dump_processors(self, *args, **kwargs):
        Calls.log.append((args[0], kwargs))
        return super()._invoke_dump_processors(*args, **kwargs)


OVERRIDING = [Enveloped, PlainDump, NothingDumped, OwnSerialize, OwnProcessors]


@pytest.mark.parametrize("schema", [Enveloped, OwnSerialize, OwnProcessors, NothingDumped])
@pytest.mark.parametrize("many", [None, False, True])
def test_an_override_on_the_schema_class_is_called_as_by_stock(schema, many):
    assert_same(schema, PEOPLE if many else PEOPLE[0], many=many, calls=Calls.log)


@pytest.mark.parametrize("schema", [Enveloped, OwnSerialize, OwnProcessors, NothingDumped])
def test_an_override_on_a_nested_schema_class_is_called_as_by_stock(schema):
    class Outer(Schema):
        one = fields.Nested(schema)
        several = fields.Nested(schema, many=True)
        listed = fields.List(fields.Nested(schema))
        last = fields.String()

    whole = {"one": PEOPLE[0], "several": PEOPLE, "listed": PEOPLE, "last": 1}
    for key in whole:
        assert_same(Outer, {key: whole[key]}, calls=Calls.log)
    assert_same(Outer, [whole, {}, {"one": None}], many=True, calls=Calls.log)


def test_a_dump_that_knows_no_many_is_called_as_by_its_author():
    expected = PlainDump().dump(PEOPLE[0])

    assert fastschema.compile(PlainDump).dump(PEOPLE[0]) == expected
    with fastschema.disabled():
        assert fastschema.compile(PlainDump).dump(PEOPLE[0]) == expected


@pytest.mark.parametrize("many", [None, False, True])
def test_an_overridden_dump_is_given_the_many_that_the_user_gave(many):
    Calls.log.clear()
    fastschema.compile(Enveloped).dump([], many=many)

    assert Calls.log == [("dump", many)]


@pytest.mark.parametrize("name", ["dump", "_serialize"])
def test_a_method_on_the_schema_object_is_called_as_by_stock(name):
    def make_schema():
        schema = Person()
        setattr(schema, name, lambda obj, many=None: f"own {name}")
        return schema

    assert_same(lambda: make_schema(), {"name": 1})


class Ordered(Person):
    dict_class = collections.OrderedDict


class Logged(Person):
    dict_class = LoggedDict
    dogs = fields.Nested(Dog, many=True)

    def get_attribute(self, obj, attr, default):
        Calls.log.append(("get", attr))
        return super().get_attribute(obj, attr, default)


@pytest.mark.parametrize("schema", [Ordered, Logged])
def test_the_dict_class_is_used_as_by_stock(schema):
    class Outer(Schema):
        one = fields.Nested(schema)
        several = fields.Nested(schema, many=True)

    assert_same(schema, PEOPLE[0], calls=Calls.log)
    assert_same(schema, PEOPLE, many=True, calls=Calls.log)
    assert_same(Outer, {"one": {"dogs": [{}, {"name": 1}]}, "several": PEOPLE}, calls=Calls.log)


def test_a_dict_class_leaves_out_what_a_nested_schema_gives_as_missing():
    class Outer(Schema):
        dict_class = collections.OrderedDict
        one = fields.Nested(NothingDumped)
        name = fields.String()

    assert_same(Outer, {"one": {}, "name": 1})


def test_an_ordered_schema_is_dumped_as_by_stock():
    if MARSHMALLOW_3:

        class Old(Person):
            class Meta:
                ordered = True
    else:

        class Old(Person):
            @property
            def dict_class(self):
                return collections.OrderedDict

    assert_same(Old, PEOPLE, many=True)


@pytest.mark.parametrize("row", [*itertools.product([*MOMENTS, None, "text", missing], repeat=2)])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_dates_and_ids_become_texts_in_any_dict_class(is_ordered, row):
    class Moments(Schema):
        if is_ordered and not MARSHMALLOW_3:
            dict_class = collections.OrderedDict
        first = fields.Date()
        second = fields.UUID()
        third = fields.DateTime()

        class Meta:
            ordered = is_ordered

    values = dict(zip(("first", "second", "third"), (*row, MOMENTS[2]), strict=True))
    present = {name: value for name, value in values.items() if value is not missing}
    assert_same(Moments, present)
    assert_same(Moments, types.SimpleNamespace(**present))


@pytest.mark.parametrize("change", [True, False])
def test_dates_of_the_same_key_become_texts(change):
    def make_schema():
        schema = Schema.from_dict({"a": fields.Date(), "b": fields.Date(), "c": fields.UUID()})()
        if change:
            schema.fields["b"].data_key = "a"
        return schema

    row = {"a": MOMENTS[0], "b": MOMENTS[0] + dt.timedelta(1), "c": MOMENTS[1]}
    assert_same(lambda: make_schema(), row)


# Method and Function fields, context


class Computed(Schema):
    by_method = fields.Method("compute")
    by_function = fields.Function(lambda obj: Calls.log.append(("function", obj)) or 2)
    load_only = fields.Function(deserialize=int)
    constant = fields.Constant(7)
    nothing = fields.Method("skip")

    renamed = fields.Method("compute", data_key="Renamed")

    def compute(self, obj):
        Calls.log.append(("method", obj))
        return type(self).__name__

    def skip(self, obj):
        return missing


def test_method_and_function_fields_are_called_as_by_stock():
    assert_same(Computed, [1, None, {"by_method": 3}], many=True, calls=Calls.log)


@pytest.mark.parametrize("error", [ValueError, AttributeError, StopIteration, KeyError])
def test_an_error_of_a_function_is_raised(error):
    def refuse(obj):
        raise error("refused")

    assert_same(Schema.from_dict({"value": fields.Function(refuse)}), [1, 2], many=True)


@pytest.mark.parametrize(
    "function",
    [str, len, lambda obj, *rest: rest, lambda obj, more=5: more, {"a": 1}.get, type, int, print],
)
def test_a_function_of_any_make_is_called_as_by_stock(function):
    assert_same(Schema.from_dict({"value": fields.Function(function)}), ["a", "1"], many=True)


@pytest.mark.parametrize("uses", [0, 1, 5])
@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        ("by_method", "_serialize_method", lambda obj: "late"),
        ("by_method", "_serialize_method", None),
        ("by_function", "serialize_func", lambda obj: "late"),
        ("constant", "constant", "late"),
        ("constant", "constant", missing),
    ],
)
def test_a_change_of_what_a_field_computes_is_seen(name, attribute, value, uses):
    def make_schema():
        schema = type("Used", (Computed,), {})()
        plan = fastschema.compile(schema)
        for _ in range(uses):
            plan.dump({})
        setattr(schema.fields[name], attribute, value)
        return schema

    assert_same(lambda: make_schema(), {}, calls=Calls.log)


def test_a_nested_schema_may_compute():
    class Outer(Schema):
        inner = fields.Nested(Computed)

    assert_same(Outer, [{"inner": {}}, {"inner": None}], many=True, calls=Calls.log)


if MARSHMALLOW_3:

    @pytest.mark.filterwarnings("ignore:The `context`")  # deprecated, but still what users have
    def test_the_context_is_that_of_each_schema():
        class Contextual(Schema):
            value = fields.Method("by_context")
            function = fields.Function(lambda obj, context: context["user"])

            def by_context(self, obj):
                return self.context["user"]

        class Outer(Schema):
            inner = fields.Nested(Contextual)

        for user in ("Ada", "Bob"):
            assert_same(lambda user=user: Contextual(context={"user": user}), {})
            assert_same(lambda user=user: Outer(context={"user": user}), {"inner": {}})

else:

    def test_the_context_is_that_of_each_dump():
        from marshmallow.experimental.context import Context

        class Contextual(Schema):
            value = fields.Function(lambda obj: Context.get()["user"])

        plan = fastschema.compile(Contextual)
        for user in ("Ada", "Bob"):
            with Context({"user": user}):
                assert plan.dump({}) == {"value": user}


def test_schemas_that_share_a_program_never_share_their_state():
    class Stateful(Schema):
        value = fields.Method("state")

        def __init__(self, user):
            super().__init__()
            self.user = user

        def state(self, obj):
            return self.user

    schemas = [Stateful(user) for user in range(20)]
    with installed():
        assert [schema.dump({})["value"] for schema in schemas] == list(range(20))
        assert [schema.dump({})["value"] for schema in schemas[::-1]] == list(range(20))[::-1]


def test_an_overridden_schema_method_that_appears_later_is_called():
    class Young(Person):
        pass

    for _ in range(3):
        assert fastschema.compile(Young).dump(PEOPLE[0]) == {"name": "Ada", "age": 36}
    Young.get_attribute = lambda self, obj, attr, default: f"late {attr}"
    Young.age = None

    assert fastschema.compile(Young(only=("name",))).dump(PEOPLE[0]) == {"name": "late name"}


# Copies, memory, threads


def used(schema, obj, method="dump"):
    """A schema that was used some times."""
    for _ in range(USES):
        getattr(schema, method)(obj)
    return schema


def test_what_was_made_for_one_dump_is_used_for_the_next():
    schema = Late()
    with installed():
        bound_program = vars(used(schema, LATE_ROW))[STATE_KEY].dump.bound_program
        schema.dump(LATE_ROW)
        assert vars(schema)[STATE_KEY].dump.bound_program is bound_program


@pytest.mark.parametrize("method", ["dump", "load"])
def test_uses_of_a_schema_that_is_kept_are_counted(method):
    schema = Person()
    with installed():
        assert used(schema, PEOPLE[0], method)
        before = fastschema.stats()
        for _ in range(10):
            getattr(schema, method)(PEOPLE[0])
        after = fastschema.stats()
    assert after.cache_hits - before.cache_hits == 10
    assert after.compiled_rows - before.compiled_rows == 10
    assert after.compiled_fields - before.compiled_fields == 20


@counts_references
@pytest.mark.parametrize("method", ["dump", "load"])
def test_a_schema_that_is_kept_can_be_collected(method):
    class Short(Schema):
        name = fields.String()
        dog = fields.Nested(Dog)

        class Meta:
            register = False

    class Row(dict):
        pass

    schema = Short()
    with installed():
        assert used(schema, {"name": "a", "dog": {"name": "b"}}, method)
        getattr(schema, method)(Row(name="a", dog=Row(name="b")))
        died = [weakref.ref(each) for each in (schema, Short, Row, schema.fields["dog"].schema)]
        del schema, Short, Row
        gc.collect()
        assert [each() for each in died] == [None] * 4


class Hooking(Dog):
    @post_dump
    def nothing(self, data, **kwargs):
        return data

    @post_load
    def nothing_more(self, data, **kwargs):
        return data


AMOUNTS = [f"amount_{number}" for number in range(70)]
OFTEN_USED = {
    "nested": (
        Schema.from_dict({"dog": fields.Nested(Dog), "amount": fields.Decimal(2)}),
        {"dog": {"name": "a"}, "amount": 1},
    ),
    "hooks in a nested schema": (
        Schema.from_dict({"dog": fields.Nested(Hooking), "amount": fields.Decimal(2)}),
        {"dog": {"name": "a"}, "amount": 1},
    ),
    "many checks": (
        Schema.from_dict({name: fields.Decimal(2, as_string=True) for name in AMOUNTS}),
        dict.fromkeys(AMOUNTS, Decimal("1.5")),
    ),
}


@pytest.mark.parametrize("name", OFTEN_USED)
@pytest.mark.parametrize(
    "use",
    [
        lambda schema, row: schema.dump(row),
        lambda schema, row: schema.dump([row, row], many=True),
        lambda schema, row: schema.load(row),
        lambda schema, row: [schema.load(row, partial=partial) for partial in (True, False, None)],
    ],
)
@counts_references
def test_uses_of_a_schema_leave_no_garbage(name, use):
    cls, row = OFTEN_USED[name]
    schema = cls()
    with installed():
        for _ in range(20):
            use(schema, row)
        gc.collect()
        gc.disable()
        try:
            for _ in range(20):
                use(schema, row)
            assert gc.collect(0) == 0
        finally:
            gc.enable()


def roundtrip(schema):
    return pickle.loads(pickle.dumps(schema))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, roundtrip])
def test_a_used_schema_can_be_copied(duplicate):
    schema = Late(only=("text", "dog.name"))
    with installed():
        expected = schema.dump(LATE_ROW)
        duplicated = duplicate(schema)

        assert duplicate is copy.copy or vars(duplicated)[STATE_KEY] is None
        assert duplicated.dump(LATE_ROW) == expected
        assert schema.dump(LATE_ROW) == expected


def test_a_dump_leaves_one_attribute_on_the_schema_and_none_on_its_fields():
    schema, stock = Late(), Late()
    stock.dump(LATE_ROW)
    with installed():
        schema.dump(LATE_ROW)

    assert vars(schema).keys() - vars(stock).keys() == {STATE_KEY}
    for name, field in schema.fields.items():
        assert vars(field).keys() == vars(stock.fields[name]).keys()


@counts_references
def test_the_classes_of_schemas_die_after_use():
    class Short(Schema):
        name = fields.String()
        dog = fields.Nested(Dog)
        dogs = fields.List(fields.Nested(Dog()))
        odd = Excited()

        class Meta:
            register = False

    died = weakref.ref(Short)
    plan = fastschema.compile(Short)
    for _ in range(3):
        plan.dump({"name": 1, "dog": {}, "dogs": [{}]})
        plan.dumps({"name": 1, "dog": {}, "dogs": [{}]})
    del Short, plan
    gc.collect()

    assert died() is None


@counts_references
def test_a_dump_leaves_no_reference_cycles():
    schema = Late()
    plan = fastschema.compile(schema)
    for _ in range(3):
        plan.dump([LATE_ROW] * 3, many=True)
        plan.dumps([LATE_ROW] * 3, many=True)
    gc.collect()
    gc.disable()
    try:
        plan.dump([LATE_ROW] * 3, many=True)
        plan.dumps([LATE_ROW] * 3, many=True)

        assert gc.collect() == 0
    finally:
        gc.enable()


@counts_references
def test_many_throw_away_schemas_leave_nothing_behind():
    died = []
    for number in range(3000):
        schema = Schema.from_dict({f"field_{number}": fields.String()})
        plan = fastschema.compile(schema)
        for _ in range(3):
            plan.dump({f"field_{number}": "a"})
        died.append(weakref.ref(schema))
    del schema, plan
    gc.collect()

    assert len(programs) <= CACHE_SIZE
    assert [ref for ref in died if ref() is not None] == []


def test_many_throw_away_schemas_that_read_alike_share_one_program():
    before = fastschema.stats().programs
    for _ in range(50):
        schema = Schema.from_dict({"shared by all of these": fields.String()})
        fastschema.compile(schema).dump({})

    assert fastschema.stats().programs <= before + 2  # for dumping, and for loading


@pytest.mark.parametrize("shared", [True, False])
def test_the_first_use_from_many_threads_at_once_gives_stocks_result(shared):
    class Contended(Late):
        first_used_by_threads = fields.String(dump_default=str(shared))

    schema = Contended()
    expected = Contended().dump([LATE_ROW, {}], many=True)

    def work(number):
        mine = schema if shared else Contended()
        return mine.dump([LATE_ROW, {}], many=True)

    with installed():
        assert at_once(work) == [expected] * 16


def test_a_dump_inside_a_dump_by_the_same_plan_is_its_own():
    class Row:
        def __init__(self, name):
            self.name = name

        @property
        def age(self):
            rows = [PEOPLE[0], Row("inner")] if self.name == "outer" else []
            return len(plan.dump(rows, many=True))

    plan = fastschema.compile(Person)

    assert plan.dump(Row("outer")) == {"name": "outer", "age": 2}


def test_an_error_does_not_spoil_the_next_dump():
    plan = fastschema.compile(Person)
    with contextlib.suppress(ValueError):
        plan.dump({"age": "no number"})

    assert plan.dump(PEOPLE[0]) == {"name": "Ada", "age": 36}


def test_an_error_is_raised_with_the_generated_line_in_its_traceback():
    class Row:
        @property
        def name(self):
            raise LookupError("in the property")

    with pytest.raises(LookupError) as caught:
        fastschema.compile(Person).dump(Row())

    assert "obj.name" in "".join(str(entry.statement) for entry in caught.traceback)


@pytest.mark.parametrize("times", [1, 2])
def test_a_stop_iteration_of_user_code_is_raised_as_it_is(times):
    class Row:
        @property
        def name(self):
            raise StopIteration("by the property")

    plan = fastschema.compile(Person)

    for dump in (plan.dump, plan.dumps):
        raised = outcome(lambda dump=dump: dump([Row()] * times, many=True)).error
        assert raised == (StopIteration, "by the property")


@pytest.mark.parametrize("name", ["_serialize", "_deserialize"])
def test_a_method_on_the_schema_itself_is_called_as_by_stock(name):
    def used():
        calls = []
        schema = Schema.from_dict({"a": fields.Integer()})()
        stock = getattr(Schema, name)

        def noted(*args, **options):
            calls.append(options.get("many"))
            return stock(schema, *args, **options)

        setattr(schema, name, noted)
        rows = [{"a": 1}, {"a": 2}]
        return schema.dump(rows, many=True), schema.load(rows, many=True), calls

    expected = used()
    with installed():
        assert used() == expected


WORDS = (
    *("written", "array", "quote", "each", "text", "size", "zone", "number", "serialize"),
    *("missing", "obj", "rows", "result", "results", "dumped", "known", "dispatch", "bind"),
    *("value", "key", "related", "error", "fields", "dumps", "json_value", "complete"),
)
"""What generated functions, templates and slots name."""


@pytest.mark.parametrize("word", WORDS)
def test_a_field_may_have_any_name(word):
    schema = Schema.from_dict(
        {
            word: fields.String(),
            "other": fields.String(data_key=f"the {word}'s"),
            "amount": fields.Decimal(places=2, as_string=True),
            "seen": fields.DateTime(),
            "dogs": fields.List(fields.Nested(Dog)),
            "words": fields.List(fields.String()),
            "counts": fields.Dict(fields.String(), fields.Integer()),
        }
    )
    row = {word: word, "other": "o", "amount": "1.5", "seen": dt.datetime(2026, 1, 2, 3, 4)}
    row |= {"dogs": [{"name": "a"}, None], "words": ["a", "b"], "counts": {"a": 1}}
    for each in (row, types.SimpleNamespace(**row)):
        assert_same(schema, each)
        assert_same(schema, [each] * 3, many=True)
