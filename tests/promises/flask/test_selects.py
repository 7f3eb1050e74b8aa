"""Statements of SQLAlchemy as responses."""

import json

import pytest
from flask import Flask, jsonify
from marshmallow import Schema, fields
from sqlalchemy import create_engine, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.pool import StaticPool

import fastschema
from fastschema.contrib.flask import FastSchema
from tests.marks import needs_orjson

COUNT = 2500


class Base(DeclarativeBase):
    pass


class Song(Base):
    __tablename__ = "song"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str | None]


class SongSchema(Schema):
    id = fields.Integer()
    title = fields.String()


class FailingSchema(Schema):
    title = fields.Integer()


SONGS = select(Song).order_by(Song.id)


@pytest.fixture
def session():
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all([Song(id=number, title=f"Song {number} é") for number in range(COUNT)])
        session.commit()
        yield session
    engine.dispose()


@pytest.fixture
def fs():
    return FastSchema()


@pytest.fixture
def app(fs):
    app = Flask(__name__)
    fs.init_app(app)
    yield app
    fastschema.uninstall()


@pytest.fixture
def stock(app, session):
    """What stock answers."""
    with app.test_request_context(), fastschema.disabled():
        text = jsonify(SongSchema(many=True).dump(session.scalars(SONGS))).get_data()
    session.expunge_all()
    return text


@pytest.mark.parametrize("is_on", [True, False])
def test_a_response_and_a_stream_are_those_of_stock(app, fs, session, stock, is_on):
    switch = fastschema.enabled if is_on else fastschema.disabled
    with app.test_request_context(), switch():
        assert fs.response(SongSchema(), SONGS, session=session).get_data() == stock
        session.expunge_all()
        assert b"".join(fs.stream(SongSchema(), SONGS, session=session).iter_encoded()) == stock


@needs_orjson
def test_a_response_makes_no_objects(app, fs, session):
    with app.test_request_context():
        fs.response(SongSchema(), SONGS, session=session)
    assert not list(session.identity_map.keys())


def test_a_stream_of_lines(app, fs, session, stock):
    with app.test_request_context():
        response = fs.stream(SongSchema(), SONGS, format="ndjson", session=session)
        lines = b"".join(response.iter_encoded()).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(stock)


def test_a_stream_that_the_client_leaves_closes_its_cursor(app, fs, session):
    with app.test_request_context():
        response = fs.stream(SongSchema(), SONGS, session=session)
        next(response.iter_encoded())
        with pytest.raises(OperationalError, match="locked"):
            session.execute(text("DROP TABLE song"))
        response.close()
    session.execute(text("DROP TABLE song"))


def test_a_stream_whose_first_row_fails_raises_in_the_view(app, fs, session):
    with app.test_request_context(), pytest.raises(ValueError, match="invalid literal"):
        fs.stream(FailingSchema(), SONGS, session=session)
    assert session.scalar(select(Song.id)) == 0


def test_a_statement_without_a_session_is_refused(app, fs):
    with app.test_request_context(), pytest.raises(TypeError, match="pass the session"):
        fs.response(SongSchema(many=True), SONGS)


def test_a_statement_is_not_one_object(app, fs, session):
    with app.test_request_context(), pytest.raises(ValueError, match="many=False"):
        fs.response(SongSchema(), SONGS, many=False, session=session)
