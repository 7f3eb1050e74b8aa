"""Which fields run code of users."""

import functools
from collections import UserDict

import pytest
from django.utils import functional
from marshmallow import Schema, fields
from sqlalchemy.ext.hybrid import hybrid_property

import fastschema


class Album:
    """Everything that a name can stand for."""

    constant = 1

    @property
    def prop(self):
        """A property."""

    @functools.cached_property
    def cached(self):
        """One of the standard library's."""

    @functional.cached_property
    def djangos(self):
        """One of Django's."""

    @hybrid_property
    def hybrid(self):
        """One of SQLAlchemy's."""

    def method(self):
        """A method."""

    @classmethod
    def of_class(cls):
        """A method of the class."""


class Slots:
    """Its attributes are descriptors that Python has made."""

    __slots__ = ("title",)


def code(name, cls=Album):
    """Which code of users runs for a field of that name."""
    schema = Schema.from_dict({name: fields.Raw(dump_only=True)})
    (field,) = fastschema.compile(schema).profile([cls()])
    return field.why


@pytest.mark.parametrize("name", ["prop", "cached", "djangos", "hybrid"])
def test_a_property_is_code_that_runs_when_it_is_read(name):
    assert code(name) == f"Album.{name} is a property"


@pytest.mark.parametrize("name", ["method", "of_class"])
def test_a_method_is_code_that_runs_when_its_value_is_converted(name):
    assert code(name) == f"Album.{name} is a method"


@pytest.mark.parametrize(
    ("name", "cls"),
    [("constant", Album), ("of_the_object", Album), ("title", Slots), ("key", dict)],
)
def test_data_is_no_code(name, cls):
    assert code(name, cls) == ""


def test_items_that_a_class_looks_up_itself_are_code():
    assert code("key", UserDict) == "UserDict.__getitem__ is overridden"


def test_properties_of_a_dictionary_are_not_read():
    assert code("items", dict) == ""
    assert code("prop", type("Row", (dict,), {"prop": Album.prop})) == ""
