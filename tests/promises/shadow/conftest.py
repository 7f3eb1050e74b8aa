"""The flights and applications of the tests of the front ends."""

import pytest

from fastschema import shadow
from tests.instruments.core import orjson
from tests.promises.django.conftest import flights
from tests.promises.flask.conftest import app, fast, leave_marshmallow_alone, make_app

__all__ = ["app", "fast", "flights", "leave_marshmallow_alone", "make_app"]

# List views make their rows as stock does where orjson does not write them.
collect_ignore = [] if orjson is not None else ["test_django.py"]


@pytest.fixture(autouse=True)
def counter(monkeypatch):
    """The counter, at zero."""
    counter = shadow.Counter()
    monkeypatch.setattr(shadow, "counter", counter)
    return counter
