"""What a statement selects is dumped as stock dumps its objects."""

import functools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from marshmallow import Schema, fields, post_dump, pre_dump
from sqlalchemy import event, select
from sqlalchemy.orm import (
    Session,
    aliased,
    contains_eager,
    joinedload,
    lazyload,
    load_only,
    scoped_session,
    selectinload,
    sessionmaker,
)

import fastschema
from tests.marks import share
from tests.promises.sqlalchemy.differential import (
    WITHOUT_OBJECTS,
    assert_same,
    is_without_objects,
    note,
    outcome,
    queries,
    stock_text,
)
from tests.promises.sqlalchemy.models import Author, Book, Country
from tests.promises.sqlalchemy.schemas import (
    AuthorSchema,
    AuthorWithCountrySchema,
    BookSchema,
    ColumnsSchema,
    CountrySchema,
    MottoSchema,
)

ALL_RELATIONS = (
    joinedload(Book.author).joinedload(Author.country),
    joinedload(Book.editor),
    joinedload(Book.shelf),
    joinedload(Book.sequel_of),
)
BOOKS = select(Book).order_by(Book.id)


class WithConstant(Schema):
    kind = fields.Constant("book")
    title = fields.String()


class Shouted(Schema):
    shout = fields.String()


class Alias(Schema):
    alias = fields.String()


BOOK = aliased(Book)


@pytest.mark.parametrize(
    ("make_schema", "statement", "expected"),
    [
        (BookSchema, BOOKS.options(*ALL_RELATIONS), True),
        (
            functools.partial(BookSchema, only=["id", "author.name"]),
            select(BOOK).options(joinedload(BOOK.author)).order_by(BOOK.id),
            True,
        ),
        (WithConstant, BOOKS, True),
        (Shouted, select(Author).order_by(Author.id), False),
        (Alias, select(Author).order_by(Author.id), False),
    ],
    ids=["all kinds", "an alias of a class", "a constant", "a property", "a synonym"],
)
def test_rows_are_dumped_without_objects_where_they_can_be(
    engine, make_schema, statement, expected
):
    assert_same(engine, make_schema, statement)
    assert is_without_objects(engine, make_schema(), statement) is expected


def test_no_objects_are_in_the_session_afterwards(engine):
    plan = fastschema.compile(BookSchema)
    with Session(engine) as session:
        plan.dumps_select(BOOKS.options(*ALL_RELATIONS), session)
        assert not list(session.identity_map.keys())


_WAYS = {
    "nothing": lambda statement: statement,
    "all": lambda statement: statement.options(*ALL_RELATIONS),
    "inner": lambda statement: statement.options(joinedload(Book.author, innerjoin=True)),
    "contains eager": lambda statement: statement.outerjoin(Book.author).options(
        contains_eager(Book.author), joinedload(Book.editor)
    ),
    "some columns": lambda statement: statement.options(
        load_only(Book.title, Book.author_id),
        joinedload(Book.author).load_only(Author.name).joinedload(Author.country),
    ),
    "a query of its own": lambda statement: statement.options(selectinload(Book.author)),
    "a collection": lambda statement: statement.options(
        joinedload(Book.author).joinedload(Author.books)
    ),
    "criteria": lambda statement: statement.options(
        joinedload(Book.author.and_(Author.name != "Bo")).joinedload(Author.country)
    ),
}
_NARROWED = {
    "all": lambda statement: statement,
    "limit": lambda statement: statement.limit(4).offset(2),
    "where": lambda statement: statement.where(Book.id % 2 == 0),
    "none": lambda statement: statement.where(Book.id > 100),
    "repeated": lambda statement: statement.join(Author, Author.id != Book.author_id),
}
_FIELDS = list(BookSchema().fields)


@settings(
    max_examples=share(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    way=st.sampled_from(sorted(_WAYS)),
    narrowed=st.sampled_from(sorted(_NARROWED)),
    only=st.one_of(st.none(), st.lists(st.sampled_from(_FIELDS), min_size=1, unique=True)),
)
def test_any_statement_by_any_fields(engine, way, narrowed, only):
    statement = _NARROWED[narrowed](_WAYS[way](BOOKS))
    stock = _stream_is_the_same(way, narrowed)
    assert_same(engine, lambda: BookSchema(only=only), statement, compare_stream=stock)


def _stream_is_the_same(way, narrowed):
    """SQLAlchemy refuses to stream collections, and gives an object of each of repeated rows."""
    return way != "a collection" and narrowed != "repeated"


def test_rows_without_an_object_are_none(engine):
    """The right side of an outer join."""
    author = aliased(Author)
    statement = select(Book).select_from(author).outerjoin(Book, Book.author_id == author.id + 1)
    assert_same(engine, ColumnsSchema, statement.order_by(author.id, Book.id), compare_stream=False)


def test_a_related_object_that_many_rows_have_is_dumped_once(engine):
    class WithMotto(AuthorSchema):
        country = fields.Nested(MottoSchema)

    class WithAuthor(Schema):
        author = fields.Nested(WithMotto)

    statement = BOOKS.options(joinedload(Book.author).joinedload(Author.country))
    stock = outcome(engine, lambda s: stock_text(WithAuthor(), statement, s))
    plan = fastschema.compile(WithAuthor)
    fast = outcome(engine, lambda s: plan.dumps_select(statement, s))
    assert fast.result == stock.result
    assert (fast.written, stock.written) == (1, 3)


class Failing(Schema):
    title = fields.Integer()


class WithHook(ColumnsSchema):
    @pre_dump
    def see(self, obj, **kwargs):
        return Book(id=obj.id, title="seen")

    @post_dump(pass_original=True)
    def add(self, data, original, **kwargs):
        return {**data, "class": type(original).__name__}


class WithMethod(Schema):
    shout = fields.Method("shouted")

    def shouted(self, obj):
        return obj.title.upper()


class WithCollection(AuthorSchema):
    books = fields.List(fields.Nested(ColumnsSchema(only=["id"])))


class WithPluck(Schema):
    author = fields.Pluck(AuthorSchema, "name")


@pytest.mark.parametrize("schema", [Failing, WithHook, WithMethod, WithPluck])
def test_schemas_that_need_objects_or_fail(engine, schema):
    assert_same(engine, schema, BOOKS.options(joinedload(Book.author)))


@pytest.mark.parametrize("option", [selectinload, joinedload, lazyload])
def test_collections_are_dumped_of_objects(engine, option):
    statement = select(Author).order_by(Author.id).options(option(Author.books))
    can_stream = option is not joinedload
    assert_same(engine, WithCollection, statement, compare_stream=can_stream)


@pytest.mark.parametrize("default", [None, {"name": "none"}, tuple("ABCDEFGHIJ"), dict])
def test_a_default_of_a_nested_field_is_no_row(engine, default):
    class WithDefault(Schema):
        country = fields.Nested(CountrySchema, attribute="author.country", dump_default=default)

    statement = BOOKS.options(joinedload(Book.author).joinedload(Author.country))
    assert_same(engine, WithDefault, statement)


AUTHORS_BY_CRITERIA = [
    joinedload(Book.author).joinedload(Author.country.and_(Country.code == "none")),
    joinedload(Book.editor).joinedload(Author.country),
]


def test_one_object_has_one_related_object_whatever_the_criteria(engine):
    class Both(Schema):
        author = fields.Nested(AuthorWithCountrySchema)
        editor = fields.Nested(AuthorWithCountrySchema)

    statement = BOOKS.options(*AUTHORS_BY_CRITERIA)
    assert_same(engine, Both, statement)
    assert "Author.country is loaded by criteria of its own" in note(engine, Both, statement)


def test_an_object_that_is_a_related_one_too_has_one_related_object(engine):
    class WithSequel(Schema):
        author = fields.Nested(AuthorSchema)
        sequel_of = fields.Nested(ColumnsSchema(only=["id"]))

    statement = BOOKS.options(
        joinedload(Book.author.and_(Author.name != "Bo")), joinedload(Book.sequel_of)
    )
    assert_same(engine, WithSequel, statement)
    assert "a relation of Book, which is joined, too, has criteria" in note(
        engine, WithSequel, statement
    )


@pytest.mark.filterwarnings("ignore:Multiple rows returned")  # of stock: only it gives them
def test_related_objects_that_a_join_of_ones_own_selects(engine):
    """One row for each pair: the first one of a book counts."""
    statement = BOOKS.outerjoin(Author, Author.id >= Book.author_id)
    statement = statement.options(contains_eager(Book.author)).order_by(Author.id)
    make_schema = functools.partial(BookSchema, only=["id", "author.name"])
    assert_same(engine, make_schema, statement, compare_stream=False)
    plan = fastschema.compile(make_schema())
    with Session(engine) as session:
        streamed = session.scalars(statement.execution_options(yield_per=1000))
        stock = make_schema().dump(streamed, many=True)
    with Session(engine) as session:
        assert json.loads(b"".join(plan.stream_select(statement, session))) == stock


def test_a_query_of_another_session_is_refused(engine):
    plan = fastschema.compile(ColumnsSchema)
    with (
        Session(engine) as one,
        Session(engine) as other,
        pytest.raises(ValueError, match="a different session"),
    ):
        plan.dumps_select(one.query(Book), other)


def test_a_query_that_yields_some_rows_at_a_time_repeats_what_its_join_repeats(engine):
    plan = fastschema.compile(ColumnsSchema(only=["id"]))
    with Session(engine) as session:
        query = session.query(Book).join(Author, Author.id > 0).order_by(Book.id).yield_per(10)
        stock = json.loads(json.dumps(ColumnsSchema(only=["id"], many=True).dump(query)))
        session.expunge_all()
        assert json.loads(plan.dumps_select(query, session)) == stock


def test_a_listener_may_select_more_than_one_class(engine, recwarn):
    def select_two(state):
        state.statement = select(Book, Author).join(Book.author)

    event.listen(Session, "do_orm_execute", select_two)
    try:
        assert_same(engine, lambda: ColumnsSchema(only=["id"]), BOOKS, compare_stream=False)
    finally:
        event.remove(Session, "do_orm_execute", select_two)
    assert not [each for each in recwarn if each.category is RuntimeWarning]


def test_what_the_session_holds_is_dumped_as_it_is_there(engine):
    plan = fastschema.compile(ColumnsSchema(only=["id", "title"]))
    with Session(engine) as session, session.no_autoflush:
        book = session.get(Book, 3)
        book.title = "changed"
        dumped = json.loads(plan.dumps_select(BOOKS, session))
        assert dumped[2] == {"id": 3, "title": "changed"}
        session.rollback()


def test_a_scoped_session(engine):
    session = scoped_session(sessionmaker(engine))
    plan = fastschema.compile(AuthorWithCountrySchema)
    statement = select(Author).options(joinedload(Author.country)).order_by(Author.id)
    try:
        assert json.loads(plan.dumps_select(statement, session))[2]["country"] is None
    finally:
        session.remove()


def test_a_session_that_overrides_scalars_is_asked(engine):
    class Own(Session):
        def scalars(self, statement, *args, **kwargs):
            return super().scalars(statement.limit(2), *args, **kwargs)

    assert_same(engine, ColumnsSchema, BOOKS, session_class=Own)


def test_listeners_of_the_session_may_change_the_statement(engine):
    def narrow(state):
        state.statement = state.statement.where(Book.id < 4)

    event.listen(Session, "do_orm_execute", narrow)
    try:
        stock = assert_same(engine, ColumnsSchema, BOOKS)
    finally:
        event.remove(Session, "do_orm_execute", narrow)
    assert len(json.loads(stock.result)) == 3


def test_a_legacy_query(engine):
    plan = fastschema.compile(ColumnsSchema)
    with Session(engine) as session:
        query = session.query(Book).order_by(Book.id)
        with queries(engine) as fast:
            text = plan.dumps_select(query, session)
        assert not list(session.identity_map.keys())
        with queries(engine) as stock:
            dumped = ColumnsSchema(many=True).dump(query)
        assert (json.loads(text), fast) == (json.loads(json.dumps(dumped)), stock)
        streamed = b"".join(plan.stream_select(query, session))
        assert streamed == text


def test_a_query_class_that_iterates_in_its_own_way(engine):
    from sqlalchemy.orm import Query

    class Backwards(Query):
        def __iter__(self):
            return iter(list(super().__iter__())[::-1])

    plan = fastschema.compile(ColumnsSchema(only=["id"]))
    with Session(engine, query_cls=Backwards) as session:
        query = session.query(Book).order_by(Book.id)
        assert json.loads(plan.dumps_select(query, session))[0] == {"id": 12}


def test_switched_off_it_makes_objects(engine):
    plan = fastschema.compile(ColumnsSchema)
    with Session(engine) as session:
        text = plan.dumps_select(BOOKS, session)
        with fastschema.disabled():
            assert plan.dumps_select(BOOKS, session) == text
            assert b"".join(plan.stream_select(BOOKS, session)) == text


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (select(Book.id), "Book.id"),
        (select(Book, Author), "2 things"),
        (select(Book).union_all(select(Book)), "CompoundSelect"),
        ("SELECT 1", "str"),
        (select(Book.__table__), "17 things"),
    ],
)
def test_another_statement_is_refused(engine, statement, what):
    plan = fastschema.compile(ColumnsSchema)
    with Session(engine) as session, pytest.raises(TypeError, match=what) as caught:
        plan.dumps_select(statement, session)
    assert "select(Flight).options(joinedload(Flight.airline))" in str(caught.value)


def test_another_session_is_refused(engine):
    plan = fastschema.compile(ColumnsSchema)
    with pytest.raises(TypeError, match=r"not Engine\..*run_sync"):
        plan.dumps_select(BOOKS, engine)


def test_an_extension_that_has_the_session_is_told_apart(engine):
    class Extension:
        session = scoped_session(sessionmaker(engine))

    plan = fastschema.compile(ColumnsSchema)
    with pytest.raises(TypeError, match=r"not Extension\. Pass its session attribute"):
        plan.dumps_select(BOOKS, Extension())


def test_explain_runs_the_statement_without_rows_and_without_flushing(engine):
    plan = fastschema.compile(ColumnsSchema)
    with Session(engine) as session, queries(engine) as sent:
        session.add(Country(code="XX", name="Nowhere"))
        assert plan.explain_select(BOOKS, session).notes == [WITHOUT_OBJECTS]
    assert len(sent) == 1
    assert "LIMIT" in sent[0][0]


def test_a_relation_that_is_not_loaded_is_logged_once(engine, caplog):
    class Once(Schema):
        author = fields.Nested(AuthorSchema)

    plan = fastschema.compile(Once)
    with Session(engine) as session:
        plan.dumps_select(BOOKS, session)
        session.expunge_all()
        plan.dumps_select(BOOKS, session)
    assert [each.getMessage() for each in caplog.records] == [
        "Once may query the database again for each row: author reads Book.author, which is not "
        "loaded: add options(joinedload(Book.author))"
    ]


class OwnScalars(Session):
    """Gives objects in its own way."""

    def scalars(self, *args, **kwargs):
        return super().scalars(*args, **kwargs)


@pytest.mark.parametrize("session_class", [Session, OwnScalars])
def test_a_stream_that_fails_closes_its_cursor(engine, session_class):
    plan, cursors = fastschema.compile(Failing), []
    with session_class(engine) as session:

        @event.listens_for(session.connection(), "after_cursor_execute")
        def note(connection, cursor, *args):
            cursors.append(cursor)

        chunks = plan.stream_select(BOOKS.execution_options(yield_per=2), session, 2)
        with pytest.raises(ValueError, match="invalid literal") as raised:
            next(chunks)
        assert len(cursors) == 1
        with pytest.raises(Exception, match="closed"):
            cursors[0].fetchone()
        assert raised.tb  # which refers to all that was going on
