"""Let Django load what code of users follows from one row for all of them: ``FETCH_PEERS``.

Which relations a method or a property follows is not known before it runs. Since Django 6.1, an
instance that is asked for an object that it lacks can load it for all instances that came with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary, ref

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db import router as routers

from fastschema.contrib.django.relations.plain import is_row_of, why_left
from fastschema.contrib.django.unloaded_relations import is_single

_FETCH_ONE = getattr(models, "FETCH_ONE", None)  # None before Django 6.1
_FETCH_PEERS = getattr(models, "FETCH_PEERS", None)
FETCHES_PEERS = _FETCH_PEERS is not None
_loaded_one_by_one: WeakKeyDictionary[type, tuple[frozenset[str], frozenset[str]]] = (
    WeakKeyDictionary()
)
"""By models, the attributes of columns, and the names under which instances keep single objects."""
_leads_to_plain_ones: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def may_fetch_peers(model: Any, db: str | None) -> bool:
    """Return whether the objects are the same if rows of a model load them for each other."""
    return (
        FETCHES_PEERS
        and not routers.routers
        and bool(connections[db or DEFAULT_DB_ALIAS].features.supports_foreign_keys)
        and _leads_to_plain_relations(model)
    )


def peers_of(rows: Sequence[Any]) -> list[Any]:
    """Return the rows that may load a relation to one object for all of them.

    None of them if the first lacks nothing, or if users have chosen how to load it.
    """
    model, db = type(rows[0]), rows[0]._state.db
    if len(rows) == 1 or not may_fetch_peers(model, db) or not _lacks_something(rows[0]):
        return []
    are_alike = all(
        is_row_of(row, model, db) and row._state.fetch_mode is _FETCH_ONE for row in rows
    )
    return list(rows) if are_alike else []


def fetch_peers(peers: list[Any]) -> None:
    """Let the first of some rows that is asked for an object load it for all."""
    references = [ref(row) for row in peers]
    for row in peers:
        row._state.fetch_mode, row._state.peers = _FETCH_PEERS, references


def fetch_one(peers: list[Any]) -> None:
    """Let each row load what it is asked for, as before."""
    for row in peers:
        row._state.fetch_mode = _FETCH_ONE
        vars(row._state).pop("peers", None)


def _lacks_something(row: Any) -> bool:
    """Return whether a column of a row is deferred, or a relation to one object is not loaded."""
    model = type(row)
    if model not in _loaded_one_by_one:
        single = [
            field
            for field in model._meta.get_fields(include_hidden=False)
            if field.is_relation and is_single(field)
        ]
        _loaded_one_by_one[model] = (
            frozenset(field.attname for field in model._meta.concrete_fields),
            frozenset(field.cache_name for field in single),
        )
    columns, relations = _loaded_one_by_one[model]
    return not (columns <= row.__dict__.keys() and relations <= row._state.fields_cache.keys())


def _leads_to_plain_relations(model: Any) -> bool:
    """Return whether all single relations to which a model leads are the same if loaded at once."""
    if model not in _leads_to_plain_ones:
        seen: dict[Any, list[Any]] = {}
        waiting = [model]
        while waiting:
            current = waiting.pop()
            seen[current] = [field for field in current._meta.get_fields() if field.is_relation]
            related_models = {relation.related_model for relation in seen[current]}
            waiting += related_models - seen.keys() - {*waiting, None}
        _leads_to_plain_ones[model] = all(
            why_left(reached, relation) is None
            for reached, relations in seen.items()
            for relation in relations
            if is_single(relation)
        )
    return _leads_to_plain_ones[model]
