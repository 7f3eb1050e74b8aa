"""Relations of the plain kind: the same objects, be they loaded now or one by one, as stock does.

Everything else is left to stock, with a reason.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models import Manager, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.db.models.fields.related_descriptors import (
    ManyToManyDescriptor,
    ReverseManyToOneDescriptor,
)
from django.db.models.manager import BaseManager

from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.internals.instances import single_relation
from fastschema.contrib.django.internals.queries import is_exact, iterates_as_django
from fastschema.contrib.django.unloaded_relations import (
    Position,
    RelationsOfRows,
    attribute_of,
    is_single,
    relations_of,
)
from fastschema.runtime.patching import overridden, stock_method

_TO_MANY = (ReverseManyToOneDescriptor, ManyToManyDescriptor)
_FOREIGN_KEYS = (models.ForeignKey, models.OneToOneField)
_RELATIONS = (
    *(*_FOREIGN_KEYS, models.ManyToManyField),
    *(models.ManyToOneRel, models.OneToOneRel, models.ManyToManyRel),
)
_KEYS = frozenset(
    [
        *(models.AutoField, models.BigAutoField, models.SmallAutoField),
        *(models.IntegerField, models.BigIntegerField, models.SmallIntegerField),
        *(models.PositiveIntegerField, models.PositiveBigIntegerField),
        *(models.PositiveSmallIntegerField, models.UUIDField),
        *(models.CharField, models.TextField),
        *(models.SlugField, models.EmailField, models.URLField),
    ]
)
"""Columns whose values are equal to a database if they are equal to Python, and only then."""
_OF_MANAGERS = {name: stock_method(BaseManager, name) for name in ("get_queryset", "all")}
# What Django calls of a queryset to prefetch for it, or with it.
_HOOKS = {
    name: stock_method(QuerySet, name)
    for name in (
        *("__init__", "filter", "get", "using"),
        *("prefetch_related", "_prefetch_related_objects"),
    )
}


def why_left(model: Any, relation: Any, following: str | None = None) -> str | None:
    """Return why the objects of a relation might be others if they were loaded at once.

    None if they are the same; those of a list may come in another order, see
    :func:`is_in_one_order`.

    :param following: the attribute that is read of the relation's value, if it is one of a manager
    """
    related = relation.related_model
    if type(relation) not in _RELATIONS:
        return f"{type(relation).__name__} is no relation of Django's own, or a generic one"
    if type(on_class(model, attribute_of(relation))) in _TO_MANY:
        if following not in (None, "all"):
            return f"the source calls {following}"
        if not _has_stock_manager(related):
            return f"the manager of {related.__name__} is the project's own"
    else:
        single = single_relation(model, attribute_of(relation))
        if single is None:
            return f"{model.__name__} has something else in its place"
        if type(related._base_manager) is not Manager:
            return f"the base manager of {related.__name__} is the project's own"
        field, is_reverse = single
        if field.remote_field.parent_link and not is_reverse:
            return "it leads to the table of the parent, and takes no query"
        # Where there is no such object, Django raises an error, or gives None if it was prefetched.
        is_managed = field.model._meta.managed and related._meta.managed
        if not (is_reverse or (is_managed and field.db_constraint)):
            return "the foreign key has no constraint in the database"
    if not _has_exact_keys(relation):
        return "its keys are of a kind that may not be exact"
    return None


def is_generic(relation: Any) -> bool:
    """Return whether it is a ``GenericForeignKey``; without content types there are none."""
    fields = sys.modules.get("django.contrib.contenttypes.fields")
    return fields is not None and type(relation) is fields.GenericForeignKey


def is_plain_generic(position: Position, relation: Any) -> bool:
    """Return whether a relation is a generic foreign key of the rows that may be loaded at once."""
    if (
        not is_generic(relation)
        or position.lookup
        or not isinstance(position.loaded, RelationsOfRows)
    ):
        return False
    key = position.model._meta.get_field(relation.ct_field).attname
    content_types_and_databases = {
        (getattr(row, key), row._state.db) for row in position.loaded.rows
    }
    return all(
        db == DEFAULT_DB_ALIAS
        and _is_plain_by_key(relation.get_content_type(id=content_type, using=db).model_class())
        for content_type, db in content_types_and_databases
        if content_type is not None
    )


def _is_plain_by_key(model: Any) -> bool:
    return (
        model is not None and type(model._base_manager) is Manager and _are_exact([model._meta.pk])
    )


def is_in_one_order(relation: Any) -> bool:
    """Return whether the ordering of a model says for any two objects of a relation which is first.

    Where it does not, the order depends on the index that the database takes: it may be another
    one for many rows than for one. A relation to one object is always in order.
    """
    if is_single(relation):
        return True
    options = relation.related_model._meta
    names = {name.lstrip("-") for name in options.ordering if type(name) is str}
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


def _are_exact(fields: Iterable[Any]) -> bool:
    vendors = {connection.vendor for connection in connections.all()}
    return all(
        type(key) in _KEYS and all(is_exact(key, vendor) for vendor in vendors)
        for key in map(_key_of, fields)
    )


def _key_of(field: Any) -> Any:
    """Return the column to which a foreign key refers in the end."""
    while type(field) in _FOREIGN_KEYS:
        field = field.target_field
    return field


def _has_stock_manager(model: Any) -> bool:
    manager = model._default_manager
    is_stock = overridden(manager, _OF_MANAGERS) is None
    return is_stock and prefetches_as_stock(manager.get_queryset())


def prefetches_as_stock(queryset: Any) -> bool:
    return overridden(queryset, _HOOKS) is None and iterates_as_django(queryset)


def is_row_of(obj: Any, model: Any, db: Any) -> bool:
    """Return whether an object is a row of a model's table in a database."""
    state = obj._state
    return type(obj) is model and state.db == db and not state.adding and obj.pk is not None


def relations_on(model: Any, lookup: str) -> Iterator[tuple[Any, str, Any]]:
    """Yield the relations of a lookup: each with the model that has it, and its attribute."""
    for name in lookup.split(LOOKUP_SEP):
        relation = relations_of(model)[name]
        yield model, name, relation
        model = relation.related_model


def why_not_on_demand(model: Any, lookup: str) -> tuple[str, bool] | None:
    """Return why ``LOAD_RELATIONS = True`` leaves a relation to queries for each row; else None.

    :returns: the reason, and whether "all" loads it
    """
    *_, (owner, _, relation) = relations_on(model, lookup)
    why = why_left(owner, relation)
    if why is not None:
        may_be_plain = is_generic(relation) and owner is model
        return None if may_be_plain else (why, False)
    if is_in_one_order(relation):
        return None
    return f"the ordering of {relation.related_model.__name__} is not total", True


def leads_to_one(model: Any, lookup: str) -> bool:
    """Return whether a lookup has no relation to many."""
    return all(is_single(relation) for _, _, relation in relations_on(model, lookup))


def leads_from_several(model: Any, lookup: str) -> bool:
    """Return whether a lookup has a relation to many before its last one."""
    *before, _ = relations_on(model, lookup)
    return not all(is_single(relation) for _, _, relation in before)
