"""What stock does around the fields: hooks, nested schemas, collections, memory."""

import collections
import datetime as dt
import gc
import itertools
import types
import uuid
import weakref

import pytest
from marshmallow import Schema, fields, missing, post_dump, post_load, pre_dump

import fastschema
from tests.at_once import at_once
from tests.marks import counts_references
from tests.promises.marshmallow.differential import (
    MARSHMALLOW_3,
    USES,
    assert_same,
    installed,
    is_compiled,
)
from tests.promises.marshmallow.nested_fields import NESTED

CALLS = []
"""The calls of user code, which every test reads anew."""


class LoggedDict(dict):
    def __setitem__(self, key, value):
        if not isinstance(value, fields.Field):  # marshmallow keeps its fields in one, too
            CALLS.append(("set", key))
        super().__setitem__(key, value)


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
    rows = PEOPLE if many is None or many else []
    assert_same(lambda: Person(many=True), rows, many=many)


class OnlyNext:
    """An iterator that cannot be asked for an iterator."""

    def __init__(self):
        self.rows = iter(PEOPLE)

    def __next__(self):
        return next(self.rows)


class Iterated:
    def __iter__(self):
        CALLS.append("iter")
        return OnlyNext()


class LoggedIterator(OnlyNext):
    def __iter__(self):
        CALLS.append("iter")
        return self

    def __next__(self):
        CALLS.append("next")
        return super().__next__()


class BySequenceProtocol:
    def __getitem__(self, index):
        CALLS.append(index)
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
    "tuple": lambda: tuple(PEOPLE),
    "dict": lambda: {"a": 1},
    "generator": lambda: (row for row in PEOPLE),
    "generator that reuses one dict": reusing_one_dict,
    "generator that raises": failing_rows,
    "iterator without __iter__": Iterated,
    "iterator that logs": LoggedIterator,
    "sequence protocol": BySequenceProtocol,
    "None": lambda: None,
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_collection_of_any_make_is_dumped_as_by_stock(name):
    assert_same(Person, COLLECTIONS[name], many=True, calls=CALLS)

    class Club(Schema):
        many = fields.Nested(Person, many=True)
        listed = fields.List(fields.Nested(Person))

    for key in ("many", "listed"):
        assert_same(Club, lambda key=key: {key: COLLECTIONS[name]()}, calls=CALLS)


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


# Nested schemas

CHILD = {"name": 1, "secret": 2, "toys": [{"name": 3}], "pet": {"name": 4}}

NESTED_VALUES = [
    None,
    CHILD,
    [CHILD, {}],
    [None, CHILD],
    {},
    (CHILD, "b"),
    "text",
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
        CALLS.append(("before", data, kwargs))
        return {"name": f"{data['name']} before"}

    @pre_dump(**{"pass_many" if MARSHMALLOW_3 else "pass_collection": True})
    def before_all(self, data, **kwargs):
        CALLS.append(("before all", data, kwargs))
        return data

    @post_dump
    def after(self, data, **kwargs):
        CALLS.append(("after", data, kwargs))
        return {**data, "after": kwargs}

    @post_dump(pass_original=True)
    def after_with_original(self, data, original, **kwargs):
        CALLS.append(("after with original", data, original, kwargs))
        return data

    @post_dump(**{"pass_many" if MARSHMALLOW_3 else "pass_collection": True}, pass_original=True)
    def after_all(self, data, original, **kwargs):
        CALLS.append(("after all", data, original, kwargs))
        return {"data": data, **kwargs}


NAMED = [{"name": "a"}, {"name": 2}]


@pytest.mark.parametrize("many", [None, False, True])
def test_hooks_are_called_as_by_stock(many):
    assert_same(Hooked, NAMED if many else NAMED[0], many=many, calls=CALLS)
    assert_same(lambda: Hooked(many=True), NAMED, calls=CALLS)


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
        assert_same(schema, {"inner": value, "name": 1}, calls=CALLS)


@pytest.mark.parametrize("moment", [pre_dump, post_dump])
@pytest.mark.parametrize("many", [False, True])
def test_an_error_of_a_hook_is_raised(moment, many):
    class Raising(Schema):
        name = fields.String()

        @moment
        def refuse(self, data, **kwargs):
            CALLS.append(data)
            raise LookupError("refused")

    assert_same(Raising, NAMED if many else NAMED[0], many=many, calls=CALLS)


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
        CALLS.append(("dump", many))
        return {"envelope": super().dump(obj, many=many)}


class NothingDumped(Person):
    def dump(self, obj, *, many=None):
        return missing


class OwnSerialize(Person):
    def _serialize(self, obj, *, many=False):
        CALLS.append(("_serialize", many))
        return super()._serialize(obj, many=many)


class OwnProcessors(Person):
    @post_dump
    def after(self, data, **kwargs):
        return data

    def _invoke_dump_processors(self, *args, **kwargs):
        CALLS.append((args[0], kwargs))
        return super()._invoke_dump_processors(*args, **kwargs)


@pytest.mark.parametrize("schema", [Enveloped, OwnSerialize, OwnProcessors, NothingDumped])
def test_an_override_on_a_schema_class_is_called_as_by_stock(schema):
    for many in (None, False, True):
        assert_same(schema, PEOPLE if many else PEOPLE[0], many=many, calls=CALLS)

    class Outer(Schema):
        one = fields.Nested(schema)
        several = fields.Nested(schema, many=True)
        listed = fields.List(fields.Nested(schema))
        last = fields.String()

    whole = {"one": PEOPLE[0], "several": PEOPLE, "listed": PEOPLE, "last": 1}
    for key in whole:
        assert_same(Outer, {key: whole[key]}, calls=CALLS)
    assert_same(Outer, [whole, {}, {"one": None}], many=True, calls=CALLS)


class Ordered(Person):
    dict_class = collections.OrderedDict


class Logged(Person):
    dict_class = LoggedDict
    dogs = fields.Nested(Dog, many=True)

    def get_attribute(self, obj, attr, default):
        CALLS.append(("get", attr))
        return super().get_attribute(obj, attr, default)


@pytest.mark.parametrize("schema", [Ordered, Logged])
def test_the_dict_class_is_used_as_by_stock(schema):
    class Outer(Schema):
        one = fields.Nested(schema)
        several = fields.Nested(schema, many=True)

    assert_same(schema, PEOPLE[0], calls=CALLS)
    assert_same(schema, PEOPLE, many=True, calls=CALLS)
    assert_same(Outer, {"one": {"dogs": [{}, {"name": 1}]}, "several": PEOPLE}, calls=CALLS)


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


# Method and Function fields, context


class Computed(Schema):
    by_method = fields.Method("compute")
    by_function = fields.Function(lambda obj: CALLS.append(("function", obj)) or 2)
    load_only = fields.Function(deserialize=int)
    constant = fields.Constant(7)
    nothing = fields.Method("skip")

    renamed = fields.Method("compute", data_key="Renamed")

    def compute(self, obj):
        CALLS.append(("method", obj))
        return type(self).__name__

    def skip(self, obj):
        return missing


def test_method_and_function_fields_are_called_as_by_stock():
    assert_same(Computed, [1, None, {"by_method": 3}], many=True, calls=CALLS)


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


# Copies, memory, threads


def used(schema, obj, method="dump"):
    """A schema that was used some times."""
    for _ in range(USES):
        getattr(schema, method)(obj)
    return schema


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


OFTEN_USED = {
    "nested": (
        Schema.from_dict({"dog": fields.Nested(Dog), "amount": fields.Decimal(2)}),
        {"dog": {"name": "a"}, "amount": 1},
    ),
    "hooks in a nested schema": (
        Schema.from_dict({"dog": fields.Nested(Hooking), "amount": fields.Decimal(2)}),
        {"dog": {"name": "a"}, "amount": 1},
    ),
}


@pytest.mark.at_once
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

    assert [ref for ref in died if ref() is not None] == []


@pytest.mark.parametrize("shared", [True, False])
def test_the_first_use_from_many_threads_at_once_gives_stocks_result(shared):
    class Contended(Person):
        first_used_by_threads = fields.String(dump_default=str(shared))
        dog = fields.Nested(Dog)
        day = fields.Date()

    rows = [{"name": "Ada", "dog": {"name": "Rex"}, "day": MOMENTS[0]}, {}]
    schema = Contended()
    expected = Contended().dump(rows, many=True)

    def work(number):
        mine = schema if shared else Contended()
        return mine.dump(rows, many=True)

    with installed():
        assert at_once(work) == [expected] * 16


def test_an_error_is_raised_with_the_generated_line_in_its_traceback():
    class Row:
        @property
        def name(self):
            raise LookupError("in the property")

    with pytest.raises(LookupError) as caught:
        fastschema.compile(Person).dump(Row())

    assert "obj.name" in "".join(str(entry.statement) for entry in caught.traceback)


WORDS = (
    *("written", "quote", "each", "text", "serialize", "missing", "obj", "rows", "result"),
    *("known", "dispatch", "bind", "value", "key", "error", "fields", "dumps", "json_value"),
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
