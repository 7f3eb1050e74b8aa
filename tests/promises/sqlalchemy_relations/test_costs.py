"""FASTSCHEMA_LOAD_RELATIONS costs next to nothing where everything is loaded."""

import cProfile
import pstats

import pytest
from flask import Flask, jsonify
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from fastschema.contrib.flask import FastSchema
from tests.instruments.marshmallow import dump
from tests.promises.sqlalchemy_relations.related import (
    Label,
    LabelSchema,
    Owner,
    Room,
    Thing,
    ThingSchema,
)

THINGS = (
    select(Thing)
    .order_by(Thing.id)
    .options(
        selectinload(Thing.owner).selectinload(Owner.town),
        selectinload(Thing.room).selectinload(Room.owner).selectinload(Owner.town),
        selectinload(Thing.labels),
    )
)
VIEWS = {
    "a list": lambda session: ThingSchema(many=True).dump(session.scalars(THINGS).all()),
    "an object": lambda session: ThingSchema().dump(session.scalars(THINGS.limit(1)).first()),
    "flat": lambda session: LabelSchema(many=True).dump(session.scalars(select(Label)).all()),
}
MOST = 1.02


@pytest.fixture(autouse=True)
def _restore_what_runs_before_dumps(monkeypatch):
    monkeypatch.setattr(dump, "_before", None)


def calls_of(engine, view, setting):
    """How many functions a request calls when everything is compiled."""
    app = Flask("app")
    app.config["FASTSCHEMA_LOAD_RELATIONS"] = setting
    FastSchema(app)

    @app.get("/")
    def answer():
        with Session(engine) as session:
            return jsonify(view(session))

    client = app.test_client()
    for _ in range(40):
        assert client.get("/").status_code == 200
    counts = []
    for _ in range(3):
        profile = cProfile.Profile()
        profile.runcall(client.get, "/")
        counts.append(pstats.Stats(profile).total_calls)
    return min(counts)


@pytest.mark.parametrize("name", VIEWS)
def test_a_request_calls_no_more_functions(engine, name):
    off = calls_of(engine, VIEWS[name], False)
    for setting in (True, "all"):
        on = calls_of(engine, VIEWS[name], setting)
        assert on <= off * MOST
