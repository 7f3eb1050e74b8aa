"""The queries that ``prefetch_related`` makes, and how what they find belongs together."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from django.db.models import Manager, Prefetch
from django.db.models.constants import LOOKUP_SEP
from django.db.models.fields.related_descriptors import ManyToManyDescriptor

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.front_end.access import on_class, relation_to_many
from fastschema.contrib.django.internals.instances import (
    SingleRelation,
    ask_prefetcher,
    attribute_for,
    attribute_of_key_between,
    given_queryset,
    is_prefetched_as_stock,
    new_state,
    normalized_lookups,
    own_manager,
    path_to,
    prefetches_as_stock,
    queryset_of_relation,
    single_relation,
)
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    comes_from_relation,
    fetch_mode_of,
    prefetch_lookups,
)
from fastschema.contrib.django.internals.shapes import check_compiled_by_django
from fastschema.contrib.django.lists.row_layout import (
    CollectionLayout,
    RelatedLayout,
    RowLayout,
    Selection,
    Watch,
)


class Keys(NamedTuple):
    """By which attributes objects and their related objects belong together.

    :param model: of the related objects
    :param back: the relation by which a related object knows its one object; None if it has several
    :param single: the relation itself, if it is one to one object
    """

    model: Any
    of_object: str
    of_related: str
    back: SingleRelation | None
    single: SingleRelation | None = None


class PrefetchStep(NamedTuple):
    """One query of ``prefetch_related``. It holds no queryset: the next request brings its own.

    :param owner: the number of the step that finds the objects, from 1; 0: they are the rows
    :param attribute: where objects keep what is found
    :param source: which of the :class:`Lookups` this is a part of; ``level``: which part
    :param joins: the relations to the objects, if ``select_related`` loads them with the owner's
    :param position: where what is found stands beside the rows of the owner
    """

    owner: int
    name: str
    attribute: str
    keys: Keys
    source: Source
    level: int
    path: str
    joins: tuple[SingleRelation, ...]
    selection: Selection
    position: int


Source = tuple[int, int]
"""The number of the step whose queryset has a lookup (0: the list's own), and which one it is."""


class Lookups:
    """The lookups of a queryset, and of the querysets that it gives for related objects."""

    def __init__(self, queryset: Any) -> None:
        self._by_step = {0: normalized_lookups(prefetch_lookups(queryset))}

    def __getitem__(self, source: Source) -> Any:
        step, number = source
        return self._by_step[step][number]

    def add(self, step: int, path: str, queryset: Any) -> list[Source]:
        """Add the lookups that the queryset of a step has itself, and return which these are."""
        inner = list(map(copy.copy, prefetch_lookups(queryset)))
        self._by_step[step] = normalized_lookups(inner, path)
        return self.of(step)

    def of(self, step: int) -> list[Source]:
        """Return which lookups the queryset of a step has, the last first."""
        return [(step, number) for number in range(len(self._by_step[step]))]


def steps_of(queryset: Any, selection: Selection, watch: Watch) -> list[PrefetchStep]:
    """Return the queries of ``prefetch_related`` in stock's order; the layout gets what they find.

    :raises NotRowReadableError: if code of users takes part in one of them, or sees its objects
    """
    _check_prefetching(queryset)
    path = _Path(queryset, selection, watch)
    waiting = path.lookups.of(0)
    while waiting:
        waiting += path.follow(waiting.pop())
    return path.steps


class _Objects(NamedTuple):
    """Objects that a step finds (0: the list's own query), or that are joined to those.

    :param is_inner: whether a queryset of related objects prefetches them itself
    """

    step: int
    layout: RowLayout
    back: SingleRelation | None = None
    is_inner: bool = False
    joins: tuple[SingleRelation, ...] = ()

    def joined(self, single: SingleRelation | None) -> _Objects | None:
        """Return the objects that are joined to them by a relation; None if it is no such."""
        if single is None or single not in self.layout.joined:
            return None
        related = self.layout.joined[single]
        back = SingleRelation(single.field, not single.is_reverse) if related.set_there else None
        return self._replace(layout=related.layout, back=back, joins=(*self.joins, single))


class _Path:
    """Follows lookups, and notes the steps that are new."""

    def __init__(self, queryset: Any, selection: Selection, watch: Watch) -> None:
        self._watch = watch
        self.steps: list[PrefetchStep] = []
        self.lookups = Lookups(queryset)
        self._db, self._fetch_mode = queryset.db, fetch_mode_of(queryset)
        self._objects = {"": _Objects(0, selection.layout)}
        """By the paths to them."""
        self._widths = [len(selection.columns)]
        """How long the rows are that each query finds, with what stands beside them."""

    def follow(self, source: Source) -> list[Source]:
        """Follow one lookup; return those that the querysets on its way add."""
        lookup, is_inner = self.lookups[source], source[0] > 0
        if lookup.prefetch_to in self._objects and lookup.queryset is not None:
            raise NotRowReadableError(f"{lookup.prefetch_to} is prefetched twice")
        added: list[Source] = []
        objects = self._objects[""]
        for level, name in enumerate(lookup.prefetch_through.split(LOOKUP_SEP)):
            path = path_to(lookup, level)
            if path not in self._objects:
                if objects.is_inner and not is_inner:
                    raise NotRowReadableError(f"{path} continues what a queryset prefetches")
                joined = objects.joined(single_relation(objects.layout.model, name))
                # A lookup that ends at what is joined runs no query; that is left to Django.
                if joined is not None and path != lookup.prefetch_to:
                    self._objects[path] = joined
                else:
                    added += self._add(objects, name, source, level)
            objects = self._objects[path]
        return added

    def _add(self, owner: _Objects, name: str, source: Source, level: int) -> list[Source]:
        """Add the step that follows a relation; return the lookups that its queryset adds."""
        lookup = self.lookups[source]
        path = path_to(lookup, level)
        attribute, keys = self._keys(owner, name, lookup, level)
        first = bare(owner.layout.model, self._db, self._fetch_mode)
        first.__dict__[keys.of_object] = 0
        every = unfiltered(name, first, lookup, level)
        if not is_prefetched_as_stock(every):
            raise NotRowReadableError(f"{type(every).__name__} is not a plain QuerySet")
        self._watch(every.model)
        _check_given(every, name, keys, lookup)
        _, related, _ = ask_prefetcher([first], name, attribute, given_queryset(lookup, level))
        check_compiled_by_django(related)
        selection = Selection.of(CompiledQuery(related, is_run=False), self._watch)
        layout = selection.layout
        if keys.of_related not in {**layout.columns, **layout.annotations}:
            raise NotRowReadableError(f"{keys.of_related} is deferred")
        if keys.single is None and keys.back in layout.joined:
            keys = keys._replace(back=None)  # that object is another one
        position = self._widths[owner.step]
        self._widths[owner.step] += 1
        self._widths.append(len(selection.columns))
        if keys.single is None:
            owner.layout.collections[attribute] = CollectionLayout(position, layout)
        else:
            owner.layout.prefetched[keys.single] = RelatedLayout(
                layout, keys.single.may_be_none, position=position
            )
        of_step = owner.step, name, attribute, keys, source, level, path, owner.joins
        self.steps.append(PrefetchStep(*of_step, selection, position))
        number = len(self.steps)
        self._objects[path] = _Objects(number, layout, keys.back, is_inner=source[0] > 0)
        return self.lookups.add(number, path, every)

    def _keys(self, owner: _Objects, name: str, lookup: Prefetch, level: int) -> tuple[str, Keys]:
        """Return where objects keep what a relation leads to, and how that belongs to them."""
        layout = owner.layout
        if layout.model._meta.is_composite_pk:
            raise NotRowReadableError(f"{name} belongs to a primary key of several columns")
        attribute, is_own = attribute_for(lookup, level)
        keys = _keys(layout.model, name)
        if keys.single is not None and keys.single in (*layout.joined, owner.back):
            raise NotRowReadableError(f"{name} is loaded before it is prefetched")
        if is_own and (hasattr(layout.model, attribute) or attribute in layout.annotations):
            raise NotRowReadableError(f"{attribute} is an attribute of the model, too")
        if is_own and keys.single:
            raise NotRowReadableError(f"{attribute} is one object, which Django may ask for twice")
        if keys.of_object not in layout.columns:
            raise NotRowReadableError(f"{keys.of_object} is deferred")
        return attribute, keys


def _check_prefetching(queryset: Any) -> None:
    """Raise NotRowReadableError if other code than Django's prefetches objects for a queryset."""
    if comes_from_relation(queryset):
        raise NotRowReadableError("the queryset comes from a related manager")
    if not prefetches_as_stock(queryset):
        raise NotRowReadableError("the queryset overrides how it prefetches")


def _check_given(every: Any, name: str, keys: Keys, lookup: Prefetch) -> None:
    """Raise NotRowReadableError unless Django prefetches by a queryset as by one of its own."""
    if every.model._meta.concrete_model is not keys.model._meta.concrete_model:
        raise NotRowReadableError(f"{name} is prefetched as {every.model.__name__}")
    # Without an attribute of its own, Django cannot filter the slice for each object.
    if every.query.is_sliced and not lookup.to_attr:
        raise NotRowReadableError(f"{name} is prefetched from a slice")


def _keys(model: Any, name: str) -> Keys:
    single = single_relation(model, name)
    keys = _many_keys(model, name) if single is None else _single_keys(single)
    if keys is None:
        raise NotRowReadableError(f"{model.__name__}.{name} is not one of Django's own relations")
    return keys


def _single_keys(single: SingleRelation) -> Keys | None:
    field, is_reverse = single
    if len(field.related_fields) > 1:
        return None  # a ForeignObject of several columns
    related_model = field.model if is_reverse else field.remote_field.model
    here, there = field.attname, field.target_field.attname
    back = None
    if is_reverse:
        here, there, back = there, here, SingleRelation(field, is_reverse=False)
    elif not field.remote_field.multiple:
        back = SingleRelation(field, is_reverse=True)
    if type(related_model._base_manager) is not Manager:
        raise NotRowReadableError(
            f"{related_model.__name__} has a base manager that is not Django's"
        )
    if field.remote_field.parent_link or not _has_stock_key(field):
        return None
    return Keys(related_model, here, there, back, single=single)


def _many_keys(model: Any, name: str) -> Keys | None:
    relation = relation_to_many(model, name)
    if relation is None:
        return None
    descriptor: Any = on_class(model, name)
    field = relation[1]
    manager = own_manager(descriptor)
    if manager is not None:
        raise NotRowReadableError(f"{manager.__name__} of {name} overrides get_queryset")
    if not _has_stock_key(field):
        return None
    key = field.target_field.attname
    if type(descriptor) is ManyToManyDescriptor:
        related_model = descriptor.rel.related_model if descriptor.reverse else descriptor.rel.model
        return Keys(related_model, key, attribute_of_key_between(field), None)
    return Keys(field.model, key, field.attname, SingleRelation(field, is_reverse=False))


def _has_stock_key(field: Any) -> bool:
    target = field
    while target.is_relation:
        target = target.target_field
    return type(target).__module__.startswith("django.")


def unfiltered(name: str, first: Any, lookup: Prefetch, level: int) -> Any:
    """Return the queryset of all objects to which a relation may lead; ``first`` is what has it."""
    queryset = given_queryset(lookup, level)
    return queryset_of_relation(first, name) if queryset is None else queryset


def bare(model: Any, db: str, fetch_mode: Any) -> Any:
    """Return an instance that knows nothing but where it comes from, and that its keys are 0."""
    instance = object.__new__(model)
    instance.__dict__["_state"] = new_state(db, fetch_mode)
    for field in model._meta.concrete_fields:
        if field.primary_key or field.is_relation:
            instance.__dict__[field.attname] = 0
    return instance
