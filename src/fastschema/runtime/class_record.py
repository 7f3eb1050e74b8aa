"""What is known of a class of schemas: one record, for both front ends.

A record keeps the exemplars that pending objects run, and what made objects run: that of others
whose fields are alike (:class:`MadePrograms`). How uses are counted, each front end says. Which
object runs which is told where that is decided: in :mod:`fastschema.marshmallow.states`, and in
:mod:`fastschema.contrib.django.front_end.states`.

What is kept is bounded in one way: what is full takes no more. It goes in one way, too:
:meth:`ClassRecord.refresh` drops all of it when a class that takes part has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from fastschema.runtime import thresholds
from fastschema.runtime.guard import ClassSnapshot, ClassState

MOST_EXEMPLARS = 64
"""For how many combinations of arguments a class has an exemplar."""
MOST_CHANGES = 8
"""A class that has changed so often since its first use runs as stock."""
_MOST_COUNTS = 256
_MOST_NAMES = 64
"""For how many sets of names a class keeps what objects with such fields run."""
_MOST_FOR_NAMES = 4
"""How many programs it keeps for each."""
_MOST_MISSES = 16
"""After so many objects in a row of the same names, but other options, they are not compared."""


class Reading(Protocol):
    """What was read of an object's fields: objects of its class with such fields run it, too."""

    def matches(self, fields: Any, /) -> bool:
        """Return whether fields are like those that were read."""
        ...

    def is_current(self) -> bool:
        """Return whether all else that it depends on is what it was."""
        ...


AnyReading = TypeVar("AnyReading", bound=Reading)


class MadePrograms(Generic[AnyReading]):
    """What the made objects of a class run: by the names of their fields, a few programs each."""

    __slots__ = ("_by_names", "_misses")

    def __init__(self) -> None:
        self._by_names: dict[Hashable, list[AnyReading]] = {}
        self._misses: Counter[Hashable] = Counter()
        """How many objects in a row had fields of these names, but like those of no other."""

    def find(
        self,
        names: Hashable,
        fields: Any,
        read: Callable[[], AnyReading | None],
        *,
        is_worth_reading: bool = False,
    ) -> AnyReading | None:
        """Return what an object runs; its fields are read if they are like those of no other.

        :param names: the names of its fields, and whatever else is worth a look first
        :param is_worth_reading: whether to read them though that cannot be kept
        """
        readings = self._by_names.get(names)
        if readings is None and len(self._by_names) < _MOST_NAMES:
            readings = self._by_names[names] = []
        # After that many misses, the options differ each time, and comparing them gains nothing.
        if readings is None or self._misses[names] >= _MOST_MISSES:
            return read() if is_worth_reading else None
        for reading in readings:
            if reading.matches(fields) and reading.is_current():
                self._misses[names] = 0
                return reading
        self._misses[names] += 1
        readings = [reading for reading in readings if reading.is_current()]
        has_room = len(readings) < _MOST_FOR_NAMES
        latest = read() if has_room or is_worth_reading else None
        if latest is not None and has_room:
            self._by_names[names] = [latest, *readings]
        return latest


class ClassRecord(ClassState):
    """What is known of a class; a front end has a subclass, which says what to watch."""

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self._counts: Counter[Hashable] = Counter()
        self._changes = 0
        self.reset()

    def reset(self) -> None:
        """Drop all but how much the class is used, and how often it has changed."""
        self.classes: ClassSnapshot | None = None
        """What is watched."""
        self.exemplars: dict[Hashable, Any] = {}
        """By what chooses the fields of an object (arguments; in DRF, the language), its exemplar;
        None where there can be none."""
        self.made: dict[str, MadePrograms[Any]] = {}
        """By direction, what made objects run."""

    def count(self, objects: int, key: Hashable = None) -> bool:
        """Count objects that are to be dumped or loaded; return whether a program is worth it.

        :param key: what chooses their fields, where a program for these objects is worth no more
            than they are: one-offs are not compiled
        """
        counts = self._counts
        if len(counts) < _MOST_COUNTS or key in counts:
            counts[key] += objects
        return thresholds.is_worth_compiling(counts[key])

    def was_counted(self, key: Hashable) -> bool:
        return key in self._counts

    @property
    def is_in_use(self) -> bool:
        return thresholds.is_worth_compiling(self._counts[None])

    def watch(self, classes: Iterable[Any]) -> None:
        """Notice from now on if classes change, or objects that hold options of classes."""
        if self.classes is None:
            self.classes = ClassSnapshot()
        for cls in classes:
            self.classes.add(cls)

    def refresh(self) -> bool:
        """Drop all if a class has changed; return whether anything may be known of the class."""
        if self.classes is not None and not self.classes.is_current():
            self.reset()
            self._changes += 1
        return self._changes <= MOST_CHANGES

    def exemplar(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the exemplar for a key, made if there is room; None if there can be none."""
        exemplars = self.exemplars
        if key not in exemplars and len(exemplars) < MOST_EXEMPLARS:
            return exemplars.setdefault(key, make())
        return exemplars.get(key)

    def made_programs(self, direction: str) -> MadePrograms[Any]:
        programs = self.made.get(direction)
        if programs is None:
            programs = self.made.setdefault(direction, MadePrograms())
        return programs
