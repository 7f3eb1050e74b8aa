"""Methods that a source finds are called as by stock; see callables."""

import functools

import pytest
from django.core.exceptions import ObjectDoesNotExist
from rest_framework import serializers
from rest_framework.fields import SkipField

from fastschema.contrib.django.callables import Callables, function_of
from tests.contrib.django.differential import assert_same_each_time, serializer_of

CALLS = []


def raising(error):
    """A method that raises."""

    def method(self):
        CALLS.append("called")
        raise error

    return method


def noted(function):
    """The function, wrapped as decorators do it."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        CALLS.append("wrapper")
        return function(*args, **kwargs)

    return wrapper


class Odd:
    """A default that cannot be compared."""

    def __ne__(self, other):
        raise KeyError("odd")

    __hash__ = None


class Unhashable:
    """A method of the class's own making."""

    def __get__(self, obj, cls):
        return self

    def __call__(self):
        return "never called"

    def __str__(self):
        return "unhashable"


class RelatedError(AttributeError, ObjectDoesNotExist):
    """As a model's RelatedObjectDoesNotExist."""


ODD = Odd()


def returning(self, *args, word="a", **kwargs):
    CALLS.append(("returning", len(args), word))
    return word


def needing(self, word):
    raise AssertionError("it is not to be called")


METHODS = {
    "a method": returning,
    "a method with a default": lambda self, word="b": word,
    "a keyword": lambda self, *, word="b": word,
    "a partial method": functools.partialmethod(needing, word="c"),
    "a partial method of something": functools.partialmethod(returning, 5),
    "a static method": staticmethod(lambda: "d"),
    "a class method": classmethod(returning),
    "a partial": functools.partial(returning, None),
    "a partial without its argument": functools.partial(lambda word="e": word),
    "a decorated method": noted(returning),
    "nothing": lambda self: None,
    "a callable object": Unhashable(),
    "a default that raises": lambda self, word=ODD: word,
    "an AttributeError": raising(AttributeError("text")),
    "a KeyError": raising(KeyError("text")),
    "a ValueError": raising(ValueError("text")),
    "a missing object": raising(ObjectDoesNotExist("text")),
    "a missing relation": raising(RelatedError("text")),
    "a field to skip": raising(SkipField("text")),
    "a builtin": len,
    "a method of a builtin": property(lambda self: {}.get),
    "a type": int,
}
FIELDS = {
    "plain": lambda **own: serializers.ReadOnlyField(**own),
    "text": lambda **own: serializers.CharField(**own),
    "default": lambda **own: serializers.CharField(default="-", **own),
    "optional": lambda **own: serializers.CharField(required=False, **own),
}


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_called_as_in_stock(name, field):
    inner = type("Inner", (), {"method": METHODS[name]})()
    cls = type("Thing", (), {"method": METHODS[name], "inner": inner})
    serializer = serializer_of(
        own=FIELDS[field](source="method"), dotted=FIELDS[field](source="inner.method")
    )

    assert_same_each_time(serializer, cls, calls=CALLS)


def test_a_method_that_needs_an_argument_is_the_value():
    class Thing:
        method = needing

    thing = Thing()
    assert_same_each_time(serializer_of(method=serializers.CharField()), lambda: thing)


def test_functions_of_objects_are_told_from_methods():
    class Thing:
        def method(self):
            return "method"

    things = [Thing() for _ in range(4)]
    things[1].method = Thing.method  # needs an argument
    things[2].method = lambda: "own"

    data = assert_same_each_time(
        lambda instance, **options: serializer_of(method=serializers.CharField())(
            instance, many=True, **options
        ),
        lambda: things,
    )
    assert [row["method"] for row in data][::2] == ["method", "own"]


def test_functions_of_objects_are_not_kept_for_ever():
    callables = Callables()
    for number in range(1000):
        assert callables.call(lambda number=number: number, lambda found: found) == number
    assert len(callables) <= 256


def test_what_is_no_function_is_left_to_stock():
    assert [function_of(value) for value in (len, int, {}.get, Unhashable(), 5)] == [None] * 5
