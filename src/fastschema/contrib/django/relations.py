"""Relations that a serializer reads, loaded with its rows: the setting ``LOAD_RELATIONS``.

Lists prefetch them, so the query of the view itself stays what it was, and so do its rows and their
order. Details join those to single objects. What could answer otherwise than a query for each row
is left to those queries: see :func:`_may_load`.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

from django.db import connections, models
from django.db import router as routers
from django.db.models import ForeignKey, Manager, QuerySet, prefetch_related_objects
from django.db.models.expressions import RawSQL
from django.db.models.fields.related_descriptors import (
    ManyToManyDescriptor,
    ReverseManyToOneDescriptor,
)
from django.db.models.manager import BaseManager
from django.db.models.sql.where import ExtraWhere
from rest_framework import generics
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import RetrieveModelMixin
from rest_framework.response import Response
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.app import conf
from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.front_end.class_state import class_state, state_of_pending
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.front_end.schema_reader import readable_fields
from fastschema.contrib.django.input.batch_lookup import is_exact
from fastschema.contrib.django.internals.instances import single_relation
from fastschema.contrib.django.internals.queries import (
    fetch_mode_of,
    is_combined,
    is_stock_queryset,
    prefetch_lookups,
    results_of,
)
from fastschema.contrib.django.lists.n_plus_one import (
    SELECT,
    Follow,
    Unloaded,
    attribute_of,
    is_single,
    lookups_of,
    unloaded,
)
from fastschema.contrib.django.lists.pagination import check_paginator
from fastschema.runtime.patching import overridden, stock_method
from fastschema.switch import is_disabled

STOCK_RETRIEVE = stock_method(RetrieveModelMixin, "retrieve")
_PAGINATE = stock_method(GenericAPIView, "paginate_queryset")
_GET_OBJECT = stock_method(GenericAPIView, "get_object")
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
_MOST_KNOWN = 32
"""For how many querysets a class keeps what they lack."""
_MOST_JOINS = 16
_safe: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def load_relations(queryset: QuerySet[Any], serializer: Any) -> QuerySet[Any]:
    """Return a queryset that prefetches what a serializer reads and the queryset does not load.

    ::

        flights = load_relations(Flight.objects.all(), FlightSerializer)
        return Response(FlightSerializer(flights, many=True).data)

    The rows and their order stay the same. The queryset is returned as it is where nothing is
    missing, and where loading it now might not give what stock gives.

    :param queryset: one that has not been evaluated
    :param serializer: a serializer or its class; with or without ``many=True``
    :raises TypeError: if it is none, or for anything but a queryset
    """
    made = serializer() if isinstance(serializer, type) else serializer
    made = made.child if isinstance(made, ListSerializer) else made
    if not isinstance(made, Serializer):
        raise TypeError(f"load_relations() takes a serializer or its class, not {serializer!r}")
    if not isinstance(queryset, QuerySet):
        raise TypeError(f"load_relations() takes a queryset, not a {type(queryset).__name__}")
    if is_disabled() or not _is_plain(queryset):
        return queryset
    lookups = lookups_of(_missing(made, queryset))
    loaded = queryset.prefetch_related(*lookups) if lookups else queryset
    fetches_one = _FETCH_ONE is not None and fetch_mode_of(queryset) is _FETCH_ONE
    if fetches_one and _leads_to_safe_relations(queryset.model):
        # What method fields follow: for all rows when the first of them asks.
        loaded = loaded.fetch_mode(models.FETCH_PEERS)
    return loaded


def loads_relations(view: Any) -> bool:
    """Return whether a view loads the relations that its serializer reads."""
    return conf.holds_for(view, "load_relations")


def with_relations(view: Any, queryset: Any) -> Any:
    """Return the queryset of a view's list, which prefetches what the view's serializer reads."""
    is_whole = type(view).paginate_queryset is _PAGINATE and view.paginator is None
    try:
        if not is_whole:
            check_paginator(view)
    except NotRowReadableError:
        return queryset
    serializer = _serializer_of(view, [], many=True)
    if not isinstance(serializer, ListSerializer) or not isinstance(queryset, QuerySet):
        return queryset
    return load_relations(queryset, serializer)


@functools.wraps(STOCK_RETRIEVE)
def retrieve(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
    """``RetrieveModelMixin.retrieve``, which loads what the view's serializer reads."""
    if is_disabled() or not loads_relations(self) or not _finds_as_stock(self):
        return STOCK_RETRIEVE(self, request, *args, **kwargs)
    # As GenericAPIView.get_object does.
    key = self.kwargs[self.lookup_url_kwarg or self.lookup_field]
    queryset = self.filter_queryset(self.get_queryset())
    missing = []
    if _is_plain(queryset):
        missing = _missing(_serializer_of(self), queryset)
    to_single = [each for each in missing if each.method == SELECT]
    if to_single and len(to_single) <= _MOST_JOINS and _may_join(queryset):
        queryset = queryset.select_related(*lookups_of(to_single))
    instance = generics.get_object_or_404(queryset, **{self.lookup_field: key})
    self.check_object_permissions(self.request, instance)
    others = [each for each in missing if each.method != SELECT]
    if others:
        prefetch_related_objects([instance], *lookups_of(others))
    return Response(self.get_serializer(instance).data)


def _finds_as_stock(view: Any) -> bool:
    """Return whether a view finds its object by stock's method, and has the key for that."""
    is_stock = overridden(view, {"get_object": _GET_OBJECT}) is None
    return is_stock and (view.lookup_url_kwarg or view.lookup_field) in view.kwargs


def _serializer_of(view: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the serializer of a view; None if it cannot be had without a query.

    The view itself keeps nothing of it: its code may catch the error, and keep what it has then.
    """
    try:
        with _no_queries():
            return copy.copy(view).get_serializer(*args, **kwargs)
    except Exception:
        return None  # stock raises its own, if it does


@contextmanager
def _no_queries() -> Iterator[None]:
    """While it holds, whatever asks a database raises an error."""
    with ExitStack() as stack:
        for each in connections.all(initialized_only=True):
            # The first of them, so that no other sees the query.
            each.execute_wrappers.insert(0, _refuse)
            stack.callback(each.execute_wrappers.remove, _refuse)
        yield


def _refuse(*args: Any) -> NoReturn:
    raise RuntimeError("nothing may be asked yet")


def _missing(serializer: Any, queryset: Any) -> list[Unloaded]:
    """Return the relations that a serializer is sure to read and a queryset does not load."""
    if not isinstance(serializer, Serializer):
        return []
    shape = _shape(queryset)
    if shape is None or state_of_pending(serializer) is None:
        return unloaded(serializer, queryset, _SURE)
    known = class_state(type(serializer)).relations
    found: list[Unloaded] | None = known.get(shape)
    if found is None:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        found = known[shape] = unloaded(serializer, queryset, _SURE)
    return found


def _shape(queryset: Any) -> Any:
    """Return what decides on what a queryset loads; None if that has querysets in it."""
    lookups = prefetch_lookups(queryset)
    if any(getattr(lookup, "queryset", None) is not None for lookup in lookups):
        return None
    paths = tuple(getattr(lookup, "prefetch_to", lookup) for lookup in lookups)
    return weakref.ref(queryset.model), repr(queryset.query.select_related), paths


def _fields_surely_read(serializer: Any) -> list[Any]:
    """Return the fields of a serializer that stock reads for each object, or others like them."""
    if not _is_stock(serializer):
        return []
    known = state_of_pending(serializer)
    fields = readable_fields(serializer) if known is None else known.fields
    known = known or class_state(type(serializer)).compiled(serializer, fields)
    if known is None:
        return []
    return [
        field
        for field, node in zip(fields, known.program.node.fields, strict=True)
        if node.source.path is not None
        and (not isinstance(field, ListSerializer) or is_stock_list(field))
    ]


def _is_stock(serializer: Any) -> bool:
    """Return whether it is sure that a serializer reads its fields, for each object."""
    parent = serializer.parent
    is_listed = not isinstance(parent, ListSerializer) or is_stock_list(parent)
    return is_listed and is_stock_serializer(serializer)


def _may_load(model: Any, relation: Any, following: str | None = None) -> bool:
    """Return whether the objects of a relation are the same, be they loaded now or one by one.

    - Other methods of managers than ``all`` ask the database in any case.
    - The keys must be equal to the database only if they are equal to Python.
    - A foreign key must have a constraint in the database: where there is no such object, Django
      raises an error, or gives None if it was joined or prefetched.
    - What a row inherits from another table takes no query.
    - Managers and querysets of users may give other objects for many rows than for one.
    - Rows of which the ordering of their model says nothing come in any order.
    """
    related = relation.related_model
    descriptor = on_class(model, attribute_of(relation))
    if type(descriptor) in _TO_MANY:
        is_read = following in (None, "all") and _has_stock_manager(related)
        return is_read and _is_in_one_order(relation) and _has_exact_keys(relation)
    single = single_relation(model, attribute_of(relation))
    if single is None or type(related._base_manager) is not Manager:
        return False  # a generic relation, for one
    field, is_reverse = single
    if field.remote_field.parent_link and not is_reverse:
        return False
    if is_reverse:
        # As querysets join it, and as it is read.
        is_known = relation.name == attribute_of(relation)
    else:
        is_managed = field.model._meta.managed and related._meta.managed
        is_known = is_managed and getattr(field, "db_constraint", False)
    return is_known and _has_exact_keys(relation)


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
    unique += [each.fields for each in options.total_unique_constraints]
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
    return overridden(queryset, _HOOKS) is None and is_stock_queryset(queryset)


_SURE = Follow(_fields_surely_read, _may_load)


def _leads_to_safe_relations(model: Any) -> bool:
    """Return whether all single relations to which a model leads are the same if loaded at once."""
    if model not in _safe:
        seen: dict[Any, list[Any]] = {}
        waiting = [model]
        while waiting:
            each = waiting.pop()
            seen[each] = [field for field in each._meta.get_fields() if field.is_relation]
            found = {relation.related_model for relation in seen[each]}
            waiting += found - seen.keys() - {*waiting, None}
        _safe[model] = all(
            _may_load(each, relation)
            for each, relations in seen.items()
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


def _may_join(queryset: Any) -> bool:
    """Return whether joins leave everything else about a query as it is."""
    query = queryset.query
    return not (
        query.select_related is True
        or query.distinct
        or query.is_sliced
        or query.select_for_update
        or query.group_by is not None
        or query.annotations
        or query.extra
        or query.extra_tables
        or query.deferred_loading[0]
        or _has_sql_of_users(query.where)
        or not all(isinstance(each, str) for each in query.order_by)
    )


def _has_sql_of_users(expression: Any) -> bool:
    """Return whether there is SQL in an expression, to which a column may mean another one."""
    if isinstance(expression, ExtraWhere | RawSQL):
        return True
    sources = getattr(expression, "get_source_expressions", list)
    return any(map(_has_sql_of_users, sources()))
