"""Plans of marshmallow schemas: JSON, streams, reports and sources."""

import json
import uuid
from datetime import UTC, datetime

import pytest
from marshmallow import Schema, fields, post_dump, post_load, pre_dump, validates_schema

import fastschema


class Dog(Schema):
    name = fields.String()
    tag = fields.UUID()
    born = fields.DateTime()


class Odd(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return value


class Home(Schema):
    dogs = fields.List(fields.Nested(Dog))
    owner = fields.String(data_key="Owner", attribute="person.name")
    odd = Odd()


class Hooked(Dog):
    @post_dump
    def hook(self, data, **kwargs):
        return data


class OwnDump(Dog):
    def dump(self, obj, *, many=None):
        return super().dump(obj, many=many)


DOG = {"name": "Rex", "tag": uuid.UUID(int=1), "born": datetime(2024, 1, 2, tzinfo=UTC)}


@pytest.mark.parametrize("schema", [Dog, Hooked, OwnDump])
@pytest.mark.parametrize("many", [None, False, True])
def test_dumps_holds_what_stocks_dumps_holds(schema, many):
    rows = [DOG, {}] if many else DOG

    dumped = fastschema.compile(schema).dumps(rows, many=many)

    assert json.loads(dumped) == json.loads(schema().dumps(rows, many=many))


@pytest.mark.parametrize("schema", [Dog, Hooked, OwnDump])
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 5, 6, 7, 1000])
def test_a_stream_holds_what_stocks_dumps_holds(schema, chunk_size):
    rows = [DOG, {}, {"name": None}] * 2

    chunks = fastschema.compile(schema).stream(iter(rows), chunk_size)

    assert json.loads(b"".join(chunks)) == json.loads(schema().dumps(rows, many=True))


def test_a_report_names_every_field_in_output_order():
    report = fastschema.compile(Home).explain()

    assert report.schema == "Home"
    assert [(field.key, field.source, field.compiled) for field in report] == [
        ("dogs", "dogs", True),
        ("dogs.name", "name", True),
        ("dogs.tag", "tag", True),
        ("dogs.born", "born", True),
        ("Owner", "person.name", True),
        ("odd", "odd", False),
    ]
    assert report.compiled == 5


@pytest.mark.parametrize("name", ["dump", "load"])
def test_an_override_that_calls_super_is_compiled_inside(name):
    class Calling(Dog):
        def dump(self, *args, **kwargs):
            return super().dump(*args, **kwargs)

        def load(self, *args, **kwargs):
            return super().load(*args, **kwargs)

    whole = fastschema.compile(Calling).explain()
    report = whole if name == "dump" else whole.loading

    assert (report.why, report.override, report.compiled) == ("", name, 3)
    assert f"3 of 3 fields compiled, inside your {name}\n" in str(whole)
    assert report.notes == [
        f"It calls super().{name}(), which is compiled where fastschema is installed."
    ]


def test_a_report_tells_of_hooks():
    class Hooked(Schema):
        name = fields.String()

        @pre_dump
        def trim(self, obj, **kwargs):
            return obj

        @post_dump
        def wrap(self, data, **kwargs):
            return data

        @validates_schema
        def check(self, data, **kwargs):
            pass

        @post_load
        def make(self, data, **kwargs):
            return data

    report = fastschema.compile(Hooked).explain()

    assert report.notes == ["Hooks, called as by stock: pre_dump trim, post_dump wrap."]
    assert report.loading.notes == [
        "Hooks, called as by stock: validates_schema check, post_load make."
    ]


def test_a_report_follows_a_nested_schema_that_calls_super():
    class Outer(Schema):
        inner = fields.Nested(OwnDump)

    report, *inside = fastschema.compile(Outer).explain()

    assert (report.compiled, report.custom) == (True, True)
    assert [field.key for field in inside] == ["inner.name", "inner.tag", "inner.born"]


def test_the_source_of_a_schema_that_runs_as_stock_is_a_comment():
    source = fastschema.compile(OwnDump).source()

    assert source.startswith("# ")
    compile(source, "source", "exec")


def test_an_unknown_form_of_source_is_refused():
    with pytest.raises(ValueError, match="sideways"):
        fastschema.compile(Dog).source("sideways")


def test_a_report_says_that_a_nested_schema_cannot_be_found():
    report = fastschema.compile(Schema.from_dict({"a": fields.Nested("NoSuchSchema")})).explain()

    assert report.fields[0].why.startswith("its schema cannot be found: ")


def test_a_plan_says_what_it_is_of():
    assert repr(fastschema.compile(Dog)) == "<Plan of Dog>"


def test_the_source_that_loads_is_python():
    source = fastschema.compile(Home).load_source()

    assert "def load_Home(" in source
    compile(source, "source", "exec")


def test_schemas_that_nest_each_other_are_told_of_in_time():
    """There are more ways from one to the next than a reader reads."""
    classes = {}
    for number in range(9):
        nested = {
            f"to_{other}": fields.Nested(lambda other=other: classes[other]())
            for other in range(9)
            if other != number
        }
        classes[number] = type(f"S{number}", (Schema,), {"id": fields.Integer(), **nested})
    report = fastschema.compile(classes[0]).explain()
    assert len(report.fields) < 20_000
