"""What is changed after the first dump is seen by the next one."""

import contextlib
import decimal
import json
import threading
from decimal import Decimal
from functools import partial

import pytest
from marshmallow import Schema, fields

import fastschema
from tests.promises.marshmallow.differential import (
    USES,
    as_json,
    installed,
    outcome,
)
from tests.promises.marshmallow.late_changes import (
    LATE_CHANGES,
    LATE_ROW,
    Calls,
    Dog,
    Hooked,
    Late,
    Puppy,
)


@pytest.mark.parametrize("name", LATE_CHANGES)
def test_a_plan_keeps_giving_what_it_gave(name):
    schema = Late()
    plan = fastschema.compile(schema)
    before = [outcome(lambda row=row: plan.dump(row), Calls.log) for row in (LATE_ROW, {})]

    LATE_CHANGES[name](schema)

    assert [outcome(lambda row=row: plan.dump(row), Calls.log) for row in (LATE_ROW, {})] == before


class Twins:
    """A schema that stock dumps, and one like it that fastschema dumps, installed all the time."""

    def __init__(self, make_schema=Late):
        self.stock, self.fast = make_schema(), make_schema()

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
            expected = outcome(lambda: self.stock.dump(obj, many=many), Calls.log)
            encoded = outcome(lambda: stock_dumps(obj, many), Calls.log)
        assert outcome(lambda: self.fast.dump(obj, many=many), Calls.log) == expected
        assert outcome(lambda: dumps(obj, many), Calls.log) == encoded


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("name", LATE_CHANGES)
@pytest.mark.parametrize("is_looked_at", [False, True])
def test_a_change_of_a_schema_that_is_kept_is_seen(name, is_looked_at):
    twins = Twins()
    if is_looked_at:
        assert twins.stock.fields
        assert twins.fast.fields
    twins.check(LATE_ROW, {})
    for schema in (twins.stock, twins.fast):
        LATE_CHANGES[name](schema)
    twins.check(LATE_ROW, {})


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("name", LATE_CHANGES)
def test_a_change_of_a_schema_in_a_kept_one_is_seen(name):
    twins = Twins(lambda: Schema.from_dict({"late": fields.Nested(Late)})())
    for schema in (twins.stock, twins.fast):
        assert schema.fields["late"].schema.fields
    twins.check({"late": LATE_ROW}, {"late": {}})
    for schema in (twins.stock, twins.fast):
        LATE_CHANGES[name](schema.fields["late"].schema)
    twins.check({"late": LATE_ROW}, {"late": {}})


CLASS_CHANGES = {
    "Schema.dump": (Schema, "dump"),
    "Schema._serialize": (Schema, "_serialize"),
    "own dump": (Late, "dump"),
    "nested dump": (Dog, "dump"),
    "nested get_attribute": (Dog, "get_attribute"),
}


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("name", CLASS_CHANGES)
def test_a_patched_method_of_a_class_is_called_for_a_kept_schema(name, monkeypatch):
    owner, method = CLASS_CHANGES[name]
    twins = Twins()
    twins.check(LATE_ROW, {})
    original = getattr(owner, method)

    def patched(*args, **kwargs):
        Calls.log.append(method)
        return original(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(owner, method, patched)
        twins.check(LATE_ROW, {})
        assert method in Calls.log
    twins.check(LATE_ROW, {})


class Pet:
    def __init__(self, **attributes):
        vars(self).update(attributes)


PET = Pet(**{**LATE_ROW, "dog": Pet(name="Rex"), "dogs": [Pet(name="Rex")], "pack": [Pet()]})
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
    return [outcome(partial(schema.dump, Switch(change)), Calls.log) for change in changes]
