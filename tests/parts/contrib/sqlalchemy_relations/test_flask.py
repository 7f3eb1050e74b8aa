"""What the doctor says of lazy loads, and what becomes of older SQLAlchemy."""

import pytest
from flask import Flask
from flask.json.provider import DefaultJSONProvider
from marshmallow_sqlalchemy import SQLAlchemyAutoSchema
from marshmallow_sqlalchemy.fields import Nested

from fastschema.contrib.flask import FastSchema
from fastschema.contrib.sqlalchemy_relations import flask
from fastschema.doctor.flask import diagnosis_of_application
from fastschema.runtime import versions
from tests.promises.sqlalchemy_relations.related import OwnerSchema, Thing
from tests.promises.sqlalchemy_relations.test_flask import VIEWS


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
