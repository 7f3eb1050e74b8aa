"""FASTSCHEMA_LOAD_RELATIONS: views answer as in stock, by fewer queries."""

import logging

import pytest
from flask import Flask, jsonify
from flask.json.provider import DefaultJSONProvider
from marshmallow import Schema, fields, pre_dump
from marshmallow_sqlalchemy import SQLAlchemyAutoSchema
from marshmallow_sqlalchemy.fields import Nested
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

import fastschema
from fastschema.contrib.flask import FastSchema
from fastschema.contrib.sqlalchemy_relations import flask
from fastschema.doctor.flask import diagnosis_of_application
from fastschema.marshmallow import dump
from fastschema.runtime import versions
from tests.promises.sqlalchemy.queries import queries
from tests.promises.sqlalchemy_relations.related import (
    OwnerSchema,
    Room,
    Thing,
    ThingSchema,
)

THINGS = select(Thing).order_by(Thing.id)
ROOMS = select(Room).order_by(Room.house, Room.number)


@pytest.fixture(autouse=True)
def _tell_nobody_afterwards(monkeypatch):
    monkeypatch.setattr(dump, "_before", None)


@pytest.fixture
def ask(engine):
    """From a view to its body and the number of queries, with the setting or without."""

    def answer(view, **config):
        app = Flask("app")
        app.debug = config.pop("debug", False)
        fast = FastSchema()
        app.config.update(config)
        fast.init_app(app)
        with Session(engine) as session, app.test_request_context(), queries(engine) as sent:
            response = app.make_response(view(fast, session))
            return response.get_data(), len(sent)

    return answer


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


@pytest.mark.parametrize("is_set", [False, True])
def test_the_doctor_says_what_a_list_reads_lazily(is_set):
    class Things(SQLAlchemyAutoSchema):
        class Meta:
            model = Thing

        owner = Nested(OwnerSchema)

    app = Flask("app")
    app.config["FASTSCHEMA_LOAD_RELATIONS"] = is_set
    fast = FastSchema(app)

    @app.get("/things")
    @fast.output(Things(many=True))
    def things():
        return []

    @app.get("/thing")
    @fast.output(Things())
    def thing():
        return {}

    with app.app_context():
        advice = diagnosis_of_application().queries
    if is_set:
        assert advice == {}
    else:
        assert list(advice) == ["GET /things (things)"]
        assert advice["GET /things (things)"].what == (
            "Unless its statement has .options(selectinload(Thing.owner)), add it, or set "
            "FASTSCHEMA_LOAD_RELATIONS = True."
        )


def test_an_older_sqlalchemy_is_an_error_where_relations_are_to_be_loaded(monkeypatch):
    monkeypatch.setattr(versions, "version", {"sqlalchemy": "1.3.24"}.__getitem__)
    app = Flask("app")
    app.config["FASTSCHEMA_LOAD_RELATIONS"] = True

    with pytest.raises(ImportError, match=r"FASTSCHEMA_LOAD_RELATIONS needs sqlalchemy 1\.4"):
        FastSchema(app)
    assert type(app.json) is DefaultJSONProvider
    assert "fastschema" not in app.extensions


def test_an_older_sqlalchemy_loads_its_relationships_itself(ask, monkeypatch, caplog):
    monkeypatch.setattr(flask, "can_load", bool)

    body, sent = ask(VIEWS["dump"], debug=True)

    assert (body, sent) == ask(VIEWS["dump"], debug=True, FASTSCHEMA_DISABLED=True)
    assert "lazily" not in caplog.text
