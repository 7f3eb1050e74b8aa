"""The classes of the standard library that are looked for, whatever stands in their places.

Tests freeze the time by putting subclasses of ``datetime.date`` and ``datetime.datetime`` into
their modules, maybe while fastschema is imported. Values of those subclasses are left to stock. So
this is the rule: a value is known by a class from here, and made by way of the module that stock
asks, when stock would ask it.
"""

from __future__ import annotations

import datetime
from typing import NamedTuple


class _Classes(NamedTuple):
    """In a tuple, since tests replace those of modules."""

    date: type[datetime.date]
    datetime: type[datetime.datetime]
    time: type[datetime.time]
    timedelta: type[datetime.timedelta]
    tzinfo: type[datetime.tzinfo]


def _real(cls: type) -> type:
    """Return a class of ``datetime``, or of which a class is that was put in its place."""
    return next(base for base in cls.__mro__ if base.__module__ == "datetime")


REAL = _Classes(*[_real(getattr(datetime, name)) for name in _Classes._fields])
