"""What a model instance knows of other objects, made of kept rows when somebody asks for it.

An instance keeps the objects that ``select_related`` has loaded in ``_state.fields_cache``, and
those of ``prefetch_related`` there or in ``_prefetched_objects_cache``. A :class:`LazyCache` takes
the place of such a dictionary. Its names are those of stock's. A value is what it is made of until
somebody asks for it: a row (a tuple) for one object, :class:`RelatedRows` for several. Then it is
what stock has there, for good.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastschema.contrib.django.front_end.access import PREFETCHED
from fastschema.runtime.locks import Locked


class RelatedRows(list[Any]):
    """The rows of the objects that are related to one object."""

    owner: Any = None
    """The row of that object."""
    objects: list[Any] | None = None
    """The instances of the rows, once they are made."""


_KEPT = (tuple, RelatedRows)


class Makers(Locked):
    """What makes the values of lazy caches, by their names; threads may share it."""

    def __init__(self) -> None:
        super().__init__()
        self.by_name: dict[str, Callable[[Any, Any], Any]] = {}
        """From the instance of a cache, if it has one, and what is kept to the value."""
        self.objects: dict[str, Callable[[RelatedRows], list[Any]]] = {}
        """From kept rows to their instances, for values that are querysets."""
        self.shared: set[str] = set()
        """The names whose objects have been made, where several instances share them."""


class LazyCache(dict[str, Any]):
    """A dictionary whose values are made when somebody asks for them.

    Python code sees no other difference to the plain dictionary of stock than the class.

    Made by :meth:`of`.
    """

    __slots__ = ("instance", "makers")

    makers: Makers
    instance: Any
    """The model instance that has the cache; None if no value needs it, to make no cycle."""

    @classmethod
    def of(cls, values: dict[str, Any], makers: Makers, instance: Any = None) -> LazyCache:
        """Return a cache of some values, to which others are added."""
        cache = cls(values)
        cache.makers = makers
        cache.instance = instance
        return cache

    def _made(self, name: str, kept: Any) -> Any:
        makers = self.makers
        with makers.lock:
            value = dict.get(self, name)
            make = makers.by_name.get(name)
            if value is kept and make is not None:  # else another thread has made it
                value = make(self.instance, kept)
                dict.__setitem__(self, name, value)
            return value

    def __getitem__(self, name: str) -> Any:
        value = dict.__getitem__(self, name)
        return self._made(name, value) if type(value) in _KEPT else value

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


def _filled(name: str) -> Callable[..., Any]:
    """Return a method of dictionaries that makes all values first."""
    method = getattr(dict, name)

    @functools.wraps(method)
    def call(self: LazyCache, /, *args: Any, **kwargs: Any) -> Any:
        for each in (self, *args):
            if type(each) is LazyCache:
                for key in each:
                    each[key]
        return method(self, *args, **kwargs)

    return call


for _name in (
    *("values", "items", "pop", "popitem", "setdefault", "__or__", "__ror__"),
    *("__eq__", "__ne__", "__repr__"),
):
    setattr(LazyCache, _name, _filled(_name))


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
    cache = obj.__dict__.get(PREFETCHED)
    rows = dict.get(cache, name) if type(cache) is LazyCache else None
    is_unseen = type(rows) is RelatedRows and name not in cache.makers.shared
    return rows if is_unseen and obj.pk is not None else None


def related_objects(obj: Any, name: str) -> list[Any] | None:
    """Return the instances of related rows, without the queryset that has them in stock.

    That is made when somebody asks for it, and has the same instances.

    :returns: None if no rows are kept; the parameters are those of :func:`related_rows`
    """
    cache = obj.__dict__.get(PREFETCHED)
    rows = dict.get(cache, name) if type(cache) is LazyCache else None
    if type(rows) is not RelatedRows or obj.pk is None:
        return None
    makers: Makers = cache.makers
    with makers.lock:
        return makers.objects[name](rows)


@contextmanager
def as_it_was(instance: Any, attributes: dict[str, Any]) -> Iterator[None]:
    """While it holds, some attributes of an instance have the values that they once had."""
    own = instance.__dict__
    changed = {name: value for name, value in attributes.items() if own.get(name) is not value}
    before = {name: own[name] for name in changed if name in own}
    own.update(changed)
    try:
        yield
    finally:
        for name in changed:
            if name in before:
                own[name] = before[name]
            else:
                del own[name]
