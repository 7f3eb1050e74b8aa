"""Load the relations that a serializer reads before its rows are dumped: ``LOAD_RELATIONS``.

Those that generated code is about to read for each row, and that are not loaded yet, are loaded for
all of them, as ``prefetch_related_objects`` does. It is an offer: what is not of a plain kind (see
:mod:`.plain`) is left to a query for each row, and if anything is raised, so is everything else.
What code of users reads is not known.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db import router as routers
from django.db.models import QuerySet, prefetch_related_objects
from django.db.models.constants import LOOKUP_SEP
from rest_framework.serializers import ListSerializer, Serializer
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.compiler.nodes import Form
from fastschema.contrib.django.front_end.access import MODEL, PREFETCHED, access_of
from fastschema.contrib.django.front_end.bound_serializer import bound_serializer_of
from fastschema.contrib.django.front_end.customization import is_stock_serializer
from fastschema.contrib.django.internals.instances import keep_prefetched
from fastschema.contrib.django.internals.queries import CompiledQuery, is_combined, results_of
from fastschema.contrib.django.relations.peers import (
    fetch_one,
    fetch_peers,
    may_fetch_peers,
    peers_of,
)
from fastschema.contrib.django.relations.plain import (
    is_in_one_order,
    is_plain_generic,
    is_row_of,
    leads_from_several,
    leads_to_one,
    prefetches_as_stock,
    relations_on,
    why_left,
)
from fastschema.contrib.django.relations.reads import ANY, kept_as, may_lack, reads_of, surely_read
from fastschema.contrib.django.unloaded_relations import (
    LoadedRelations,
    LookupWalk,
    Position,
    RelationsOfRows,
    Unloaded,
    is_single,
    loaded_objects,
    lookups_of,
    unloaded,
)
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.settings import Loads
from fastschema.runtime.switch import is_disabled

logger = logging.getLogger("fastschema")
LOADED: list[Callable[[Sequence[str]], object]] = []
"""Called with the lookups that were loaded for some rows. Plugins add theirs."""
_MOST_AT_ONCE = 900
"""For how many objects one query loads a relation: SQLite takes 999 values, and as many ``OR``."""


def load_relations(rows: Any, serializer: Any) -> Any:
    """Load what a serializer reads that is not loaded yet: of a queryset, or of a list of objects.

    ::

        flights = load_relations(Flight.objects.all(), FlightSerializer)
        return Response(FlightSerializer(flights, many=True).data)

    What might not be what stock gives, if it were loaded now, is left alone.

    :param rows: a queryset that has not been evaluated; or a list of objects of one model
    :param serializer: a serializer or its class; with or without ``many=True``
    :returns: a queryset that prefetches the relations; or the list, whose objects have them now
    :raises TypeError: if it is no serializer, or for other rows
    """
    instance = serializer() if isinstance(serializer, type) else serializer
    instance = instance.child if isinstance(instance, ListSerializer) else instance
    if not isinstance(instance, Serializer):
        raise TypeError(f"load_relations() takes a serializer or its class, not {serializer!r}")
    if not isinstance(rows, QuerySet | list):
        raise TypeError(f"load_relations() takes a queryset or a list, not a {type(rows).__name__}")
    dispatch = None if is_disabled() else _dispatch(instance)
    if dispatch is None:
        return rows
    if isinstance(rows, list):
        if _are_instances(rows):
            _load(rows, _missing_of(dispatch, rows), in_any_order=False)
        return rows
    if not _is_plain(rows):
        return rows
    lookups = lookups_of(_missing(dispatch, rows.model, LoadedRelations.of(rows), AT_ONCE))
    return rows.prefetch_related(*lookups) if lookups else rows


def before_stock(
    serializer: Any, rows: Sequence[Any], loads: Loads, *, one_by_one: bool = False
) -> AbstractContextManager[None] | None:
    """Return what loads relations for a serializer by which stock represents rows.

    It is asked for its program only if the fields leave something to load.
    """
    dispatch = None
    if rows and is_stock_serializer(serializer):
        fields = serializer.fields  # made, as stock makes them for the first object
        if type(fields) is BindingDict and may_lack(fields.fields.values(), rows):
            dispatch = _dispatch(serializer)
    if dispatch is None and len(rows) < 2:
        return None  # it has no peers either
    return before_dispatch(dispatch, rows, loads, one_by_one=one_by_one)


def before_dispatch(
    dispatch: Dispatch | None, rows: Sequence[Any], loads: Loads, *, one_by_one: bool = False
) -> AbstractContextManager[None] | None:
    """Return what loads relations for a dispatch that is about to dump rows.

    :param dispatch: None: it is not known what is read
    :param one_by_one: only the first is dumped before the objects drop their lists, so that
        those are left to a query for each row
    """
    try:
        if not _are_instances(rows):
            return None
        model, missing, peers = type(rows[0]), [], peers_of(rows)
        if dispatch is not None and not reads_of(dispatch, model).are_there(rows):
            missing = _missing_of(dispatch, rows)
        if one_by_one:
            missing = [relation for relation in missing if leads_to_one(model, relation.lookup)]
            fetch_peers(peers)  # until the last, whose turn nothing tells
            peers = []
    except Exception:
        _log_failure()
        return None
    if not (missing or peers):
        return None
    return _loaded(rows, missing, peers, in_any_order=loads is Loads.ALL)


def loads_more(dispatch: Dispatch, query: CompiledQuery) -> bool:
    """Return whether instances of a query's rows load relations that it does not load."""
    try:
        return may_fetch_peers(query.model, query.db) or bool(
            _missing(dispatch, query.model, LoadedRelations.of_compiled(query), ANY)
        )
    except Exception:
        _log_failure()
        return False


def loaded_on_demand(
    serializer: Any, model: Any, loaded: LoadedRelations, loads: Loads
) -> tuple[str, ...]:
    """Return the relations that are loaded on demand for the rows of a list."""
    dispatch = _dispatch(serializer)
    if dispatch is None:
        return ()
    return lookups_of(
        _missing(dispatch, model, loaded, IN_ANY_ORDER if loads is Loads.ALL else AT_ONCE)
    )


def _dispatch(serializer: Any) -> Dispatch | None:
    bound = bound_serializer_of(serializer) if is_stock_serializer(serializer) else None
    return None if bound is None else bound.dispatch(Form.PYTHON)


def _log_failure() -> None:
    logger.debug("relations are left to queries for each row", exc_info=True)


# What is missing


def _are_instances(rows: Sequence[Any]) -> bool:
    return len(rows) > 0 and access_of(type(rows[0])) is MODEL


def _missing(
    dispatch: Dispatch, model: Any, loaded: LoadedRelations, walk: LookupWalk
) -> list[Unloaded]:
    """Return the relations that are sure to be read of each object, and are not loaded."""
    # Nested serializers are found anew: the next row may have others.
    fresh = Dispatch(dispatch.program, dispatch.form, dispatch.bound_schema.for_one_list())
    return unloaded(fresh, model, loaded, walk)


def _missing_of(dispatch: Dispatch, rows: Sequence[Any]) -> list[Unloaded]:
    """Return those to load for some rows; of one object only what several lead to."""
    model, db = type(rows[0]), rows[0]._state.db
    missing = _missing(dispatch, model, RelationsOfRows(rows), _OF_ROWS)
    if len(rows) == 1 and not any(
        leads_from_several(model, relation.lookup) for relation in missing
    ):
        return []
    is_known = (
        missing
        and not routers.routers
        and connections[db or DEFAULT_DB_ALIAS].features.supports_foreign_keys
        and all(is_row_of(row, model, db) for row in rows)
    )
    return missing if is_known else []


# Loading


class _Loaded:
    """What instances were given that they did not have: lists, and a place for them."""

    def __init__(self) -> None:
        self._lists: list[tuple[Any, str, Any]] = []
        self._places: list[Any] = []

    def prepare(self, objects: Sequence[Any]) -> None:
        self._places += [obj for obj in objects if PREFETCHED not in obj.__dict__]

    def note(self, objects: Sequence[Any], name: str) -> None:
        caches = [obj.__dict__.get(PREFETCHED, {}) for obj in objects]
        self._lists += [(cache, name, cache[name]) for cache in caches if name in cache]

    def drop(self) -> None:
        """Let the objects drop it again: in stock, they keep no lists."""
        for cache, name, objects in self._lists:
            if dict.get(cache, name) is objects:
                del cache[name]
        for obj in self._places:
            if obj.__dict__.get(PREFETCHED) == {}:
                del obj.__dict__[PREFETCHED]


@contextmanager
def _loaded(
    rows: Sequence[Any], missing: list[Unloaded], peers: list[Any], *, in_any_order: bool
) -> Iterator[None]:
    """Load relations, and let the objects drop lists afterwards.

    :param peers: the rows that fetch for each other meanwhile
    """
    loaded = _Loaded()
    fetch_peers(peers)
    try:
        try:
            lookups = _load(rows, missing, loaded, in_any_order=in_any_order)
        except DatabaseError:
            if connections[rows[0]._state.db or DEFAULT_DB_ALIAS].in_atomic_block:
                raise  # the transaction may be broken: stock's queries would only say so
            _log_failure()
        except Exception:
            _log_failure()
        else:
            if lookups:
                logger.debug("%s: loaded %s on demand", type(rows[0]).__name__, ", ".join(lookups))
            for told in LOADED:
                told(lookups)
        yield
    finally:
        loaded.drop()
        fetch_one(peers)


def _load(
    rows: Sequence[Any],
    missing: list[Unloaded],
    loaded: _Loaded | None = None,
    *,
    in_any_order: bool,
) -> tuple[str, ...]:
    """Load relations for some rows, level by level; return their lookups.

    Lists that come in any order are asked for one by one, as in stock, unless it does not matter;
    what their objects lead to is loaded for all of them.
    """
    model, loaded = type(rows[0]), loaded or _Loaded()
    at_once = {
        relation.lookup
        for relation in missing
        if in_any_order or is_in_one_order(_last_relation(model, relation.lookup))
    }
    lookups = lookups_of(
        relation
        for relation in missing
        if relation.lookup in at_once
        and (len(rows) > 1 or leads_from_several(model, relation.lookup))
    )
    for lookup in dict.fromkeys(relation.lookup for relation in missing):
        if any(f"{wanted}{LOOKUP_SEP}".startswith(f"{lookup}{LOOKUP_SEP}") for wanted in lookups):
            _load_one(rows, lookup, loaded, at_once=lookup in at_once)
    return lookups


def _load_one(rows: Sequence[Any], lookup: str, loaded: _Loaded, *, at_once: bool) -> None:
    """Load the last relation of a lookup for all objects that have it and lack its objects."""
    *path, (model, name, relation) = relations_on(type(rows[0]), lookup)
    objects = rows
    for _, attribute, before in path:
        objects = [
            related for obj in objects for related in loaded_objects(obj, attribute, before) or ()
        ]
    key, db = kept_as(relation), rows[0]._state.db
    lacking = [
        obj
        for obj in {id(obj): obj for obj in objects}.values()
        if is_row_of(obj, model, db) and not _knows(obj, relation, key)
    ]
    loaded.prepare(lacking)
    for start in range(0, len(lacking), _MOST_AT_ONCE if at_once else 1):
        if at_once:
            prefetch_related_objects(lacking[start : start + _MOST_AT_ONCE], name)
        else:
            keep_prefetched(lacking[start], name, key)
    if not is_single(relation):
        loaded.note(lacking, key)


def _knows(obj: Any, relation: Any, key: str) -> bool:
    """Return whether an object keeps anything of a relation, be it what a view has put there."""
    if is_single(relation):
        return bool(relation.is_cached(obj))
    return key in obj.__dict__.get(PREFETCHED, ())


def _last_relation(model: Any, lookup: str) -> Any:
    *_, (_, _, relation) = relations_on(model, lookup)
    return relation


# What may be loaded


def _may_load_at_once(position: Position, relation: Any, following: str | None) -> bool:
    return _may_load_in_any_order(position, relation, following) and is_in_one_order(relation)


def _may_load_in_any_order(position: Position, relation: Any, following: str | None) -> bool:
    return why_left(position.model, relation, following) is None


def _may_load(position: Position, relation: Any, following: str | None) -> bool:
    is_plain = _may_load_in_any_order(position, relation, following)
    return is_plain or is_plain_generic(position, relation)


AT_ONCE = LookupWalk(surely_read, _may_load_at_once, id)
IN_ANY_ORDER = LookupWalk(surely_read, _may_load_in_any_order, id)
_OF_ROWS = LookupWalk(surely_read, _may_load, id)


def _is_plain(queryset: Any) -> bool:
    """Return whether it is known how a queryset makes its rows, and what a prefetch does there."""
    return (
        isinstance(queryset, QuerySet)
        and prefetches_as_stock(queryset)
        and results_of(queryset) is None
        and not is_combined(queryset)
        and not routers.routers
        and bool(connections[queryset.db].features.supports_foreign_keys)
    )
