"""Whether classes are as they were, by the numbers that CPython gives them.

CPython keeps what it found in a class, for the next time that it looks for a method, under a number
of that class (``tp_version_tag``, see ``Objects/typeobject.c``). Any change to the class, or to a
class it inherits from, takes the number away; at the next look it gets one that no class ever had.
So where the number is the same, the class and its bases define the same: Python itself relies on
that for each call of a method.

Python code is not told the number, but can read it where it lies in memory. Where that is, is found
out by changing a class and looking what became of it. On a Python that is not known, or where it is
not found, no class is said to be the same, and all conditions on classes are asked each time.
"""

from __future__ import annotations

import sys
import sysconfig
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

try:
    import ctypes
except Exception:  # a Python may be built without it, and an audit hook may forbid it
    ctypes = None  # type: ignore[assignment]  # a module otherwise

join = b"".join

_KNOWN_PYTHONS = ((3, 11), (3, 12), (3, 13))
_SIZE = 4
_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
_MOST_KNOWN = 1024

# Past anything that a metaclass may have in their place.
_flags: Callable[[type], int] = vars(type)["__flags__"].__get__
order_of: Callable[[type], tuple[type, ...]] = vars(type)["__mro__"].__get__
"""The classes where attributes of a class are looked for, past its metaclass."""
dictionary_of_class: Callable[[type], Mapping[str, object]] = vars(type)["__dict__"].__get__
"""What a class itself defines, likewise."""

_TYPE_MRO = vars(type)["mro"]
METHODS = (
    FunctionType,
    staticmethod,
    BuiltinFunctionType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
"""What a class gives to its instances as it is, or bound to them."""


class Findings:
    """What was found out about classes; found out anew once a class may have changed.

    It keeps no class alive.

    :param find: finds it out, from an instance, by nothing but what its class defines
    :param names: the attributes that it reads
    """

    __slots__ = ("_find", "_known", "_names")

    def __init__(self, find: Callable[[Any], bool], names: tuple[str, ...]) -> None:
        self._find = find
        self._names = names
        # By the id of a class. Of one that is gone, its number says that this is another class.
        self._known: dict[int, tuple[list[memoryview], bytes, type, bool | None]] = {}

    def of(self, instance: Any) -> bool:
        """What is found out about the class of an instance."""
        cls = type(instance)
        known = self._known.get(id(cls))
        if known is not None:
            numbers, seen, metaclass, finding = known
            if type(cls) is metaclass and join(numbers) == seen:
                return self._found(instance, cls, numbers) if finding is None else finding
        return self._found(instance, cls, None)

    def _found(self, instance: Any, cls: type, numbers: list[memoryview] | None) -> bool:
        """Find it out; it is written down when it is found again, for the class may go on changing.

        :param numbers: those of the class, if they are what they were the last time
        """
        is_again = numbers is not None
        if numbers is None and is_plain(cls):
            # What a class gets from its metaclass is up to that.
            numbers = versions([cls] if type(cls) is type else [cls, type(cls)])
        if not numbers:
            return self._find(instance)
        now = join(numbers)
        finding = self._find(instance)
        is_known = is_again and gives_the_same(cls, self._names, METHODS)
        if join(numbers) == now and are_all_numbers(now):
            if len(self._known) >= _MOST_KNOWN:
                self._known = {}
            self._known[id(cls)] = (numbers, now, type(cls), finding if is_known else None)
        return finding


def versions(classes: Iterable[type]) -> list[memoryview] | None:
    """The numbers of classes, as buffers of their own memory, which must not outlive them.

    None if they cannot be told. Classes that nobody can change have none.
    """
    if _OFFSET is None:
        return None
    numbers = []
    for cls in classes:
        if _flags(cls) & _IMMUTABLE:
            continue
        number = number_at(id(cls) + _OFFSET, _SIZE)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def number_at(address: int, size: int) -> memoryview | None:
    """A number in memory, of so many bytes; None if it cannot be read."""
    try:
        return memoryview((ctypes.c_char * size).from_address(address))
    except Exception:  # there may be no ctypes, and an audit hook may forbid it
        return None


def value_at(address: int, size: int) -> int:
    """The value of a number in memory.

    :raises ValueError: if it cannot be read
    """
    number = number_at(address, size)
    if number is None:
        raise ValueError("memory cannot be read")
    return int.from_bytes(number, sys.byteorder)


def is_plain(value: object) -> bool:
    """Whether a value is a class, and reading its attributes is reading those of its instances."""
    return type(value) in (type, ABCMeta)


def gives_the_same(cls: type, names: Iterable[str], kinds: tuple[type, ...]) -> bool:
    """Whether attributes of a class are the same each time, as long as nobody changes the class.

    A descriptor may give what it likes.

    :param kinds: descriptors that do not
    """
    if defined(type(cls), "mro") is not _TYPE_MRO:
        return False  # it may have attributes of a class that it does not inherit from
    left = {*names}
    for base in order_of(cls):
        own = dictionary_of_class(base)
        found = own.keys() & left
        for name in found:
            kind = type(own[name])
            if not _flags(kind) & _IMMUTABLE:
                return False  # it may become a descriptor
            if kind not in kinds and hasattr(kind, "__get__"):
                return False
        left -= found
    return True


def defined(cls: type, name: str) -> object:
    """What a class or one that it inherits from has of a name, as it stands there; or None."""
    for base in order_of(cls):
        own = dictionary_of_class(base)
        if name in own:
            return own[name]
    return None


def are_all_numbers(joined: bytes) -> bool:
    """Whether none of some numbers is missing."""
    return not joined or 0 not in memoryview(joined).cast("I")


def _offset() -> int | None:
    """Where in a class its number is, in bytes; None if that is not known."""
    if (
        sys.implementation.name != "cpython"
        or sys.version_info[:2] not in _KNOWN_PYTHONS
        or sysconfig.get_config_var("Py_GIL_DISABLED")
        or ctypes is None
    ):
        return None
    size: int = type.__basicsize__  # type: ignore[assignment]  # mypy takes it for a method
    places = {*range(0, size - _SIZE + 1, _SIZE)}
    try:
        for _ in range(3):
            places &= _places_of_a_number(places)
    except Exception:  # an audit hook may forbid it
        return None
    return places.pop() if len(places) == 1 else None


def _places_of_a_number(places: set[int]) -> set[int]:
    """Those of some places where a number is taken away when a class, or its base, changes."""
    base: type = type("base", (), {"attribute": None})
    cls: type = type("cls", (base,), {})

    def numbers() -> dict[int, int]:
        return {place: value_at(id(cls) + place, _SIZE) for place in sorted(places)}

    def looked_up() -> dict[int, int]:
        cls.attribute  # type: ignore[attr-defined]  # noqa: B018  # gives the class a number
        return numbers()

    first = looked_up()
    again = looked_up()
    base.attribute = 1  # type: ignore[attr-defined]  # not of every class
    without = numbers()
    second = looked_up()
    cls.other = 1  # type: ignore[attr-defined]  # not of every class
    without_again = numbers()
    third = looked_up()
    return {
        place
        for place in places
        if first[place] == again[place]
        and without[place] == without_again[place] == 0
        and 0 < first[place] < second[place] < third[place]
    }


_OFFSET = _offset()
