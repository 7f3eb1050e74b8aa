"""The applications of promises."""

from tests.promises.flask.conftest import app, end_streams, fast, leave_marshmallow_alone, make_app

__all__ = ["app", "end_streams", "fast", "leave_marshmallow_alone", "make_app"]
