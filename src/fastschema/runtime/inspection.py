"""Looking at a schema, a field or a validator, so that a guard knows what was seen."""

from __future__ import annotations

from copy import copy
from typing import Any

from fastschema.runtime.guard import ABSENT, FieldRecord, Guard

_DEEPEST = 10
_NO_ATTRIBUTES: dict[str, Any] = {}
_PLAIN_CLASSES = (bool, type(None), int, float, str, bytes)


class Inspection:
    """Looks at an object and tells a guard what it sees.

    :param target: the object
    :param guard: what is told
    :param record: the record of the field that the object is, or is inside of; None for others
    :param path: how to get from that field to the object: "" or "inner.", say
    """

    __slots__ = ("_own", "_path", "_record", "cls", "guard", "target")

    def __init__(
        self, target: Any, guard: Guard, record: FieldRecord | None = None, path: str = ""
    ) -> None:
        self.target = target
        self.guard = guard
        self.cls = type(target)
        self._record = record
        self._path = path
        self._own = getattr(target, "__dict__", _NO_ATTRIBUTES)

    @classmethod
    def of_field(cls, field: Any, guard: Guard) -> Inspection:
        """A look at the next field of the schema."""
        return cls(field, guard, guard.field(field))

    def get(self, name: str) -> Any:
        """The value of an attribute. Only for values that cannot be changed in place."""
        value = self._read(name)
        # What a field of the schema has from its class, it has until it gets one of its own.
        if self._path or self._record is None or name in self._own:
            self._note(name, value)
        return value

    def _read(self, name: str) -> Any:
        on_class = getattr(self.cls, name, ABSENT)
        if on_class is not ABSENT:
            self.guard.class_attribute(self.cls, name, on_class)
            # A property, or whatever else decides each time what the attribute is.
            if hasattr(on_class, "__set__") or (
                name not in self._own and hasattr(on_class, "__get__")
            ):
                self.guard.is_lasting = False
        return getattr(self.target, name)

    def optional(self, name: str) -> Any:
        """The same; ``ABSENT`` if there is none."""
        if hasattr(self.target, name):
            return self.get(name)
        if self._path or self._record is None:
            self.guard.attribute(self._own, name)
        # A field of the schema that gets it has more attributes than before.
        return ABSENT

    def is_given(self, name: str) -> bool:
        """Whether an attribute, of which each schema may have its own value, is not None."""
        value = self._read(name)
        self._note_class(name, value)
        return value is not None

    def method(self, name: str) -> Any:
        """The function behind a method; None if the object has one of its own."""
        function = self.on_class(name)
        if hasattr(function, "__set__"):
            self.guard.is_lasting = False  # a property, which decides each time
        if name in self._own:
            self._note(name, self._own[name])
            return None
        if self._record is None:
            self.guard.attribute(self._own, name)
        elif self._path:
            self._record.attributes[f"{self._path}{name}.__func__"] = function
        # A field of the schema that gets a method of its own has more attributes than before.
        return function

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

    @property
    def decides_each_read(self) -> bool:
        """Whether the class decides anew what an attribute is, each time that it is read."""
        return self.on_class("__getattribute__") is not object.__getattribute__

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
        collection = self._read(name)
        if self._record is not None and name in self._own:
            self._note(name, copy(collection))  # compared with what is in it then
        else:
            self.get(name)
            self.guard.contents(collection)
        return collection

    def is_true(self, name: str) -> bool:
        """Whether the value of an attribute is true."""
        value = self.get(name)
        if type(value) not in _PLAIN_CLASSES:
            self.guard.is_lasting = False  # its truth is user code's business
        return bool(value)

    def within(self, name: str) -> Inspection:
        """A look at a field inside of the field, of which each schema may have its own."""
        inner = self._read(name)
        if self._record is None:
            self._note(name, inner)
        else:
            self._note_class(name, inner)
        return Inspection(inner, self.guard, self._record, f"{self._path}{name}.")

    def optional_within(self, name: str) -> Inspection | None:
        """The same; None if there is no such field."""
        if self._read(name) is None:
            self._note(name, None)
            return None
        return self.within(name)

    def at(self, name: str, index: int) -> Inspection:
        """A look at one of the objects in a list, whose :meth:`contents` were looked at."""
        return Inspection(getattr(self.target, name)[index], self.guard)

    def field_at(self, name: str, index: int) -> Inspection:
        """The same for a field in a list of fields, of which each schema has its own."""
        look = self.at(name, index)
        look._path = f"{self._path}{name}."
        return look

    @property
    def is_deep(self) -> bool:
        """Whether the field is so deep inside of others that Python may refuse code for it."""
        return self._path.count(".") > _DEEPEST

    def _note_class(self, name: str, value: Any) -> None:
        self._note(f"{name}.__class__", type(value))

    def _note(self, name: str, value: Any) -> None:
        if self._record is None:
            self.guard.attribute(self._own, name)
        else:
            self._record.attributes[f"{self._path}{name}"] = value
