"""Authors, their books and the copies of those."""

from __future__ import annotations

import datetime
import decimal

from sqlalchemy import ForeignKey, Numeric
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    mapped_column,
    relationship,
    scoped_session,
    sessionmaker,
)

session = scoped_session(sessionmaker())
"""Of the request that is answered; `create_app` connects it to the database."""


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    born: Mapped[datetime.date | None]
    country: Mapped[str]
    website: Mapped[str | None]


class Book(Base):
    __tablename__ = "book"

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    pages: Mapped[int]
    price: Mapped[decimal.Decimal] = mapped_column(Numeric(9, 2))
    rating: Mapped[float | None]
    added: Mapped[datetime.datetime]
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author] = relationship()
    copies: Mapped[list[Copy]] = relationship(order_by="Copy.id")


class Copy(Base):
    __tablename__ = "copy"

    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("book.id"))
    shelf: Mapped[str]
    is_lent: Mapped[bool]
