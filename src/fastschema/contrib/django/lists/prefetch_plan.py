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
from fastschema.contrib.django.lists.row_layout import RowLayout, row_layout_of, whole_layout


class Keys(NamedTuple):
    """By which attributes objects and their related objects belong together.

    :param model: the class of the latter
    :param of_object: the attribute of an object
    :param of_related: the attribute of a related object
    :param back: the relation by which a related object knows its one object; None if it has several
    :param single: the relation itself, if it is one to one object
    :param is_between: whether the attribute of a related object comes from a table in between
    """

    model: Any
    of_object: str
    of_related: str
    back: SingleRelation | None
    single: SingleRelation | None = None
    is_between: bool = False


class PrefetchStep(NamedTuple):
    """One query of ``prefetch_related``: from some objects to those of a relation.

    :param owner: the number of the query that finds the former, from 1; 0: they are the rows
    :param name: of the relation
    :param attribute: where objects keep what is found
    :param keys: how they belong together
    :param lookup: the lookup of which this is a part
    :param level: which part of it
    :param joins: the relations that lead from what the owner finds to the objects, if
        ``select_related`` has loaded these with it
    """

    owner: int
    name: str
    attribute: str
    keys: Keys
    lookup: Prefetch
    level: int
    joins: tuple[SingleRelation, ...]


def steps_of(queryset: Any, layout: RowLayout) -> list[PrefetchStep]:
    """Return the queries that ``prefetch_related`` makes for the rows of a queryset, in stock's
    order.

    :param layout: the layout of the rows
    :raises NotRowReadableError: if code of users takes part in one of them, or sees its objects
    """
    _check_prefetching(queryset)
    path = _Path(queryset, layout)
    waiting = [(lookup, False) for lookup in normalized_lookups(prefetch_lookups(queryset))]
    while waiting:
        lookup, is_inner = waiting.pop()
        waiting += [(added, True) for added in path.follow(lookup, is_inner=is_inner)]
    return path.steps


class _Found(NamedTuple):
    """Objects that a step finds, or that are joined to those.

    :param step: its number, from 1; 0: they are the rows
    :param layout: the layout of their rows
    :param back: see :class:`Keys`
    :param is_inner: whether a queryset of related objects prefetches them itself
    :param joins: see :class:`PrefetchStep`
    """

    step: int
    layout: RowLayout
    back: SingleRelation | None = None
    is_inner: bool = False
    joins: tuple[SingleRelation, ...] = ()

    def joined(self, single: SingleRelation | None) -> _Found | None:
        """Return the objects that are joined to them by a relation; None if it is no such."""
        if single is None or single not in self.layout.joined:
            return None
        related = self.layout.joined[single]
        back = SingleRelation(single.field, not single.is_reverse) if related.set_there else None
        return self._replace(layout=related.layout, back=back, joins=(*self.joins, single))


class _Path:
    """Follows lookups, and notes the steps that are new.

    :param queryset: where they begin
    :param layout: the layout of its rows
    """

    def __init__(self, queryset: Any, layout: RowLayout) -> None:
        self.steps: list[PrefetchStep] = []
        self._db, self._fetch_mode = queryset.db, fetch_mode_of(queryset)
        self._found = {"": _Found(0, layout)}

    def follow(self, lookup: Any, *, is_inner: bool) -> list[Prefetch]:
        """Follow one lookup; return those that the querysets on its way add.

        :param is_inner: whether such a queryset has added it
        :raises NotRowReadableError: see :func:`steps_of`
        """
        if type(lookup) is not Prefetch:
            raise NotRowReadableError(f"{type(lookup).__name__} is not Django's own Prefetch")
        if lookup.prefetch_to in self._found and lookup.queryset is not None:
            raise NotRowReadableError(f"{lookup.prefetch_to} is prefetched twice")
        added: list[Prefetch] = []
        found = self._found[""]
        for level, name in enumerate(lookup.prefetch_through.split(LOOKUP_SEP)):
            path = path_to(lookup, level)
            if path not in self._found:
                if found.is_inner and not is_inner:
                    raise NotRowReadableError(f"{path} continues what a queryset prefetches")
                joined = found.joined(single_relation(found.layout.model, name))
                # A lookup that ends at what is joined runs no query; that is left to Django.
                if joined is not None and path != lookup.prefetch_to:
                    self._found[path] = joined
                else:
                    step = self._step(found, name, lookup, level)
                    related = self._add(path, step, found, is_inner=is_inner)
                    inner = map(copy.copy, prefetch_lookups(related))
                    added += normalized_lookups(inner, path)
            found = self._found[path]
        return added

    def _add(self, path: str, step: PrefetchStep, owner: _Found, *, is_inner: bool) -> Any:
        """Add a step, and return the queryset of all objects that it may find."""
        related = unfiltered(step, bare(owner.layout.model, self._db, self._fetch_mode))
        if not is_prefetched_as_stock(related):
            raise NotRowReadableError(f"{type(related).__name__} is not a plain QuerySet")
        layout = _layout_of(related, step)
        self.steps.append(step)
        self._found[path] = _Found(len(self.steps), layout, step.keys.back, is_inner)
        return related

    def _step(self, owner: _Found, name: str, lookup: Prefetch, level: int) -> PrefetchStep:
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
        return PrefetchStep(owner.step, name, attribute, keys, lookup, level, owner.joins)


def _check_prefetching(queryset: Any) -> None:
    """Check that nobody but Django prefetches objects for a queryset.

    :raises NotRowReadableError: if somebody does
    """
    if comes_from_relation(queryset):
        raise NotRowReadableError("the queryset comes from a related manager")
    if not prefetches_as_stock(queryset):
        raise NotRowReadableError("the queryset overrides how it prefetches")


def _layout_of(queryset: Any, step: PrefetchStep) -> RowLayout:
    """Return the layout of the rows of a queryset of related objects.

    :raises NotRowReadableError: if code of users could notice that no instances are made
    """
    if given_queryset(step.lookup, step.level) is None:
        return whole_layout(queryset.model)
    layout = row_layout_of(CompiledQuery(queryset, is_run=False))
    keys = step.keys
    if layout.model._meta.concrete_model is not keys.model._meta.concrete_model:
        raise NotRowReadableError(f"{step.name} is prefetched as {layout.model.__name__}")
    # Without an attribute of its own, Django cannot filter the slice for each object.
    if queryset.query.is_sliced and not step.lookup.to_attr:
        raise NotRowReadableError(f"{step.name} is prefetched from a slice")
    if not keys.is_between and keys.of_related not in layout.columns:
        raise NotRowReadableError(f"{keys.of_related} is deferred")
    return layout


def _keys(model: Any, name: str) -> Keys:
    """How the objects of a relation belong to those of a model.

    :raises NotRowReadableError: if not Django alone knows
    """
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
    if field.remote_field.parent_link or not _has_own_key(field):
        return None
    return Keys(related_model, here, there, back, single=single)


def _many_keys(model: Any, name: str) -> Keys | None:
    found = relation_to_many(model, name)
    if found is None:
        return None
    descriptor: Any = on_class(model, name)
    field = found[1]
    manager = own_manager(descriptor)
    if manager is not None:
        raise NotRowReadableError(f"{manager.__name__} of {name} overrides get_queryset")
    if not _has_own_key(field):
        return None
    key = field.target_field.attname
    if type(descriptor) is ManyToManyDescriptor:
        related_model = descriptor.rel.related_model if descriptor.reverse else descriptor.rel.model
        return Keys(related_model, key, attribute_of_key_between(field), None, is_between=True)
    return Keys(field.model, key, field.attname, SingleRelation(field, is_reverse=False))


def _has_own_key(field: Any) -> bool:
    """Return whether the keys to which a foreign key refers are of a class of Django's own."""
    target = field
    while target.is_relation:
        target = target.target_field
    return type(target).__module__.startswith("django.")


def unfiltered(step: PrefetchStep, first: Any) -> Any:
    """Return the queryset of all objects to which a relation may lead.

    :param first: an object that has the relation
    """
    given = given_queryset(step.lookup, step.level)
    return queryset_of_relation(first, step.name) if given is None else given


def bare(model: Any, db: str, fetch_mode: Any) -> Any:
    """Return an instance that knows nothing but where it comes from, and that its keys are 0."""
    instance = object.__new__(model)
    instance.__dict__["_state"] = new_state(db, fetch_mode)
    for field in model._meta.concrete_fields:
        if field.primary_key or field.is_relation:
            instance.__dict__[field.attname] = 0
    return instance
