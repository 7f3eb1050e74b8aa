"""Generated code that runs on its own."""

import datetime
import decimal
import subprocess
import sys
import uuid
from types import SimpleNamespace as Thing

import pytest
from marshmallow import Schema, fields

import fastschema


class Author(Schema):
    name = fields.String()
    born = fields.Date()


class Book(Schema):
    uid = fields.UUID()
    price = fields.Decimal(places=2, as_string=True)
    printed = fields.AwareDateTime()
    author = fields.Nested(Author)
    tags = fields.List(fields.String())
    pages = fields.Integer(dump_default=0)


def shout(value):
    return str(value).upper()


def book():
    return Thing(
        uid=uuid.UUID(int=7),
        price=decimal.Decimal("9.5"),
        printed=datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC),
        author=Thing(name="Ada", born=datetime.date(1815, 12, 10)),
        tags=["a", 1, None],
    )


def module(plan, *arguments, **options):
    names = {}
    exec(plan.source(*arguments, **options), names)
    return names


@pytest.mark.parametrize(
    "schema",
    [
        Book,
        Book(only=("tags", "uid")),
        Book(only=("author.name", "price")),
        Book(exclude=("author.born", "pages")),
        Book(exclude=("author.born",)),
    ],
)
def test_its_dump_dumps_as_the_plan_does(schema):
    plan = fastschema.compile(schema)
    source, names = plan.source(), {"given": schema}
    assert "schema = Book()\n" in source
    exec(source.replace("schema = Book()", "schema = Book() if given is Book else given"), names)
    assert names["dump"](book()) == plan.dump(book())


def test_its_dump_takes_rows():
    plan = fastschema.compile(Book)
    assert module(plan)["dump"].many([book(), book()]) == plan.dump([book(), book()], many=True)


def test_it_runs_in_a_process_of_its_own():
    source = fastschema.compile(Book).source("python", "item")
    script = f"{source}\nprint(dump({{'pages': 3, 'tags': ['x']}}))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("{'tags': ['x'], 'pages': 3}\n", "")


def test_what_cannot_be_imported_is_looked_up():
    class Local(fields.Field):
        def _serialize(self, value, attr, obj, **kwargs):
            return shout(value)

    fastschema.register(Local._serialize, function=lambda value: shout(value))
    schema = Schema.from_dict({"name": Local()})
    source = fastschema.compile(schema).source()
    names = {"given": schema()}
    exec(source.replace("schema = None", "schema = given"), names)
    assert names["dump"](Thing(name="ada")) == {"name": "ADA"}


def test_a_schema_that_cannot_be_imported_is_asked_for():
    hostile = Schema.from_dict({"name": fields.String()}, name="Evil\n'\"")
    source = fastschema.compile(hostile).source()
    assert "schema = None  # to be set: 'Evil\\n\\'\"' cannot be imported\n" in source
    with pytest.raises(TypeError, match="NoneType is not a schema"):
        exec(source, {})


def test_an_object_that_is_read_otherwise_is_refused():
    dump = module(fastschema.compile(Author))["dump"]
    with pytest.raises(TypeError, match="reads objects by attribute, and a dict is read by item"):
        dump({"name": "Ada"})


def test_a_schema_that_has_changed_is_refused():
    names = {}
    exec(fastschema.compile(Book).source().replace("Book()", "Book(only=('uid',))"), names)
    with pytest.raises(TypeError, match=r"Book has no .*print its source again"):
        names["dump"](book())
