"""Clones: the objects that stock's code would make, without running it.

Stock makes the same fields twice. What is one object in both results, stock shares between all
serializers of the class, and so do clones. What is another object in each, stock makes anew for
each serializer, and a clone gets a copy of it. So nobody has to know which attribute is which.
"""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import Promise, SimpleLazyObject
from rest_framework.fields import Field
from rest_framework.serializers import HyperlinkedModelSerializer, ModelSerializer
from rest_framework.utils.formatting import lazy_format

Memo = dict[int, Any]
"""What was copied already for one set of clones, by the id of what was copied."""
Copy = Callable[[Memo], Any]

UNREAD_VALIDATORS = "_fastschema_validators"
"""Where a clone has what copies its validators, until somebody reads them: a key of its
``__dict__``."""

_DATES = (datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo)
_NUMBERS = (int, float, complex, decimal.Decimal, uuid.UUID, range)
IMMUTABLE = (str, bytes, frozenset, re.Pattern, Enum, *_NUMBERS, *_DATES)
_LAZY = (Promise, SimpleLazyObject)
CONTAINERS = (list, tuple, dict, set)
NESTED = tuple(
    f"{cls.build_nested_field.__qualname__}.<locals>.NestedSerializer"
    for cls in (ModelSerializer, HyperlinkedModelSerializer)
)
"""The classes that stock makes for ``Meta.depth``, for each serializer anew. Clones share one."""


class UncloneableError(Exception):
    """Something that stock makes, and of which nobody knows how to copy it."""


class _Validators:
    """``Field._validators`` of a clone; as in stock, other fields have none until they are set."""

    def __get__(self, field: Any, owner: Any) -> Any:
        own = {} if field is None else field.__dict__
        copy = own.get(UNREAD_VALIDATORS)
        if copy is None:
            # The same list for all threads that ask first.
            if "_validators" in own:
                return own["_validators"]
            raise AttributeError(f"{owner.__name__!r} object has no attribute '_validators'")
        validators = own.setdefault("_validators", copy({}))
        own.pop(UNREAD_VALIDATORS, None)
        return validators


Field._validators = _Validators()


class Cloner:
    """Makes clones of fields.

    :param one: fields that stock has made, by name; they must not be used for anything else
    :param other: the same, made again
    :param parents: the serializers to which both are bound, if they are
    :raises UncloneableError: if nobody knows how to copy something
    """

    def __init__(self, one: Any, other: Any, parents: tuple[Any, Any] = (None, None)) -> None:
        self._parent = id(parents[0])
        self._others: dict[int, tuple[Any, Any]] = {self._parent: parents}
        self._times: Counter[int] = Counter()
        self._compare(one, other)
        fields = [each for each, _ in self._others.values() if isinstance(each, Field)]
        self.classes = {type(field) for field in fields if field is not parents[0]}
        """The classes of the fields, those inside of others included."""
        self._known: dict[int, Copy] = {self._parent: lambda memo: memo[self._parent]}
        self._copies = {name: copy for name, each in one.items() if (copy := self._copy_of(each))}
        self._others.clear()  # the other fields are not needed any more

    def clones(self, parent: Any = None) -> dict[str, Any]:
        """Return new fields, as stock would make them.

        :param parent: the serializer to which they are bound, if the others are
        """
        memo: Memo = {self._parent: parent}
        return {name: copy(memo) for name, copy in self._copies.items()}

    def clone(self, name: str, parent: Any) -> Any:
        """Return one of them without the others."""
        return self._copies[name]({self._parent: parent})

    def _compare(self, one: Any, other: Any) -> None:
        """Compare two objects that are at the same place in both results."""
        if one is other:
            return
        _check_classes(type(one), type(other))
        if isinstance(one, _LAZY):
            return
        if isinstance(one, IMMUTABLE):
            if one != other:
                raise UncloneableError(f"it is {one!r} once, and {other!r} another time")
            return
        key = id(one)
        self._times[key] += 1
        if key in self._others:
            if self._others[key][1] is not other:
                raise UncloneableError("its parts are arranged in another way each time")
            return
        self._others[key] = one, other
        for mine, others in _pairs(one, other):
            self._compare(mine, others)

    def _copy_of(self, one: Any) -> Copy | None:
        """Return what copies an object; None if it is shared."""
        key = id(one)
        if key not in self._others:
            return None
        if key not in self._known:
            # Before what is inside of it, which may refer to it.
            self._known[key] = lambda memo: (
                memo[key] if key in memo else memo.setdefault(key, new(memo))
            )
            new = self._new(one)
            if self._times[key] == 1:
                self._known[key] = new
        return self._known[key]

    def _new(self, one: Any) -> Copy:
        cls = type(one)
        if cls is lazy_format:
            return lambda memo: lazy_format(one.format_string, *one.args, **one.kwargs)
        if isinstance(one, QuerySet):
            return lambda memo: one.all()
        return self._new_container(one) if cls in CONTAINERS else self._new_object(one)

    def _new_container(self, one: Any) -> Copy:
        cls = type(one)
        like = list(one) if cls is tuple else one
        parts = {} if cls is set else _inside(one)
        copies = [(name, copy) for name, each in parts.items() if (copy := self._copy_of(each))]

        def new(memo: Memo) -> Any:
            made = like.copy()
            for name, copy in copies:
                made[name] = copy(memo)
            return tuple(made) if cls is tuple else made

        return new

    def _new_object(self, one: Any) -> Copy:
        cls, key, shared = type(one), id(one), dict(vars(one))
        copies = {name: copy for name, each in shared.items() if (copy := self._copy_of(each))}
        if issubclass(cls, Field) and "_validators" in copies:
            del shared["_validators"]
            shared[UNREAD_VALIDATORS] = copies.pop("_validators")
        # Most are plain lists and dictionaries, which need no memo.
        plain = [(name, shared[name].copy) for name in copies if self._is_plain(shared[name])]
        others = [each for each in copies.items() if not self._is_plain(shared[each[0]])]
        new_object = object.__new__

        def new(memo: Memo) -> Any:
            made = memo[key] = new_object(cls)
            own = made.__dict__
            own.update(shared)
            for name, copy in plain:
                own[name] = copy()
            for name, copy_with in others:
                own[name] = copy_with(memo)
            return made

        return new

    def _is_plain(self, one: Any) -> bool:
        """Return whether it is a list or dictionary in one place, with nothing to copy in it."""
        is_flat = type(one) in (list, dict) and self._times[id(one)] == 1
        return is_flat and all(id(each) not in self._others for each in _inside(one).values())


def _pairs(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """Return what is inside of two objects of one class, in pairs of what each of them has.

    :raises UncloneableError: if they have not the same names
    """
    if isinstance(one, (set, QuerySet)):
        return
    mine, others = _inside(one), _inside(other)
    if list(mine) != list(others):
        raise UncloneableError("it is made of other parts each time")
    for name, each in mine.items():
        if name != "_creation_counter" or not isinstance(one, Field):
            yield each, others[name]


def _inside(one: Any) -> dict[Any, Any]:
    if isinstance(one, lazy_format):
        return {"args": one.args, "kwargs": one.kwargs}
    if isinstance(one, (list, tuple)):
        return dict(enumerate(one))
    return one if type(one) is dict else vars(one)


def _check_classes(cls: type, other: type) -> None:
    """Check that objects of these classes, at the same place in two results, can be copied.

    :raises UncloneableError: if they cannot
    """
    if cls is not other:
        names = {cls.__qualname__, other.__qualname__}
        if len(names) > 1 or cls.__module__ != other.__module__ or names.isdisjoint(NESTED):
            raise UncloneableError(f"it is a {cls.__name__} once, and a {other.__name__} later")
    known = (*CONTAINERS, lazy_format)
    is_known = cls in known or issubclass(cls, (Field, *IMMUTABLE, *_LAZY))
    if not (is_known or is_stock_queryset_class(cls) or is_copied_by_attributes(cls)):
        raise UncloneableError(f"nobody knows how to copy a {cls.__name__}")


def is_stock_queryset_class(cls: type) -> bool:
    """Return whether a class of querysets copies its objects as Django's does."""
    names = ("__init__", "__new__", "__deepcopy__", "all", "_chain", "_clone", "__setattr__")
    return issubclass(cls, QuerySet) and all(
        getattr(cls, name) is getattr(QuerySet, name) for name in names
    )


def is_copied_by_attributes(cls: Any) -> bool:
    """Return whether ``copy.deepcopy`` copies the ``__dict__`` of an object, and no more."""
    names = ("__reduce_ex__", "__reduce__", "__getstate__")
    return (
        all(getattr(cls, name) is getattr(object, name) for name in names)
        and not any(map(partial(hasattr, cls), _COPYING))
        and all(each.__flags__ & _HEAP_TYPE for each in cls.__mro__[:-1])
        and not any(vars(each).get("__slots__") for each in cls.__mro__)
    )


_COPYING = ("__deepcopy__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
_HEAP_TYPE = 1 << 9
"""The flag of classes that are written in Python."""
