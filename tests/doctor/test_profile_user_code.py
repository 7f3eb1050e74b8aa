"""Which fields run code of users."""

import functools
from collections import UserDict, namedtuple

import pytest
from django.utils import functional
from sqlalchemy.ext.hybrid import hybrid_property

from fastschema.compiler.nodes import ATTRIBUTE, ITEM, Read, Source
from fastschema.doctor.profile_run import user_code
from tests.nodes import field


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


class Overridden:
    def __getattribute__(self, name):
        return 1


def code(name, cls=Album, access=ATTRIBUTE):
    return user_code(field(name, source=Source(name, Read("1"), path=(name,))), cls, access)


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
    assert code(name, cls, ITEM if cls is dict else ATTRIBUTE) == ""


def test_a_class_inherits_its_code():
    assert code("prop", type("Single", (Album,), {})) == "Single.prop is a property"


def test_items_that_a_class_looks_up_itself_are_code():
    assert code("key", UserDict, ITEM) == "UserDict.__getitem__ is overridden"


def test_attributes_that_a_class_looks_up_itself_are_code():
    why = "Overridden.__getattribute__ is overridden"
    assert code("key", Overridden) == why


def test_properties_of_a_dictionary_are_not_read():
    assert code("items", dict, ITEM) == ""
    assert code("prop", type("Row", (dict,), {"prop": Album.prop}), ITEM) == ""


def test_properties_of_a_named_tuple_are_read():
    row = type("Row", (namedtuple("Row", "a"),), {"prop": Album.prop})

    assert code("a", row, ITEM) == ""
    assert code("prop", row, ITEM) == "Row.prop is a property"
