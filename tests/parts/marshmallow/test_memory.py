"""What hangs on schema classes that stay alive: each has six fields, and names like no other."""

import gc
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.marshmallow.load import SchemaLoad
from fastschema.runtime import registration
from tests.marks import counts_references
from tests.promises.marshmallow.differential import installed

ROOT = Path(__file__).parents[3]
CLASSES = 60
MOST_MORE = 30_000
"""How many bytes a class may take that stock does not: 24,000 by Python 3.11, others differ."""
_numbers = itertools.count()


class Author(Schema):
    name = fields.String()


class Book(Schema):
    title = fields.String()
    author = fields.Nested(Author)
    authors = fields.List(fields.Nested(Author))


@counts_references
@pytest.mark.usefixtures("nothing_stays_registered")
def test_what_loads_once_is_no_work_for_the_garbage_collector():
    registration.registered.clear()  # makers of other tests
    data = {"title": "a", "author": {"name": "b"}, "authors": [{"name": "c"}]}
    with installed():
        Book().load(data)
        gc.collect()
        gc.disable()
        try:
            Book(only=["author", "authors"]).load(data, unknown="exclude")
            loads = [each for each in gc.get_objects() if type(each) is SchemaLoad]
        finally:
            gc.enable()

    assert not [load for load in loads if load.unknown == "exclude"]


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


def bytes_of_a_class():
    import tracemalloc

    alive = [used_class()]
    gc.collect()
    tracemalloc.start()
    try:
        alive += [used_class() for _ in range(CLASSES)]
        gc.collect()
        return tracemalloc.get_traced_memory()[0] / CLASSES
    finally:
        tracemalloc.stop()


def print_bytes():
    """Print what a class takes in stock, and what it takes with fastschema."""
    fastschema.install()
    with fastschema.disabled():
        print(bytes_of_a_class())
    print(bytes_of_a_class())


@pytest.mark.skipif(sys.implementation.name == "pypy", reason="PyPy cannot tell")
def test_a_class_takes_little_more_than_in_stock():
    # In a process of its own: what other tests have left behind grows with each class, too.
    script = f"from {__name__} import print_bytes; print_bytes()"
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    stock, found = map(float, done.stdout.split())
    assert stock < found < stock + MOST_MORE
