"""Looking at a schema, a field or a validator, so that a guard knows what was seen."""

from __future__ import annotations

from typing import Any

from fastschema.runtime.guard import ABSENT, Guard

_DEEPEST = 10
_NO_ATTRIBUTES: dict[str, Any] = {}
_PLAIN_CLASSES = (bool, type(None), int, float, str, bytes)


class Inspection:
    """Looks at an object and tells a guard what it sees.

    :param target: the object
    :param guard: what is told
    :param depth: how many fields it is inside of
    """

    __slots__ = ("_depth", "_is_noticed", "_own", "cls", "guard", "target")

    def __init__(self, target: Any, guard: Guard, depth: int = 0) -> None:
        self.target = target
        self.guard = guard
        self.cls = type(target)
        self._depth = depth
        self._own = getattr(target, "__dict__", _NO_ATTRIBUTES)
        owner = guard.owner_of(target)
        self._is_noticed = owner is not None
        if owner is not None:
            guard.watch(owner)

    def get(self, name: str) -> Any:
        """The value of an attribute. Only for values that cannot be changed in place."""
        self._look_at_class(name)
        if not self._is_noticed:
            self.guard.attribute(self._own, name)
        return getattr(self.target, name)

    def optional(self, name: str) -> Any:
        """The same; ``ABSENT`` if there is none."""
        return self.get(name) if hasattr(self.target, name) else self._absent(name)

    def method(self, name: str) -> Any:
        """The function behind a method; None if the object has one of its own."""
        function = self.on_class(name)
        if hasattr(function, "__set__"):
            self.guard.is_lasting = False  # a property, which decides each time
        if not self._is_noticed:
            self.guard.attribute(self._own, name)
        return None if name in self._own else function

    def chain(self, name: str, root: type) -> tuple[Any, ...]:
        """The functions behind a method and behind each ``super()`` call in it, in that order.

        Empty if the object has one of its own.

        :param root: a base of the class, whose function makes no such call
        """
        if self.method(name) is None:
            return ()
        functions = []
        for base in self.cls.__mro__[: self.cls.__mro__.index(root) + 1]:
            if hasattr(base, name):  # a mixin need not have it
                self.guard.class_attribute(base, name, getattr(base, name))
            if name in vars(base):
                functions.append(getattr(base, name))
        return tuple(functions)

    def on_class(self, name: str) -> Any:
        """An attribute of the class; None if there is none."""
        value = getattr(self.cls, name, ABSENT)
        if value is ABSENT:
            return None
        self.guard.class_attribute(self.cls, name, value)
        return value

    def item(self, name: str, key: Any) -> Any:
        """What a dictionary that is an attribute has for a key; None if nothing.

        :raises TypeError: for a key that cannot be hashed
        """
        mapping = self.get(name)
        value = mapping.get(key)
        self.guard.contents(mapping)
        return value

    def contents(self, name: str) -> Any:
        """A collection that is an attribute, and may change in place."""
        collection = self.get(name)
        self.guard.contents(collection)
        return collection

    def is_true(self, name: str) -> bool:
        """Whether the value of an attribute is true."""
        value = self.get(name)
        if type(value) not in _PLAIN_CLASSES:
            self.guard.is_lasting = False  # its truth is user code's business
        return bool(value)

    def within(self, name: str) -> Inspection:
        """A look at a field inside of the field."""
        return Inspection(self.get(name), self.guard, self._depth + 1)

    def at(self, name: str, index: int) -> Inspection:
        """A look at one of the objects in a list, whose :meth:`contents` were looked at."""
        return Inspection(getattr(self.target, name)[index], self.guard, self._depth + 1)

    @property
    def is_deep(self) -> bool:
        """Whether the field is so deep inside of others that Python may refuse code for it."""
        return self._depth > _DEEPEST

    def _absent(self, name: str) -> Any:
        if not self._is_noticed:
            self.guard.attribute(self._own, name)
        return ABSENT

    def _look_at_class(self, name: str) -> None:
        """See to an attribute that the class has: a plain one, or one that is computed."""
        value = getattr(self.cls, name, ABSENT)
        if value is ABSENT:
            return
        self.guard.class_attribute(self.cls, name, value)
        # A property, or whatever else decides each time what the attribute is.
        if hasattr(value, "__set__") or (name not in self._own and hasattr(value, "__get__")):
            self.guard.is_lasting = False
