"""Objects of the libraries that people dump: SQLAlchemy and attrs."""

from decimal import Decimal

import attrs
import pytest
from marshmallow import Schema, fields
from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from tests.marshmallow.differential import assert_same


class Base(DeclarativeBase):
    pass


class Band(Base):
    __tablename__ = "band"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    albums: Mapped[list["Album"]] = relationship(back_populates="band")


class Album(Base):
    __tablename__ = "album"

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    price: Mapped[Decimal | None]
    band_id: Mapped[int] = mapped_column(ForeignKey("band.id"))
    band: Mapped[Band] = relationship(back_populates="albums")


class BandSchema(Schema):
    id = fields.Integer()
    name = fields.String()


class AlbumSchema(Schema):
    id = fields.Integer()
    title = fields.String()
    price = fields.Decimal(places=2, as_string=True)
    band = fields.Nested(BandSchema)
    label = fields.String()


class BandWithAlbumsSchema(BandSchema):
    albums = fields.List(fields.Nested(AlbumSchema(exclude=["band"])))
    titles = fields.Pluck(AlbumSchema, "title", many=True, attribute="albums", dump_only=True)


@pytest.fixture(scope="module")
def session():
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        band = Band(name="Can")
        albums = [Album(title=f"Album {n}", price=Decimal(n) / 4, band=band) for n in range(7)]
        session.add_all([*albums, Album(title="Unpriced", price=None, band=band)])
        session.commit()
        yield session
    engine.dispose()


def test_a_result_of_sqlalchemy_read_as_it_is_dumped(session):
    assert_same(AlbumSchema, lambda: session.scalars(select(Album)), many=True)


def test_relations_of_sqlalchemy_models(session):
    assert_same(BandWithAlbumsSchema, lambda: session.scalars(select(Band)).one())


def test_rows_of_sqlalchemy_have_attributes_and_items(session):
    assert_same(
        AlbumSchema,
        lambda: session.execute(select(Album.id, Album.title.label("label"))).all(),
        many=True,
    )


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
def test_instances_of_attrs_classes(slots, frozen):
    @attrs.define(slots=slots, frozen=frozen)
    class Record:
        id: int
        title: str
        price: Decimal | None = None

    assert_same(AlbumSchema, [Record(1, "a", Decimal("1.5")), Record(2, "b")], many=True)
