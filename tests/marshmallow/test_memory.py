"""What hangs on schema classes that stay alive: each has six fields, and names like no other."""

import gc
import itertools
import sys

import pytest
from marshmallow import Schema, fields

import fastschema

CLASSES = 60
MOST_MORE = 30_000
"""How many bytes a class may take that stock does not: 24,000 by Python 3.11, others differ."""
_numbers = itertools.count()


class Unregistered:
    register = False


def used_class():
    number = next(_numbers)
    own = {
        f"id_{number}": fields.Integer(),
        "name": fields.String(),
        "price": fields.Float(),
        "is_new": fields.Boolean(),
        "day": fields.Date(),
        "tags": fields.List(fields.String()),
        "Meta": Unregistered,
    }
    cls = type(f"Schema{number}", (Schema,), own)
    for _ in range(30):
        cls().dump({f"id_{number}": 1, "name": "a", "price": 2.5, "is_new": True, "tags": ["b"]})
    return cls


if sys.implementation.name != "pypy":
    import tracemalloc

    def bytes_of_a_class():
        alive = [used_class()]
        gc.collect()
        tracemalloc.start()
        try:
            alive += [used_class() for _ in range(CLASSES)]
            gc.collect()
            return tracemalloc.get_traced_memory()[0] / CLASSES
        finally:
            tracemalloc.stop()

    @pytest.mark.usefixtures("_installed", "users_thresholds")
    def test_a_class_takes_little_more_than_in_stock():
        with fastschema.disabled():
            stock = bytes_of_a_class()
        assert stock < bytes_of_a_class() < stock + MOST_MORE
