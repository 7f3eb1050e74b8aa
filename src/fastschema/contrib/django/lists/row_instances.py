"""Make model instances of rows; what they know of other objects may be made when somebody asks.

An instance keeps the objects that ``select_related`` has loaded in ``_state.fields_cache``, and
those of ``prefetch_related`` there or in ``_prefetched_objects_cache``. A :class:`LazyCache` takes
the place of such a dictionary. Its names are those of stock's. A value is what it is made of until
somebody asks for it: a row (a tuple) for one object, :class:`RelatedRows` for several. Then it is
what stock has there, for good.
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

    :param layout: the layout of the rows
    :param db: the alias of the database
    :param fetch_mode: that of the queryset; None before Django 6.1
    :param makers: gets what makes the related objects when somebody looks; None: they are made now
    """
    model, new = layout.model, object.__new__
    names = list(layout.columns)
    start, end = min(layout.columns.values()), max(layout.columns.values()) + 1
    keys = layout.foreign_keys
    relations = _related_makers(layout, db, fetch_mode, makers)
    knows_back = any(each.set_there is not None for each in layout.joined.values())
    annotations = list(layout.annotations.items())

    def make(row: Any) -> Any:
        instance = new(model)
        attributes = instance.__dict__
        attributes["_state"] = state = ModelState()
        cache: dict[str, Any] = {}
        if makers is not None and relations:
            cache = lazy = LazyCache()
            lazy.makers = makers
            lazy.instance = instance if knows_back else None
            for name, key, _ in relations:
                cache[name] = None if row[key] is None else row
        for position in keys:
            if row[position] is not None:
                state.fields_cache = cache  # which Django looks into when it sets a key
                break
        state.adding = False
        state.db = db
        if fetch_mode is not None:
            state.fetch_mode = fetch_mode
        attributes.update(zip(names, row[start:end], strict=True))
        if relations:
            state.fields_cache = cache
            if makers is None:
                for name, key, make_related in relations:
                    cache[name] = None if row[key] is None else make_related(instance, row)
        for name, position in annotations:
            attributes[name] = row[position]
        return instance

    return make


def _related_makers(
    layout: RowLayout, db: str, fetch_mode: Any, makers: Makers | None
) -> list[tuple[str, int, MakeRelated]]:
    """Return what makes each object that ``select_related`` has loaded with a row.

    :returns: the name under which the instance has it, the position of its key, and the function
    """
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


def _of_cache(make_related: MakeRelated) -> Callable[[LazyCache, Any], Any]:
    return lambda cache, row: make_related(cache.instance, row)


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


_KEPT = (tuple, RelatedRows)


class Makers:
    """What makes the values of lazy caches, by their names; threads may share it.

    An instance has two such caches, for relations to one object and to many; Django checks that no
    two relations of a model have the same name.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, Callable[[LazyCache, Any], Any]] = {}
        """From a cache and what is kept there to the value."""
        self.objects: dict[str, Callable[[RelatedRows], list[Any]]] = {}
        """From kept rows to their instances, for values that are querysets."""
        self.shared: set[str] = set()
        """The names whose objects have been made, where several instances share them."""


def fill_before(cls: Any, *names: str) -> None:
    """Let methods that a class inherits call ``fill()`` of each of its objects that they get."""
    for name in names:
        setattr(cls, name, _filling(getattr(cls, name), cls))


def _filling(method: Any, cls: Any) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        for each in args:
            if type(each) is cls:
                each.fill()
        return method(*args, **kwargs)

    return call


class LazyCache(dict[str, Any]):
    """A dictionary whose values are made when somebody asks for them.

    Python code sees no other difference to the plain dictionary of stock than the class.

    Those of many instances are made at once, so its attributes are set after it is made.
    """

    __slots__ = ("instance", "makers", "row")

    makers: Makers
    instance: Any
    """The model instance that has the cache; None if no value needs it, to make no cycle."""
    row: Any
    """The row of that instance, which may have got other keys since; None if no value needs it."""

    @classmethod
    def of(
        cls, values: dict[str, Any], makers: Makers, instance: Any = None, row: Any = None
    ) -> LazyCache:
        """Return a cache of some values, to which others are added."""
        cache = cls(values)
        cache.makers = makers
        cache.instance, cache.row = instance, row
        return cache

    def _made(self, name: str, kept: Any) -> Any:
        makers = self.makers
        value = dict.get(self, name)
        make = makers.by_name.get(name)
        if value is kept and make is not None:  # else another thread has made it
            value = make(self, kept)
            dict.__setitem__(self, name, value)
        return value

    def __getitem__(self, name: str) -> Any:
        value = dict.__getitem__(self, name)
        return self._made(name, value) if type(value) in _KEPT else value

    def fill(self) -> None:
        """Make all values."""
        for name in self:
            self[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a name, or a default."""
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


def keep_row(
    instances: list[Any], rows: list[Any], position: int | None, name: str, makers: Makers
) -> None:
    """Let each instance keep its row in the place of one related object.

    :param rows: those of the instances
    :param position: where the row of the related object stands in them
    :param name: the name under which an instance keeps the object
    """
    for instance, row in zip(instances, rows, strict=True):
        instance.__dict__.setdefault(PREFETCHED, {})
        state = instance._state
        cache = state.fields_cache
        if type(cache) is not LazyCache:
            state.fields_cache = cache = LazyCache.of(cache, makers)
        cache[name] = None if row[position] is None else row


def keep_related_rows(
    instances: list[Any], rows: list[Any], position: int, name: str, makers: Makers
) -> None:
    """Let each instance keep the rows of related objects; see :func:`keep_row`."""
    for instance, row in zip(instances, rows, strict=True):
        attributes = instance.__dict__
        cache = attributes.get(PREFETCHED)
        if type(cache) is not LazyCache:
            attributes[PREFETCHED] = cache = LazyCache.of(cache or {}, makers, instance, row)
        cache[name] = row[position]


def related_row(obj: Any, name: str) -> tuple[Any, ...] | None:
    """Return the row of a related object that nobody has seen; None if there is none.

    :param obj: a model instance
    :param name: the name under which the instance keeps it
    """
    cache = obj._state.fields_cache
    row = dict.get(cache, name) if type(cache) is LazyCache else None
    is_unseen = type(row) is tuple and name not in cache.makers.shared
    return row if is_unseen else None


def related_rows(obj: Any, name: str) -> RelatedRows | None:
    """Return the rows of related objects that nobody has seen; None otherwise.

    :param obj: a model instance whose primary key is the value of one column
    :param name: the name under which the instance keeps them
    """
    makers, rows = _kept_rows(obj, name)
    return None if makers is None or name in makers.shared else rows


def related_objects(obj: Any, name: str) -> list[Any] | None:
    """Return the instances of related rows, without the queryset that has them in stock.

    That is made when somebody asks for it, and has the same instances.

    :returns: None if no rows are kept; the parameters are those of :func:`related_rows`
    """
    makers, rows = _kept_rows(obj, name)
    return None if makers is None else makers.objects[name](rows)


def _kept_rows(obj: Any, name: str) -> tuple[Makers | None, Any]:
    """Return the related rows that an instance keeps, and what makes their objects."""
    cache = obj.__dict__.get(PREFETCHED)
    rows = dict.get(cache, name) if type(cache) is LazyCache else None
    is_kept = type(rows) is RelatedRows and obj.pk is not None
    return (cache.makers, rows) if is_kept else (None, None)
