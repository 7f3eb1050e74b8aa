"""Notice changes: what hangs on schemas and classes, and snapshots to compare them with."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Set
from itertools import chain, compress, starmap
from operator import attrgetter, call, is_, is_not, methodcaller
from types import FunctionType
from typing import Any, Self

from fastschema.runtime.plain_values import are_same, copied, is_lazy

STATE_KEY = "_fastschema"
"""Where what is known of a schema hangs on it: a key of its ``__dict__``."""

CLASS_STATE_KEY = "_fastschema_class"
"""Where what is known of a class hangs on it; instances inherit that."""


class State:
    """What hangs on a schema object. Deep copies and pickles have none; shallow copies share it."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        return type(None), ()

    def __deepcopy__(self, memo: Any) -> None:
        return None


class Generations:
    """Tells apart what was compiled before and after :meth:`advance` was called."""

    __slots__ = ("current",)

    def __init__(self) -> None:
        self.current = object()
        """Another object after each call of :meth:`advance`."""

    def advance(self) -> None:
        self.current = object()


generations = Generations()


class ClassState:
    """Base of what hangs on a class of users, and lives as long as it."""

    __slots__ = ("__weakref__", "_generation", "owner")

    def __init__(self, cls: type) -> None:
        self.owner: Any = weakref.ref(cls)
        self._generation = generations.current

    def __reduce__(self) -> Any:
        # Of a class that is pickled by value nothing is known elsewhere.
        return type(None), ()

    @classmethod
    def of(cls, owner: type) -> Self:
        """Return what is known of a class, and not what it has copied from another one."""
        state = owner.__dict__.get(CLASS_STATE_KEY)
        if (
            type(state) is not cls
            or state.owner() is not owner
            or state._generation is not generations.current
        ):
            return cls.new(owner)
        return state

    @classmethod
    def new(cls, owner: type) -> Self:
        state = cls(owner)
        type.__setattr__(owner, CLASS_STATE_KEY, state)
        return state


class ClassCache(ClassState):
    """A dictionary that hangs on a class, for what is made of it."""

    __slots__ = ("known",)

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self.known: dict[Any, Any] = {}


_FUNCTIONS = (FunctionType, staticmethod, classmethod)


class Snapshot:
    """What some fields were like: their classes, and the attributes that decide what they do.

    Fields of another schema may be compared with it, too.

    :param holders: gives, for a field, the names of attributes that hold fields inside of it
    """

    __slots__ = ("_get", "_inner", "_names", "_options", "_seen", "classes")

    def __init__(
        self,
        fields: Iterable[Any],
        options: frozenset[str],
        holders: Callable[[Any], Iterable[str]],
    ) -> None:
        every = list(fields)
        self._inner: list[tuple[int, str]] = []
        for index, field in enumerate(every):  # it grows meanwhile
            for name in holders(field):
                self._inner.append((index, name))
                every.append(getattr(field, name))
        self.classes = set(map(type, every))
        """The classes of the fields, and of those inside of them."""
        deciding = [options.intersection(vars(field)) for field in every]
        # Of a single name it would give no tuple.
        self._get = [attrgetter("__class__", "__class__", *sorted(names)) for names in deciding]
        self._seen = [copied(get(field)) for get, field in zip(self._get, every, strict=True)]
        self._options = options
        self._names = [list(field.__dict__) for field in every]
        """The attributes that each has of its own; one that another one has may be a method."""

    def matches(self, fields: Iterable[Any]) -> bool:
        every = list(fields)
        try:
            for index, name in self._inner:
                every.append(getattr(every[index], name))
            for now, seen in zip(map(call, self._get, every), self._seen, strict=True):
                others = compress(zip(now, seen, strict=True), map(is_not, now, seen))
                if not all(starmap(are_same, others)):
                    return False
            names = [list(field.__dict__) for field in every]
            if names != self._names:
                if not all(map(self._has_names, every, self._names)):
                    return False
                self._names = names  # the next fields will have been made like these
            return True
        except Exception:
            return False  # an attribute that is gone

    def _has_names(self, field: Any, seen: list[str]) -> bool:
        """Return whether a field has those attributes, or as many, and the others do not decide."""
        attributes = field.__dict__
        return len(attributes) == len(seen) and not any(
            name in self._options or callable(getattr(type(field), name, None))
            for name in attributes.keys() ^ seen
        )


Seen = tuple[Mapping[str, Any], list[str], list[Any]]
"""A dictionary, its keys and its values as they were."""


class ClassSnapshot:
    """What some classes were like: their attributes and options, and which fields they declare."""

    __slots__ = ("_generation", "_joined", "_seen")

    def __init__(self, classes: Iterable[type] = ()) -> None:
        self._generation = generations.current
        self._seen: dict[Any, list[Seen]] = {}
        self._joined: Joined | None = None
        """All of ``_seen``, joined when it is first compared, so that it is compared at once."""
        for cls in classes:
            self.add(cls)

    def add(self, cls: Any) -> None:
        """Add a class, or an object that holds options of one, as it is, if it is not there yet."""
        if cls not in self._seen:
            self._joined = None
            attributes = vars(cls)
            self._seen[cls] = [_seen(attributes)]
            if _DECLARED in attributes:
                self._seen[cls].append(_seen(attributes[_DECLARED]))

    def add_all(self, other: ClassSnapshot) -> None:
        """Add what another snapshot has, as it was then."""
        self._seen = other._seen | self._seen
        self._joined = None

    def is_current(self) -> bool:
        """Return whether the classes are what they were, and still of this generation."""
        if self._generation is not generations.current:
            return False
        joined = self._joined
        if joined is None:
            joined = self._joined = _join(chain.from_iterable(self._seen.values()))
        dictionaries, sizes, names, values = joined
        try:
            # By identity: a value that was put there may have an __eq__ of users'.
            return (
                list(map(len, dictionaries)) == sizes
                and list(chain(*dictionaries)) == names
                and all(map(is_, chain(*map(_values, dictionaries)), values))
            ) or self._accept_if_alike()
        except RuntimeError:
            return False  # another thread is changing one

    def _accept_if_alike(self) -> bool:
        """Return whether the classes are what they were, but for what hangs on them."""
        self._joined = None
        return all(map(self._accept_class_if_alike, self._seen))

    def _accept_class_if_alike(self, cls: Any) -> bool:
        (attributes, names, values), *declared = self._seen[cls]
        now, seen = dict(attributes), dict(zip(names, values, strict=True))
        now.pop(CLASS_STATE_KEY, None)
        seen.pop(CLASS_STATE_KEY, None)
        if not _is_as_seen((now, list(seen), list(seen.values()))):
            return False
        self._seen[cls] = [_seen(attributes), *declared]
        return all(map(_is_as_seen, declared))


_DECLARED = "_declared_fields"
_values = methodcaller("values")

Joined = tuple[list[Mapping[str, Any]], list[int], list[str], list[Any]]
"""Some dictionaries, how many keys each had, and all keys and values, one after the other."""


def _seen(attributes: Mapping[str, Any]) -> Seen:
    return attributes, list(attributes), list(attributes.values())


def _is_as_seen(seen: Seen) -> bool:
    attributes, names, values = seen
    return list(attributes) == names and all(map(is_, attributes.values(), values))


def _join(all_seen: Iterable[Seen]) -> Joined:
    dictionaries: list[Mapping[str, Any]] = []
    sizes: list[int] = []
    all_names: list[str] = []
    all_values: list[Any] = []
    for attributes, names, values in all_seen:
        dictionaries.append(attributes)
        sizes.append(len(names))
        all_names += names
        all_values += values
    return dictionaries, sizes, all_names, all_values


def computes_options(cls: Any, options: frozenset[str], stock_classes: Set[type]) -> str | None:
    """Return why the options of a field are not known: its class computes them."""
    if cls.__getattribute__ is not object.__getattribute__:
        return "__getattribute__ is overridden"
    for base in cls.__mro__[:-1]:
        if base not in stock_classes:
            for name in options.intersection(vars(base)):
                value = vars(base)[name]
                if type(value) not in _FUNCTIONS and is_lazy(value):
                    return f"its class computes {name}"
    return None
