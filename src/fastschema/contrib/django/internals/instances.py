"""Model instances, what they keep of others, and how Django prefetches it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django import VERSION
from django.db.models import Prefetch, QuerySet, query
from django.db.models.base import ModelState
from django.db.models.fields.files import FileDescriptor, ImageFileDescriptor
from django.db.models.fields.mixins import FieldCacheMixin
from django.db.models.fields.related_descriptors import (
    ForeignKeyDeferredAttribute,
    ReverseOneToOneDescriptor,
)
from django.db.models.manager import BaseManager
from django.db.models.query_utils import DeferredAttribute

from fastschema.contrib.django.front_end.access import FORWARD, PREFETCHED, on_class
from fastschema.contrib.django.internals.queries import (
    comes_from_relation,
    iterates_as_django,
    without_prefetches,
)
from fastschema.runtime.patching import overridden, stock_method

# Instances, and what they keep of others: base.py, fields/

COLUMN = DeferredAttribute
"""What a model has in the place of a column (``query_utils.py``)."""
KEY_COLUMN = ForeignKeyDeferredAttribute
"""What it has in the place of a foreign key's column (``fields/related_descriptors.py``)."""
FILE_COLUMNS = (FileDescriptor, ImageFileDescriptor)
"""What it has in the place of a file (``fields/files.py``): they keep its name until it is read."""
_CACHE = {
    name: stock_method(FieldCacheMixin, name)
    for name in ("is_cached", "get_cached_value", "set_cached_value", "delete_cached_value")
}


class SingleRelation(NamedTuple):
    """A relation to one object, by its foreign key, which may be followed backwards."""

    field: Any
    is_reverse: bool

    @property
    def may_be_none(self) -> bool:
        """Whether the attribute is None without an object; else it raises ObjectDoesNotExist."""
        return not self.is_reverse and self.field.null

    @property
    def cache(self) -> Any:
        """What keeps the object in a model instance: a ``FieldCacheMixin``."""
        return self.field.remote_field if self.is_reverse else self.field

    @property
    def cache_name(self) -> str:
        name: str = self.cache.cache_name
        return name


def single_relation(model: Any, name: str) -> SingleRelation | None:
    """Return the relation to one object that an attribute follows; None if it is no such."""
    descriptor = on_class(model, name)
    if type(descriptor) in FORWARD:
        return SingleRelation(descriptor.field, is_reverse=False)
    if type(descriptor) is ReverseOneToOneDescriptor:
        return SingleRelation(descriptor.related.field, is_reverse=True)
    return None


def is_kept_by_django(field: Any) -> bool:
    return not any(overridden(relation, _CACHE) for relation in (field, field.remote_field))


def new_state(db: str, fetch_mode: Any) -> ModelState:
    """Return the state of an instance from the database, as ``Model.from_db`` sets it."""
    state = ModelState()
    state.adding = False
    state.db = db
    if fetch_mode is not None:
        state.fetch_mode = fetch_mode
    return state


def prefetched_objects(obj: Any, *names: str) -> list[Any] | None:
    """Return what was prefetched for an instance under the first of some names, if anything."""
    kept = obj.__dict__.get(PREFETCHED, {})
    for name in names:
        if name in kept:
            objects = kept[name]
            return objects if isinstance(objects, list) else getattr(objects, "_result_cache", None)
    return None


def keep_prefetched(obj: Any, attribute: str, name: str) -> None:
    """Let an instance keep the objects of a relation to many, as if they had been prefetched."""
    queryset = getattr(obj, attribute).all()
    len(queryset)  # its query is run
    obj.__dict__.setdefault(PREFETCHED, {})[name] = queryset


# Prefetching: query.py, fields/related_descriptors.py

_GET_QUERYSET = stock_method(BaseManager, "get_queryset")
_PREFETCH = {name: stock_method(QuerySet, name) for name in ["_prefetch_related_objects"]}
_FUNCTIONS = {
    name: stock_method(query, name)
    for name in ("prefetch_related_objects", "prefetch_one_level", "get_prefetcher")
}
# What Django calls of a queryset of related objects.
_HOOKS = {
    name: stock_method(QuerySet, name)
    for name in ("__init__", "using", "filter", "extra", "none", "_add_hints", "_next_is_sticky")
}


def prefetches_as_stock(queryset: Any) -> bool:
    """Return whether only Django prefetches objects for a queryset."""
    is_stock = all(getattr(query, name) is function for name, function in _FUNCTIONS.items())
    return is_stock and not overridden(queryset, _PREFETCH)


def is_prefetched_as_stock(queryset: Any) -> bool:
    """Return whether only Django looks at a queryset of related objects."""
    return (
        iterates_as_django(queryset)
        and overridden(queryset, _HOOKS) is None
        and not comes_from_relation(queryset)
    )


def normalized_lookups(lookups: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """Return lookups as ``Prefetch`` objects, the last first, as Django takes them from the end."""
    normalized: list[Any] = query.normalize_prefetch_lookups(reversed(list(lookups)), prefix)
    return normalized


CHANGES_GIVEN_QUERYSETS = VERSION >= (6, 1)
"""Whether Django changes the queryset of a ``Prefetch`` for each object that it is given to."""


def path_to(lookup: Prefetch, level: int) -> str:
    """Return the path to a part of a lookup, from the objects for which all of it is prefetched."""
    path: str = lookup.get_current_prefetch_to(level)
    return path


def attribute_for(lookup: Prefetch, level: int) -> tuple[str, bool]:
    """Return where objects keep what a part of a lookup finds, and whether ``to_attr`` says so."""
    name, is_own = lookup.get_current_to_attr(level)
    return name, bool(is_own)


def given_queryset(lookup: Prefetch, level: int) -> Any:
    """Return the queryset that was given for a part of a lookup; None if there is none."""
    querysets = lookup.get_current_querysets(level)
    return querysets[0] if querysets else None


class PrefetchAnswer(NamedTuple):
    """What ``get_prefetch_querysets`` of Django's prefetchers returns, after the queryset.

    :param key_of_related: from a related object to the key by which it belongs to its owner
    :param cache_name: under which name an owner keeps what is found
    :param is_descriptor: whether that is set by a descriptor
    """

    key_of_related: Callable[[Any], Any]
    key_of_owner: Callable[[Any], Any]
    is_single: bool
    cache_name: str
    is_descriptor: bool


def ask_prefetcher(
    objects: list[Any], name: str, attribute: str, given: Any
) -> tuple[Any, Any, PrefetchAnswer]:
    """Return what asks for the objects that are related to some, and how they belong to them.

    :param attribute: where the objects are to keep what is found
    :param given: the queryset that was given for what is related, or None
    :returns: a queryset of all objects to which the relation may lead; and one of those of these
        objects, which is not run, and prefetches nothing
    """
    prefetcher, *_ = query.get_prefetcher(objects[0], name, attribute)
    every = given
    if given is None and isinstance(prefetcher, BaseManager):
        every = _GET_QUERYSET(prefetcher)
    elif given is None:
        every = prefetcher.get_queryset(instance=objects[0])
    empty = without_prefetches(every, lambda queryset: ())
    related, *answer = prefetcher.get_prefetch_querysets(objects, [empty])
    # It has not been run, whatever it believes.
    return every, without_prefetches(related), PrefetchAnswer(*answer)


class _Answered:
    """Stands for a prefetcher whose query has been run: ``answer`` has related objects first."""

    def __init__(self, answer: tuple[Any, ...]) -> None:
        self._answer = answer

    def get_prefetch_querysets(self, instances: list[Any], querysets: Any = None) -> Any:
        return self._answer


def assign_prefetched(
    instances: list[Any], related: list[Any], answer: PrefetchAnswer, lookup: Any, level: int
) -> None:
    """Let instances have the objects that were found for them: ``prefetch_one_level``."""
    prepare_for_prefetching(instances)
    query.prefetch_one_level(instances, _Answered((related, *answer)), lookup, level)


def prepare_for_prefetching(instances: Iterable[Any]) -> None:
    """Let instances, but for None, have a place for what is prefetched, as Django does."""
    for instance in instances:
        if instance is not None:
            instance.__dict__.setdefault(PREFETCHED, {})


def queryset_of_relation(instance: Any, name: str) -> Any:
    if single_relation(type(instance), name) is None:
        return _GET_QUERYSET(getattr(instance, name))
    descriptor: Any = on_class(type(instance), name)
    return descriptor.get_queryset(instance=instance)


def filtered_for(instance: Any, as_it_was: Any, name: str, queryset: Any) -> Any:
    """Return a queryset as the manager of a relation to many has filtered it for an instance.

    As its ``get_queryset`` does, but for a look into what was prefetched; ``as_it_was`` is another
    instance, with the keys that it had then.
    """
    filtered = getattr(as_it_was, name)._apply_rel_filters(queryset)
    filtered._add_hints(instance=instance)
    filtered._known_related_objects = {
        field: dict.fromkeys(objects, instance)
        for field, objects in filtered._known_related_objects.items()
    }
    if filtered._deferred_filter is not None:
        negate, args, lookups = filtered._deferred_filter
        lookups = {key: instance if at is as_it_was else at for key, at in lookups.items()}
        filtered._deferred_filter = negate, args, lookups
    return filtered


def own_manager(descriptor: Any) -> Any:
    """Return the manager behind a relation to many if it overrides ``get_queryset``; else None."""
    manager = descriptor.related_manager_cls.__mro__[1]
    return None if manager.get_queryset is _GET_QUERYSET else manager


def attribute_of_key_between(field: Any) -> str:
    """Return where a prefetched object has its owner's key, from the table in between."""
    return f"_prefetch_related_val_{field.attname}"
