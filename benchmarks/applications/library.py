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
from applications.filling import made
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


def authors() -> list[Any]:
    from small_applications.library.models import Author

    return made(
        Author,
        AUTHORS,
        id=lambda number: number + 1,
        name="Author {}",
        born=lambda number: datetime.date(1900, 1, 1) + datetime.timedelta(days=number * 97),
        country=["France", "Österreich", "日本"],
        website=[None, *["https://example.com/authors/{}"] * 3],
    )


def books() -> list[Any]:
    from small_applications.library.models import Book, Copy

    return made(
        Book,
        BOOKS,
        title=[f"{title} {{}}" for title in TITLES],
        pages=lambda number: number * 37 % 900 + 10,
        price=lambda number: Decimal(number * 31 % 9900 + 100) / 100,
        rating=lambda number: None if number % 3 == 0 else number % 500 / 100,
        added=lambda n: START + datetime.timedelta(minutes=n, microseconds=n % 3),
        author_id=lambda number: number * 7 % AUTHORS + 1,
        copies=lambda n: made(Copy, n % 4, shelf=["A", "B", "C"], is_lent=[False, True, False]),
    )
