"""What came of a call, in a form that compares equal only to what users cannot tell from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from functools import partial
from typing import Any

ADDRESS = re.compile(" at 0x[0-9a-f]+")


@dataclass(frozen=True)
class Outcome:
    """What came of a call.

    :param value: what it returned, with all types spelled out
    :param error: the class and the message of what it raised
    :param calls: what user code logged meanwhile
    :param queries: what the database was asked meanwhile
    """

    value: Any
    error: tuple[type, str] | None
    calls: list[Any]
    queries: tuple[tuple[str, Any], ...] = ()


def outcome_of(
    call: Callable[[], Any],
    calls: MutableSequence[Any],
    exactly: Callable[[Any], Any],
    message: Callable[[Exception], str] = str,
) -> Outcome:
    """Call, and tell what came of it.

    :param calls: the list that user code logs to, which is emptied first
    :param exactly: spells out what is returned
    :param message: what is compared of an error besides its class
    """
    calls.clear()
    try:
        value = exactly(call())
    except RecursionError as error:  # how deep it was, and in what, is not compared
        return Outcome(None, (type(error), ""), list(calls))
    except Exception as error:
        return Outcome(None, (type(error), message(error)), list(calls))
    return Outcome(value, None, list(calls))


def exactly(
    value: Any,
    leaf: Callable[[Any], Any],
    mapping: type = Mapping,
    text: Callable[[str], str] = str,
) -> Any:
    """A value with the classes of all its parts, comparable even if it holds NaN.

    :param leaf: spells out what is neither a container nor one of the commonest values
    :param mapping: the class of what is listed by its items
    :param text: what is compared of a string
    """
    if value is None:
        return None
    cls = type(value)
    if cls is str:
        return text(value)
    if cls is int:
        return int, hex(value)  # the digits of a huge one would be too many
    if cls is bool or cls is float:  # the commonest of those that are no containers
        return cls, leaf(value)
    again = partial(exactly, leaf=leaf, mapping=mapping, text=text)
    if isinstance(value, mapping):
        return cls, [(again(key), again(each)) for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        iterate = list.__iter__ if isinstance(value, list) else tuple.__iter__
        return cls, [again(each) for each in iterate(value)]
    if isinstance(value, (set, frozenset)):
        return cls, sorted(map(repr, value))
    return cls, leaf(value)


def without_address(text: str) -> str:
    """What Python says of an object, apart from where it is in memory."""
    return ADDRESS.sub("", text)
