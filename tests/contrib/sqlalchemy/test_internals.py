"""Where SQLAlchemy is not as it is known, it makes its objects, and one warning says so."""

import warnings

import pytest
import sqlalchemy
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from fastschema.contrib.sqlalchemy import internals, selection
from tests.contrib.sqlalchemy.differential import assert_same, note
from tests.contrib.sqlalchemy.models import Book
from tests.contrib.sqlalchemy.schemas import BookSchema

STATEMENT = select(Book).options(joinedload(Book.editor)).order_by(Book.id)


def loaded(engine):
    """The class that the statement loads, as it is found in a result."""
    with Session(engine) as session:
        result = session.execute(STATEMENT)
        cursor = internals.cursor_result(result)
        entity = internals.loaded_entity(cursor, is_streamed=False)
        row = cursor.first()
        return entity, row


def test_positions_of_columns(engine):
    entity, row = loaded(engine)
    positions = entity.positions()
    assert row[positions["id"]] == 1
    assert row[positions["title"]].startswith("Book 1 ")


def test_positions_of_related_columns(engine):
    entity, _ = loaded(engine)
    found = {each.relation.key: each for each in entity.relations()}
    assert found["editor"].strategy == "joined"
    assert found["editor"].related.positions().keys() >= {"id", "name"}
    assert found["author"].strategy == "select"
    assert found["author"].related.positions() is None


@pytest.fixture
def warned_anew():
    selection._warn_of_version.cache_clear()
    yield
    selection._warn_of_version.cache_clear()


@pytest.mark.usefixtures("warned_anew")
def test_getters_of_another_kind_are_not_used(engine, monkeypatch):
    monkeypatch.setattr(internals, "_POSITIONS", [None] * 100)
    with pytest.warns(RuntimeWarning, match=f"SQLAlchemy {sqlalchemy.__version__}"):
        said = note(engine, BookSchema(only=["id"]), STATEMENT)
    assert "fastschema does not know this SQLAlchemy" in said
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns once
        assert_same(engine, lambda: BookSchema(only=["id", "editor"]), STATEMENT)


def test_what_is_not_there_is_a_version_that_is_not_known():
    with pytest.raises(internals.UnknownVersionError, match="context"):
        internals.loaded_entity(object(), is_streamed=False)
