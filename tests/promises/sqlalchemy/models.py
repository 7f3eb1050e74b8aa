"""Mapped classes that the tests select."""

import datetime
import decimal
import enum
import uuid
from typing import Any

import sqlalchemy
from sqlalchemy import ForeignKey, Numeric, String, TypeDecorator
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    column_property,
    composite,
    deferred,
    mapped_column,
    relationship,
    synonym,
)


class Base(DeclarativeBase):
    pass


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Loud:
    """A value that counts how often it is written."""

    written = 0

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        Loud.written += 1
        return self.text.upper()


class LoudText(TypeDecorator[Loud]):
    impl = String(20)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        return None if value is None else value.text

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return None if value is None else Loud(value)


class Country(Base):
    __tablename__ = "country"
    code: Mapped[str] = mapped_column(String(2), primary_key=True)
    name: Mapped[str] = mapped_column(String(20))
    motto: Mapped[Loud | None] = mapped_column(LoudText)


class Shelf(Base):
    __tablename__ = "shelf"
    room: Mapped[str] = mapped_column(String(5), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    label: Mapped[str | None] = mapped_column(String(20))


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(20))
    biography: Mapped[str | None] = deferred(mapped_column(String(50)))
    country_code: Mapped[str | None] = mapped_column(ForeignKey("country.code"))
    country: Mapped[Country | None] = relationship()
    books: Mapped[list["Book"]] = relationship(
        back_populates="author", foreign_keys="Book.author_id"
    )
    alias = synonym("name")

    @property
    def shout(self) -> str:
        return self.name.upper()


class Size:
    """A composite value."""

    def __init__(self, width: int | None, height: int | None) -> None:
        self.width = width
        self.height = height

    def __composite_values__(self) -> tuple[int | None, int | None]:
        return self.width, self.height


class Picture(Base):
    __tablename__ = "picture"
    id: Mapped[int] = mapped_column(primary_key=True)
    width: Mapped[int | None]
    height: Mapped[int | None]
    size: Mapped[Size] = composite("width", "height")


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(20))
    price: Mapped[decimal.Decimal | None] = mapped_column(Numeric(8, 2))
    weight: Mapped[float | None]
    published: Mapped[datetime.date | None]
    changed: Mapped[datetime.datetime | None]
    opens: Mapped[datetime.time | None]
    is_sold: Mapped[bool | None]
    key: Mapped[uuid.UUID | None]
    color: Mapped[Color | None]
    tags: Mapped[Any | None] = mapped_column(sqlalchemy.JSON)
    loud: Mapped[Loud | None] = mapped_column(LoudText)
    room: Mapped[str | None] = mapped_column(String(5))
    number: Mapped[int | None]
    author_id: Mapped[int | None] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author | None] = relationship(back_populates="books", foreign_keys=author_id)
    editor_id: Mapped[int | None] = mapped_column(ForeignKey("author.id"))
    editor: Mapped[Author | None] = relationship(foreign_keys=editor_id)
    sequel_of_id: Mapped[int | None] = mapped_column(ForeignKey("book.id"))
    sequel_of: Mapped["Book | None"] = relationship(remote_side=id)
    shelf: Mapped[Shelf | None] = relationship()
    __table_args__ = (
        sqlalchemy.ForeignKeyConstraint(["room", "number"], ["shelf.room", "shelf.number"]),
    )


Book.doubled = column_property(Book.__table__.c.weight * 2)


class Animal(Base):
    __tablename__ = "animal"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(20))
    type: Mapped[str] = mapped_column(String(20))
    __mapper_args__ = {"polymorphic_on": "type", "polymorphic_identity": "animal"}


class Dog(Animal):
    __mapper_args__ = {"polymorphic_identity": "dog"}


def fill(session: Any) -> None:
    """Some rows of each class."""
    session.add_all(
        [
            Country(code="FR", name="France", motto=Loud("liberté")),
            Country(code="JP", name="日本", motto=None),
            Shelf(room="A", number=1, label="first"),
            Shelf(room="A", number=2, label=None),
        ]
    )
    session.flush()
    session.add_all(
        [
            Author(id=1, name="Anne", biography="long", country_code="FR"),
            Author(id=2, name="Bo", biography=None, country_code="JP"),
            Author(id=3, name="Cy", biography="short", country_code=None),
        ]
    )
    session.flush()
    for number in range(1, 13):
        is_empty = number % 5 == 0
        session.add(
            Book(
                id=number,
                title=f'Book {number} \N{SNOWMAN}"',
                price=None if is_empty else decimal.Decimal(number) / 4,
                weight=None if is_empty else number / 3,
                published=None if is_empty else datetime.date(2000 + number, 1, 31),
                changed=None if is_empty else datetime.datetime(2000, 1, 1, 1, 2, 3, number * 1000),
                opens=None if is_empty else datetime.time(number, 30),
                is_sold=None if is_empty else number % 2 == 0,
                key=None if is_empty else uuid.UUID(int=number),
                color=None if is_empty else [Color.RED, Color.BLUE][number % 2],
                tags=None if is_empty else {"n": [number, None, 0.1]},
                loud=None if is_empty else Loud(f"loud {number}"),
                room=None if number % 4 == 0 else "A",
                number=None if number % 4 == 0 else 1 + number % 2,
                author_id=[1, 2, 3, None][number % 4],
                editor_id=[1, None][number % 2],
                sequel_of_id=number - 1 if number > 6 else None,
            )
        )
        session.flush()
    session.add_all([Picture(id=1, size=Size(2, 3)), Dog(id=1, name="Rex"), Animal(id=2, name="X")])
    session.commit()
