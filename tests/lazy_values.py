"""Values that stand for something else: for another thing in each tenant's request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta, timezone
from random import Random
from typing import Any

import pytest
from django.utils.functional import SimpleLazyObject
from django.utils.functional import lazy as lazy_class
from marshmallow.validate import Length
from rest_framework.serializers import CharField
from werkzeug.local import LocalProxy

import fastschema
from tests.outcomes import Outcome, exactly, outcome_of

tenant: ContextVar[str] = ContextVar("tenant", default="nobody")
CALLS: list[Any] = []
"""Who asked a lazy value for what it stands for, and for which tenant."""
WARM = "a" * 20 + "b" + "ab" * 3 + "ba"
"""Whose requests come in turns: those of one make everything warm, then another one's come."""
COLD = "abba"
TURNS = "aab"
"""Whose requests come where the first row is compiled: the second finds all warm."""


@contextmanager
def request_of(name: str) -> Iterator[None]:
    """Serve a request of a tenant inside of the ``with`` statement."""
    token = tenant.set(name)
    try:
        yield
    finally:
        tenant.reset(token)


def noting(name: str, give: Callable[[str], Any]) -> Callable[[], Any]:
    """Return a function of users' own that gives what something is for the tenant who asks."""

    def function() -> Any:
        CALLS.append((name, tenant.get()))
        return give(tenant.get())

    return function


class WithClass:
    """An object whose class is a property, as that of proxies; it stands for a value."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def __repr__(self):
        return "lazy"

    @property
    def __class__(self):
        return type(self.function())

    def __str__(self):
        return str(self.function())


class WithEq:
    """An object that compares by code of its own."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def __repr__(self):
        return "lazy"

    def __eq__(self, other):
        return self.function() == other

    def __hash__(self):
        return hash(self.function())

    def __bool__(self):
        return bool(self.function())


class WithGetattr:
    """An object that has whatever attribute is asked for."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def __repr__(self):
        return "lazy"

    def __getattr__(self, name):
        if name == "function":
            raise AttributeError(name)
        return getattr(self.function(), name)


def lazy_text(function: Callable[[], Any]) -> Any:
    """Return what ``lazystr`` returns, but all of one class."""
    return _lazy_string(Later(function))


_lazy_string = lazy_class(str, str)


class Later:
    """An object whose text is made when it is asked for."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def __str__(self):
        return str(self.function())


KINDS: dict[str, Callable[[Callable[[], Any]], Any]] = {
    "SimpleLazyObject": SimpleLazyObject,
    "LocalProxy": LocalProxy,
    "lazystr": lazy_text,
    "an object with __class__": WithClass,
    "an object with __eq__": WithEq,
    "an object with __getattr__": WithGetattr,
}
"""Kinds of values that run code of users when they are looked at."""


def arguments_of(cls: type, root: type) -> set[str]:
    """The names of the arguments that a class of fields may take, as far as its code tells."""
    names: set[str] = set()
    for base in cls.__mro__[: cls.__mro__.index(root) + 1]:
        code = getattr(vars(base).get("__init__"), "__code__", None)
        if code is not None:
            names.update(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
            names.update(constant for constant in code.co_consts if type(constant) is str)
    return {name for name in names - {"self", "args", "kwargs"} if name.isidentifier()}


VALUES: dict[str, Any] = {
    **dict.fromkeys(["max_length", "min_length", "max_value", "min_value"], 3),
    **dict.fromkeys(["max_digits", "decimal_places", "places", "precision", "html_cutoff"], 2),
    **{name: ["x"] for name in ("choices", "validators", "only", "exclude", "input_formats")},
    **{name: {"invalid": "x"} for name in ("error_messages", "metadata", "style")},
    **dict.fromkeys(["default_timezone", "timezone"], timezone(timedelta(hours=3))),
    "validate": Length(max=2),
    "pk_field": CharField(max_length=2),
    **dict.fromkeys(["source", "attribute", "data_key", "field_name"], "other"),
}
"""What arguments of some names stand for; of all others, a text."""


Cases = Iterable[tuple[str, Callable[[], Any]]]
"""Their names, and what makes each anew."""


def lazy_cases(classes: dict[type, Callable[[], dict[str, Any]]], root: type) -> Cases:
    """For each class, argument and kind of lazy value: what makes the field.

    :param classes: with what gives the arguments that each needs
    """
    for cls, needed in classes.items():
        for name in sorted(arguments_of(cls, root)):
            for kind, lazy in KINDS.items():

                def make(cls=cls, needed=needed, name=name, lazy=lazy) -> Any:
                    value = lazy(noting(name, lambda who: VALUES.get(name, "x")))
                    return cls(**{**needed(), name: value})

                yield f"{cls.__name__}({name}={kind})", make


def cases_of(table: dict[str, Callable[[Any], Any]]) -> Cases:
    """For each row of a table and kind of lazy value: what the row makes with such values.

    :param table: functions of what makes a lazy value
    """
    for name, make_with in table.items():
        for kind, lazy in KINDS.items():

            def make(name=name, make_with=make_with, lazy=lazy) -> Any:
                return make_with(lambda give: lazy(noting(name, give)))

            yield f"{name}, {kind}", make


def _some(cases: Cases) -> list[Any]:
    return Random(64).sample(list(cases), 30)


def _each_row_once(cases: Cases) -> list[Any]:
    """With the kind that hears of most looks."""
    return [case for case in cases if case[0].endswith(", LocalProxy")]


def _or_all(choose: Callable[[Cases], list[Any]]) -> Any:
    return pytest.mark.parametrize(
        "choose",
        [
            pytest.param(choose, id="some"),
            pytest.param(list, id="all", marks=pytest.mark.long),
        ],
    )


SOME_OR_ALL = _or_all(_some)
"""Run a test with a sample of cases, and with all of them where there is time."""
EACH_OR_ALL = _or_all(_each_row_once)
"""Run a test with one kind of lazy value for each row, or with all of :func:`cases_of`."""


def came_of(call: Callable[[], Any]) -> Outcome:
    """What came of a call, the classes of all values and the calls of lazy values included."""
    return outcome_of(call, CALLS, _exactly, lambda error: _without_address(str(error)))


def _exactly(value: Any) -> Any:
    return exactly(value, lambda leaf: _without_address(repr(leaf)), text=_without_address)


def _without_address(text: str) -> str:
    return re.sub("0x[0-9a-f]+", "0x", text)


def differing(
    cases: Cases,
    calls: Callable[[Any], list[Any]],
    by_stock: Callable[[], Any],
) -> tuple[dict[str, str], int]:
    """The cases in which code of users runs more often, or less often, than in stock, and how many
    there are in all.

    :param calls: gives what comes of a field that is used
    :param by_stock: a context in which stock runs
    """
    failures, count = {}, 0
    for name, make in cases:
        try:
            with by_stock():
                expected = calls(make())
        except Exception:  # stock refuses such an argument, or has none
            continue
        count += 1
        try:
            actual = calls(make())
        except Exception as error:
            failures[name] = repr(error)
            continue
        if actual != expected:
            number = [one == other for one, other in zip(actual, expected, strict=True)].index(
                False
            )
            failures[name] = f"{actual[number]} instead of {expected[number]}"
    return failures, count


def assert_same_in_turns(
    requests: Callable[[type, str], list[Any]], make: Callable[[], type], visits: str
) -> None:
    """Assert that a class gives stock's answers; each side has a class that ``make`` makes.

    :param requests: gives what comes of a class in the requests of some visits
    """
    with fastschema.disabled():
        expected = requests(make(), visits)
    actual = requests(make(), visits)
    steps = len(expected) // len(visits)
    for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
        assert one == other, f"request {index // steps} of {visits}, step {index % steps}"
