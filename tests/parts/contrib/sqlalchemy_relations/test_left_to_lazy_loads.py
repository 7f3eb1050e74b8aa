"""Loading relationships is an offer: what is not of a plain kind is left to lazy loads."""

from unittest.mock import Mock

import pytest
from marshmallow import Schema, fields
from sqlalchemy import (
    JSON,
    Column,
    ForeignKey,
    Integer,
    String,
    Table,
    create_engine,
    event,
    func,
    inspect,
    select,
    update,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import InvalidRequestError, OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.ext.mutable import MutableDict
from sqlalchemy.orm import (
    Session,
    backref,
    declarative_base,
    defer,
    deferred,
    load_only,
    relationship,
)
from sqlalchemy.pool import StaticPool
from sqlalchemy.types import TypeDecorator, UserDefinedType

import fastschema
from fastschema.contrib.sqlalchemy_relations import loading
from fastschema.contrib.sqlalchemy_relations.plain import _is_exact, is_in_one_order, why_left
from fastschema.runtime.settings import Loads
from tests.promises.sqlalchemy.queries import queries as queries_of

Base = declarative_base()
COUNT = 6


class Citext(UserDefinedType):
    """As users write it: the database takes values for equal that Python does not."""

    cache_ok = True

    def get_col_spec(self, **options):
        return "VARCHAR(10) COLLATE NOCASE"


class Caseless(TypeDecorator):
    impl = String
    cache_ok = True


class CaselessName(String):
    """A class of users', which derives from one of SQLAlchemy's."""


@compiles(CaselessName, "sqlite")
def _caseless(type_, compiler, **options):
    return "VARCHAR(10) COLLATE NOCASE"


twice = Table(
    "twice",
    Base.metadata,
    Column("book_id", ForeignKey("book.id")),
    Column("tag_id", ForeignKey("tag.id")),
)


class Tag(Base):
    __tablename__ = "tag"
    id = Column(Integer, primary_key=True)
    name = Column(String(10))


class Shelf(Base):
    __tablename__ = "shelf"
    name = Column(CaselessName(10), primary_key=True)


class Book(Base):
    __tablename__ = "book"
    id = Column(Integer, primary_key=True)
    code = Column(String(10), unique=True)
    title = Column(String(10))
    changed = Column(String(10), onupdate="updated")
    made = Column(String(10), default="default")
    told = Column(MutableDict.as_mutable(JSON), default=dict)
    secret = deferred(Column(String(10)), raiseload=True)
    shelf_name = Column(ForeignKey("shelf.name"))
    shelf = relationship("Shelf")
    tags = relationship("Tag", secondary=twice, order_by="Tag.id")
    pages = relationship("Page", order_by="Page.id", back_populates="book")
    unordered = relationship("Page", viewonly=True)
    by_function = relationship("Page", order_by=lambda: func.lower(Page.name), viewonly=True)
    nulls_last = relationship(
        "Page", order_by=lambda: [Page.name.nulls_last(), Page.id], viewonly=True
    )
    prices = relationship(
        "Price",
        primaryjoin=lambda: Book.code == Price.code,
        foreign_keys=lambda: Price.code,
        order_by=lambda: Price.id,
        viewonly=True,
    )
    some_pages = relationship(
        "Page",
        primaryjoin=lambda: (Book.id == Page.book_id) & (Page.name > "b"),
        order_by=lambda: Page.id,
        viewonly=True,
    )
    one_page = relationship("Page", uselist=False, viewonly=True)
    cover = relationship("Cover", uselist=False, back_populates="book")


class Page(Base):
    __tablename__ = "page"
    id = Column(Integer, primary_key=True)
    name = Column(String(10))
    book_id = Column(ForeignKey("book.id"))
    book = relationship("Book", back_populates="pages")


class Cover(Base):
    __tablename__ = "cover"
    id = Column(Integer, primary_key=True)
    name = Column(String(10))
    book_id = Column(ForeignKey("book.id"), unique=True, nullable=False)
    book = relationship("Book", back_populates="cover")


class Price(Base):
    __tablename__ = "price"
    id = Column(Integer, primary_key=True)
    name = Column(String(10))
    code = Column(ForeignKey("book.code"))


def fill(session):
    session.add_all([Tag(id=1, name="t1"), Tag(id=2, name="t2"), Shelf(name="ABC")])
    for number in range(1, COUNT + 1):
        book = Book(id=number, code=f"c{number}", title=f"b{number}")
        session.add(book)
        session.flush()
        for nth, name in enumerate(["b", "A", None, "c"]):
            session.add(Page(id=number * 10 + nth, name=name, book_id=number))
        session.add(Cover(id=number, name=f"v{number}", book_id=number))
        session.add(Price(id=number, name=f"p{number}", code=f"c{number}"))
        session.flush()
        pairs = [{"book_id": number, "tag_id": tag} for tag in (1, 1, 2)]
        session.execute(twice.insert(), pairs)
    session.execute(update(Book.__table__).values(shelf_name="abc", changed=None))
    session.commit()


@pytest.fixture(scope="module")
def engine():
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        fill(session)
    return engine


class Named(Schema):
    name = fields.String()


def reading(**names):
    return Schema.from_dict(names)


def answers(engine, schema, also=lambda session, rows: None, loads=True):
    """What lists of books are dumped to by stock, and when they are loaded; with the queries."""
    found = []
    for is_loaded in (False, True):
        with Session(engine) as session, queries_of(engine) as sent:
            rows = list(session.execute(select(Book).order_by(Book.id)).scalars())
            also(session, rows)
            sent.clear()
            if is_loaded:
                loading.load_for(schema(), rows, None, Loads.of(loads))
            with fastschema.disabled():
                answer = [schema().dump(row) for row in rows]
            found.append((answer, len(sent)))
            session.rollback()
    return found


LEFT = [
    *("shelf", "by_function", "nulls_last", "prices", "some_pages"),
    "one_page",
]


@pytest.mark.filterwarnings("ignore:Multiple rows returned")  # by "one_page", in stock, too
@pytest.mark.parametrize("loads", [True, "all"])
@pytest.mark.parametrize("name", LEFT)
def test_a_relationship_that_is_not_plain_is_loaded_lazily(engine, name, loads):
    is_list = name not in ("shelf", "one_page")
    schema = reading(**{name: fields.Nested(Named, many=is_list)})
    stock, loaded = answers(engine, schema, loads=loads)
    assert loaded == stock
    assert stock[1] == COUNT
    if name != "shelf":
        assert why_left(inspect(Book).relationships[name]) is not None


@pytest.mark.parametrize("name", ["pages", "cover", "tags"])
def test_a_plain_one_is_loaded_at_once(engine, name):
    schema = reading(**{name: fields.Nested(Named, many=name != "cover")})
    (stock, before), (loaded, queries) = answers(engine, schema)
    assert loaded == stock
    assert (before, queries) == (COUNT, 2)


@pytest.mark.parametrize("option", [load_only(Book.title), defer(Book.made)])
def test_columns_that_a_statement_defers_stay_deferred(engine, option):
    schema = reading(pages=fields.Nested(Named, many=True))
    with Session(engine) as session, queries_of(engine) as sent:
        rows = session.execute(select(Book).options(option)).scalars().all()
        sent.clear()
        loading.load_for(schema(), rows)
        assert len(sent) == 2
        assert all("pages" in row.__dict__ and "made" not in row.__dict__ for row in rows)
        assert [row.made for row in rows] == ["default"] * COUNT
        assert len(sent) == 2 + COUNT


def test_objects_with_mutable_values_are_loaded_for_and_those_with_listeners_are_not(engine):
    def listen(state, context, attributes):
        pass

    with Session(engine) as session:
        rows = session.execute(select(Book)).scalars().all()
        event.listen(Book, "refresh", listen, raw=True)
        try:
            assert not loading.load(rows, [("pages", list)], True)
        finally:
            event.remove(Book, "refresh", listen)
        told = rows[0].told
        assert loading.load(rows, [("pages", list)], True) == ["Book.pages"]
        assert rows[0].told is told
        told["new"] = 1
        assert rows[0] in session.dirty


def test_columns_that_raise_when_they_are_loaded_stay_so(engine):
    """Be it that their class says so, or the statement; then the objects are not asked."""
    schema = reading(pages=fields.Nested(Named, many=True))
    for name, options in (("secret", ()), ("made", (defer(Book.made, raiseload=True),))):
        with Session(engine) as session:
            rows = session.execute(select(Book).options(*options)).scalars().all()
            loading.load_for(schema(), rows)
            assert ("pages" in rows[0].__dict__) is (name == "secret")
            with pytest.raises(InvalidRequestError, match="raiseload"):
                getattr(rows[0], name)


@pytest.mark.parametrize(("loads", "expected"), [(True, COUNT), ("all", 2)])
def test_a_list_without_an_order_is_loaded_if_all_are(engine, loads, expected):
    schema = reading(unordered=fields.Nested(Named, many=True))
    (stock, before), (loaded, queries) = answers(engine, schema, loads=loads)
    assert (before, queries) == (COUNT, expected)
    names = [sorted(page["name"] or "" for page in row["unordered"]) for row in loaded]
    assert names == [sorted(page["name"] or "" for page in row["unordered"]) for row in stock]


class Whole(Schema):
    id = fields.Integer()
    made = fields.String()
    changed = fields.String()
    pages = fields.Nested(Named, many=True)


CHANGES = {
    "pending": (
        Whole,
        lambda session, rows: rows.insert(0, Book(title="new")) or session.add(rows[0]),
    ),
    "changed": (Whole, lambda session, rows: setattr(rows[0], "title", "changed")),
    # A lazy load of ``prices`` asks for the code that the object has.
    "changed beside the session": (
        reading(prices=fields.Nested(Named, many=True)),
        lambda session, rows: session.execute(
            update(Book.__table__).where(Book.__table__.c.id == 1).values(code="x")
        ),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_the_first_lazy_load_flushes_is_seen_as_in_stock(engine, name):
    schema, also = CHANGES[name]
    stock, loaded = answers(engine, schema, also=also)
    assert loaded == stock
    if schema is Whole:
        assert stock[0][0]["id" if name == "pending" else "changed"] is None


def test_whatever_is_raised_while_finding_out_is_left_to_lazy_loads(engine, monkeypatch):
    monkeypatch.setattr(loading, "_load_at_once", Mock(side_effect=RuntimeError))
    schema = reading(pages=fields.Nested(Named, many=True))
    stock, loaded = answers(engine, schema)
    assert loaded == stock


def test_an_error_of_the_database_is_raised(engine):
    schema = reading(pages=fields.Nested(Named, many=True))

    def fail(connection, cursor, statement, parameters, context, executemany):
        raise OperationalError("SELECT", {}, Exception("no more memory"))

    with Session(engine) as session:
        rows = list(session.execute(select(Book)).scalars())
        event.listen(engine, "before_cursor_execute", fail)
        try:
            with pytest.raises(OperationalError, match="no more memory"):
                loading.load_for(schema(), rows)
        finally:
            event.remove(engine, "before_cursor_execute", fail)


@pytest.mark.parametrize("type_", [Citext(), Caseless(10), CaselessName(10), String(9, "NOCASE")])
def test_a_type_of_users_is_not_known_to_be_exact(type_):
    assert not _is_exact(type_, "postgresql")
    assert _is_exact(String(9), "postgresql")
    assert _is_exact(Integer(), "mysql")
    assert not _is_exact(String(9), "mysql")
    if hasattr(postgresql, "CITEXT"):
        assert not _is_exact(postgresql.CITEXT(), "postgresql")


def test_more_keys_than_one_query_takes_are_loaded_in_parts(engine, monkeypatch):
    monkeypatch.setattr(loading, "_MOST_AT_ONCE", 4)
    schema = reading(pages=fields.Nested(Named, many=True))
    (stock, _), (loaded, queries) = answers(engine, schema)
    assert loaded == stock
    assert queries == 2 * 2


def test_relationships_that_backref_makes_are_plain():
    base = declarative_base()

    class One(base):
        __tablename__ = "one"
        id = Column(Integer, primary_key=True)

    class Many(base):
        __tablename__ = "many"
        id = Column(Integer, primary_key=True)
        one_id = Column(ForeignKey("one.id"))
        one = relationship("One", backref=backref("many", order_by="Many.id"))

    many = inspect(One).relationships["many"]
    assert why_left(many) is why_left(inspect(Many).relationships["one"]) is None
    assert is_in_one_order(many)
