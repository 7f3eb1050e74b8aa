"""Whether dictionaries are as they were, by the numbers that CPython gives them.

As with classes (:mod:`fastschema.class_versions`), CPython keeps a number in each dictionary
(``ma_version_tag``, see PEP 509): any change gives it one that no dictionary ever had. The
attributes of an object are such a dictionary. From Python 3.13 on they can change without a new
number, so there, as where the number is not found, no dictionary is said to be the same, and
conditions are asked each time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from fastschema.class_versions import defined, number_at, value_at

_KNOWN_PYTHONS = ((3, 11), (3, 12))
_SIZE = 8
_WARM_UP = 100  # times that a line runs, after which CPython has specialized it

_PLAIN_GET = vars(object)["__getattribute__"]


def dictionary_versions(dictionaries: Iterable[dict[Any, Any]]) -> list[memoryview] | None:
    """The numbers of dictionaries, as buffers of their own memory, which must not outlive them.

    None if they cannot be told.
    """
    numbers = []
    for dictionary in dictionaries:
        if _OFFSET is None or type(dictionary) is not dict:
            return None
        number = number_at(id(dictionary) + _OFFSET, _SIZE)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def reads_plainly(cls: type) -> bool:
    """Whether objects of a class have nothing but what their dictionary has, or their class."""
    return defined(cls, "__getattribute__") is _PLAIN_GET and isinstance(
        defined(cls, "__dict__"), (GetSetDescriptorType, MemberDescriptorType)
    )


def _offset() -> int | None:
    """Where in a dictionary its number is, in bytes; None if that is not known."""
    if sys.implementation.name != "cpython" or sys.version_info[:2] not in _KNOWN_PYTHONS:
        return None
    size: int = dict.__basicsize__
    try:
        places = [
            place for place in range(0, size - _SIZE + 1, _SIZE) if _is_place_of_a_number(place)
        ]
    except Exception:  # an audit hook may forbid it
        return None
    return places[0] if len(places) == 1 else None


class _Plain:
    """An object with a dictionary, to which the experiment writes."""

    attribute: object


def _is_place_of_a_number(place: int) -> bool:
    """Whether what is at a place grows with each change to a dictionary, and with nothing else."""

    def number(dictionary: dict[Any, Any]) -> int:
        return value_at(id(dictionary) + place, _SIZE)

    def write(target: _Plain, value: object) -> None:
        target.attribute = value

    for _ in range(_WARM_UP):
        write(_Plain(), None)
    target = _Plain()
    write(target, 0)
    own, other = vars(target), {"attribute": 0}
    before = number(own), number(other)
    for value in range(1, _WARM_UP):
        write(target, value)
        first = number(own)
        other["attribute"] = value
        after = first, number(other)
        vars(target).get("attribute"), [*own.values()]
        if not before[0] < before[1] < after[0] < after[1] or number(own) != first:
            return False
        before = after
    return True


_OFFSET = _offset()
