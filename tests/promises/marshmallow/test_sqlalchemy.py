"""What marshmallow-sqlalchemy adds is compiled, and does what it does in stock."""

import datetime
import decimal

import pytest
import sqlalchemy
from marshmallow_sqlalchemy import SQLAlchemyAutoSchema, SQLAlchemySchema, auto_field
from marshmallow_sqlalchemy.fields import Nested, Related, RelatedList
from sqlalchemy import ForeignKey, Numeric, String, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from tests.promises.marshmallow.differential import assert_same, installed, is_compiled, outcome


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(20))
    books: Mapped[list["Book"]] = relationship(back_populates="author")


class Shelf(Base):
    __tablename__ = "shelf"
    room: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(20))
    price: Mapped[decimal.Decimal | None] = mapped_column(Numeric(8, 2))
    published: Mapped[datetime.date | None]
    room: Mapped[str | None]
    number: Mapped[int | None]
    author_id: Mapped[int | None] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author | None] = relationship(back_populates="books")
    shelf: Mapped[Shelf | None] = relationship()
    __table_args__ = (
        sqlalchemy.ForeignKeyConstraint(["room", "number"], ["shelf.room", "shelf.number"]),
    )


class AuthorSchema(SQLAlchemyAutoSchema):
    class Meta:
        model = Author
        include_relationships = True


class BookSchema(SQLAlchemyAutoSchema):
    class Meta:
        model = Book
        include_fk = True
        include_relationships = True


class ByNameSchema(SQLAlchemySchema):
    class Meta:
        model = Book

    title = auto_field()
    author = Related(["name"])
    writer = Related("name", attribute="author", data_key="Writer", dump_only=True)


class InstanceAuthorSchema(SQLAlchemyAutoSchema):
    class Meta:
        model = Author
        load_instance = True


class NestedSchema(SQLAlchemyAutoSchema):
    class Meta:
        model = Book

    author = Nested(InstanceAuthorSchema)


class InstanceSchema(NestedSchema):
    class Meta:
        model = Book
        load_instance = True


@pytest.fixture
def session():
    engine = sqlalchemy.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        author = Author(id=1, name="Eliot")
        shelf = Shelf(room="A", number=2)
        day = datetime.date(1871, 12, 1)
        session.add_all(
            [
                Book(id=1, title="M", price=decimal.Decimal("9.5"), author=author, published=day),
                Book(id=2, title="S", author=author, shelf=shelf),
                Book(id=3, title="None"),
            ]
        )
        session.commit()
        yield session
    engine.dispose()


@pytest.mark.parametrize("schema", [BookSchema, ByNameSchema, NestedSchema, InstanceSchema])
def test_rows_are_dumped_as_by_stock(session, schema):
    if schema is ByNameSchema:
        books = session.scalars(select(Book).where(Book.author_id == 1)).all()
    else:
        books = session.scalars(select(Book).order_by(Book.id)).all()
    assert_same(schema, list(books), many=True)


def test_lists_of_related_objects_are_dumped_as_by_stock(session):
    assert_same(AuthorSchema, list(session.scalars(select(Author))), many=True)


@pytest.mark.parametrize(
    ("schema", "key"), [(BookSchema, "author"), (BookSchema, "shelf"), (AuthorSchema, "books")]
)
def test_related_objects_are_compiled(schema, key):
    assert is_compiled(schema(), key)


class OwnKeys(Related):
    @property
    def related_keys(self):
        return super().related_keys[:1]


def test_keys_that_are_found_in_another_way_are_looked_up_by_stock(session):
    class OwnSchema(SQLAlchemySchema):
        class Meta:
            model = Book

        shelf = OwnKeys()

    assert not is_compiled(OwnSchema(), "shelf")
    assert_same(OwnSchema, list(session.scalars(select(Book))), many=True)


def test_a_related_field_without_a_relationship_raises_as_in_stock():
    class WrongSchema(SQLAlchemySchema):
        class Meta:
            model = Book

        colour = Related()
        colours = RelatedList(Related(attribute="colour"))

    assert_same(WrongSchema, [{"colour": 1}, {"colours": [1, 2]}], many=True)
    assert_same(WrongSchema, [{}, {"colours": []}], many=True)


DATA = [
    {"id": 1, "title": "new", "author": {"id": 1, "name": "Evans"}},
    {"title": "other", "author": {"name": "X"}},
    {"title": "too long" * 9, "author": {"name": "Y" * 21, "colour": "red"}},
    {"title": 5, "author": {}},
    {"title": "t", "author": [], "colour": 1},
    {},
]


def loaded(value, depth=5):
    """What was loaded, with the attributes of instances, so far as they do not refer back."""
    if isinstance(value, list):
        return [loaded(each, depth) for each in value]
    if isinstance(value, dict):
        return {key: loaded(each, depth) for key, each in value.items()}
    if isinstance(value, Base):
        # In the order of their names: SQLAlchemy refreshes them in that of a set.
        names = [name for name in sorted(vars(value)) if name[0] != "_"] if depth else []
        own = {name: loaded(vars(value)[name], depth - 1) for name in names}
        return (type(value).__name__, sqlalchemy.inspect(value).persistent, own)
    return value


def load(schema, data, session, **options):
    with session.no_autoflush:
        got = outcome(lambda: loaded(schema.load(data, session=session, **options)))
        state = vars(schema)["instance"], vars(schema)["_session"], schema.transient
        session.rollback()
        session.expunge_all()
    return got, state


@pytest.mark.parametrize("schema", [NestedSchema, InstanceSchema, BookSchema])
@pytest.mark.parametrize("options", [{}, {"partial": True}, {"transient": True}], ids=repr)
@pytest.mark.parametrize("data", [*DATA, DATA[:2] * 3, DATA], ids=lambda data: str(len(data)))
def test_data_are_loaded_as_by_stock(session, schema, options, data):
    options = {**options, "many": type(data) is list}
    expected = load(schema(), data, session, **options)
    again = schema()
    with installed():
        for _ in range(3):
            assert load(again, data, session, **options) == expected


def test_an_instance_is_changed_as_by_stock(session):
    author = session.get(Author, 1)
    schema = InstanceAuthorSchema()
    with installed():
        assert schema.load({"name": "Evans"}, session=session, instance=author) is author
    assert author.name == "Evans"
    assert schema.instance is None


def test_a_nested_instance_without_a_session_is_refused():
    data = {"author": {"name": "a"}}
    expected = outcome(lambda: NestedSchema().load(data))
    assert expected.error is not None
    with installed():
        assert outcome(lambda: NestedSchema().load(data)) == expected
