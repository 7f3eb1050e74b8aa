"""Instances of SQLAlchemy's mapped classes, read past their descriptors."""

import pytest
from marshmallow import Schema, fields
from sqlalchemy import ForeignKey, String, create_engine, select
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    column_property,
    deferred,
    mapped_column,
    relationship,
    synonym,
)

from tests.promises.marshmallow.differential import assert_same


class Base(DeclarativeBase):
    pass


class Named:
    name: Mapped[str] = mapped_column(String)


class Shelf(Named, Base):
    __tablename__ = "shelf"

    id: Mapped[int] = mapped_column(primary_key=True)
    books: Mapped[list["Book"]] = relationship(back_populates="shelf")


class Book(Named, Base):
    __tablename__ = "book"

    id: Mapped[int] = mapped_column(primary_key=True)
    shelf_id: Mapped[int] = mapped_column(ForeignKey("shelf.id"))
    shelf: Mapped[Shelf] = relationship(back_populates="books")
    pages: Mapped[int] = mapped_column("number_of_pages")
    text: Mapped[str] = deferred(mapped_column(String))
    title = synonym("name")
    double = column_property(pages.column * 2)

    @property
    def label(self):
        return f"{self.name}, {self.pages} pages"

    @hybrid_property
    def is_long(self):
        return self.pages > 300

    @property
    def broken(self):
        raise AttributeError("never there")


class Novel(Book):
    """Inherits the table, and shadows a column."""

    @property
    def text(self):
        return "shadowed"


class ShelfSchema(Schema):
    name = fields.String()


class BookSchema(Schema):
    name = fields.String()
    shelf = fields.Nested(ShelfSchema)
    pages = fields.Integer()
    text = fields.String()
    title = fields.String()
    double = fields.Integer()
    label = fields.String()
    is_long = fields.Boolean()
    broken = fields.String()
    absent = fields.String()
    noted = fields.String()


@pytest.fixture(scope="module")
def session():
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        shelf = Shelf(name="Top")
        session.add_all(
            Book(name=f"Book {n}", pages=n * 100, text=f"Text {n}", shelf=shelf) for n in range(6)
        )
        session.commit()
        yield session
    engine.dispose()


def test_loaded_and_deferred_attributes_properties_and_what_is_not_there(session):
    def books():
        session.expunge_all()
        return session.scalars(select(Book)).all()

    assert_same(BookSchema, books, many=True)


def test_detached_instances_raise_what_sqlalchemy_raises(session):
    session.expunge_all()
    found = session.scalars(select(Book)).first()
    session.expunge_all()  # the message names the very object, hence one for all dumps

    assert_same(BookSchema, found)


def test_transient_instances_have_none_for_what_was_not_given():
    assert_same(BookSchema, lambda: Book(name="New", pages=1))


def test_values_that_are_set_on_an_instance_alone(session):
    def book():
        found = session.scalars(select(Book)).first()
        found.noted = "by hand"
        found.__dict__["label"] = "hidden by the property"
        return found

    assert_same(BookSchema, book)


def test_a_column_that_a_subclass_shadows_is_read_from_the_subclass():
    assert_same(BookSchema, lambda: Novel(name="New", pages=1))


def test_an_attribute_that_expires_while_its_object_is_dumped(session):
    class ExpiringSchema(Schema):
        gone = fields.Function(lambda book: session.expire(book))
        name = fields.String()
        pages = fields.Integer()

    assert_same(ExpiringSchema, lambda: session.scalars(select(Book)).all(), many=True)
