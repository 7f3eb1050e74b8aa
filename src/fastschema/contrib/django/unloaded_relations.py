"""Relations that are followed from rows with which they are not loaded: a query for each row.

Found without asking the database: from the fields, and what a queryset loads or instances keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from django.db.models import Prefetch, QuerySet
from django.db.models.constants import LOOKUP_SEP

from fastschema.contrib.django.front_end.access import MODEL, access_of
from fastschema.contrib.django.front_end.schema_reader import attributes_read
from fastschema.contrib.django.internals.instances import prefetched_objects
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    fetch_mode_of,
    prefetch_lookups,
    tracks_peers,
)

SELECT, PREFETCH = "select_related", "prefetch_related"
_ROWS_LOOKED_AT = 20


class Unloaded(NamedTuple):
    """A relation that is asked of the database for each row.

    :param field: the key of the field that follows it, dotted for nested ones
    :param lookup: the relation, as querysets name it: ``airline__country``
    :param method: the method of querysets that loads it
    """

    field: str
    lookup: str
    method: str


class LookupWalk(NamedTuple):
    """A walk from what represents the rows along their relations: which of them it follows.

    :param fields: from that to its fields that follow relations: each field, the attributes of its
        source, and what represents the objects there, if that is known
    :param may_load: whether a relation that is not loaded is followed, with the position of what
        has it, and with the next attribute that is read, if there is one
    :param identity: by what it is known that something represents what is nested in itself
    """

    fields: Callable[[Any], Iterable[tuple[Any, Sequence[str], Any]]]
    may_load: Callable[[Position, Any, str | None], bool]
    identity: Callable[[Any], Any]


class LoadedRelations:
    """The relations that a query loads with its own rows.

    :param select_related: as ``Query.select_related``
    :param prefetches: paths of what is prefetched, each with the last step's own queryset, if any
    :param is_prefetched: whether it is a query of ``prefetch_related``
    :param fetches_peers: whether Django loads a relation to one object for all rows at once
    """

    def __init__(
        self,
        select_related: Any = False,
        prefetches: Iterable[tuple[list[str], QuerySet[Any] | None]] = (),
        *,
        is_prefetched: bool = False,
        fetches_peers: bool = False,
    ) -> None:
        self.is_prefetched = is_prefetched
        self.fetches_peers = fetches_peers
        self._select_related = select_related
        self._prefetches = list(prefetches)

    @classmethod
    def of(cls, queryset: Any) -> LoadedRelations:
        return cls.of_query(
            queryset.query.select_related, prefetch_lookups(queryset), fetch_mode_of(queryset)
        )

    @classmethod
    def of_query(
        cls, select_related: Any, lookups: Iterable[Any], fetch_mode: Any
    ) -> LoadedRelations:
        prefetches = []
        for lookup in lookups:
            is_object = isinstance(lookup, Prefetch)
            path = lookup.prefetch_to if is_object else lookup
            prefetches.append((path.split(LOOKUP_SEP), lookup.queryset if is_object else None))
        return cls(select_related, prefetches, fetches_peers=tracks_peers(fetch_mode))

    @classmethod
    def of_compiled(cls, query: CompiledQuery) -> LoadedRelations:
        return cls.of_query(query.select_related, query.prefetch_lookups, query.fetch_mode)

    @classmethod
    def of_rows(cls, rows: Sequence[Any]) -> LoadedRelations:
        """Return what is loaded with model instances now, as far as the first of them tell."""
        loaded: dict[str, Any] = {}
        for row in rows[:_ROWS_LOOKED_AT]:
            if type(row) is type(rows[0]):
                _add_loaded(row, loaded)
        return cls(loaded)

    def names_joins(self) -> bool:
        """Return whether it is said which relations to a single object are loaded."""
        return self._select_related is not True

    def without_joins(self) -> LoadedRelations:
        return LoadedRelations(False, self._prefetches)

    def through(self, name: str, relation: Any) -> LoadedRelations | None:
        """Return what is loaded with the objects of a relation; None if they are not."""
        select_related: Any = False
        is_loaded = is_prefetched = False
        if isinstance(self._select_related, dict):
            is_loaded = relation.name in self._select_related
            select_related = self._select_related.get(relation.name, False)
        elif self._select_related and is_single(relation) and not relation.null:
            is_loaded = select_related = True
        prefetches = []
        for (first, *rest), queryset in self._prefetches:
            if first != name:
                continue
            is_loaded = is_prefetched = True
            if rest:
                prefetches.append((rest, queryset))
            elif queryset is not None:
                inner = LoadedRelations.of(queryset)
                select_related = select_related or inner._select_related
                prefetches += inner._prefetches
        if not is_loaded:
            return None
        return LoadedRelations(select_related, prefetches, is_prefetched=is_prefetched)


class RelationsOfRows(LoadedRelations):
    """What is loaded with model instances, by the first that has any objects of the relation."""

    def __init__(self, rows: Sequence[Any]) -> None:
        super().__init__()
        self.rows = rows

    def through(self, name: str, relation: Any) -> LoadedRelations | None:
        for row in self.rows:
            objects = loaded_objects(row, name, relation)
            if objects is None:
                return None
            if objects:
                return RelationsOfRows(objects)
        return RelationsOfRows(())


def unloaded(
    represents: Any, model: Any, loaded: LoadedRelations, walk: LookupWalk
) -> list[Unloaded]:
    """Return the relations that are followed from the rows of a model, and not loaded with them."""
    relations = list(dict.fromkeys(_of_fields(represents, Position(model, loaded, walk))))
    if not loaded.names_joins() and any(relation.method == SELECT for relation in relations):
        # select_related() with names loads nothing but those.
        step = Position(model, loaded.without_joins(), walk)
        relations = list(dict.fromkeys(_of_fields(represents, step)))
    if loaded.fetches_peers:
        # One query for all rows loads the others.
        return [relation for relation in relations if relation.method != SELECT]
    return relations


def lookups_of(relations: Iterable[Unloaded]) -> tuple[str, ...]:
    """Return the lookups to name: what leads further loads what is on its way."""
    lookups = dict.fromkeys(relation.lookup for relation in relations)
    return tuple(
        lookup
        for lookup in lookups
        if not any(other.startswith(lookup + LOOKUP_SEP) for other in lookups)
    )


class Position(NamedTuple):
    """Where in the relations of a row a field reads.

    :param model: the class of the objects; None where it is not known
    :param key: the keys of the fields that led there, each with a dot
    :param lookup: the relations that led there
    :param method: what loads a relation to a single object from there
    :param back: the attribute by which Django knows the object that led there, if there is one
    :param holders: what represents the objects that lead there, by its identity
    """

    model: Any
    loaded: LoadedRelations
    walk: LookupWalk
    key: str = ""
    lookup: tuple[str, ...] = ()
    method: str = SELECT
    back: str | None = None
    holders: tuple[Any, ...] = ()


def _of_fields(serializer: Any, at: Position) -> Iterator[Unloaded]:
    at = at._replace(holders=(*at.holders, at.walk.identity(serializer)))
    for field, source, inner in at.walk.fields(serializer):
        yield from _of_field(f"{at.key}{field.field_name}", field, source, inner, at)


def _of_field(
    key: str, field: Any, source: Sequence[str], inner: Any, at: Position
) -> Iterator[Unloaded]:
    end, is_named = at, False
    followed, _ = attributes_read(field, source)
    for name, following in zip_longest(followed, source[1:]):
        relation = relations_of(end.model).get(name)
        if relation is None or name == end.back:
            return
        loaded = end.loaded.through(name, relation)
        if loaded is None and not at.walk.may_load(end, relation, following):
            return
        lookup = (*end.lookup, name)
        is_named = loaded is not None and loaded.names_joins()
        is_joined = is_single(relation) and relation.related_model is not None
        is_joined = is_joined and not (loaded is not None and loaded.is_prefetched)
        method = end.method if is_joined else PREFETCH
        if loaded is None:
            yield Unloaded(key, LOOKUP_SEP.join(lookup), method)
        back = _way_back(relation)
        model, loaded = relation.related_model, loaded or LoadedRelations()
        end = Position(model, loaded, at.walk, at.key, lookup, method, back, at.holders)
    # A serializer that nests itself is followed as far as something is loaded by its name.
    if inner is not None and (is_named or at.walk.identity(inner) not in at.holders):
        yield from _of_fields(inner, end._replace(key=f"{key}."))


def relations_of(model: Any) -> dict[str, Any]:
    if model is None:
        return {}
    return {
        attribute_of(relation): relation
        for relation in model._meta.get_fields(include_hidden=False)
        if relation.is_relation
    }


def _add_loaded(obj: Any, known: dict[str, Any], holders: tuple[Any, ...] = ()) -> None:
    """Add the relations that are loaded with an object, and with the objects of those."""
    for attribute, relation in relations_of(type(obj)).items():
        objects = loaded_objects(obj, attribute, relation)
        if objects is None:
            continue
        inner = known.setdefault(relation.name, {})
        for related in objects[:_ROWS_LOOKED_AT]:
            if access_of(type(related)) is MODEL and all(
                related is not holder for holder in holders
            ):
                _add_loaded(related, inner, (*holders, obj))


def loaded_objects(obj: Any, attribute: str, relation: Any) -> Sequence[Any] | None:
    """Return the objects of a relation that an object knows; None if it would ask the database."""
    if is_single(relation):
        if not relation.is_cached(obj):
            return None
        value = relation.get_cached_value(obj)
        return [] if value is None else [value]
    return prefetched_objects(obj, attribute, relation.name)


def attribute_of(relation: Any) -> str:
    is_reverse = relation.auto_created and not relation.concrete
    name: str = relation.get_accessor_name() if is_reverse else relation.name
    return name


def _way_back(relation: Any) -> str | None:
    """Return under which attribute related objects keep the object that they came with."""
    if not (relation.one_to_many or relation.one_to_one):
        return None
    return attribute_of(relation.remote_field)


def is_single(relation: Any) -> bool:
    return bool(relation.many_to_one or relation.one_to_one)
