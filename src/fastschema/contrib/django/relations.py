"""Relations that a serializer reads, loaded when its rows are there: ``LOAD_RELATIONS``.

Before rows are dumped, the relations that generated code is about to read for each of them, and
that nobody has loaded, are loaded for all of them, as ``prefetch_related_objects`` does. What could
answer otherwise than a query for each row is left to those queries: see :func:`_is_safe`. What
code of users reads is not known.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db import router as routers
from django.db.models import ForeignKey, Manager, QuerySet, prefetch_related_objects
from django.db.models.constants import LOOKUP_SEP
from django.db.models.fields.related_descriptors import (
    ManyToManyDescriptor,
    ReverseManyToOneDescriptor,
)
from django.db.models.manager import BaseManager
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django import conf, dump_log
from fastschema.contrib.django.front_end.access import MODEL, access_of, on_class
from fastschema.contrib.django.front_end.bound_serializer import dispatch_for
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.internals.instances import (
    drop_prefetched,
    keep_prefetched,
    single_relation,
)
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    fetch_mode_of,
    is_combined,
    is_exact,
    iterates_as_django,
    results_of,
)
from fastschema.contrib.django.unloaded_relations import (
    Follow,
    Loads,
    LoadsOfRows,
    Position,
    Unloaded,
    attribute_of,
    is_single,
    loaded_objects,
    lookups_of,
    relations_of,
    unloaded,
)
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.switch import is_disabled

logger = logging.getLogger("fastschema")
_OF_MANAGERS = {name: stock_method(BaseManager, name) for name in ("get_queryset", "all")}
_FETCH_ONE = getattr(models, "FETCH_ONE", None)  # since Django 6.1
# What Django calls of a queryset to prefetch for it, or with it.
_HOOKS = {
    name: stock_method(QuerySet, name)
    for name in (
        *("__init__", "filter", "get", "using"),
        *("prefetch_related", "_prefetch_related_objects"),
    )
}
_TO_MANY = (ReverseManyToOneDescriptor, ManyToManyDescriptor)
_MOST_AT_ONCE = 2000
"""For how many rows one query loads a relation: databases limit the parameters of a query."""
_NOTHING = nullcontext()
_safe: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def load_relations(rows: Any, serializer: Any) -> Any:
    """Load what a serializer reads and nobody has loaded: of a queryset, or of a list of objects.

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
            _load(rows, _missing_of(dispatch, rows))
        return rows
    if not _is_plain(rows):
        return rows
    lookups = lookups_of(_missing(dispatch, rows.model, Loads.of(rows)))
    return fetching_peers(rows.prefetch_related(*lookups) if lookups else rows)


def loads_relations(view: Any) -> bool:
    """Return whether the relations that the serializers of a view, if any, read are loaded."""
    return conf.holds_for(view, "load_relations")


def fetching_peers(queryset: Any) -> Any:
    """Return a queryset whose rows load a relation to one object for all of them when the first is
    asked for it: what code of users follows. The same before Django 6.1.
    """
    fetches_one = _FETCH_ONE is not None and fetch_mode_of(queryset) is _FETCH_ONE
    if fetches_one and _is_plain(queryset) and _leads_to_safe_relations(queryset.model):
        return queryset.fetch_mode(models.FETCH_PEERS)
    return queryset


def loading(serializer: Any, rows: Sequence[Any]) -> AbstractContextManager[None]:
    """Load what a serializer reads of some rows, inside the ``with`` statement, if that is set.

    The serializer, which is to represent each of them, makes its fields now if there are any.
    """
    if is_disabled() or not loads_relations(conf.view_of(serializer)) or not _are_instances(rows):
        return _NOTHING
    dispatch = _dispatch(serializer)
    return _NOTHING if dispatch is None else _loading(dispatch, rows)


def loading_by(
    dispatch: Dispatch, rows: Sequence[Any], query: CompiledQuery | None = None
) -> AbstractContextManager[None]:
    """Do the same with what is about to dump the rows.

    :param query: the one that they are from; if it loads all, they are not looked at: that would
        make the related objects of instances that keep their rows
    """
    context = dispatch.bound_schema.context
    view = context.get("view") if type(context) is dict else None
    if not loads_relations(view) or not _are_instances(rows):
        return _NOTHING
    if query is not None and not _missing(dispatch, query.model, Loads.of_compiled(query), _ANY):
        return _NOTHING
    return _loading(dispatch, rows)


def loaded_on_demand(serializer: Any, model: Any, loads: Loads) -> tuple[str, ...]:
    """Return the relations that are loaded on demand for the rows of a list."""
    if is_disabled() or not loads_relations(conf.view_of(serializer)):
        return ()
    dispatch = _dispatch(serializer)
    return () if dispatch is None else lookups_of(_missing(dispatch, model, loads))


def _dispatch(serializer: Any) -> Dispatch | None:
    if not is_stock_serializer(serializer):
        return None
    try:
        return dispatch_for(serializer, Form.PYTHON)
    except UnreadableError:
        return None


# What is missing


def _are_instances(rows: Sequence[Any]) -> bool:
    return len(rows) > 0 and access_of(type(rows[0])) is MODEL


def _missing(
    dispatch: Dispatch, model: Any, loads: Loads, follow: Follow | None = None
) -> list[Unloaded]:
    """Return the relations that are sure to be read of each object, and are not loaded."""
    # Nested serializers are found anew: the next row may have others.
    fresh = Dispatch(dispatch.program, dispatch.form, dispatch.bound_schema.for_one_list())
    return unloaded(fresh, model, loads, follow or _AT_ONCE)


def _fields_surely_read(dispatch: Dispatch) -> Iterator[tuple[Any, Sequence[str], Any]]:
    bound = dispatch.bound_schema
    nodes = enumerate(dispatch.program.node.fields)
    for (number, node), field in zip(nodes, bound.exemplar_fields, strict=True):
        path = node.source.path
        if path and (not isinstance(field, ListSerializer) or is_stock_list(field)):
            is_nested = node.kind.nested_slot is not None
            yield field, path, bound.nested_dispatch(number, dispatch.form) if is_nested else None


def _missing_of(dispatch: Dispatch, rows: Sequence[Any]) -> list[Unloaded]:
    """Return those to load for some rows; of one object only what several lead to."""
    model, db = type(rows[0]), rows[0]._state.db
    missing = _missing(dispatch, model, LoadsOfRows(rows), _OF_ROWS)
    if len(rows) == 1 and not any(
        _leads_from_several(model, relation.lookup) for relation in missing
    ):
        return []
    is_known = (
        missing
        and not routers.routers
        and connections[db or DEFAULT_DB_ALIAS].features.supports_foreign_keys
        and all(
            type(row) is model
            and row._state.db == db
            and not row._state.adding
            and row.pk is not None
            for row in rows
        )
    )
    return missing if is_known else []


def _relations_on(model: Any, lookup: str) -> Iterator[tuple[str, Any]]:
    for name in lookup.split(LOOKUP_SEP):
        relation = relations_of(model)[name]
        yield name, relation
        model = relation.related_model


def _leads_from_several(model: Any, lookup: str) -> bool:
    *before, _ = _relations_on(model, lookup)
    return not all(is_single(relation) for _, relation in before)


# Loading


def _load(rows: Sequence[Any], missing: list[Unloaded]) -> tuple[str, ...]:
    """Load relations for some rows; return their lookups.

    Lists that come in any order are asked for one by one, as in stock; what their objects lead to
    is loaded for all of them.
    """
    model = type(rows[0])
    one_by_one = [
        relation.lookup for relation in missing if not _comes_in_one_order(model, relation.lookup)
    ]
    lookups = lookups_of(
        relation
        for relation in missing
        if relation.lookup not in one_by_one
        and (len(rows) > 1 or _leads_from_several(model, relation.lookup))
    )
    one_by_one = [
        before for before in one_by_one if any(_leads_through(lookup, before) for lookup in lookups)
    ]
    for start in range(0, len(rows) if lookups else 0, _MOST_AT_ONCE):
        some = rows[start : start + _MOST_AT_ONCE]
        for lookup in one_by_one:
            before, _, name = lookup.rpartition(LOOKUP_SEP)
            if before:
                prefetch_related_objects(some, before)
            for owner in _owners(some, lookup):
                keep_prefetched(owner, name)
        prefetch_related_objects(some, *lookups)
    return lookups


def _leads_through(lookup: str, before: str) -> bool:
    return lookup.startswith(f"{before}{LOOKUP_SEP}")


def _comes_in_one_order(model: Any, lookup: str) -> bool:
    *_, (_, last) = _relations_on(model, lookup)
    return is_single(last) or _is_in_one_order(last)


def _loading(dispatch: Dispatch, rows: Sequence[Any]) -> AbstractContextManager[None]:
    missing = _missing_of(dispatch, rows)
    return _loaded(rows, missing) if missing else _NOTHING


@contextmanager
def _loaded(rows: Sequence[Any], missing: list[Unloaded]) -> Iterator[None]:
    """Load relations, and let the objects forget lists afterwards: in stock, they keep none."""
    lists = list(_first_lists(type(rows[0]), missing))
    loaded_before = {
        id(owner)
        for lookup, name, relation in lists
        for owner in _owners(rows, lookup)
        if loaded_objects(owner, name, relation) is not None
    }
    lookups = _load(rows, missing)
    if lookups:
        logger.debug("%s: loaded %s on demand", type(rows[0]).__name__, ", ".join(lookups))
    if dump_log.in_use:
        dump_log.note_loaded(lookups)
    try:
        yield
    finally:
        for lookup, name, relation in lists:
            for owner in _owners(rows, lookup):
                if id(owner) not in loaded_before:
                    drop_prefetched(owner, name, relation.name)


def _first_lists(model: Any, missing: list[Unloaded]) -> Iterator[tuple[str, str, Any]]:
    """Yield lookup, attribute and relation of missing lists that are behind no other of them."""
    lookups: list[str] = []
    for candidate in missing:
        *_, (name, relation) = _relations_on(model, candidate.lookup)
        if is_single(relation) or any(_leads_through(candidate.lookup, other) for other in lookups):
            continue
        lookups.append(candidate.lookup)
        yield candidate.lookup, name, relation


def _owners(rows: Sequence[Any], lookup: str) -> Sequence[Any]:
    """Return the objects that have the last relation of a lookup, as far as they are loaded."""
    *path, _ = _relations_on(type(rows[0]), lookup)
    for name, relation in path:
        rows = [related for obj in rows for related in loaded_objects(obj, name, relation) or ()]
    return rows


# What may be loaded


def _is_safe(model: Any, relation: Any, following: str | None = None) -> bool:
    """Return whether the objects of a relation are the same, be they loaded now or one by one.

    - Other methods of managers than ``all`` ask the database in any case.
    - The keys must be equal to the database only if they are equal to Python.
    - A foreign key must have a constraint in the database: where there is no such object, Django
      raises an error, or gives None if it was prefetched.
    - What a row inherits from another table takes no query.
    - Managers and querysets of users may give other objects for many rows than for one.

    Lists come in any order if that of their model says nothing: see :func:`_is_in_one_order`.
    """
    related = relation.related_model
    if type(on_class(model, attribute_of(relation))) in _TO_MANY:
        is_read = following in (None, "all") and _has_stock_manager(related)
        return is_read and _has_exact_keys(relation)
    single = single_relation(model, attribute_of(relation))
    if single is None or type(related._base_manager) is not Manager:
        return False  # a generic relation, for one
    field, is_reverse = single
    if field.remote_field.parent_link and not is_reverse:
        return False
    is_managed = field.model._meta.managed and related._meta.managed
    is_known = is_reverse or (is_managed and getattr(field, "db_constraint", False))
    return is_known and _has_exact_keys(relation)


def _is_safe_generic(position: Position, relation: Any) -> bool:
    """Return the same for a generic foreign key of the rows themselves."""
    content_types = getattr(relation, "get_content_type", None)
    if content_types is None or position.lookup or not isinstance(position.loads, LoadsOfRows):
        return False
    key = position.model._meta.get_field(relation.ct_field).attname
    content_types_and_databases = {
        (getattr(row, key), row._state.db) for row in position.loads.rows
    }
    return all(
        db == DEFAULT_DB_ALIAS
        and _is_safe_by_key(content_types(id=content_type, using=db).model_class())
        for content_type, db in content_types_and_databases
        if content_type is not None
    )


def _is_safe_by_key(model: Any) -> bool:
    return (
        model is not None and type(model._base_manager) is Manager and _are_exact([model._meta.pk])
    )


def _is_in_one_order(relation: Any) -> bool:
    """Return whether the ordering of a model says for any two objects of a relation which is first.

    Where it does not, the order depends on the index that the database takes: it may be another
    one for many rows than for one.
    """
    options = relation.related_model._meta
    names = {name.lstrip("-") for name in options.ordering if isinstance(name, str)}
    if "pk" in names:
        return True
    if relation.one_to_many:
        names.add(relation.remote_field.name)  # it is the same for all
    unique = [(field.name,) for field in options.concrete_fields if field.unique]
    unique += [constraint.fields for constraint in options.total_unique_constraints]
    return any(
        names.issuperset(key) and not any(options.get_field(name).null for name in key)
        for key in (*unique, *options.unique_together)
    )


def _has_exact_keys(relation: Any) -> bool:
    """Return whether Python finds the objects of a relation by their keys, as the database does."""
    if relation.many_to_many:
        through = getattr(relation, "through", None) or relation.remote_field.through
        fields = [field for field in through._meta.fields if field.is_relation]
    else:
        fields = [relation if relation.concrete else relation.remote_field]
    return _are_exact(fields)


def _are_exact(fields: list[Any]) -> bool:
    vendors = {connection.vendor for connection in connections.all()}
    return all(
        key is not None
        and not hasattr(key, "from_db_value")
        and all(is_exact(key, vendor) for vendor in vendors)
        for key in map(_key_of, fields)
    )


def _key_of(field: Any) -> Any:
    """Return the column to which a foreign key refers in the end; None if it is no such key."""
    while isinstance(field, ForeignKey):
        field = field.target_field
    return None if field.is_relation else field


def _has_stock_manager(model: Any) -> bool:
    manager = model._default_manager
    is_stock = overridden(manager, _OF_MANAGERS) is None
    return is_stock and _prefetches_as_stock(manager.get_queryset())


def _prefetches_as_stock(queryset: Any) -> bool:
    return overridden(queryset, _HOOKS) is None and iterates_as_django(queryset)


def _may_load_at_once(position: Position, relation: Any, following: str | None) -> bool:
    is_safe = _is_safe(position.model, relation, following)
    return is_safe and (is_single(relation) or _is_in_one_order(relation))


def _may_load(position: Position, relation: Any, following: str | None) -> bool:
    is_safe = _is_safe(position.model, relation, following)
    return is_safe or _is_safe_generic(position, relation)


_AT_ONCE = Follow(_fields_surely_read, _may_load_at_once, id)
_ANY = Follow(_fields_surely_read, lambda position, relation, following: True, id)
_OF_ROWS = Follow(_fields_surely_read, _may_load, id)


def _leads_to_safe_relations(model: Any) -> bool:
    """Return whether all single relations to which a model leads are the same if loaded at once."""
    if model not in _safe:
        seen: dict[Any, list[Any]] = {}
        waiting = [model]
        while waiting:
            current = waiting.pop()
            seen[current] = [field for field in current._meta.get_fields() if field.is_relation]
            related_models = {relation.related_model for relation in seen[current]}
            waiting += related_models - seen.keys() - {*waiting, None}
        _safe[model] = all(
            _is_safe(reached, relation)
            for reached, relations in seen.items()
            for relation in relations
            if is_single(relation)
        )
    return _safe[model]


def _is_plain(queryset: Any) -> bool:
    """Return whether it is known how a queryset makes its rows, and what a prefetch does there."""
    return (
        isinstance(queryset, QuerySet)
        and _prefetches_as_stock(queryset)
        and results_of(queryset) is None
        and not is_combined(queryset)
        and not routers.routers
        and bool(connections[queryset.db].features.supports_foreign_keys)
    )
