"""Descriptions: what a front end says of a field as plain values, before it makes a node of it.

A description is a tuple: the name of a kind, then its options. It holds all that the generated code
depends on, and so is the key to the cache of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastschema.runtime.inspection import Inspection

Description = tuple[Any, ...]
"""The name of a kind, then its options."""

Rule = Callable[[Inspection], Description]
"""From a look at a field to the description of what is done to its value."""

OWN_METHOD = "own method"


def stock(reason: str) -> Description:
    """The description of a field whose own method is called, and why."""
    return (OWN_METHOD, reason)


def describe_by_rule(
    look: Inspection, method: Any, rules: Mapping[Any, Rule], subject: str
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
        return rule(look)
    except (RecursionError, MemoryError):
        raise  # of this moment, not of the field: it may be read the next time
    except Exception as error:
        return stock(f"its options cannot be read: {error}")


def reason_of(description: Description | None, holders: frozenset[str]) -> str | None:
    """Why a field, or a field inside of it, runs as stock; None if it is compiled.

    :param holders: the names of kinds whose options are descriptions again
    """
    if description is None:
        return None
    name, *options = description
    if name == OWN_METHOD:
        return str(options[0])
    inner = options if name in holders else []
    return next((reason for each in inner if (reason := reason_of(each, holders))), None)
