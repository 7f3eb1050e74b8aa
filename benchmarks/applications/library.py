"""A small library, which uses Flask and marshmallow as a reader of our README may.

Over SQLite; with DATABASE_URL, over PostgreSQL.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from applications.application import Request
from applications.flask_application import FlaskApplication, backends_of
from applications.postgresql import is_there

AUTHORS, BOOKS = 300, 2000
TITLES = ("Blue", "Café crème", "Zürich", 'A "new" life', "東京 & <more>", "Oak")
START = datetime.datetime(2024, 1, 1, 8, 30)


class Library(FlaskApplication):
    """Its API, which asks no client who they are."""

    title = "A library in Flask"
    packages = ("flask", "marshmallow", "flask-smorest", "sqlalchemy")
    own_code = ("small_applications/library/",)
    masked = frozenset({"id"})
    database = "application_library" if is_there() else ""
    driver = "psycopg"

    def create(self, directory: Path) -> tuple[Any, Any]:
        from small_applications.library.app import create_app
        from small_applications.library.models import session

        file = f"sqlite:///{directory}/library.sqlite3"
        return create_app(self.database_url() if self.database else file), session

    def fill(self) -> None:
        from small_applications.library.models import Base

        Base.metadata.create_all(self.db.get_bind())
        self.db.add_all(authors())
        self.db.add_all(books())
        self.db.commit()
        self.db.remove()

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
        engine = self.db.session_factory.kw["bind"]
        with engine.connect() as connection, connection.begin() as transaction:
            self.db.configure(bind=connection)
            try:
                yield
            finally:
                self.db.configure(bind=engine)
                transaction.rollback()

    def backends(self) -> list[int]:
        return backends_of(self.db) if self.database else []


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
