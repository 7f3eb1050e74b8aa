"""What is changed after the first dump or load is seen by the next one.

Changes of schema objects and their fields are lines of walk/happenings.py, and test_walk.py has
each of them happen. Here is the rest: plans, threads, and code in the midst of a dump.
"""

import contextlib
import decimal
import json
import threading
from decimal import Decimal
from functools import partial

import pytest
from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, fields, missing, post_dump, validate

import fastschema
from tests.promises.marshmallow.differential import USES, as_json, installed, outcome
from tests.promises.marshmallow.load_differential import Comparison
from tests.promises.marshmallow.load_schemas import DOG, LOG, OWNERS, Owner, noted
from tests.promises.marshmallow.load_schemas import Dog as LoadedDog

CALLS = []


class Dog(Schema):
    name = fields.String()


class Puppy(Dog):
    age = fields.Integer()


class Hooked(Dog):
    @post_dump
    def mark(self, data, **kwargs):
        CALLS.append("hook")
        return {**data, "hooked": True}


class Late(Schema):
    text = fields.String()
    number = fields.Integer()
    amount = fields.Decimal(2, as_string=True)
    dog = fields.Nested(Dog)
    dogs = fields.List(fields.Nested(Dog))


LATE_ROW = {"text": "a", "number": 1, "amount": 3}
LATE_ROW |= {"dog": {"name": "Rex", "age": 6}, "dogs": [{"name": "Rex", "age": 6}, {}]}
LATE_CHANGES = {
    "an option": lambda schema: setattr(schema.fields["text"], "data_key", "label"),
    "a method": lambda schema: setattr(
        schema.fields["text"], "_serialize", lambda value, *args, **kwargs: "own"
    ),
    "a field removed": lambda schema: schema.dump_fields.pop("text"),
    "all fields": lambda schema: setattr(schema, "dump_fields", {"number": fields.String()}),
    "a nested field": lambda schema: setattr(
        schema.fields["dog"].schema.fields["name"], "data_key", "called"
    ),
    "a nested class": lambda schema: setattr(schema.fields["dog"].schema, "__class__", Hooked),
    "get_attribute": lambda schema: setattr(
        schema, "get_attribute", lambda obj, attr, default: default
    ),
}


@pytest.mark.parametrize("name", LATE_CHANGES)
def test_a_plan_keeps_giving_what_it_gave(name):
    schema = Late()
    plan = fastschema.compile(schema)
    before = [outcome(lambda row=row: plan.dump(row), CALLS) for row in (LATE_ROW, {})]

    LATE_CHANGES[name](schema)

    assert [outcome(lambda row=row: plan.dump(row), CALLS) for row in (LATE_ROW, {})] == before


class Twins:
    """A schema that stock dumps, and one like it that fastschema dumps, installed all the time."""

    def __init__(self):
        self.stock, self.fast = Late(), Late()

    def check(self, *rows):
        """Dump rows one by one, and all of them at once, as often as it takes to be kept."""
        self.plan = fastschema.compile(self.fast)
        for _ in range(USES):
            for row in rows:
                self._check(row)
            self._check([*rows], many=True)

    def _check(self, obj, many=None):
        stock_dumps, dumps = as_json(self.stock.dump, json.dumps), as_json(self.plan.dumps)
        with fastschema.disabled():
            expected = outcome(lambda: self.stock.dump(obj, many=many), CALLS)
            encoded = outcome(lambda: stock_dumps(obj, many), CALLS)
        assert outcome(lambda: self.fast.dump(obj, many=many), CALLS) == expected
        assert outcome(lambda: dumps(obj, many), CALLS) == encoded


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("name", LATE_CHANGES)
def test_a_change_of_a_schema_is_seen_by_it_and_by_the_next_plan(name):
    twins = Twins()
    twins.check(LATE_ROW, {})
    for schema in (twins.stock, twins.fast):
        LATE_CHANGES[name](schema)
    twins.check(LATE_ROW, {})


PATCHED = {
    "own dump": (Late, "dump"),
    "nested dump": (Dog, "dump"),
    "nested get_attribute": (Dog, "get_attribute"),
}


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("name", PATCHED)
def test_a_patched_method_of_a_class_is_called_for_a_kept_schema(name, monkeypatch):
    owner, method = PATCHED[name]
    twins = Twins()
    twins.check(LATE_ROW, {})
    original = getattr(owner, method)

    def patched(*args, **kwargs):
        CALLS.append(method)
        return original(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(owner, method, patched)
        twins.check(LATE_ROW, {})
        assert method in CALLS
    twins.check(LATE_ROW, {})


class Pet:
    def __init__(self, **attributes):
        vars(self).update(attributes)


PET = Pet(**{**LATE_ROW, "dog": Pet(name="Rex"), "dogs": [Pet(name="Rex"), Pet()]})
PET_CHANGES = {
    "__getattr__": lambda self, name: f"attribute {name}",
    "number": property(lambda self: 5, lambda self, value: None),
}


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("name", PET_CHANGES)
def test_a_change_of_the_class_of_the_objects_is_seen(name, monkeypatch):
    twins = Twins()
    twins.check(PET)
    with monkeypatch.context() as patch:
        patch.setattr(Pet, name, PET_CHANGES[name], raising=False)
        twins.check(PET)
    twins.check(PET)


AMOUNT = {"amount": Decimal("1234.56")}
NARROW = decimal.Context(prec=3, traps=[decimal.InvalidOperation])


@pytest.mark.usefixtures("_installed")
def test_the_decimal_context_of_a_dump_is_not_that_of_another_thread():
    inner = Schema.from_dict({"amount": fields.Decimal(2, as_string=True)})
    schema = Schema.from_dict({"first": fields.Raw(), "amounts": fields.Nested(inner)})()
    has_begun, may_go_on = threading.Event(), threading.Event()

    class Slow:
        amounts = AMOUNT

        @property
        def first(self):
            has_begun.set()
            may_go_on.wait()

    def dump_narrow():
        with decimal.localcontext(NARROW), contextlib.suppress(decimal.InvalidOperation):
            outcomes.append(schema.dump(Slow()))

    for _ in range(USES):
        schema.dump({"first": 1, "amounts": None})
    outcomes = []
    thread = threading.Thread(target=dump_narrow)
    thread.start()
    has_begun.wait()
    assert schema.dump({"amounts": AMOUNT}) == {"amounts": {"amount": "1234.56"}}
    may_go_on.set()
    thread.join()
    assert outcomes == []


def test_what_is_changed_between_uninstalling_and_installing_is_seen():
    schema = Late(only=("text",))
    with installed():
        for _ in range(USES):
            schema.dump(LATE_ROW)
    schema.fields["text"].data_key = "label"
    with installed():
        assert schema.dump(LATE_ROW) == {"label": "a"}


class Switch:
    """An object of which one attribute changes how the next is dumped."""

    def __init__(self, change):
        self.change = change
        self.dog = {"name": "Rex", "age": 1}

    @property
    def text(self):
        self.change()
        return "a"


@pytest.mark.usefixtures("_installed")
def test_code_in_the_midst_of_a_dump_may_change_a_nested_schema():
    twins = Twins()
    twins.check(LATE_ROW)
    with fastschema.disabled():
        expected = switched(twins.stock)
    assert switched(twins.fast) == expected


def switched(schema):
    """What becomes of dumps by each of which something about a nested schema is changed."""
    field = schema.fields["dog"]
    changes = [
        lambda: setattr(field, "_schema", Puppy()),
        lambda: setattr(field.schema.fields["age"], "data_key", "years"),
        lambda: field.schema.dump_fields.pop("name"),
        lambda: setattr(field, "_schema", Hooked()),
        lambda: setattr(field.schema, "many", True),
    ]
    return [outcome(partial(schema.dump, Switch(change)), CALLS) for change in changes]


# Loads


def check_kept(comparison, rows, **arguments):
    """Load rows one by one, and all of them at once, as often as it takes to be kept."""
    for _ in range(USES):
        for row in rows:
            comparison.check_installed(row, **arguments)
        comparison.check_installed(rows, many=True, **arguments)


@pytest.mark.usefixtures("_installed")
def test_options_of_a_load_are_those_of_this_load():
    comparison = Comparison(Owner, LOG)
    for _ in range(3):
        for options in (
            {},
            {"partial": True},
            {"partial": False},
            {"partial": ("name",)},
            {"partial": ("Dog.name",)},
            {"unknown": INCLUDE},
            {"unknown": EXCLUDE, "partial": True},
            {"unknown": "".join(["inc", "lude"])},
        ):
            check_kept(comparison, OWNERS, **options)


CLASS_CHANGES = {
    "Schema.load": (LoadedDog, "load", lambda self, data, **kwargs: ("load", data, kwargs)),
    "Schema._do_load": (LoadedDog, "_do_load", lambda self, data, **kwargs: ("do", sorted(kwargs))),
    "Schema.handle_error": (
        LoadedDog,
        "handle_error",
        lambda self, error, data, **kwargs: noted("handled", error.messages, data, kwargs),
    ),
    "own _call_and_store": (Owner, "_call_and_store", staticmethod(lambda *_, **__: "s")),
    "own load": (Owner, "load", lambda self, data, **kwargs: ("load", data, kwargs)),
}


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("change", CLASS_CHANGES)
def test_what_is_changed_on_a_class_is_seen_for_a_kept_schema(change, monkeypatch):
    comparison = Comparison(Owner, LOG)
    check_kept(comparison, OWNERS)
    with monkeypatch.context() as patch:
        patch.setattr(*CLASS_CHANGES[change])
        check_kept(comparison, OWNERS)
    check_kept(comparison, OWNERS)


def test_schemas_that_differ_in_one_setting_do_not_mix():
    """All are made and compiled before any is used, then used in turns."""
    options = [
        {},
        {"required": True},
        {"allow_none": True},
        {"load_default": 5},
        {"load_default": None},
        {"data_key": "B"},
        {"attribute": "c"},
        {"error_messages": {"invalid": "one", "null": "none"}},
        {"error_messages": {"invalid": "two", "null": "none"}},
        *[{"validate": validate.Range(bound)} for bound in (1, 2, 1.5)],
        *[{"validate": validate.Range(max=bound, error=str(bound))} for bound in (1, 2)],
        *[{"validate": validate.OneOf(choices)} for choices in ([1], [2], {1}, {1: 1}, ["1"])],
        *[{"validate": function} for function in (lambda value: noted(1), lambda value: noted(2))],
    ]
    makes = [
        fields.Integer,
        lambda **given: fields.Integer(strict=True, **given),
        fields.Float,
        fields.String,
        fields.Boolean,
        lambda **given: fields.Boolean(truthy={2}, **given),
        lambda **given: fields.Decimal(1, **given),
        lambda **given: fields.Decimal(2, **given),
        lambda **given: fields.List(fields.Integer(), **given),
        lambda **given: fields.List(fields.Integer(strict=True), **given),
        lambda **given: fields.Nested({"a": fields.Integer()}, **given),
        lambda **given: fields.Nested({"a": fields.Integer()}, unknown=EXCLUDE, **given),
        lambda **given: fields.Nested({"a": fields.String()}, many=True, **given),
    ]
    comparisons = []
    for make in makes:
        for given in options:
            schema = Schema.from_dict({"a": fields.Raw(), "b": make(**given)})
            comparisons.append(Comparison(schema, LOG))
    for value in (1, "1", "2.25", None, [1], ["1"], {"a": 1, "b": 2}, [{"a": "x"}], missing):
        for comparison in comparisons:
            comparison.check_plan({"b": value})
            comparison.check_plan({"B": value})


class Animal(Schema):
    """Which sort of animal it is says which schema it is loaded by."""

    kind = fields.Method(deserialize="set_kind")
    data = fields.Nested(LoadedDog)

    def set_kind(self, value):
        field = self.fields["data"]
        if value == "owner" and not isinstance(field.schema, Owner):
            field._schema = Owner()
        elif value == "dog" and not isinstance(field.schema, LoadedDog):
            field._schema = LoadedDog()
        elif value in (EXCLUDE, RAISE):
            field.schema.unknown = value
        return value


@pytest.mark.usefixtures("_installed")
def test_code_in_the_midst_of_a_load_may_change_what_comes_next():
    comparison = Comparison(Animal, LOG)
    rows = [{"kind": kind, "data": {**DOG, "other": 1}} for kind in ("dog", EXCLUDE, RAISE)]
    rows += [{"kind": "owner", "data": {"dog": DOG}}, {"kind": "dog", "data": DOG}]
    for _ in range(3):
        for row in rows:
            check_kept(comparison, [row])
        for row in rows:
            comparison.check_installed(row)
