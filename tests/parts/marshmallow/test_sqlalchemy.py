"""Which instances are read past the descriptors of SQLAlchemy."""

import operator

from sqlalchemy.orm import attributes

import fastschema
from fastschema.marshmallow.schema_reader import access_of
from fastschema.marshmallow.sqlalchemy import MAPPED
from tests.promises.marshmallow.test_sqlalchemy_mapped_attributes import Book, BookSchema


def test_mapped_instances_are_read_past_their_descriptors():
    assert access_of(Book) == MAPPED
    source = fastschema.compile(BookSchema).source(access=MAPPED)
    assert "loaded = obj.__dict__" in source


def test_instances_whose_attributes_are_kept_elsewhere_are_asked(monkeypatch):
    monkeypatch.setattr(attributes, "instance_dict", lambda instance: vars(instance))
    assert access_of(Book) != MAPPED

    monkeypatch.setattr(attributes, "instance_dict", operator.attrgetter("__dict__"))
    assert access_of(Book) == MAPPED
