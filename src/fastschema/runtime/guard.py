"""Noticing that a schema no longer reads as it did.

Reading a schema is exact, and costs more than dumping one object. So what was read is kept, with a
:class:`Guard` that knows what the reading relied on, and compares it before each use:

- **attributes** of the schema's fields, and of the fields inside of them;
- attributes that other objects have in their ``__dict__``, or have not;
- **contents** of lists, sets and dictionaries that may change in place;
- attributes of **classes**, methods above all.

What else may change is not noticed; :func:`fastschema.forget` is for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from operator import attrgetter, call
from types import SimpleNamespace
from typing import Any

ATTRIBUTE = "_fastschema"
"""Where what is known of a schema hangs on it: a key of its ``__dict__``."""

CLASS_ATTRIBUTE = "_fastschema_class"
"""The same for a class, of which instances inherit it."""

ABSENT: Any = object()
"""Stands for an attribute that is not there."""


class State:
    """What hangs on a schema object. Copies and pickles of the schema have none.

    A shallow copy shares it with the schema, which the state must see for itself.
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


class FieldRecord:
    """What a reading relied on of one field of the schema, and of the fields inside of it.

    :param field: the field
    """

    __slots__ = ("attributes", "cls", "size")

    def __init__(self, field: Any) -> None:
        self.cls = type(field)
        self.attributes: dict[str, Any] = {}
        """The values of attributes by their names, dotted for those of inner fields."""
        self.size = len(field.__dict__)
        """How many attributes the field has of its own; one that shadows a method adds to them."""


class Guard:
    """What a reading relied on.

    :param stock: the classes of a framework, whose attributes are taken to stay what they are
    """

    __slots__ = (
        "_attributes",
        "_class_check",
        "_classes",
        "_computed",
        "_contents",
        "_field_check",
        "_generation",
        "_records",
        "_stock",
        "is_lasting",
    )

    def __init__(self, stock: frozenset[type] = frozenset()) -> None:
        self._stock = stock
        self.is_lasting = True
        """False if the reading relied on something that cannot be compared (a property, say)."""
        self._generation = readings.current
        self._records: list[FieldRecord] = []
        self._field_check: tuple[Any, Any, Any] | None = None
        self._attributes: list[tuple[dict[str, Any], str, Any]] = []
        self._contents: dict[int, tuple[Any, Any]] = {}
        self._computed: list[tuple[Any, str, Any]] = []
        self._classes: dict[type, dict[str, Any]] = {}
        self._class_check: tuple[attrgetter[Any], SimpleNamespace, tuple[Any, ...]] | None = None

    def field(self, field: Any) -> FieldRecord:
        """The record of the next field of the schema."""
        record = FieldRecord(field)
        self._records.append(record)
        return record

    def attribute(self, own: dict[str, Any], name: str) -> None:
        """It relies on an attribute that an object has in its ``__dict__``, or has not."""
        self._attributes.append((own, name, own.get(name, ABSENT)))

    def contents(self, collection: Any) -> None:
        """It relies on what is in a list, a set or a dictionary of plain class."""
        self._contents.setdefault(id(collection), (collection, copy(collection)))

    def computed(self, target: Any, name: str, value: Any) -> None:
        """It relies on an attribute that an object computes, such as a setting."""
        self._computed.append((target, name, value))

    def class_attribute(self, cls: type, name: str, value: Any) -> None:
        """It relies on an attribute of a class, as ``getattr`` finds it."""
        if cls not in self._stock:
            self._classes.setdefault(cls, {})[name] = value

    def objects_hold(self) -> bool:
        """Whether a reading made now would be the same, if fields, classes and settings are."""
        if self._generation is not readings.current or not self.is_lasting:
            return False
        for own, name, seen in self._attributes:
            if own.get(name, ABSENT) is not seen:
                return False
        for collection, seen in self._contents.values():  # noqa: SIM110  # slower as a generator
            if collection != seen:
                return False
        return True

    def classes_hold(self) -> bool:
        """Whether classes and settings are as they were, and nothing was forgotten since."""
        if self._generation is not readings.current:
            return False
        try:
            for target, name, seen in self._computed:
                if getattr(target, name) != seen:
                    return False
            get, classes, values = self._class_check or self._make_class_check()
            return bool(get(classes) == values)
        except AttributeError:
            return False

    def fields_hold(self, fields: Sequence[Any]) -> bool:
        """Whether a schema's fields have the attributes that were seen.

        :param fields: the fields, in the order of the records
        """
        get_all, values, sizes = self._field_check or self._make_field_check()
        try:
            return bool(
                list(map(call, get_all, fields)) == values
                and [len(field.__dict__) for field in fields] == sizes
            )
        except Exception:
            return False  # an attribute that is gone, or that cannot be compared

    def _make_field_check(self) -> tuple[Any, Any, Any]:
        """What gets the attributes of each field, what those must be, and how many it has."""
        records = self._records
        # Of a single name it would give no tuple.
        get_all = [attrgetter("__class__", "__class__", *each.attributes) for each in records]
        values = [(each.cls, each.cls, *each.attributes.values()) for each in records]
        self._field_check = get_all, values, [each.size for each in records]
        return self._field_check

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


def copied(value: Any) -> Any:
    """Nested lists, tuples, sets and dictionaries anew; what is in them stays."""
    if type(value) is dict:
        return {key: copied(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    if type(value) is set:
        return value.copy()
    return value
