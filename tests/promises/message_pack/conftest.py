"""The flights and applications of the tests of the front ends."""

from tests.promises.django.conftest import flights
from tests.promises.flask.conftest import app, fast, leave_marshmallow_alone

__all__ = ["app", "fast", "flights", "leave_marshmallow_alone"]
