"""The applications of promises."""

from tests.promises.flask.conftest import app, fast, leave_marshmallow_alone, make_app

__all__ = ["app", "fast", "leave_marshmallow_alone", "make_app"]
