"""How many related objects are kept while rows are dumped."""

import functools

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from fastschema.contrib.sqlalchemy import row_programs
from tests.promises.sqlalchemy.differential import assert_same
from tests.promises.sqlalchemy.models import Author, Book
from tests.promises.sqlalchemy.schemas import BookSchema


def test_related_objects_are_the_same_however_many_are_kept(engine, monkeypatch):
    monkeypatch.setattr(row_programs, "_MOST_DUMPED", 1)
    statement = (
        select(Book).order_by(Book.id).options(joinedload(Book.author).joinedload(Author.country))
    )
    assert_same(engine, functools.partial(BookSchema, only=["author"]), statement)
