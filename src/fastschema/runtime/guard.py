"""Noticing that a schema no longer reads as it did.

Reading a schema is exact, and costs more than dumping one object. So what was read is kept, with a
:class:`Guard` that knows what the reading relied on. There are four sorts of such things:

- **Writes that are noticed.** A framework's fields may tell of writes to them: the write takes away
  the :class:`Mark` that hangs on the field's schema (or on the field, if it has none).
- **Attributes** of objects that do not tell: compared by identity.
- **Contents** of lists, sets and dictionaries that may change in place: compared with a copy.
- **Attributes of classes**, methods above all: compared by identity.

What else may change is not noticed; :func:`fastschema.forget` is for that.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

ATTRIBUTE = "_fastschema"
"""Where what is known of a schema, a field or a class hangs on it: a key of its ``__dict__``."""

ABSENT: Any = object()
"""Stands for an attribute that is not there."""


class Mark:
    """Hangs on an object until somebody writes to it. Copies and pickles of the object have none.

    A shallow copy shares the mark, which its owner must see for itself.
    """

    __slots__ = ()

    def __reduce__(self) -> Any:
        return type(None), ()

    def __deepcopy__(self, memo: Any) -> None:
        return None


class Readings:
    """All that was read since :meth:`forget` was called last."""

    __slots__ = ("current",)

    def __init__(self) -> None:
        self.current = object()
        """Another object after each call of :meth:`forget`."""

    def forget(self) -> None:
        """Read every schema anew."""
        self.current = object()


readings = Readings()


def no_owner(target: Any) -> None:
    """The owner of objects that do not tell of writes to them."""
    return


class Guard:
    """What a reading relied on.

    :param owner_of: from an object to the one whose mark is taken away when somebody writes to the
        object; None if nobody is told of writes to it
    """

    __slots__ = (
        "_attributes",
        "_class_check",
        "_classes",
        "_computed",
        "_contents",
        "_generation",
        "_marks",
        "is_lasting",
        "owner_of",
    )

    def __init__(self, owner_of: Callable[[Any], Any] = no_owner) -> None:
        self.owner_of = owner_of
        self.is_lasting = True
        """False if the reading relied on something that cannot be compared (a property, say)."""
        self._generation = readings.current
        self._marks: dict[int, tuple[dict[str, Any], Any]] = {}
        self._attributes: list[tuple[dict[str, Any], str, Any]] = []
        self._contents: dict[int, tuple[Any, Any]] = {}
        self._computed: list[tuple[Any, str, Any]] = []
        self._classes: dict[type, dict[str, Any]] = {}
        self._class_check: tuple[attrgetter[Any], SimpleNamespace, tuple[Any, ...]] | None = None

    def watch(self, owner: Any) -> None:
        """It relies on an object's mark being there."""
        if id(owner) not in self._marks:
            own = owner.__dict__
            mark = own.get(ATTRIBUTE)
            if mark is None:
                mark = own[ATTRIBUTE] = Mark()
            self._marks[id(owner)] = (own, mark)

    def attribute(self, own: dict[str, Any], name: str) -> None:
        """It relies on an attribute that an object has in its ``__dict__``, or has not."""
        self._attributes.append((own, name, own.get(name, ABSENT)))

    def contents(self, collection: Any) -> None:
        """It relies on what is in a list, a set or a dictionary of plain class."""
        self._contents.setdefault(id(collection), (collection, copy(collection)))

    def nested_contents(self, collection: Any) -> None:
        """The same with lists, tuples and dictionaries inside of it."""
        self._contents.setdefault(id(collection), (collection, _copied(collection)))

    def computed(self, target: Any, name: str, value: Any) -> None:
        """It relies on an attribute that an object computes, such as a setting."""
        self._computed.append((target, name, value))

    def class_attribute(self, cls: type, name: str, value: Any) -> None:
        """It relies on an attribute of a class, as ``getattr`` finds it."""
        self._classes.setdefault(cls, {})[name] = value

    def for_others_than(self, own: dict[str, Any]) -> Guard:
        """The same guard for objects that are made of the same, and as yet unchanged.

        Marks and attributes of the object itself are not asked for; what such objects share is.

        :param own: the ``__dict__`` of the object that was read
        """
        guard = Guard(self.owner_of)
        guard.is_lasting = self.is_lasting
        guard._generation = self._generation
        guard._attributes = [each for each in self._attributes if each[0] is not own]
        guard._contents = self._contents
        guard._computed = self._computed
        guard._classes = self._classes
        return guard

    def without_attributes(self) -> Guard:
        """The same guard for objects whose attributes nobody changes."""
        guard = self.for_others_than({})
        guard._attributes = []
        return guard

    def holds(self) -> bool:
        """Whether a reading made now would be the same."""
        return self.objects_hold() and self._classes_hold()

    def objects_hold(self) -> bool:
        """Whether it would be the same, if no class or setting has changed."""
        if self._generation is not readings.current or not self.is_lasting:
            return False
        for own, mark in self._marks.values():
            if own.get(ATTRIBUTE) is not mark:
                return False
        for own, name, seen in self._attributes:
            if own.get(name, ABSENT) is not seen:
                return False
        for collection, seen in self._contents.values():  # noqa: SIM110  # a generator would take longer
            if collection != seen:
                return False
        return True

    def _classes_hold(self) -> bool:
        try:
            for target, name, seen in self._computed:
                if getattr(target, name) != seen:
                    return False
            get, classes, values = self._class_check or self._make_class_check()
            return bool(get(classes) == values)
        except AttributeError:
            return False

    def _make_class_check(self) -> tuple[attrgetter[Any], SimpleNamespace, tuple[Any, ...]]:
        """What gets all attributes of all classes at once, from what, and what that must give."""
        classes = SimpleNamespace(_=None)
        names, values = ["_", "_"], [None, None]
        for number, (cls, attributes) in enumerate(self._classes.items()):
            setattr(classes, f"class_{number}", cls)
            names += [f"class_{number}.{name}" for name in attributes]
            values += attributes.values()
        self._class_check = attrgetter(*names), classes, tuple(values)
        return self._class_check


def _copied(value: Any) -> Any:
    """Nested lists, tuples and dictionaries anew; what is in them stays."""
    if type(value) is dict:
        return {key: _copied(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_copied, value))
    return value
