"""FASTSCHEMA_LOAD_RELATIONS: views answer as in stock, by fewer queries."""

import logging

import pytest
from flask import jsonify
from marshmallow import Schema, fields, pre_dump
from sqlalchemy import select
from sqlalchemy.orm import selectinload

import fastschema
from tests.promises.sqlalchemy_relations.related import (
    Room,
    Thing,
    ThingSchema,
)

THINGS = select(Thing).order_by(Thing.id)
ROOMS = select(Room).order_by(Room.house, Room.number)


class Hooked(ThingSchema):
    @pre_dump
    def same(self, thing, **kwargs):
        return thing


VIEWS = {
    "dump": lambda fast, session: jsonify(
        ThingSchema(many=True).dump(session.scalars(THINGS).all())
    ),
    "dumps": lambda fast, session: ThingSchema(many=True).dumps(session.scalars(THINGS).all()),
    "response": lambda fast, session: fast.response(
        ThingSchema(many=True), session.scalars(THINGS).all()
    ),
    "message pack": lambda fast, session: fast.response(
        ThingSchema(many=True), session.scalars(THINGS).all(), format="msgpack"
    ),
    "output": lambda fast, session: fast.output(ThingSchema(many=True))(
        lambda: session.scalars(THINGS).all()
    )(),
    "plan": lambda fast, session: fastschema.compile(ThingSchema(many=True)).dumps(
        session.scalars(THINGS).all()
    ),
    "hooks": lambda fast, session: fast.response(Hooked(many=True), session.scalars(THINGS).all()),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_list_is_loaded_however_it_is_dumped(ask, name):
    body, without = ask(VIEWS[name])
    found, loaded = ask(VIEWS[name], FASTSCHEMA_LOAD_RELATIONS=True)
    assert found == body
    assert without > 40
    assert loaded <= 14


def test_one_object_takes_the_queries_that_it_takes_in_stock(ask):
    def view(fast, session):
        return jsonify(ThingSchema().dump(session.get(Thing, 3)))

    assert ask(view) == ask(view, FASTSCHEMA_LOAD_RELATIONS=True)


class FullRoomSchema(Schema):
    things = fields.List(fields.Nested(ThingSchema))


def test_what_a_list_of_one_object_refers_to_is_loaded_however_it_is_dumped(ask):
    views = [
        lambda fast, session: jsonify(FullRoomSchema().dump(session.scalars(ROOMS).first())),
        lambda fast, session: fast.response(FullRoomSchema(), session.scalars(ROOMS).first()),
    ]
    without = ask(views[1])
    (_, dumped), (body, written) = (ask(view, FASTSCHEMA_LOAD_RELATIONS=True) for view in views)

    assert body == without[0]
    assert dumped == written < without[1]


def test_a_switched_off_application_is_left_alone(ask):
    config = {"FASTSCHEMA_LOAD_RELATIONS": True, "FASTSCHEMA_DISABLED": True}
    assert ask(VIEWS["dump"], **config) == ask(VIEWS["dump"])


def test_the_log_says_what_was_loaded(ask, caplog):
    caplog.set_level(logging.DEBUG, "fastschema")
    ask(VIEWS["dump"], FASTSCHEMA_LOAD_RELATIONS=True)
    assert caplog.messages[0].startswith(
        "ThingSchema: loaded Thing.owner, Thing.room, Thing.labels, "
    )
    assert caplog.messages[0].endswith("on demand for 30 rows")


def test_in_debug_mode_lazy_loads_are_told_of_once(ask, caplog):
    class Things(ThingSchema):
        pass

    def view(fast, session):
        return jsonify(Things(many=True).dump(session.scalars(THINGS).all()))

    def loaded(fast, session):
        options = selectinload(Thing.owner), selectinload(Thing.room), selectinload(Thing.labels)
        return jsonify(Things(many=True).dump(session.scalars(THINGS.options(*options)).all()))

    ask(loaded, debug=True)
    assert caplog.messages == []
    ask(view, debug=True)
    ask(view, debug=True)
    assert caplog.messages == [
        "Things loads owner, room, labels of each Thing lazily: a query for each row. Add "
        ".options(selectinload(Thing.owner), selectinload(Thing.room), "
        "selectinload(Thing.labels)) to the statement, or set FASTSCHEMA_LOAD_RELATIONS = True."
    ]
