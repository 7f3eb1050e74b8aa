"""What tests of shadow mode share."""

from tests.promises.shadow.conftest import (
    app,
    collect_ignore,
    counter,
    fast,
    flights,
    leave_marshmallow_alone,
    make_app,
)

__all__ = [
    "app",
    "collect_ignore",
    "counter",
    "fast",
    "flights",
    "leave_marshmallow_alone",
    "make_app",
]
