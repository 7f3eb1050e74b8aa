"""A small library, which uses Flask and marshmallow as a reader of our README may.

Over SQLite; with DATABASE_URL, over PostgreSQL.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication

from applications.application import Application, Request
from applications.flask_application import backends_of, connection_name
from applications.postgresql import is_there, sqlalchemy_url
from harness.queries import sqlalchemy_statements

AUTHORS, BOOKS = 300, 2000
TITLES = ("Blue", "Café crème", "Zürich", 'A "new" life', "東京 & <more>", "Oak")
START = datetime.datetime(2024, 1, 1, 8, 30)


class Library(Application):
    """Its API, which asks nobody who they are."""

    title = "A library in Flask"
    packages = ("flask", "marshmallow", "flask-smorest", "sqlalchemy")
    own_code = ("small_applications/library/",)
    masked = frozenset({"id"})
    database = "application_library" if is_there() else ""

    def start(self, directory: Path, *, fast: bool) -> WSGIApplication:
        from small_applications.library.app import create_app

        url = f"sqlite:///{directory}/library.sqlite3"
        if self.database:
            url = sqlalchemy_url(self.database, "psycopg", connection_name())
        app = create_app(url)
        if fast:
            from fastschema.contrib.flask import FastSchema

            FastSchema(app)
        wsgi: WSGIApplication = app.wsgi_app
        return wsgi

    def fill(self) -> None:
        from small_applications.library.models import Base, session

        Base.metadata.create_all(session.get_bind())
        session.add_all(authors())
        session.add_all(books())
        session.commit()
        session.remove()

    def requests(self) -> list[Request]:
        book = {
            "title": "Für Élise",
            "pages": 12,
            "price": "9.90",
            "added": "2024-01-02T03:04:05",
            "author_id": 7,
            "copies": [{"shelf": "A"}, {"shelf": "B", "is_lent": True}],
        }
        smorest = "by flask-smorest"
        return [
            Request("authors, plain columns, 20", "/authors"),
            Request("authors, 240", "/authors?page_size=240"),
            Request("books, nested, a method, 20", "/books", sampled=True),
            Request("books, 240", "/books?page_size=240"),
            Request("a book", "/books/7"),
            Request("POST a book with two copies", "/books", "POST", book, sampled=True),
            Request(f"{smorest}: books, 20", "/api/books/"),
            Request(f"{smorest}: books, 240", "/api/books/?page_size=240"),
            Request(f"{smorest}: a book", "/api/books/7"),
            Request(f"{smorest}: POST a book", "/api/books/", "POST", book),
        ]

    @contextmanager
    def rolled_back(self) -> Iterator[None]:
        from small_applications.library.models import session

        engine = session.session_factory.kw["bind"]
        with engine.connect() as connection, connection.begin() as transaction:
            session.configure(bind=connection)
            try:
                yield
            finally:
                session.configure(bind=engine)
                transaction.rollback()

    def recorded(self) -> AbstractContextManager[list[str]]:
        return sqlalchemy_statements()

    def backends(self) -> list[int]:
        from small_applications.library.models import session

        return backends_of(session) if self.database else []


APPLICATION = Library()


def authors() -> Iterator[Any]:
    from small_applications.library.models import Author

    for number in range(AUTHORS):
        yield Author(
            id=number + 1,
            name=f"Author {number}",
            born=datetime.date(1900, 1, 1) + datetime.timedelta(days=number * 97),
            country=("France", "Österreich", "日本")[number % 3],
            website=None if number % 4 == 0 else f"https://example.com/authors/{number}",
        )


def books() -> Iterator[Any]:
    from small_applications.library.models import Book, Copy

    for number in range(BOOKS):
        yield Book(
            title=f"{TITLES[number % 6]} {number}",
            pages=number * 37 % 900 + 10,
            price=Decimal(number * 31 % 9900 + 100) / 100,
            rating=None if number % 3 == 0 else number % 500 / 100,
            added=START + datetime.timedelta(minutes=number, microseconds=number % 3),
            author_id=number * 7 % AUTHORS + 1,
            copies=[Copy(shelf="ABC"[each], is_lent=each == 1) for each in range(number % 4)],
        )
