"""The objects that ``prefetch_related`` adds to rows, read as rows themselves.

Django gives each row's instance a manager and a queryset for them. Here its prefetchers only say
what to ask the database: they get instances that know their keys and nothing else, and a queryset
that does not run. What the database answers is put beside the rows. Whoever looks at the instances
later gets what Django makes of the same answers.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from django.db.models import Manager, Prefetch, QuerySet
from django.db.models.base import ModelState
from django.db.models.constants import LOOKUP_SEP
from django.db.models.fields.related_descriptors import ManyToManyDescriptor
from django.db.models.manager import BaseManager
from django.db.models.query import (
    ModelIterable,
    get_prefetcher,
    normalize_prefetch_lookups,
    prefetch_one_level,
)

from fastschema.contrib.django.attribute_access import on_class, relation_to_many
from fastschema.contrib.django.rows.fetching import (
    FetchedRows,
    LaterInstances,
    Loaded,
    is_fetchable,
    is_stock_queryset,
)
from fastschema.contrib.django.rows.tables import (
    Collection,
    InstancesNeededError,
    Relation,
    Table,
    single_relation,
    table_of,
    whole_table,
)
from fastschema.runtime.stock import stock_method

_GET_QUERYSET = stock_method(BaseManager, "get_queryset")
# What Django calls of a queryset of related objects.
_HOOKS = {
    name: stock_method(QuerySet, name)
    for name in ("__init__", "using", "filter", "extra", "none", "_add_hints", "_next_is_sticky")
}


class Keys(NamedTuple):
    """By which attributes objects and their related objects belong together.

    :param of_object: the attribute of an object
    :param of_related: the attribute of a related object
    :param single: for a relation to one object, its field and whether it is followed backwards
    :param back: what keeps an object for its related objects; None if they may have several
    """

    of_object: str
    of_related: str
    single: tuple[Any, bool] | None
    back: Any


class Step(NamedTuple):
    """One query of ``prefetch_related``: from some objects to those of a relation.

    :param owner: the number of the step that finds the former; -1: they are the rows
    :param name: of the relation
    :param attribute: where objects keep what is found
    :param keys: how they belong together
    :param lookup: the lookup of which this is a part
    :param level: which part of it
    """

    owner: int
    name: str
    attribute: str
    keys: Keys
    lookup: Prefetch
    level: int


class PrefetchedRows(FetchedRows):
    """What the database answered to a query, and to those of ``prefetch_related``.

    :param queryset: as for :class:`FetchedRows`
    :param is_run: likewise
    :raises Exception: what running the query raises
    """

    def __init__(self, queryset: Any, *, is_run: bool = True) -> None:
        super().__init__(queryset, is_run=is_run)
        self.related: list[Related] = []
        self._rows: list[Any] | None = None

    def prefetch(self, steps: Iterable[Step]) -> None:
        """Run the queries of ``prefetch_related``.

        :param steps: see :func:`steps_of`
        :raises Exception: what running one of them raises
        """
        self.converted()  # In stock, they are instances before anything is prefetched for them.
        found: list[PrefetchedRows] = []
        for step in steps:
            owner = self if step.owner < 0 else found[step.owner]
            related = Related(step, owner)
            owner.related.append(related)
            found.append(related.rows)

    @property
    def loaded(self) -> Loaded:
        """The related objects of which instances would know all, by the names of attributes."""
        return {each.attribute: each.rows for each in self.related}

    @functools.cached_property
    def own_table(self) -> Table:
        """What stands where in the rows of the query itself."""
        return table_of(self.compiler)

    @functools.cached_property
    def width(self) -> int:
        """How long the rows are, with all that stands beside them."""
        width: int = self.compiler.col_count
        return width + sum(each.width for each in self.related)

    @functools.cached_property
    def table(self) -> Table:
        """What stands where in the rows, and beside them."""
        table = self.own_table
        position: int = self.compiler.col_count
        for each in self.related:
            each.add_to(table, position)
            position += each.width
        return table

    def rows(self) -> list[Any]:
        """The rows, with what was prefetched beside each."""
        with self._lock:
            if self._rows is None:
                rows = self.converted()
                for each in self.related:
                    rows = [
                        (*row, *beside) for row, beside in zip(rows, each.columns(), strict=True)
                    ]
                self._rows = rows
            return self._rows

    def _made(self) -> list[Any]:
        instances = super()._made()
        for each in self.related:
            each.give(instances)
        return instances


class Related:
    """The related objects that one query has found for some rows.

    :param step: the query
    :param owner: the rows
    :raises Exception: what running the query raises
    """

    def __init__(self, step: Step, owner: PrefetchedRows) -> None:
        self._step = step
        self.attribute = step.attribute
        self._keys: list[Any] = []
        self._related_keys: list[Any] = []
        if not owner.converted():
            self.rows = PrefetchedRows(_unfiltered(step, _bare_of(owner)), is_run=False)
            return
        objects = list(_bare_objects(owner, step.keys.of_object))
        prefetcher, *_ = get_prefetcher(objects[0], step.name, step.attribute)
        queryset = _with_rows(_unfiltered(step, objects[0]), lambda queryset: ())
        queryset, *self._answer = prefetcher.get_prefetch_querysets(objects, [queryset])
        # It has not been run, whatever it believes.
        self.rows = PrefetchedRows(_with_rows(queryset, ModelIterable))
        key_of_related, key_of, *_ = self._answer
        self._keys = list(map(key_of, objects))
        self._related_keys = list(_keys_of_rows(self.rows, step.keys.of_related, key_of_related))

    @property
    def width(self) -> int:
        """How many places this takes beside a row."""
        return self.rows.width if self._step.keys.single else 1

    def add_to(self, table: Table, position: int) -> None:
        """Add what is found to the table of the rows, at some position."""
        single = self._step.keys.single
        if single is None:
            table.collections[self.attribute] = Collection(position, self.rows.table)
        elif self.attribute == self._step.name:
            field, is_reverse = single
            related = self.rows.table.shifted(position)
            table.prefetched[single] = Relation(related, not is_reverse and field.null)

    def columns(self) -> Iterator[tuple[Any, ...]]:
        """What stands beside each row: a list of rows, or the columns of one row."""
        by_key: dict[Any, list[Any]] = {}
        for key, row in zip(self._related_keys, self.rows.rows(), strict=True):
            by_key.setdefault(key, []).append(row)
        if self._step.keys.single is None:
            return ((by_key.get(key, ()),) for key in self._keys)
        nothing = [(None,) * self.width]
        return (by_key.get(key, nothing)[0] for key in self._keys)

    def give(self, objects: list[Any]) -> None:
        """Let instances know the related ones, as Django does."""
        if not objects:
            return
        related = self.rows.instances()
        self._give_back(related, dict(zip(self._keys, objects, strict=True)))
        for each in objects:
            each.__dict__.setdefault("_prefetched_objects_cache", {})
        prefetcher = _Answered((related, *self._answer))
        prefetch_one_level(objects, prefetcher, self._step.lookup, self._step.level)

    def _give_back(self, related: list[Any], objects: dict[Any, Any]) -> None:
        """Let the related ones know their single object."""
        back = self._step.keys.back
        if back is not None:
            for each, key in zip(related, self._related_keys, strict=True):
                if self._step.keys.single or not back.is_cached(each):
                    back.set_cached_value(each, objects[key])


class _Answered:
    """Stands for a prefetcher whose query has been run.

    :param answer: what it says, related objects first
    """

    def __init__(self, answer: tuple[Any, ...]) -> None:
        self._answer = answer

    def get_prefetch_querysets(self, instances: list[Any], querysets: Any = None) -> Any:
        """The same as Django's prefetchers have it."""
        return self._answer


def fetch(queryset: Any) -> FetchedRows:
    """Run the query of a queryset, and those of what it prefetches if that may be rows.

    The latter is so if ``_prefetch_done`` of the queryset says so afterwards.

    :param queryset: see :func:`fastschema.contrib.django.rows.fetching.is_fetchable`
    :raises Exception: what running one of them raises
    """
    if not queryset._prefetch_related_lookups:
        return FetchedRows(queryset)
    fetched = PrefetchedRows(queryset)
    try:
        steps = steps_of(queryset, fetched)
    except Exception:
        return fetched  # stock raises its own
    fetched.prefetch(steps)
    queryset._prefetch_done = True
    return fetched


def described(queryset: Any) -> FetchedRows:
    """What is known of the rows of a queryset, and of what it prefetches; no query is run.

    :raises InstancesNeededError: if code of users has a say in what is prefetched
    """
    if not queryset._prefetch_related_lookups:
        return FetchedRows(queryset, is_run=False)
    fetched = PrefetchedRows(queryset, is_run=False)
    fetched.prefetch(steps_of(queryset, fetched))
    return fetched


def evaluate(queryset: Any) -> list[Any]:
    """The rows of a queryset as it would have them itself, its query run now if it was not.

    :param queryset: any queryset
    :returns: its instances, or :class:`LaterInstances`
    :raises Exception: what running the query raises
    """
    if is_fetchable(queryset):
        fetched = fetch(queryset)
        if not queryset._prefetch_related_lookups or queryset._prefetch_done:
            queryset._result_cache = later = LaterInstances(fetched)
            return later
        queryset._result_cache = fetched.instances()
    return list(queryset)


def steps_of(queryset: Any, rows: PrefetchedRows) -> list[Step]:
    """The queries that ``prefetch_related`` makes for a queryset, in stock's order.

    :param rows: those of the queryset
    :raises InstancesNeededError: if code of users has a say in one of them, or sees its objects
    """
    steps: list[Step] = []
    found: dict[str, tuple[int, Table]] = {"": (-1, rows.own_table)}
    lookups = normalize_prefetch_lookups(reversed(queryset._prefetch_related_lookups))
    while lookups:
        lookup = lookups.pop()
        if lookup.prefetch_to in found and lookup.queryset is not None:
            raise InstancesNeededError(f"{lookup.prefetch_to} is prefetched twice")
        path = ""
        for level, name in enumerate(lookup.prefetch_through.split(LOOKUP_SEP)):
            owner, table = found[path]
            path = lookup.get_current_prefetch_to(level)
            if path in found:
                continue
            attribute, is_own = lookup.get_current_to_attr(level)
            step = Step(owner, name, attribute, _keys(table.model, name), lookup, level)
            _check_attributes(step, table, is_own=is_own)
            related = _unfiltered(step, _bare(table.model, rows.db, rows.fetch_mode))
            _check_queryset(related)
            is_given = lookup.get_current_querysets(level) is not None
            found[path] = len(steps), _table_of(related, is_given=is_given)
            steps.append(step)
            added = map(copy.copy, reversed(related._prefetch_related_lookups))
            lookups += normalize_prefetch_lookups(added, path)
    return steps


def _check_attributes(step: Step, table: Table, *, is_own: bool) -> None:
    """Check that objects have what a step needs, and not yet what it adds.

    :param is_own: whether what it adds gets a name of its own
    :raises InstancesNeededError: if not
    """
    name = step.attribute
    if is_own and (hasattr(table.model, name) or name in table.annotations):
        raise InstancesNeededError(f"{name} is an attribute of the model, too")
    if step.keys.single in table.relations:
        raise InstancesNeededError(f"{name} is loaded by select_related, too")
    if step.keys.of_object not in table.columns:
        raise InstancesNeededError(f"{step.keys.of_object} is deferred")


def _table_of(queryset: Any, *, is_given: bool) -> Table:
    """What stands where in the rows of a queryset.

    :param is_given: whether it is the user's; else it selects a model and nothing else
    :raises InstancesNeededError: if somebody could tell that no instances are made of them
    """
    if is_given:
        return PrefetchedRows(queryset, is_run=False).own_table
    return whole_table(queryset.model)


def _keys(model: Any, name: str) -> Keys:
    """How the objects of a relation belong to those of a model.

    :raises InstancesNeededError: if not Django alone knows
    """
    field, is_reverse = single = single_relation(model, name)
    many = relation_to_many(model, name)
    if field is not None:
        key = field.target_field
        keys = field.attname, key.attname
        if field.remote_field.parent_link or type(field.model._base_manager) is not Manager:
            raise InstancesNeededError(
                f"{name} is no relation of {model.__name__} as Django has it"
            )
        to_object = field if is_reverse else field.remote_field
        back = to_object if is_reverse or not to_object.multiple else None
        found = Keys(*(keys[::-1] if is_reverse else keys), single, back)
    elif many is not None:
        descriptor: Any = on_class(model, name)
        if descriptor.related_manager_cls.__mro__[1].get_queryset is not _GET_QUERYSET:
            raise InstancesNeededError(f"the manager of {name} has its own get_queryset")
        _, field = many
        key = field.target_field
        is_between = type(descriptor) is ManyToManyDescriptor
        related = f"_prefetch_related_val_{field.attname}" if is_between else field.attname
        found = Keys(key.attname, related, None, None if is_between else field)
    else:
        raise InstancesNeededError(f"{name} is no relation of {model.__name__} as Django has it")
    if not type(key).__module__.startswith("django."):
        raise InstancesNeededError(f"{name} has keys of a class of its own")
    return found


def _check_queryset(queryset: Any) -> None:
    """Check that nobody but Django looks at a queryset of related objects.

    :raises InstancesNeededError: if somebody does
    """
    is_stock = (
        is_stock_queryset(queryset)
        and all(getattr(type(queryset), name) is hook for name, hook in _HOOKS.items())
        and _HOOKS.keys().isdisjoint(vars(queryset))
        and not queryset._known_related_objects
        and not queryset.query.combinator
    )
    if not is_stock:
        raise InstancesNeededError(f"a {type(queryset).__name__} is no queryset as stock has it")


def _unfiltered(step: Step, first: Any) -> Any:
    """The queryset of all objects to which a relation may lead.

    :param first: an object that has the relation
    """
    given = step.lookup.get_current_querysets(step.level)
    if given:
        return given[0]
    if step.keys.single is not None:
        descriptor: Any = on_class(type(first), step.name)
        return descriptor.get_queryset(instance=first)
    return _GET_QUERYSET(getattr(first, step.name))


def _with_rows(queryset: Any, iterable: Any) -> Any:
    """A queryset that is the same, but for what makes its objects; nothing is prefetched there."""
    queryset = queryset._chain()
    queryset._iterable_class = iterable
    queryset._prefetch_related_lookups = ()
    return queryset


def _bare(model: Any, db: str, fetch_mode: Any) -> Any:
    """An instance that knows nothing but where it comes from, and that its keys are 0."""
    instance = object.__new__(model)
    state = instance.__dict__["_state"] = ModelState()
    state.adding = False
    state.db = db
    if fetch_mode is not None:
        state.fetch_mode = fetch_mode
    for field in model._meta.concrete_fields:
        if field.primary_key or field.is_relation:
            instance.__dict__[field.attname] = 0
    return instance


def _bare_of(rows: PrefetchedRows) -> Any:
    return _bare(rows.model, rows.db, rows.fetch_mode)


def _bare_objects(rows: PrefetchedRows, attribute: str) -> Iterator[Any]:
    """Instances of rows that know nothing but their keys."""
    key = rows.model._meta.pk.attname
    columns = rows.own_table.columns
    positions = columns[key], columns[attribute]
    state = _bare_of(rows)._state
    for row in rows.converted():
        instance = object.__new__(rows.model)
        instance.__dict__.update(
            {"_state": state, key: row[positions[0]], attribute: row[positions[1]]}
        )
        yield instance


def _keys_of_rows(
    rows: PrefetchedRows, attribute: str, key_of: Callable[[Any], Any]
) -> Iterator[Any]:
    """The key of each row, from an attribute that its instance would have."""
    position = rows.own_table.column(attribute)
    instance = _bare_of(rows)
    found: dict[Any, Any] = {}
    for row in rows.converted():
        value = row[position]
        if value not in found:
            instance.__dict__[attribute] = value
            found[value] = key_of(instance)
        yield found[value]
