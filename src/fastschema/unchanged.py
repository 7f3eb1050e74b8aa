"""Conditions that are asked again only when what decides them may have changed.

What classes and dictionaries have, objects' attributes among it, can only change when a number of
that class or dictionary does (:mod:`fastschema.class_versions`,
:mod:`fastschema.dictionary_versions`). Where all numbers are those with which a condition held, it
holds now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fastschema.class_versions import (
    METHODS,
    are_all_numbers,
    gives_the_same,
    join,
    versions,
)
from fastschema.dictionary_versions import dictionary_versions, reads_plainly

_NEVER_SEEN = b"never seen"

Attributes = Iterable[tuple[type, Iterable[str]]]
"""Classes, each with the names of some attributes."""


class Unchanged:
    """Conditions that depend on nothing but classes and dictionaries.

    As long as this lives, those do.

    :param others: conditions that are among them, complete
    """

    __slots__ = (
        "_before",
        "_class_versions",
        "_conditions",
        "_dictionaries",
        "_of_classes",
        "_of_objects",
        "_others",
        "_owners",
        "are_told",
        "seen",
        "versions",
    )

    def __init__(self, others: Unchanged | None = None) -> None:
        self._others = others
        self._conditions: list[Callable[[], bool]] = []
        self._of_classes: list[tuple[type, Iterable[str]]] = []
        self._of_objects: list[tuple[type, Iterable[str]]] = []
        # Their numbers are read where they are.
        self._dictionaries: list[dict[Any, Any]] = []
        self.are_told: bool = others is None or others.are_told
        """Whether the numbers can be told; if not, the conditions are asked each time."""
        self._class_versions: list[memoryview] = []
        # The ids of those whose numbers these are.
        self._owners: set[int] = set() if others is None else {*others._owners}
        self.versions: list[memoryview] = [] if others is None else [*others.versions]
        """The numbers as they are now: buffers of the memory of classes and dictionaries."""
        self.seen = self._before = _NEVER_SEEN
        """What they were when the conditions held."""

    def add(
        self,
        condition: Callable[[], bool],
        *,
        of_classes: Attributes = (),
        of_objects: Attributes = (),
        dictionaries: Sequence[dict[Any, Any]] = (),
    ) -> None:
        """One more condition; it says whether it holds.

        :param of_classes: the attributes of classes that it reads, but those that it takes from
            the dictionaries of classes
        :param of_objects: the attributes that it reads of objects of some classes
        :param dictionaries: those of these objects' own attributes, and the others that it reads
        """
        self.seen = self._before = _NEVER_SEEN
        self._conditions.append(condition)
        self._of_classes += of_classes
        self._of_objects += of_objects
        self._dictionaries += dictionaries
        of_these = versions(self._new([cls for cls, _ in (*of_classes, *of_objects)]))
        of_dictionaries = dictionary_versions(self._new(dictionaries))
        if of_these is None or of_dictionaries is None:
            self.are_told = False
            self.versions = []
        elif self.are_told:
            self._class_versions += of_these
            self.versions += [*of_these, *of_dictionaries]

    def _new(self, owners: Iterable[object]) -> list[Any]:
        """Those of some classes or dictionaries whose number is not among these yet."""
        new = []
        for owner in owners:
            if id(owner) not in self._owners:
                self._owners.add(id(owner))
                new.append(owner)
        return new

    @property
    def are_known(self) -> bool:
        """Whether the conditions hold as long as the numbers are what they are now."""
        return join(self.versions) == self.seen

    def hold(self) -> bool:
        """Whether the conditions hold."""
        return join(self.versions) == self.seen or self.ask()

    def ask(self) -> bool:
        """Whether the conditions hold, where the numbers are not those that were seen."""
        now = join(self.versions)
        if self._others is not None and not self._others.hold():
            return False
        for condition in self._conditions:
            if not condition():
                return False
        # The first time is not worth a look at the attributes: they may go on changing.
        if self._before == now and self.are_told and self._give_the_same(now):
            self.seen = now
        self._before = now
        return True

    def _give_the_same(self, now: bytes) -> bool:
        """Whether the conditions will hold as long as the numbers are what they were."""
        by_class = (*METHODS, property)  # which a class gives as it stands there
        return (
            (self._others is None or self._others.are_known)
            and all(gives_the_same(cls, names, by_class) for cls, names in self._of_classes)
            and all(
                reads_plainly(cls) and gives_the_same(cls, names, METHODS)
                for cls, names in self._of_objects
            )
            and join(self.versions) == now
            # A class that has no number may change without getting another.
            and are_all_numbers(join(self._class_versions))
        )
