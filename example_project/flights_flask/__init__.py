"""The flights of the example project by Flask, SQLAlchemy and marshmallow, in the same database.

Three environment variables change it, all optional, as they change the Django project:
``DATABASE_URL``, ``FASTSCHEMA`` (``0`` answers with stock marshmallow and Flask) and, read by Flask
itself, ``FLASK_DEBUG``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from flask import Flask

from flights_flask.database import connect
from flights_flask.views import fast, flights
from race.flask import race, time_queries


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """The application.

    :param config: what differs from the environment: ``DATABASE_URL``, ``FASTSCHEMA``
    """
    app = Flask(__name__)
    app.config.from_mapping(
        DATABASE_URL=os.environ.get("DATABASE_URL"),
        FASTSCHEMA=os.environ.get("FASTSCHEMA") != "0",
    )
    app.config.from_mapping(config or {})
    if app.config["FASTSCHEMA"]:
        fast.init_app(app)
    connect(app)
    time_queries(app.extensions["engine"])
    app.register_blueprint(flights)
    app.register_blueprint(race)
    return app
