"""Nested schemas inside of users' own fields are compiled, and their methods do not notice."""

import contextlib
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, post_dump, post_load
from marshmallow import validate as checks

import fastschema
from fastschema.marshmallow import inside
from tests.marshmallow import load_differential
from tests.marshmallow.differential import assert_same, installed

calls = []


class ItemSchema(Schema):
    name = fields.String(required=True)
    number = fields.Integer()


class Hooked(ItemSchema):
    @post_dump
    def after(self, data, **kwargs):
        calls.append(("post_dump", dict(data), kwargs))
        return {**data, "dumped": True}

    @post_load
    def make(self, data, **kwargs):
        calls.append(("post_load", dict(data), kwargs))
        if data.get("number") == 7:
            raise ValidationError("refused", "number")
        return ("made", data["name"])


class Table(fields.Field):
    """A dictionary whose values another field dumps and loads."""

    def __init__(self, inner, *, passes=True, **kwargs):
        super().__init__(**kwargs)
        self.inner = inner
        self.passes = passes

    def _serialize(self, value, attr, obj, **kwargs):
        calls.append(("dump", attr, value))
        if value is None:
            return None
        return {key: self.dump_one(each, attr, obj, **kwargs) for key, each in value.items()}

    def dump_one(self, value, attr, obj, **kwargs):
        return self.inner._serialize(value, attr, obj, **kwargs)

    def _deserialize(self, value, attr, data, **kwargs):
        calls.append(("load", attr, value, kwargs))
        if not isinstance(value, dict):
            raise ValidationError("Not a table.")
        loaded, errors = {}, {}
        for key, each in value.items():
            try:
                loaded[key] = self.load_one(each, **(kwargs if self.passes else {}))
            except ValidationError as error:
                errors[key] = error.messages
                if error.valid_data is not None:
                    loaded[key] = error.valid_data
        if errors:
            raise ValidationError(errors, valid_data=loaded)
        return loaded

    def load_one(self, value, **kwargs):
        return self.inner.deserialize(value, **kwargs)


class Choosing(Table):
    """Which of its fields dumps and loads a value is up to the value."""

    def __init__(self, *choices, **kwargs):
        super().__init__(None, **kwargs)
        self.choices = choices

    def dump_one(self, value, attr, obj, **kwargs):
        field = self.choices[isinstance(value, list)]
        return field._serialize(value, attr, obj, **kwargs)

    def load_one(self, value, **kwargs):
        return self.choices[isinstance(value, list)].deserialize(value, **kwargs)


class ChangingInside(Table):
    """It changes something behind its field from value to value."""

    def __init__(self, inner, change, **kwargs):
        super().__init__(inner, **kwargs)
        self.change = change

    def dump_one(self, value, attr, obj, **kwargs):
        self.change(self.inner, "number" if "more" in str(value) else "name")
        return super().dump_one(value, attr, obj, **kwargs)

    def load_one(self, value, **kwargs):
        self.change(self.inner, EXCLUDE if "more" in str(value) else RAISE)
        return super().load_one(value, **kwargs)


class Incomparable:
    def __eq__(self, other):
        raise AssertionError("nobody compares it")

    __hash__ = None


def change_options(field, how):
    field.schema.unknown = how


def change_fields(field, how):
    field.schema.fields["name"].data_key = how
    field.schema.fields["name"].allow_none = how == EXCLUDE


def keep_something(field, how):
    field.kept = Incomparable()


TABLES = {
    "nested": lambda: Table(fields.Nested(ItemSchema)),
    "nested, with hooks": lambda: Table(fields.Nested(Hooked)),
    "validated": lambda: Table(fields.Nested(ItemSchema, validate=checks.Length(min=2))),
    "list": lambda: Table(fields.List(fields.Nested(Hooked), validate=checks.Length(max=2))),
    "choosing": lambda: Choosing(
        fields.Nested(ItemSchema), fields.List(fields.Nested(Hooked)), validate=bool
    ),
    "changing options of the schema": lambda: ChangingInside(
        fields.Nested(ItemSchema), change_options
    ),
    "changing fields of the schema": lambda: ChangingInside(
        fields.Nested(ItemSchema), change_fields
    ),
    "keeping what cannot be compared": lambda: ChangingInside(
        fields.Nested(ItemSchema), keep_something
    ),
    "passing nothing on": lambda: Table(fields.Nested(ItemSchema), passes=False),
    "table of tables": lambda: Table(Table(fields.Nested(ItemSchema))),
}
ITEM = {"name": "a", "number": 1}
VALUES = [
    *(ITEM, [ITEM, {"name": "b"}], [[ITEM], []], None, {"name": "other", "more": 1}),
    *(
        {"number": "x"},
        [{"number": 7, "name": "a"}, ITEM],
        [[{}], 5],
        5,
        {"number": 7, "name": "a"},
    ),
    *([ITEM] * 3, [], {}, {"a": ITEM, "b": {"number": "x"}}, [{"name": "a", "more": 1}]),
]


def schema_of(name):
    return type("Outer", (Schema,), {"table": TABLES[name](), "after": fields.String()})


@pytest.mark.parametrize("name", TABLES)
def test_what_is_loaded_inside_of_a_users_field_is_loaded_as_by_stock(name):
    comparison = load_differential.Comparison(schema_of(name), calls)
    for value in VALUES:
        comparison.check({"table": {"one": value, "two": ITEM, "three": value}, "after": "x"})
        comparison.check({"table": {"one": ITEM, "two": [ITEM], "three": value}})
    comparison.check([{"table": {"a": ITEM}}, {"table": 5}, {"table": {"a": [ITEM]}}], many=True)
    for partial in (True, ("table",), ("table.name", "name")):
        comparison.check({"table": {"one": ITEM, "two": {}, "three": [{}]}}, partial=partial)


@pytest.mark.parametrize("name", TABLES)
def test_what_is_dumped_inside_of_a_users_field_is_dumped_as_by_stock(name):
    for value in VALUES:
        assert_same(schema_of(name), {"table": {"one": value, "two": ITEM}}, calls=calls)
        assert_same(schema_of(name), {"table": {"one": ITEM, "two": value}}, calls=calls)
    assert_same(schema_of(name), {"table": None}, calls=calls)
    assert_same(schema_of(name), {}, calls=calls)


@pytest.fixture
def answered(monkeypatch):
    """The values that generated code has answered for."""
    found = []
    make = inside.Answer.__init__

    def noting(self, field, function, *arguments):
        make(self, field, lambda value: found.append(value) or function(value), *arguments)

    monkeypatch.setattr(inside.Answer, "__init__", noting)
    return found


@pytest.mark.parametrize("name", ["nested", "list", "validated", "choosing", "table of tables"])
def test_generated_code_answers_for_the_fields_inside(name, answered):
    row = {"one": [ITEM]} if name == "list" else {"one": ITEM}
    row = {"outer": row} if name == "table of tables" else row
    schema = schema_of(name)()
    with installed():
        schema.dump([{"table": row}] * 3, many=True)
        assert answered == [[ITEM] if name == "list" else ITEM] * 3
        answered.clear()
        data = {"one": [ITEM, ITEM]} if name == "validated" else row
        with contextlib.suppress(ValidationError):
            schema.load([{"table": data}] * 3, many=True)

    assert len(answered) == 3


def test_a_field_inside_may_be_used_by_many_threads_at_a_time():
    schema = schema_of("list")()
    rows = [{"table": {str(number): [ITEM] * 2}} for number in range(50)]
    wrong = [{"table": {"a": [{"number": "x"}]}}] * 30
    expected, errors = schema.load(rows, many=True), []
    failed = []

    def load():
        for _ in range(5):
            if schema.load(rows, many=True) != expected:
                failed.append("another result")
            try:
                schema.load(wrong, many=True)
            except ValidationError as error:
                errors.append(error.messages)

    with installed():
        threads = [threading.Thread(target=load) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert not failed
    assert all(each == errors[0] for each in errors)


class Gate(fields.Integer):
    """A field that waits for other threads, once."""

    barrier = threading.Barrier(2)

    def _deserialize(self, value, attr, data, **kwargs):
        if value == "wait":
            self.barrier.wait(timeout=20)
            value = 1
        return super()._deserialize(value, attr, data, **kwargs)


class Gated(Schema):
    first = Gate()
    second = Gate()


class InThreads(Table):
    """It loads its values in threads, which have its context."""

    def _deserialize(self, value, attr, data, **kwargs):
        with ThreadPoolExecutor(2) as pool:
            loads = [
                pool.submit(contextvars.copy_context().run, self.outcome, each) for each in value
            ]
            return [each.result() for each in loads]

    def outcome(self, value):
        try:
            return self.inner.deserialize(value)
        except ValidationError as error:
            return error.messages


def test_a_method_may_load_in_other_threads_with_its_context():
    waiting = [{"first": "wait"}, {"first": "x", "second": "wait"}]
    data = [*[{"table": [{"first": 1}]}] * 3, {"table": waiting}]
    schemas = [
        type("Outer", (Schema,), {"table": InThreads(fields.Nested(Gated))})() for _ in range(2)
    ]
    expected = schemas[0].load(data, many=True)
    with installed():
        assert schemas[1].load(data, many=True) == expected


def test_a_change_of_a_field_inside_is_seen():
    inner = fields.Nested(ItemSchema)
    schema = type("Outer", (Schema,), {"table": Table(inner)})()
    row = {"table": {"a": {**ITEM, "more": 1}}}
    with installed():
        for _ in range(3):
            with pytest.raises(ValidationError):
                schema.load(row)
        inner.unknown = EXCLUDE

        assert schema.load(row) == {"table": {"a": ITEM}}


def test_fields_deep_inside_of_others_are_read_in_no_time():
    field = Table(fields.Nested(ItemSchema))
    for _ in range(40):
        field = fields.Dict(values=fields.List(field))

    report = fastschema.compile(Schema.from_dict({"deep": field})).explain()

    assert len(report.fields) == len(report.loading.fields) == 1


def test_uninstalling_gives_marshmallow_its_methods_back():
    before = [fields.Nested._serialize, fields.List._deserialize]
    fastschema.install()
    fastschema.uninstall()

    assert [fields.Nested._serialize, fields.List._deserialize] == before
