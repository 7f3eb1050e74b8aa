"""A database with the objects of ``related``, and applications that dump them."""

import pytest
from flask import Flask
from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from fastschema.contrib.flask import FastSchema
from tests.instruments.marshmallow import dump
from tests.promises.sqlalchemy.queries import queries
from tests.promises.sqlalchemy_relations.related import Base, fill


@pytest.fixture(scope="module")
def engine():
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        fill(session)
    return engine


@pytest.fixture
def _restore_what_runs_before_dumps(monkeypatch):
    monkeypatch.setattr(dump, "_before", None)


@pytest.fixture
def ask(engine, _restore_what_runs_before_dumps):
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
