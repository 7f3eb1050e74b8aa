"""What users gave, told by its class alone: ``type()`` and ``is`` run no code of theirs.

A default, a label or a queryset may be a lazy object. What it stands for is found when code
looks, and is another thing for each request; ``isinstance``, ``==``, ``hash``, ``bool``, ``len``,
``str`` and attributes all look. So these functions are the ones that may touch a value of users.
What is not of a class that they know is code of users, and left to stock.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta, timezone
from decimal import Decimal
from itertools import chain
from operator import is_
from types import BuiltinFunctionType, FunctionType, MethodType, NoneType
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

PLAIN = frozenset(
    [
        *(NoneType, str, int, float, complex, bool, bytes, Decimal, UUID),
        *(date, timedelta, timezone, ZoneInfo),
    ]
)
"""Classes whose objects no code of users compares, or turns into anything else."""
CONTAINERS = frozenset([list, tuple, dict, set, frozenset])
_LOOKING = frozenset(["__class__", "__getattr__", "__getattribute__"])


def is_a(value: object, *classes: type) -> bool:
    """Return whether a value is of one of some classes; ``isinstance()`` would ask the value."""
    return issubclass(type(value), classes)


def has_plain_attributes(cls: type) -> bool:
    """Return whether no code of users hears of each look at an object of a class."""
    return all(
        _LOOKING.isdisjoint(vars(base)) or base.__module__ == "builtins" for base in cls.__mro__
    )


def members(container: Any) -> Iterable[Any]:
    """Return what is in one of :data:`CONTAINERS`, the keys of a dictionary included."""
    return chain(container, container.values()) if type(container) is dict else container


def is_plain(value: Any) -> bool:
    """Return whether a value, and all that is inside of it, is of a plain class."""
    cls = type(value)
    return cls in PLAIN or (cls in CONTAINERS and all(map(is_plain, members(value))))


def is_lazy(value: Any, containers: frozenset[type] = CONTAINERS) -> bool:
    """Return whether a look at a value may run code of users: it is no plain one, and no function.

    What code of users makes of it may be another thing each time.

    :param containers: the classes of what holds other values, and runs no code but Python's
    """
    cls = type(value)
    if cls in containers:
        return any(is_lazy(member, containers) for member in members(value))
    return not (cls in PLAIN or issubclass(cls, (type, FunctionType, BuiltinFunctionType)))


def has_plain_truth(value: Any) -> bool:
    """Return whether ``bool()`` of a value runs no code of users."""
    cls = type(value)
    return not is_lazy(value) or not (hasattr(cls, "__bool__") or hasattr(cls, "__len__"))


def why_lazy(
    obj: Any, names: Iterable[str], containers: frozenset[type] = CONTAINERS
) -> str | None:
    """Return why only stock may look at some options of a field; None if we may, too."""
    attributes = vars(obj)
    for name in names:
        if name in attributes and is_lazy(attributes[name], containers):
            return f"its {name} may be lazy"
    return None


def are_same(one: Any, other: Any) -> bool:
    """Return whether two values are one, or equal by their members without users' ``__eq__``."""
    cls = type(one)
    if one is other or cls is not type(other):
        return one is other
    if cls in PLAIN:
        return bool(one == other)
    if cls is MethodType:  # a new object each time
        return one.__self__ is other.__self__ and one.__func__ is other.__func__
    if cls not in CONTAINERS or len(one) != len(other):
        return False
    if cls is list or cls is tuple:
        return all(map(is_, one, other)) or all(map(are_same, one, other))
    if cls is dict and all(map(is_, one, other)):
        return are_same(list(one.values()), list(other.values()))
    if not all(type(member) in PLAIN for member in chain(one, other)):
        return False
    if cls is dict:
        return one.keys() == other.keys() and all(are_same(one[key], other[key]) for key in one)
    return bool(one == other)


def copied(value: Any) -> Any:
    """Return nested lists, tuples, sets and dictionaries anew; what is in them stays."""
    if type(value) is dict:
        return {key: copied(member) for key, member in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    if type(value) is set:
        return value.copy()
    return value
