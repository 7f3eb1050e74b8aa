"""Descriptions: what a front end says of a field as plain values, before it makes a node of it.

A description is a tuple: the function that makes the kind of the node, then its options. It holds
all that the generated code depends on, and so is the key to the cache of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastschema.runtime.inspection import Inspection

Description = tuple[Any, ...]
"""What makes a kind, then its options; or :data:`OWN_METHOD`, then the reason."""

Rule = Callable[[Inspection], Description]
"""From a look at a field to the description of what is done to its value."""

OWN_METHOD = "own method"


def stock(reason: str) -> Description:
    """Return the description of a field whose own method is called, and why."""
    return (OWN_METHOD, reason)


def always(kind: Any) -> Rule:
    """Return the rule of a kind that has no options."""
    return lambda look: (kind,)


def describe_by_rule(
    look: Inspection, method: Any, rules: Mapping[Any, Rule], subject: str
) -> Description:
    """Return the description of a field by the rule for the method that stock would call.

    :param method: the method
    :param rules: from methods to rules
    :param subject: what the method is called in a reason: "_serialize", say
    """
    rule = rules.get(method)
    if rule is None:
        name = getattr(method, "__qualname__", f"its {subject}")
        return stock(f"{name} is not one that fastschema knows")
    try:
        return rule(look)
    except (RecursionError, MemoryError):
        raise  # of this moment, not of the field: it may be read the next time
    except Exception as error:
        return stock(f"its options cannot be read: {error}")


def reason_of(description: Description) -> str | None:
    """Return why a field, or a field inside of it, runs as stock; None if it is compiled."""
    if description and description[0] == OWN_METHOD:
        return str(description[1])
    inner = [each for each in description if isinstance(each, tuple)]
    return next((reason for each in inner if (reason := reason_of(each))), None)


def tell_booleans(truthy: Any, falsy: Any) -> bool:
    """Return whether True and False are what two sets of a field take them for."""
    return True in truthy and False in falsy and False not in truthy
