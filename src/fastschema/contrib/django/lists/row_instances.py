"""Make model instances of rows; what they know of other objects may be made when it is read.

An instance keeps the objects that ``select_related`` has loaded in ``_state.fields_cache``, and
those of ``prefetch_related`` there or in ``_prefetched_objects_cache``. A :class:`LazyCache` takes
the place of such a dictionary: it has the row of the instance, and what was prefetched beside it.
Its names are those of stock's. A value is :data:`UNMADE` until code asks for it. Then it is
made of the row, and is what stock has there, for good.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from django.db.models.base import ModelState

from fastschema.contrib.django.front_end.access import PREFETCHED
from fastschema.contrib.django.lists.row_layout import RelatedLayout, RowLayout

Make = Callable[[Any], Any]
"""From a row to an instance."""
MakeRelated = Callable[[Any, Any], Any]
"""From an instance, and the row that it was made of, to a related object of it."""


def instance_maker(layout: RowLayout, db: str, fetch_mode: Any, makers: Makers | None) -> Make:
    """Return what makes an instance of each row, with its related objects.

    The same as ``ModelIterable`` and ``Model.from_db`` make, down to the order of attributes.

    :param fetch_mode: that of the queryset; None before Django 6.1
    :param makers: gets what makes the related objects when they are read; None: they are made now
    """
    model, new = layout.model, object.__new__
    names = list(layout.columns)
    start, end = min(layout.columns.values()), max(layout.columns.values()) + 1
    keys = layout.foreign_keys
    relations = _related_makers(layout, db, fetch_mode, makers)
    knows_back = any(joined.set_there is not None for joined in layout.joined.values())
    annotations = list(layout.annotations.items())
    kept = [(name, key) for name, key, _ in relations]
    if makers is not None:
        kept += makers.single

    def make(row: Any) -> Any:
        instance = new(model)
        attributes = instance.__dict__
        attributes["_state"] = state = ModelState()
        cache: dict[str, Any] = {}
        if makers is not None and kept:
            cache = LazyCache.of(makers, row, instance if knows_back else None)
            for name, position in kept:
                cache[name] = None if row[position] is None else UNMADE
        for position in keys:
            if row[position] is not None:
                state.fields_cache = cache  # which Django looks into when it sets a key
                break
        state.adding = False
        state.db = db
        if fetch_mode is not None:
            state.fetch_mode = fetch_mode
        attributes.update(zip(names, row[start:end], strict=True))
        if kept:
            state.fields_cache = cache
            if makers is None:
                for name, key, make_related in relations:
                    cache[name] = None if row[key] is None else make_related(instance, row)
        for name, position in annotations:
            attributes[name] = row[position]
        if makers is not None and makers.many:
            attributes[PREFETCHED] = cache = LazyCache.of(makers, row, instance)
            for name in makers.many:
                cache[name] = UNMADE
        elif makers is not None and makers.single:
            attributes[PREFETCHED] = {}
        return instance

    return make


def _related_makers(
    layout: RowLayout, db: str, fetch_mode: Any, makers: Makers | None
) -> list[tuple[str, int, MakeRelated]]:
    """Return name, position of the key, and maker of each object that ``select_related`` loads."""
    related = [
        (
            single.cache_name,
            joined.layout.key,
            _related_maker(joined, db, fetch_mode, None if makers is None else Makers()),
        )
        for single, joined in layout.joined.items()
    ]
    if makers is not None:
        makers.by_name.update({name: _of_cache(make) for name, _, make in related})
    return related


def _of_cache(make_related: MakeRelated) -> Callable[[LazyCache], Any]:
    return lambda cache: make_related(cache.instance, cache.row)


def _related_maker(
    joined: RelatedLayout, db: str, fetch_mode: Any, makers: Makers | None
) -> MakeRelated:
    make = instance_maker(joined.layout, db, fetch_mode, makers)
    set_there = joined.set_there

    def make_related(instance: Any, row: Any) -> Any:
        related = make(row)
        if set_there is not None:
            set_there(related, instance)
        return related

    return make_related


class RelatedRows(list[Any]):
    """The rows of the objects that are related to one object."""

    objects: list[Any] | None = None
    """The instances of the rows, once they are made."""


class _Unmade:
    """Stands for an object, or a queryset, that is made of the row when code asks for it."""

    __slots__ = ()


UNMADE = _Unmade()


class Makers:
    """What makes the values of lazy caches, by their names; threads may share it.

    An instance has two such caches, for relations to one object and to many; Django checks that no
    two relations of a model have the same name.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, Callable[[LazyCache], Any]] = {}
        """From a cache to the value."""
        self.single: list[tuple[str, int]] = []
        """The names of relations to one object that was prefetched, and where its row stands."""
        self.many: list[str] = []
        """The names of those to many."""
        self.objects: dict[str, Callable[[Any], list[Any]]] = {}
        """From a row to the objects of a relation to many, without the queryset that has them."""
        self.shared: set[str] = set()
        """The names whose objects have been made, where several instances share them."""


def fill_before(cls: Any, *names: str) -> None:
    """Let methods that a class inherits call ``fill()`` of each of its objects that they get."""
    for name in names:
        setattr(cls, name, _filling(getattr(cls, name), cls))


def _filling(method: Any, cls: Any) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        for argument in args:
            if type(argument) is cls:
                argument.fill()
        return method(*args, **kwargs)

    return call


class LazyCache(dict[str, Any]):
    """A dictionary whose values are made when code asks for them. Python code sees no other
    difference to the plain dictionary of stock than the class.
    """

    __slots__ = ("instance", "makers", "row")

    makers: Makers
    instance: Any
    """The model instance that has the cache; None if no value needs it, to make no cycle."""
    row: Any
    """The row of that instance, which may have got other keys since."""

    @classmethod
    def of(cls, makers: Makers, row: Any, instance: Any = None) -> LazyCache:
        cache = cls()
        cache.makers, cache.row, cache.instance = makers, row, instance
        return cache

    def __getitem__(self, name: str) -> Any:
        value = dict.__getitem__(self, name)
        if value is not UNMADE:
            return value
        value = self.makers.by_name[name](self)
        if dict.get(self, name) is UNMADE:  # else another thread has made it
            dict.__setitem__(self, name, value)
        return dict.__getitem__(self, name)

    def fill(self) -> None:
        for name in self:
            self[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401  # this is get()

    # dict() and the like copy values past __getitem__ unless this is another method than dict's.
    def __iter__(self) -> Iterator[str]:
        return dict.__iter__(self)

    def copy(self) -> dict[str, Any]:
        """Return a plain dictionary with all values."""
        return dict(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (), None, None, iter(self.items())


fill_before(LazyCache, "values", "items", "pop", "popitem", "setdefault", "__or__", "__ror__")
fill_before(LazyCache, "__eq__", "__ne__", "__repr__")


def kept_row(cache: Any, name: str) -> Any:
    """Return an instance's row if the object of this relation was never made; else None."""
    if type(cache) is not LazyCache or dict.get(cache, name) is not UNMADE:
        return None
    return None if name in cache.makers.shared else cache.row


def kept_objects(cache: Any, name: str) -> list[Any] | None:
    """Return the objects of a relation to many; None if the queryset that has them is there."""
    if type(cache) is not LazyCache or dict.get(cache, name) is not UNMADE:
        return None
    return cache.makers.objects[name](cache.row)


def prefetched_cache(obj: Any) -> Any:
    """Return what an instance keeps of relations to many; None if it has no primary key."""
    return None if obj.pk is None else obj.__dict__.get(PREFETCHED)
