"""Methods that a source finds are called as by stock; see callables."""

import functools
import gc
import weakref
from types import MethodType, SimpleNamespace
from unittest import mock

import pytest
from django.core.exceptions import ObjectDoesNotExist
from rest_framework import serializers
from rest_framework.fields import SkipField

import fastschema
from tests.promises.django.differential import assert_same_each_time, serializer_of

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
    def __ne__(self, other):
        raise KeyError("odd")

    __hash__ = None


class Unhashable:
    def __get__(self, obj, cls):
        return self

    def __call__(self):
        return "never called"

    def __str__(self):
        return "unhashable"


class RelatedError(AttributeError, ObjectDoesNotExist):
    pass


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
    "a method that returns a method": lambda self: self.method,
    "a generator": lambda self: (yield 1),
    "a property of a method": property(lambda self: self.__repr__),
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
        own=FIELDS[field](source="method"),
        dotted=FIELDS[field](source="inner.method"),
        behind=FIELDS[field](source="method.__class__.__name__"),
    )

    assert_same_each_time(serializer, cls, calls=CALLS)
    for source in ("method", "inner.method"):
        item = serializer_of(item=FIELDS[field](source=source))
        assert_same_each_time(item, lambda: dictionary_of(cls()), calls=CALLS)


def dictionary_of(thing):
    """The method as an item, and on the way to one."""
    return {"method": thing.method, "inner": {"method": thing.inner.method}}


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


def test_a_method_and_a_partial_of_one_function_are_told_apart():
    class Thing:
        method = returning
        other = functools.partial(needing)

    Thing.same = needing
    thing = Thing()
    thing.part = functools.partial(returning)
    names = ("method", "other", "same", "part")
    serializer = serializer_of(**{name: serializers.ReadOnlyField() for name in names})
    assert_same_each_time(serializer, lambda: thing, calls=CALLS)


def test_defaults_that_a_function_gets_later_count():
    class Thing:
        def method(self, word):
            return word

    def dumped():
        Thing.method.__defaults__ = None
        serializer = serializer_of(method=serializers.ReadOnlyField())()
        before = serializer.to_representation(thing)["method"]
        Thing.method.__defaults__ = ("later",)
        return before, serializer.to_representation(thing)["method"]

    thing = Thing()
    with fastschema.disabled():
        expected = dumped()
    assert dumped() == expected == (thing.method, "later")


@pytest.mark.parametrize("value", [1, mock.ANY])
def test_what_a_partial_is_given_is_compared_as_by_stock(value):
    thing = SimpleNamespace(method=functools.partial(lambda word: "called", word=value))
    assert_same_each_time(serializer_of(method=serializers.ReadOnlyField()), lambda: thing)


def test_functions_of_rows_are_let_go():
    class Held:
        pass

    def rows():
        for _ in range(5):
            held = Held()
            alive.append(weakref.ref(held))
            yield SimpleNamespace(method=lambda held=held: "x")
            del held
            gc.collect()
            most.append(sum(each() is not None for each in alive))

    alive, most = [], []
    serializer = serializer_of(method=serializers.ReadOnlyField())(many=True)
    serializer.to_representation(rows())
    assert max(most) <= 2
    gc.collect()
    assert not any(each() for each in alive)


SIGNATURES = [
    *(lambda: 1, lambda a: 1, lambda a=1: 1, lambda a, b=1: 1, lambda a, /: 1, lambda a=1, /: 1),
    *(lambda *a: 1, lambda **a: 1, lambda a, *b, **c: 1, lambda *, a: 1, lambda *, a=1: 1),
    *(lambda a, b=1, *, c=2: 1, lambda a=1, *, b: 1, functools.partial(lambda a: 1, a=1)),
    *(functools.partial(lambda a, b: 1, a=1), functools.partial(lambda a, b: 1, b=1)),
    *(functools.partial(lambda a, *, b: 1, b=1), functools.partial(lambda a, *, b: 1, a=1, b=1)),
    *(functools.partial(lambda: 1), functools.partial(lambda a=1: 1)),
    functools.partial(lambda **a: 1),
]


@pytest.mark.parametrize("value", SIGNATURES)
@pytest.mark.parametrize("is_bound", [False, True])
def test_whether_a_value_is_called_depends_on_what_it_needs(value, is_bound):
    value = MethodType(value, object()) if is_bound else value
    thing = SimpleNamespace(method=value)
    assert_same_each_time(serializer_of(method=serializers.CharField()), lambda: thing)
