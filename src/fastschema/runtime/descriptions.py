"""Descriptions: what a front end says of a field as plain values, before it makes a node of it.

A description is a tuple: the function that makes the kind of the node, then its options. It holds
all that the generated code depends on, and so is the key to the cache of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Description = tuple[Any, ...]
"""What makes a kind, then its options; or :data:`OWN_METHOD`, then the reason."""

Rule = Callable[[Any], Description]
"""From a field to the description of what is done to its value."""

OWN_METHOD = "own method"

_DEEPEST = 10
"""How deep descriptions may be inside of each other; Python may refuse code for more."""


def stock(reason: str) -> Description:
    """The description of a field whose own method is called, and why."""
    return (OWN_METHOD, reason)


def method_of(field: Any, name: str) -> Any:
    """Return the function behind a method of a field; None if the field object has its own."""
    return None if name in vars(field) else getattr(type(field), name, None)


def methods_of(field: Any, name: str, root: type) -> tuple[Any, ...]:
    """Return the functions behind a method and each ``super()`` call in it, in that order.

    Empty if the field object has one of its own.

    :param root: a base of its class, whose function makes no such call
    """
    if name in vars(field):
        return ()
    mro = type(field).__mro__
    bases = mro[: mro.index(root) + 1]
    return tuple([getattr(base, name) for base in bases if name in vars(base)])


def always(kind: Any) -> Rule:
    """Return the rule of a kind that has no options."""
    return lambda field: (kind,)


def describe_by_rule(
    field: Any, method: Any, rules: Mapping[Any, Rule], subject: str
) -> Description:
    """The description of a field by the rule for the method that stock would call.

    :param method: the method
    :param rules: from methods to rules
    :param subject: what the method is called in a reason: "_serialize", say
    """
    rule = rules.get(method)
    if rule is None:
        name = getattr(method, "__qualname__", f"its {subject}")
        return stock(f"{name} is not one that fastschema knows")
    try:
        description = rule(field)
        if is_too_deep(description):
            return stock("fields so deep inside of others are not compiled")
        return description
    except (RecursionError, MemoryError):
        raise  # of this moment, not of the field: it may be read the next time
    except Exception as error:
        return stock(f"its options cannot be read: {error}")


def is_too_deep(description: Description, depth: int = 0) -> bool:
    """Return whether a description holds others that are too deep inside of it."""
    return depth > _DEEPEST or any(
        is_too_deep(each, depth + 1) for each in description if type(each) is tuple
    )


def reason_of(description: Description) -> str | None:
    """Return why a field, or a field inside of it, runs as stock; None if it is compiled."""
    if description and description[0] == OWN_METHOD:
        return str(description[1])
    inner = [each for each in description if isinstance(each, tuple)]
    return next((reason for each in inner if (reason := reason_of(each))), None)


def tell_booleans(truthy: Any, falsy: Any) -> bool:
    """Return whether True and False are what two sets of a field take them for."""
    return True in truthy and False in falsy and False not in truthy
