"""Objects are made where users would notice that they are not, or SQLAlchemy is not as it is
known.
"""

import warnings

import pytest
import sqlalchemy
from marshmallow import Schema, fields
from sqlalchemy import JSON, String, event, select
from sqlalchemy.ext.mutable import MutableDict
from sqlalchemy.orm import (
    InstrumentedAttribute,
    Mapped,
    Session,
    joinedload,
    mapped_column,
    reconstructor,
)

import fastschema
from fastschema.contrib.sqlalchemy import row_layout, selection
from tests.promises.sqlalchemy.differential import (
    WITHOUT_OBJECTS,
    assert_same,
    is_without_objects,
    note,
    stock_text,
)
from tests.promises.sqlalchemy.models import Animal, Author, Base, Book, Country, Dog, Picture
from tests.promises.sqlalchemy.schemas import AuthorWithCountrySchema, BookSchema, ColumnsSchema

seen = []


class Shelfless:
    """What the classes below share."""

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(20))


class Reconstructed(Shelfless, Base):
    __tablename__ = "reconstructed"

    @reconstructor
    def look(self):
        seen.append(self.name)


class MadeInItsOwnWay(Shelfless, Base):
    __tablename__ = "made_in_its_own_way"

    def __new__(cls, *args, **kwargs):
        seen.append(cls)
        return super().__new__(cls)


class ReadInItsOwnWay(Shelfless, Base):
    __tablename__ = "read_in_its_own_way"

    def __getattribute__(self, name):
        return "own" if name == "name" else super().__getattribute__(name)


class WithItems(Shelfless, Base):
    __tablename__ = "with_items"

    def __getitem__(self, name):
        return f"item {name}"


class WithMutable(Shelfless, Base):
    __tablename__ = "with_mutable"
    data: Mapped[dict | None] = mapped_column(MutableDict.as_mutable(JSON))


class NameSchema(Schema):
    id = fields.Integer()
    name = fields.String()


OWN = [Reconstructed, MadeInItsOwnWay, ReadInItsOwnWay, WithItems, WithMutable]


@pytest.fixture(scope="module", autouse=True)
def rows(engine):
    with Session(engine) as session:
        session.add_all([cls(id=1, name="one") for cls in OWN])
        session.commit()


@pytest.mark.parametrize("cls", OWN)
def test_classes_that_notice(engine, cls):
    assert not is_without_objects(engine, NameSchema, select(cls))
    seen.clear()
    assert_same(engine, NameSchema, select(cls))
    # Each time: stock, the plan, the stream.
    assert len(seen) == (3 if cls in (Reconstructed, MadeInItsOwnWay) else 0)


@pytest.mark.parametrize("cls", [Animal, Dog])
def test_inheritance(engine, cls):
    assert_same(engine, NameSchema, select(cls).order_by(cls.id))
    assert "is mapped with inheritance" in note(engine, NameSchema, select(cls))


def test_composites(engine):
    class PictureSchema(Schema):
        width = fields.Integer(attribute="size.width")

    assert_same(engine, PictureSchema, select(Picture))
    assert not is_without_objects(engine, PictureSchema, select(Picture))


@pytest.mark.parametrize("name", ["load", "refresh"])
@pytest.mark.parametrize("target", [Author, Country])
def test_listeners_of_a_class_that_is_loaded(engine, target, name):
    calls = []

    def listen(instance, *args):
        calls.append(type(instance))

    statement = select(Author).options(joinedload(Author.country)).order_by(Author.id)
    event.listen(target, name, listen)
    try:
        assert_same(engine, AuthorWithCountrySchema, statement)
        assert is_without_objects(engine, AuthorWithCountrySchema, statement) == (name != "load")
    finally:
        event.remove(target, name, listen)
    assert len(calls) % 3 == 0
    assert bool(calls) == (name == "load")


def test_listeners_of_a_session(engine):
    calls = []

    class Heard(Session):
        pass

    event.listen(Heard, "loaded_as_persistent", lambda session, instance: calls.append(instance))
    assert_same(engine, ColumnsSchema, select(Book).order_by(Book.id), Heard)
    assert len(calls) == 3 * 12


def test_what_another_library_has_put_around_the_descriptor(engine, monkeypatch):
    reads, stock = [], InstrumentedAttribute.__get__

    def get(self, instance, owner):
        if instance is not None:
            reads.append(self.key)
        return stock(self, instance, owner)

    statement = select(Book).order_by(Book.id)
    assert is_without_objects(engine, ColumnsSchema, statement)
    monkeypatch.setattr(InstrumentedAttribute, "__get__", get)
    assert_same(engine, ColumnsSchema, statement)
    assert not is_without_objects(engine, ColumnsSchema, statement)
    assert reads


class Measured(Base):
    __tablename__ = "measured"
    number: Mapped[int] = mapped_column(primary_key=True)
    left: Mapped[int | None]
    right: Mapped[int | None]


class Strict(Base):
    __table__ = Measured.__table__
    __mapper_args__ = {
        "primary_key": [Measured.__table__.c.left, Measured.__table__.c.right],
        "allow_partial_pks": False,
    }


class Partial(Base):
    __table__ = Measured.__table__
    __mapper_args__ = {"primary_key": [Measured.__table__.c.left, Measured.__table__.c.right]}


@pytest.mark.parametrize("cls", [Strict, Partial])
def test_keys_that_are_null_in_part(engine, cls):
    class NumberSchema(Schema):
        number = fields.Integer()

    with Session(engine) as session:
        pairs = [(1, None), (2, None), (1, 1), (None, None)]
        session.add_all(
            [Measured(number=n, left=left, right=right) for n, (left, right) in enumerate(pairs)]
        )
        session.flush()
        plan = fastschema.compile(NumberSchema)
        session.expunge_all()
        statement = select(cls).order_by(cls.number)
        assert plan.explain_select(statement, session).notes == [WITHOUT_OBJECTS]
        fast = plan.dumps_select(statement, session)
        assert fast == stock_text(NumberSchema(), statement, session)
        session.rollback()


@pytest.fixture
def warned_anew():
    selection._warn_of_version.cache_clear()
    yield
    selection._warn_of_version.cache_clear()


@pytest.mark.usefixtures("warned_anew")
@pytest.mark.parametrize(
    ("name", "value"),
    [("_POSITIONS", [None] * 100), ("_POSITIONS", []), ("_UNUSUAL_LOADS", ["not_there"])],
)
def test_objects_are_made_by_a_sqlalchemy_that_is_not_known(engine, monkeypatch, name, value):
    monkeypatch.setattr(row_layout, name, value)
    statement = select(Book).options(joinedload(Book.editor)).order_by(Book.id)
    with pytest.warns(RuntimeWarning, match=f"SQLAlchemy {sqlalchemy.__version__}"):
        said = note(engine, BookSchema(only=["id"]), statement)
    assert "fastschema does not know this SQLAlchemy" in said
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns once
        assert_same(engine, lambda: BookSchema(only=["id", "editor"]), statement)
