"""The applications of the tests of the Flask extension."""

from tests.promises.flask.conftest import app, fast, leave_marshmallow_alone, make_app

__all__ = ["app", "fast", "leave_marshmallow_alone", "make_app"]
