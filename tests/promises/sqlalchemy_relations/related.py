"""Mapped classes with relationships of all kinds, and schemas that read them."""

import uuid
from typing import Any

import sqlalchemy
from marshmallow import Schema, fields
from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Integer, String, Table
from sqlalchemy.orm import declarative_base, deferred, relationship

IS_OLD = sqlalchemy.__version__.startswith("1.4")
# SQLite can't hold the UUIDs of SQLAlchemy 1.4.
Uuid: Any = String(36) if IS_OLD else sqlalchemy.Uuid
Base: Any = declarative_base()


def key_of(number: int) -> Any:
    """A key of towns."""
    key = uuid.UUID(int=number)
    return str(key) if IS_OLD else key


class Town(Base):
    __tablename__ = "town"
    key = Column(Uuid, primary_key=True)
    name = Column(String(20), nullable=False)


class Room(Base):
    __tablename__ = "room"
    house = Column(String(5), primary_key=True)
    number = Column(Integer, primary_key=True)
    owner_id = Column(ForeignKey("owner.id"))
    owner = relationship("Owner", back_populates="rooms")
    things = relationship("Thing", order_by="Thing.id", back_populates="room")


class Owner(Base):
    __tablename__ = "owner"
    id = Column(Integer, primary_key=True)
    kind = Column(String(10), nullable=False)
    name = Column(String(20), nullable=False)
    story = deferred(Column(String(20)))
    town_key = Column(ForeignKey("town.key"))
    town = relationship("Town", foreign_keys=town_key)
    rooms = relationship(
        "Room", order_by="[Room.house, Room.number.desc()]", back_populates="owner"
    )
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "owner"}


class Company(Owner):
    __tablename__ = "company"
    id = Column(ForeignKey("owner.id"), primary_key=True)
    seat_key = Column(ForeignKey("town.key"))
    seat = relationship("Town", foreign_keys=seat_key)
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
    id = Column(Integer, primary_key=True)
    name = Column(String(20), nullable=False)
    things = relationship("Thing", secondary=labels_of_things, order_by="Thing.id", viewonly=True)


class Thing(Base):
    __tablename__ = "thing"
    id = Column(Integer, primary_key=True)
    name = Column(String(20), nullable=False)
    note = deferred(Column(String(20)))
    house = Column(String(5))
    number = Column(Integer)
    room = relationship("Room", back_populates="things")
    owner_id = Column(ForeignKey("owner.id"))
    owner = relationship("Owner")
    part_of_id = Column(ForeignKey("thing.id"))
    part_of = relationship("Thing", remote_side=id, back_populates="parts")
    parts = relationship("Thing", order_by="Thing.id", back_populates="part_of")
    labels = relationship("Label", secondary=labels_of_things, order_by="Label.id")
    some_labels = relationship("Label", secondary=labels_of_things, viewonly=True)
    label_set = relationship(
        "Label", secondary=labels_of_things, viewonly=True, collection_class=set
    )
    refused = relationship("Owner", lazy="raise", viewonly=True)
    asked = relationship(
        "Label", secondary=labels_of_things, lazy="dynamic", order_by="Label.id", viewonly=True
    )
    if not IS_OLD:
        written = relationship(
            "Label",
            secondary=labels_of_things,
            lazy="write_only",
            order_by="Label.id",
            viewonly=True,
        )
    __table_args__ = (ForeignKeyConstraint(["house", "number"], ["room.house", "room.number"]),)

    @property
    def title(self) -> str:
        return self.name.title()


def fill(session: Any) -> None:
    """Add some rows of each class."""
    towns = [Town(key=key_of(number), name=f"town {number}") for number in range(5)]
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
