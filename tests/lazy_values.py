"""Values that stand for something else: for another thing in each tenant's request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.utils.functional import SimpleLazyObject, lazystr
from werkzeug.local import LocalProxy

import fastschema

tenant: ContextVar[str] = ContextVar("tenant", default="nobody")
CALLS: list[Any] = []
"""Who asked a lazy value for what it stands for, and for which tenant."""
WARM = "a" * 40 + "b" + "ab" * 3 + "ba"
"""Whose requests come in turns: those of one make everything warm, then another one's come."""
COLD = "abba"


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

    @property
    def __class__(self):
        return type(self.function())

    def __str__(self):
        return str(self.function())


class WithEq:
    """An object that compares by code of its own."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

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

    def __getattr__(self, name):
        if name == "function":
            raise AttributeError(name)
        return getattr(self.function(), name)


class LazyText:
    """Gives a text when it is asked for one."""

    def __new__(cls, function: Callable[[], Any]) -> Any:
        return lazystr(Later(function))


class Later:
    """An object whose text is made when it is asked for."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def __str__(self):
        return str(self.function())


KINDS: dict[str, Callable[[Callable[[], Any]], Any]] = {
    "SimpleLazyObject": SimpleLazyObject,
    "LocalProxy": LocalProxy,
    "lazystr": LazyText,
    "an object with __class__": WithClass,
    "an object with __eq__": WithEq,
    "an object with __getattr__": WithGetattr,
}
"""Kinds of values that run code of users when somebody looks at them."""


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
    **dict.fromkeys(["validate", "default_timezone", "timezone", "pk_field"], None),
    **dict.fromkeys(["source", "attribute", "data_key", "field_name"], "other"),
}
"""What arguments of some names stand for; of all others, a text."""


def lazy_cases(
    classes: dict[type, Callable[[], dict[str, Any]]], root: type
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """For each class, argument and kind of lazy value: their names, and what makes the field.

    :param classes: with what gives the arguments that each needs
    """
    for cls, needed in classes.items():
        for name in sorted(arguments_of(cls, root)):
            for kind, lazy in KINDS.items():

                def make(cls=cls, needed=needed, name=name, lazy=lazy) -> Any:
                    value = lazy(noting(name, lambda who: VALUES.get(name, "x")))
                    return cls(**{**needed(), name: value})

                yield f"{cls.__name__}({name}={kind})", make


def differing(
    cases: Iterator[tuple[str, Callable[[], Any]]],
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
