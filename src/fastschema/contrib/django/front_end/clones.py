"""Copies of the fields that stock has made for one serializer, for others of its class.

They are the objects that stock's code would make, without running it. To know how to copy what,
stock makes the fields twice. What is one object in both results, stock shares between all
serializers of the class, and so do clones. What is another object in each, stock makes anew for
each serializer, and a clone gets a copy of it. So we need not know which attribute is which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.functional import Promise, SimpleLazyObject
from rest_framework.fields import Field
from rest_framework.serializers import HyperlinkedModelSerializer, ModelSerializer
from rest_framework.utils.formatting import lazy_format

from fastschema.contrib.django.front_end.customization import (
    IMMUTABLE,
    copies_as_django,
    is_copied_by_attributes,
)
from fastschema.runtime.plain_values import CONTAINERS, PLAIN, are_same, is_a

Memo = dict[int, Any]
"""What was copied already for one set of clones, by the id of what was copied."""

UNREAD_VALIDATORS = "_fastschema_validators"
"""Where a clone has what copies its validators, until they are read: a key of its
``__dict__``. To copy them takes about as long as to copy all the rest of a model's fields."""

_SHARED = (Promise, SimpleLazyObject)
"""Lazy objects that stock itself makes: translations, and patterns of its validators."""
NESTED = tuple(
    f"{cls.build_nested_field.__qualname__}.<locals>.NestedSerializer"
    for cls in (ModelSerializer, HyperlinkedModelSerializer)
)
"""The classes that stock makes for ``Meta.depth``, for each serializer anew. Clones share one."""


class UncloneableError(Exception):
    """Something that stock makes, and that we do not know how to copy."""


_new_object = object.__new__
_WHOLE = (set, frozenset, lazy_format)
"""Classes of objects that are copied without a look at what is inside."""


class _Unread:
    """What copies the validators of a clone; a pickle has the copy."""

    __slots__ = ("_copy",)

    def __init__(self, copy: Callable[[Memo], Any]) -> None:
        self._copy = copy

    def __call__(self) -> Any:
        return self._copy({})

    def __reduce__(self) -> Any:
        return _unread, (self(),)


def _unread(validators: list[Any]) -> _Unread:
    return _Unread(lambda memo: validators)


class _Validators:
    """``Field._validators`` of a clone; as in stock, other fields have none until they are set."""

    def __get__(self, field: Any, owner: Any) -> Any:
        attributes = {} if field is None else field.__dict__
        copy = attributes.get(UNREAD_VALIDATORS)
        if copy is None:
            # The same list for all threads that ask first.
            if "_validators" in attributes:
                return attributes["_validators"]
            raise AttributeError(f"{owner.__name__!r} object has no attribute '_validators'")
        validators = attributes.setdefault("_validators", copy())
        attributes.pop(UNREAD_VALIDATORS, None)
        return validators


@cache
def prepare() -> None:
    """Let fields copy their validators when they are asked for them, if they are clones."""
    Field._validators = _Validators()


class _Original(NamedTuple):
    """An object that stock makes anew each time.

    :param shared: what is inside of it, by name; what is copied of that stands in for its copy
    :param flat: the names of lists and dictionaries in which there is nothing to copy
    :param others: the names of all else that is copied, and its ids
    """

    value: Any
    shared: dict[Any, Any]
    flat: list[Any]
    others: list[tuple[Any, int]]


class Originals:
    """The fields of one serializer, and what clones them.

    :param fields: fields that stock has made, by name; they must not be used for anything else
    :param other: those fields, made again
    :param parents: the serializers to which both are bound, if they are
    """

    def __init__(self, fields: Any, other: Any, parents: tuple[Any, Any] = (None, None)) -> None:
        prepare()
        parent = parents[0]
        self._parent = id(parent)
        self._names = {name: id(field) for name, field in fields.items()}
        pairs: dict[int, tuple[Any, Any]] = {} if parent is None else {self._parent: parents}
        places: Counter[int] = Counter()
        _compare(fields, other, pairs, places)
        made = [one for one, _ in pairs.values() if one is not parent]
        self.classes = {type(one) for one in made if is_a(one, Field)}
        """The classes of the fields, those inside of others included."""
        self._by_id = {id(one): self._original(one, pairs, places) for one in made}
        """All that stock makes anew, by id."""

    def _original(self, one: Any, anew: Collection[int], places: Counter[int]) -> _Original:
        shared = {} if type(one) in _WHOLE or is_a(one, QuerySet) else dict(_inside(one))
        names = [name for name, part in shared.items() if id(part) in anew]
        if is_a(one, Field) and "_validators" in names:
            names.remove("_validators")
            copy = partial(self._copy, id(shared.pop("_validators")))
            shared[UNREAD_VALIDATORS] = _Unread(copy)
        flat = [
            name
            for name in names
            if type(part := shared[name]) in (list, dict) and places[id(part)] == 1
            if all(id(inner) not in anew for inner in _inside(part).values())
        ]
        others = [(name, id(shared[name])) for name in names if name not in flat]
        return _Original(one, shared, flat, others)

    def clones(self, parent: Any = None) -> dict[str, Any]:
        """Return new fields, as stock would make them, bound if the others are."""
        memo: Memo = {self._parent: parent}
        return {
            name: memo[key] if key in memo else self._copy(key, memo)
            for name, key in self._names.items()
        }

    def clone(self, name: str, parent: Any) -> Any:
        return self._copy(self._names[name], {self._parent: parent})

    def _copy(self, key: int, memo: Memo) -> Any:
        """Return a copy of an object, and of those inside of it that are no copies yet."""
        one, shared, flat, others = self._by_id[key]
        cls = type(one)
        if cls is dict or cls is list:
            clone = parts = one.copy()
        elif cls is tuple:
            clone = parts = list(one)
        elif shared:
            clone = _new_object(cls)
            parts = clone.__dict__
            parts.update(shared)
        else:
            return memo.setdefault(key, _copy_as_a_whole(one))
        memo[key] = clone  # before what is inside of it, which may refer to it
        for name in flat:
            parts[name] = parts[name].copy()
        for name, inner in others:
            parts[name] = memo[inner] if inner in memo else self._copy(inner, memo)
        if cls is tuple:
            clone = memo[key] = tuple(parts)
        return clone


def _copy_as_a_whole(one: Any) -> Any:
    cls = type(one)
    if cls is lazy_format:
        return lazy_format(one.format_string, *one.args, **one.kwargs)
    if is_a(one, QuerySet):
        return one.all()
    return one.copy() if cls in CONTAINERS else _new_object(cls)


def _compare(one: Any, other: Any, pairs: dict[int, tuple[Any, Any]], places: Counter[int]) -> None:
    """Note the objects that are others in two results, at the same place, and in how many places.

    :param pairs: both of them, by the id of the first
    """
    if one is other:
        return
    _check_classes(type(one), type(other))
    if is_a(one, *_SHARED):
        return
    if type(one) in IMMUTABLE:
        if type(one) in PLAIN and not are_same(one, other):
            raise UncloneableError(f"it is {one!r} once, and {other!r} another time")
        return
    key = id(one)
    places[key] += 1
    if key in pairs:
        if pairs[key][1] is not other:
            raise UncloneableError("its parts are arranged in another way each time")
        return
    pairs[key] = one, other
    for mine, others in _pairs(one, other):
        _compare(mine, others, pairs, places)


def _pairs(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """Return what is inside of two objects of one class, in pairs of what each of them has."""
    if is_a(one, set, frozenset, QuerySet):
        return
    mine, others = _inside(one), _inside(other)
    if list(mine) != list(others):
        raise UncloneableError("it is made of other parts each time")
    for name, value in mine.items():
        if name != "_creation_counter" or not is_a(one, Field):
            yield value, others[name]


def _inside(one: Any) -> dict[Any, Any]:
    if is_a(one, lazy_format):
        return {"args": one.args, "kwargs": one.kwargs}
    if is_a(one, list, tuple):
        return dict(enumerate(one))
    return one if type(one) is dict else vars(one)


def _check_classes(cls: type, other: type) -> None:
    """Raise UncloneableError unless objects at the same place in two results can be copied."""
    if cls is not other:
        names = {cls.__qualname__, other.__qualname__}
        if len(names) > 1 or cls.__module__ != other.__module__ or names.isdisjoint(NESTED):
            raise UncloneableError(f"it is a {cls.__name__} once, and a {other.__name__} later")
    cloneable = (*CONTAINERS, lazy_format)
    is_known = cls in (*cloneable, *IMMUTABLE) or issubclass(cls, (Field, *_SHARED))
    if not (is_known or copies_as_django(cls) or is_copied_by_attributes(cls)):
        raise UncloneableError(f"it is not known how to copy a {cls.__name__}")
