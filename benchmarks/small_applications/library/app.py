"""The application."""

from __future__ import annotations

from flask import Flask
from flask_smorest import Api
from sqlalchemy import create_engine

from .models import session
from .smorest_views import api
from .views import views


def create_app(database_url: str) -> Flask:
    """Return the application over a database."""
    app = Flask(__name__)
    app.config.update(API_TITLE="Library", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    session.configure(bind=create_engine(database_url))
    app.register_blueprint(views)
    Api(app).register_blueprint(api)

    @app.teardown_appcontext
    def close_session(error: BaseException | None = None) -> None:
        session.remove()

    return app
