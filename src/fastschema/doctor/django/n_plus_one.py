"""Lists whose rows ask the database again: what the log, the doctor and the toolbar say of them.

Found from the fields and the queryset, without asking the database. What user code reads (method
fields, properties, overrides) is not known.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from django.conf import settings
from django.db import models
from django.db.models import QuerySet
from django.db.models.constants import LOOKUP_SEP
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.contrib.django.before_rows import loads_relations
from fastschema.contrib.django.conf import view_of
from fastschema.contrib.django.dump import AROUND, Represent
from fastschema.contrib.django.front_end.access import MODEL, access_of
from fastschema.contrib.django.front_end.pending import known_fields
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.contrib.django.unloaded_relations import (
    PREFETCH,
    SELECT,
    LoadedRelations,
    LookupWalk,
    Unloaded,
    lookups_of,
    unloaded,
)
from fastschema.runtime.plugins import plugin
from fastschema.runtime.switch import is_disabled

_relations = plugin("fastschema.contrib.django.relations.on_demand")
_plain = plugin("fastschema.contrib.django.relations.plain")
logger = logging.getLogger("fastschema")
_looked_at: WeakKeyDictionary[type, WeakSet[type]] = WeakKeyDictionary()
"""By the classes of views, or of serializers that no view has: those of serializers."""

Loaded = tuple[Any, LoadedRelations]
"""The model of some rows, and what is loaded with them."""


def loaded_with(data: Any) -> Loaded | None:
    """Return what is loaded with the rows of a list now; None if only the database knows."""
    if isinstance(data, QuerySet):
        return data.model, LoadedRelations.of(data)
    if type(data) is LazyInstanceList and data.fetched is not None:
        query = data.fetched.query
        return query.model, LoadedRelations.of_compiled(query)
    if isinstance(data, list) and data and access_of(type(data[0])) is MODEL:
        return type(data[0]), LoadedRelations.of_rows(data)
    return None


def unloaded_by(serializer: Any, loaded: Loaded, on_demand: Iterable[str] = ()) -> list[Unloaded]:
    """Return the relations of rows that a serializer follows and that are not loaded.

    Fields that it has not made are not known. ``on_demand`` lookups were loaded before the dump.
    """
    also_loaded = [f"{lookup}{LOOKUP_SEP}" for lookup in on_demand]
    return [
        relation
        for relation in unloaded(serializer, *loaded, _ALL)
        if not any(lookup.startswith(f"{relation.lookup}{LOOKUP_SEP}") for lookup in also_loaded)
    ]


def _known_fields(serializer: Any) -> Iterator[tuple[Any, Sequence[str], Any]]:
    if isinstance(serializer, Serializer):
        for field in known_fields(serializer) or ():
            inner = field.child if isinstance(field, ListSerializer) else field
            yield field, field.source_attrs, inner if isinstance(inner, Serializer) else None


_ALL = LookupWalk(_known_fields, lambda position, relation, following: True, type)
"""All that a serializer follows, as far as that is known without making fields."""


def advice(relations: list[Unloaded]) -> str:
    """Return the methods to call on the queryset: ``select_related("airline")``, say."""
    calls = []
    for method in (SELECT, PREFETCH):
        lookups = lookups_of(relation for relation in relations if relation.method == method)
        if lookups:
            calls.append(f"{method}({', '.join(map(repr, lookups))})")
    return " and ".join(calls)


def loaded_on_demand(serializer: Any, loaded: Loaded, view: Any) -> Iterable[str]:
    """Return the relations that are loaded on demand for the rows of a list."""
    loads = loads_relations(view)
    if not loads:
        return ()
    lookups: Iterable[str] = _relations.loaded_on_demand(serializer, *loaded, loads)
    return lookups


def left_on_demand(relations: list[Unloaded], model: Any) -> str:
    """Return which relations ``LOAD_RELATIONS`` leaves as they are, and why."""
    if _plain is None:
        return ""
    reasons = []
    for lookup in dict.fromkeys(relation.lookup for relation in relations):
        left = _plain.why_not_on_demand(model, lookup)
        if left is not None:
            why, is_loaded_by_all = left
            more = ', "all" loads it' if is_loaded_by_all else ""
            reasons.append(f"; LOAD_RELATIONS = True leaves {lookup} ({why}{more})")
    return "".join(reasons)


def watch() -> None:
    """Warn of lists from now on, as long as ``DEBUG`` is on."""
    if _warn_of_queries not in AROUND:
        AROUND.append(_warn_of_queries)


def _warn_of_queries(represent: Represent, serializer: Any, data: Any) -> Any:
    """Represent data; log a warning if they are a list whose rows were a query each, or more.

    That is done once for each view class and class of serializers.
    """
    if not settings.DEBUG or is_disabled() or not isinstance(serializer, ListSerializer):
        return represent(serializer, data)
    view, child = view_of(serializer), serializer.child
    cls = type(child if view is None else view)
    looked_at = _looked_at.setdefault(cls, WeakSet())
    # Before the rows are dumped, which may load more.
    loaded = None if type(child) in looked_at else loaded_with(data)
    results = represent(serializer, data)
    if results and loaded is not None:
        looked_at.add(type(child))
        # The fields are made by now.
        relations = unloaded_by(child, loaded, loaded_on_demand(child, loaded, view))
        if relations:
            _warn(cls, relations, loaded[0])
    return results


def _warn(cls: type, relations: list[Unloaded], model: Any) -> None:
    may_fetch_peers = hasattr(models, "FETCH_PEERS") and all(
        relation.method == SELECT for relation in relations
    )
    logger.warning(
        "%s asks the database again for each row (fields %s). Add %s to its queryset%s%s.",
        cls.__name__,
        ", ".join(dict.fromkeys(relation.field for relation in relations)),
        advice(relations),
        ", or fetch_mode(models.FETCH_PEERS)" if may_fetch_peers else "",
        left_on_demand(relations, model),
    )
