"""Values that stand for something else: for another thing in each tenant's request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.utils.functional import SimpleLazyObject, lazystr
from werkzeug.local import LocalProxy

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
