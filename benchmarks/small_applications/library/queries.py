"""What the views ask the database for, and what they save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from .models import Author, Book, Copy, session


def authors(page: int, page_size: int) -> Sequence[Author]:
    """Return a page of authors."""
    statement = select(Author).order_by(Author.id)
    return session.scalars(statement.offset((page - 1) * page_size).limit(page_size)).all()


def books(page: int, page_size: int) -> Sequence[Book]:
    """Return a page of books with their authors and copies."""
    statement = (
        select(Book).order_by(Book.id).options(selectinload(Book.author), selectinload(Book.copies))
    )
    return session.scalars(statement.offset((page - 1) * page_size).limit(page_size)).all()


def add_book(data: dict[str, Any]) -> Book:
    """Save a book with its copies."""
    copies = [Copy(**each) for each in data.pop("copies")]
    book = Book(**data, copies=copies)
    session.add(book)
    session.commit()
    return book
