"""Mapped classes with relationships of all kinds, and schemas that read them."""

from __future__ import annotations

import uuid
from typing import Any

from marshmallow import Schema, fields
from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, String, Table, Uuid
from sqlalchemy.orm import (
    DeclarativeBase,
    DynamicMapped,
    Mapped,
    WriteOnlyMapped,
    deferred,
    mapped_column,
    relationship,
)


class Base(DeclarativeBase):
    pass


class Town(Base):
    __tablename__ = "town"
    key: Mapped[uuid.UUID] = mapped_column(Uuid, primary_key=True)
    name: Mapped[str] = mapped_column(String(20))


class Room(Base):
    __tablename__ = "room"
    house: Mapped[str] = mapped_column(String(5), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("owner.id"))
    owner: Mapped[Owner | None] = relationship(back_populates="rooms")
    things: Mapped[list[Thing]] = relationship(order_by="Thing.id", back_populates="room")


class Owner(Base):
    __tablename__ = "owner"
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    name: Mapped[str] = mapped_column(String(20))
    story: Mapped[str | None] = deferred(mapped_column(String(20)))
    town_key: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("town.key"))
    town: Mapped[Town | None] = relationship()
    rooms: Mapped[list[Room]] = relationship(
        order_by="Room.house, Room.number.desc()", back_populates="owner"
    )
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "owner"}


class Company(Owner):
    __tablename__ = "company"
    id: Mapped[int] = mapped_column(ForeignKey("owner.id"), primary_key=True)
    seat_key: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("town.key"))
    seat: Mapped[Town | None] = relationship()
    __mapper_args__ = {"polymorphic_identity": "company"}


class Family(Owner):
    __mapper_args__ = {"polymorphic_identity": "family"}


labels_of_things = Table(
    "labels",
    Base.metadata,
    Column("thing_id", ForeignKey("thing.id"), primary_key=True),
    Column("label_id", ForeignKey("label.id"), primary_key=True),
)


class Label(Base):
    __tablename__ = "label"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(20))
    things: Mapped[list[Thing]] = relationship(
        secondary=labels_of_things, order_by="Thing.id", viewonly=True
    )


class Thing(Base):
    __tablename__ = "thing"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(20))
    note: Mapped[str | None] = deferred(mapped_column(String(20)))
    house: Mapped[str | None] = mapped_column(String(5))
    number: Mapped[int | None]
    room: Mapped[Room | None] = relationship(back_populates="things")
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("owner.id"))
    owner: Mapped[Owner | None] = relationship()
    part_of_id: Mapped[int | None] = mapped_column(ForeignKey("thing.id"))
    part_of: Mapped[Thing | None] = relationship(remote_side=id, back_populates="parts")
    parts: Mapped[list[Thing]] = relationship(order_by="Thing.id", back_populates="part_of")
    labels: Mapped[list[Label]] = relationship(secondary=labels_of_things, order_by="Label.id")
    some_labels: Mapped[list[Label]] = relationship(secondary=labels_of_things, viewonly=True)
    label_set: Mapped[set[Label]] = relationship(secondary=labels_of_things, viewonly=True)
    refused: Mapped[Owner | None] = relationship(lazy="raise", viewonly=True)
    asked: DynamicMapped[Label] = relationship(
        secondary=labels_of_things, lazy="dynamic", order_by="Label.id", viewonly=True
    )
    written: WriteOnlyMapped[Label] = relationship(
        secondary=labels_of_things, lazy="write_only", order_by="Label.id", viewonly=True
    )
    __table_args__ = (ForeignKeyConstraint(["house", "number"], ["room.house", "room.number"]),)

    @property
    def title(self) -> str:
        return self.name.title()


def fill(session: Any) -> None:
    """Add some rows of each class."""
    towns = [Town(key=uuid.UUID(int=number), name=f"town {number}") for number in range(5)]
    session.add_all(towns)
    owners: list[Owner] = []
    for number in range(1, 13):
        common = {"id": number, "name": f"owner {number}", "story": f"story {number}"}
        common["town"] = towns[number % 5] if number % 4 else None
        cls = [Owner, Company, Family][number % 3]
        owners.append(cls(**common))
        if cls is Company:
            owners[-1].seat = towns[number % 3]
    session.add_all(owners)
    rooms = [
        Room(house=house, number=number, owner=owners[number * 2 % 12])
        for house in ("a", "b")
        for number in range(1, 5)
    ]
    session.add_all(rooms)
    session.add_all([Label(id=number, name=f"label {number}") for number in range(1, 7)])
    session.flush()
    every_label = session.query(Label).order_by(Label.id).all()
    for number in range(1, 31):
        session.add(
            Thing(
                id=number,
                name=f"thing {number}",
                note=f"note {number}",
                room=rooms[number % 8] if number % 5 else None,
                owner=owners[number % 12] if number % 7 else None,
                part_of_id=number // 2 if number > 20 else None,
                labels=[every_label[(number * each) % 6] for each in range(1, 1 + number % 3)],
            )
        )
    session.commit()


class TownSchema(Schema):
    name = fields.String()


class OwnerSchema(Schema):
    name = fields.String()
    town = fields.Nested(TownSchema)


class CompanySchema(OwnerSchema):
    seat = fields.Nested(TownSchema)


class RoomSchema(Schema):
    house = fields.String()
    number = fields.Integer()
    owner = fields.Nested(OwnerSchema)


class LabelSchema(Schema):
    id = fields.Integer()
    name = fields.String()


class ThingSchema(Schema):
    id = fields.Integer()
    name = fields.String()
    owner = fields.Nested(OwnerSchema)
    room = fields.Nested(RoomSchema)
    labels = fields.List(fields.Nested(LabelSchema))
