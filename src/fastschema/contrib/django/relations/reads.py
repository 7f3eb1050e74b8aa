"""Which relations a program reads of each object, and whether an object has them: one look.

What is read is known by the program and the model, and kept with what the serializer runs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.db.models.constants import LOOKUP_SEP
from rest_framework.relations import HyperlinkedRelatedField, PrimaryKeyRelatedField
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.contrib.django.front_end.access import MODEL, PREFETCHED, access_of
from fastschema.contrib.django.front_end.bound_serializer import FieldsByNumber
from fastschema.contrib.django.front_end.customization import is_stock_list
from fastschema.contrib.django.front_end.pending import made_fields
from fastschema.contrib.django.internals.instances import prefetched_objects
from fastschema.contrib.django.lists.query_plan import keep
from fastschema.contrib.django.relations.plain import leads_from_several
from fastschema.contrib.django.unloaded_relations import (
    LoadedRelations,
    LookupWalk,
    attribute_of,
    is_single,
    relations_of,
    unloaded,
)
from fastschema.runtime.bound_program import Dispatch

_MOST_KEPT = 16


class Read(NamedTuple):
    """A relation that is read, and those that are read of the objects there.

    :param kept_as: the name under which an instance keeps the objects
    """

    kept_as: str
    is_single: bool
    further: tuple[Read, ...]

    def is_there(self, obj: Any) -> bool:
        """Return whether an object has the relation, and the first one there what follows."""
        cache = obj._state.fields_cache if self.is_single else obj.__dict__.get(PREFETCHED, ())
        if self.kept_as not in cache:
            return False
        if not self.further:
            return True
        if self.is_single:
            related = cache[self.kept_as]
        else:
            objects = prefetched_objects(obj, self.kept_as)
            related = objects[0] if objects else None
        return related is None or all(read.is_there(related) for read in self.further)


class Reads(NamedTuple):
    """The relations that a program reads of the objects of a model.

    :param leads_to_several: whether there are some that several objects have, of one object
    """

    relations: tuple[Read, ...]
    leads_to_several: bool

    def are_there(self, rows: Sequence[Any]) -> bool:
        """Return whether the first row tells that nothing is to be loaded."""
        if len(rows) == 1 and not self.leads_to_several:
            return True
        return all(read.is_there(rows[0]) for read in self.relations)


def reads_of(dispatch: Dispatch, model: Any) -> Reads:
    bound = dispatch.bound_schema
    kept: dict[Any, Any] = bound.compiled.list_plans
    # Where a serializer's fields were never read, those nested in it are their classes', too.
    key = model, None if type(bound.fields) is FieldsByNumber else _nested(dispatch)
    reads: Reads | None = kept.get(key)
    if reads is None:
        relations = unloaded(dispatch, model, LoadedRelations(), ANY)
        steps = [relation.lookup.split(LOOKUP_SEP) for relation in relations]
        several = any(leads_from_several(model, relation.lookup) for relation in relations)
        reads = Reads(tuple(_reads(model, steps)), several)
        keep(kept, key, reads, _MOST_KEPT)
    return reads


def _nested(dispatch: Dispatch) -> Hashable:
    """Return which fields nested serializers have made, if any: users may have chosen them."""
    fields = dispatch.bound_schema.exemplar_fields
    return tuple(
        [
            _made(fields[number])
            for number, node in enumerate(dispatch.program.node.fields)
            if node.kind.nested_slot is not None
        ]
    )


def _made(serializer: Any) -> Hashable:
    fields = made_fields(getattr(serializer, "child", serializer))
    return tuple(
        [
            (name, _made(field) if isinstance(field, BaseSerializer) else None)
            for name, field in fields.items()
        ]
    )


_ONLY_KEYS = (PrimaryKeyRelatedField, HyperlinkedRelatedField)
_attributes: WeakKeyDictionary[type, dict[str, Read]] = WeakKeyDictionary()
"""By the attributes of a model, the relations there."""


def may_lack(fields: Iterable[Any], rows: Sequence[Any]) -> bool:
    """Return whether fields read relations that the first row lacks.

    Of one row, those matter that lead further: lists, and objects for nested serializers.
    """
    cls = type(rows[0])
    relations = _attributes.get(cls)
    if relations is None:
        relations = _attributes[cls] = _relations_by_attribute(cls)
    return any(
        not relations[field.source_attrs[0]].is_there(rows[0])
        for field in fields
        if field.source_attrs
        and field.source_attrs[0] in relations
        and type(field) not in _ONLY_KEYS
        and (
            len(rows) > 1
            or not relations[field.source_attrs[0]].is_single
            or isinstance(field, BaseSerializer)
        )
    )


def _relations_by_attribute(cls: Any) -> dict[str, Read]:
    if access_of(cls) is not MODEL:
        return {}
    return {
        name: Read(kept_as(relation), is_single(relation), ())
        for name, relation in relations_of(cls).items()
    }


def _reads(model: Any, lookups: list[list[str]]) -> Iterator[Read]:
    relations = relations_of(model)
    for name in dict.fromkeys(lookup[0] for lookup in lookups):
        relation = relations[name]
        further = [lookup[1:] for lookup in lookups if lookup[0] == name and lookup[1:]]
        inner = tuple(_reads(relation.related_model, further))
        yield Read(kept_as(relation), is_single(relation), inner)


def kept_as(relation: Any) -> str:
    """Return the name under which an instance keeps what was loaded of a relation."""
    if is_single(relation):
        name: str = relation.cache_name
    else:
        name = relation.name if relation.many_to_many else attribute_of(relation)
    return name


def surely_read(dispatch: Dispatch) -> Iterator[tuple[Any, Sequence[str], Any]]:
    """Yield the fields of which generated code reads the source: see ``LookupWalk.fields``."""
    bound = dispatch.bound_schema
    nodes = enumerate(dispatch.program.node.fields)
    for (number, node), field in zip(nodes, bound.exemplar_fields, strict=True):
        path = node.source.path
        if path and (not isinstance(field, ListSerializer) or is_stock_list(field)):
            is_nested = node.kind.nested_slot is not None
            yield field, path, bound.nested_dispatch(number, dispatch.form) if is_nested else None


ANY = LookupWalk(surely_read, lambda position, relation, following: True, id)
