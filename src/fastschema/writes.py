"""Writes to the attributes of fields, noticed: so that what was seen of a field need not be asked.

A front end has the base class of its framework's fields tell of each write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

_GET_ATTRIBUTE: Any = object.__getattribute__
_PLAIN = {dict}


class Writes:
    """Which objects are watched. The set of their ids lasts until one of them is written to."""

    __slots__ = ("_methods", "watched")

    def __init__(self) -> None:
        self._methods: tuple[Any, Any] | None = None
        self.watched: set[int] = set()
        """The ids of the objects that are watched. After a write it is another set, and empty.

        Whoever relies on a watched object keeps it alive; ids of others do no harm.
        """

    def begin(self, setter: Callable[..., None], deleter: Callable[..., None]) -> None:
        """Objects tell of writes from now on.

        :param setter: the ``__setattr__`` that does so, and else what ``object``'s does
        :param deleter: the ``__delattr__`` likewise
        """
        self._methods = (setter, deleter)

    def end(self) -> None:
        """Objects do not tell of writes any more."""
        self._methods = None
        self.watched = set()

    @property
    def are_told(self) -> bool:
        """Whether objects tell of writes."""
        return self._methods is not None

    def are_noticed(self, targets: Collection[Any]) -> bool:
        """Whether objects are nothing but their attributes, and tell of all writes to them.

        They cannot tell of what somebody does to their ``__dict__``.
        """
        return all(self.are_told_by(cls) for cls in {type(target) for target in targets}) and (
            {type(target.__dict__) for target in targets} <= _PLAIN
        )

    def are_told_by(self, cls: Any, attributes: Iterable[str] = ()) -> bool:
        """Whether objects of a class tell of all writes to them.

        :param attributes: attributes of theirs, for which the class must have nothing
        """
        return (
            (cls.__setattr__, cls.__delattr__) == self._methods
            and cls.__getattribute__ is _GET_ATTRIBUTE
            and not hasattr(cls, "__getattr__")
            and not any(hasattr(cls, attribute) for attribute in attributes)
        )


writes = Writes()
