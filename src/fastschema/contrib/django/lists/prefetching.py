"""The objects that ``prefetch_related`` adds to rows, read as rows themselves.

Django gives each row's instance a manager and a queryset for them. Here its prefetchers only say
what to ask the database: they get instances that know their keys and nothing else, and a queryset
that does not run. What the database answers is put beside the rows. Whoever looks at the instances
later gets what Django makes of the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.internals.instances import (
    CHANGES_GIVEN_QUERYSETS,
    PrefetchAnswer,
    ask_prefetcher,
    assign_prefetched,
    attribute_for,
    filtered_for,
    given_queryset,
    new_state,
    prepare_for_prefetching,
)
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    evaluated,
    give_results,
    iterates_as_django,
    mark_prefetched,
)
from fastschema.contrib.django.internals.shapes import shape_of
from fastschema.contrib.django.lists.prefetch_plan import Lookups, PrefetchStep, bare, unfiltered
from fastschema.contrib.django.lists.query_plan import (
    QueryPlan,
    check_readable,
    kept_plan,
    new_plan,
)
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList
from fastschema.contrib.django.lists.row_instances import (
    LazyCache,
    Makers,
    RelatedRows,
)
from fastschema.runtime import thresholds
from fastschema.runtime.switch import is_disabled

if TYPE_CHECKING:
    from functools import cached_property
else:  # that of functools has a lock before Python 3.12, one for all objects
    from django.utils.functional import cached_property


def prefetch(rows: FetchedRows, plan: QueryPlan, lookups: Lookups) -> None:
    fetched: list[FetchedRows | None] = [rows]
    for number, step in enumerate(plan.steps, 1):
        owner = fetched[step.owner]
        related = None
        if owner is not None:
            result = _fetch_related(number, step, owner, lookups)
            owner.prefetched.append(result)
            related = result.rows
        fetched.append(related)


def _fetch_related(
    number: int, step: PrefetchStep, owner: FetchedRows, lookups: Lookups
) -> PrefetchResult:
    """Run the query of a step, if there are objects for which to find related ones."""
    lookup = lookups[step.source]
    owners = list(_bare_objects(owner, step))
    objects = [obj for obj in owners if obj is not None]
    if not objects:
        return PrefetchResult(step, lookup, owners)
    prefetch_queryset = given_queryset(lookup, step.level)
    every, queryset, answer = ask_prefetcher(objects, step.name, step.attribute, prefetch_queryset)
    lookups.add(number, step.path, every)
    query = CompiledQuery(queryset, is_run=True)
    results = query.execute(None)
    step.selection.check(query)
    rows = FetchedRows(query, results, step.selection)
    key_of = answer.key_of_owner
    keys = [None if obj is None else key_of(obj) for obj in owners]
    related_keys = list(_keys_of_rows(rows, step.keys.of_related, answer.key_of_related))
    if step.keys.back is not None:
        of_owners = set(keys)
        for key in related_keys:
            if key not in of_owners:  # to Python, that is; as Django has it
                raise KeyError(key)
    return PrefetchResult(step, lookup, keys, rows, related_keys, answer)


class KeptRelation:
    """What instances keep of a prefetched relation: made of their rows when code asks for it."""

    def __init__(
        self, result: PrefetchResult, owner: FetchedRows, makers: Makers, name: str
    ) -> None:
        self._result, self._owner = result, owner
        self._position = result.step.position
        self._makers, self._name = makers, name

    def object_of(self, cache: LazyCache) -> Any:
        """Return the one object of a row, which others may have as well."""
        self._makers.shared.add(self._name)
        return self._result.instance_by_row_id[id(cache.row[self._position])]

    def objects_of(self, row: Any) -> list[Any]:
        """Return the objects of a row, the same ones each time."""
        self._makers.shared.add(self._name)
        rows: RelatedRows = row[self._position]
        if rows.objects is None:
            instances = self._result.instance_by_row_id
            rows.objects = [instances[id(related_row)] for related_row in rows]
        return rows.objects

    def queryset_of(self, cache: LazyCache) -> Any:
        """Return the queryset of a row's objects that stock has there, evaluated."""
        step, lookup = self._result.step, self._result.lookup
        as_it_was = _as_it_was(self._owner, cache.row)
        queryset = unfiltered(step.name, as_it_was, lookup, step.level)
        queryset = filtered_for(cache.instance, as_it_was, step.name, queryset)
        give_results(queryset, self.objects_of(cache.row), is_prefetched=True)
        return queryset


def _as_it_was(owner: FetchedRows, row: Any) -> Any:
    """Return another instance of a row, with the keys that it had when it was prefetched for.

    Code of users may have given the instance another key since, or none: ``delete()`` does.
    """
    instance = object.__new__(owner.model)
    instance.__dict__["_state"] = new_state(owner.db, owner.fetch_mode)
    columns = owner.layout.columns.items()
    instance.__dict__.update({name: row[position] for name, position in columns})
    return instance


class PrefetchResult:
    """The related objects that one query has found for some rows.

    :param keys: for each row, by which key related objects belong to it
    :param rows: what the query has found; None if it was not run
    :param related_keys: for each of those, the same key
    """

    def __init__(
        self,
        step: PrefetchStep,
        lookup: Any,
        keys: list[Any],
        rows: FetchedRows | None = None,
        related_keys: Sequence[Any] = (),
        answer: PrefetchAnswer | None = None,
    ) -> None:
        self.step, self.rows = step, rows
        self.lookup, self._answer = lookup, answer
        self._keys, self._related_keys = keys, related_keys
        self._owners: list[Any] = []

    def beside(self) -> Iterator[Any]:
        """Return what stands beside each row: a list of rows; or one, None if there is none."""
        by_key: dict[Any, RelatedRows] = {}
        related = () if self.rows is None else self.rows.rows()
        for key, row in zip(self._related_keys, related, strict=True):
            rows = by_key.get(key)
            if rows is None:
                rows = by_key[key] = RelatedRows()
            rows.append(row)
        if self.step.keys.single is None:
            return (by_key[key] if key in by_key else RelatedRows() for key in self._keys)
        return (by_key[key][0] if key in by_key else None for key in self._keys)

    def keep(self, owner: FetchedRows, makers: Makers) -> None:
        """Let instances find in their rows what :meth:`give` need not assign."""
        step = self.step
        if self._answer is None or step.joins or self._has_to_attr:
            return
        single = step.keys.single
        name = self._answer.cache_name if single is None else single.cache_name
        if single is not None:
            makers.single.append((name, step.position))
        else:
            makers.many.append(name)
        if self._is_changed:
            return  # its place is kept
        kept = KeptRelation(self, owner, makers, name)
        if single is not None:
            makers.by_name[name] = kept.object_of
        else:
            makers.objects[name] = kept.objects_of
            makers.by_name[name] = kept.queryset_of

    def give(self, instances: list[Any], makers: Makers | None) -> None:
        """Let the instances of some rows know the related ones.

        Those that keep their rows find them there. Django assigns the others, and what has an
        attribute of its own (``to_attr``), or a queryset that it changes.
        """
        joins = self.step.joins
        for join in joins:
            prepare_for_prefetching(instances)
            instances = [
                None if obj is None else join.cache.get_cached_value(obj) for obj in instances
            ]
        owners = [obj for obj in instances if obj is not None]
        if not owners:
            return
        self._owners = instances
        assert self._answer is not None  # for there are objects
        if makers is None or joins or self._has_to_attr or self._is_changed:
            assign_prefetched(owners, self.objects, self._answer, self.lookup, self.step.level)

    @property
    def _has_to_attr(self) -> bool:
        """Whether ``to_attr`` says where the objects are kept."""
        return attribute_for(self.lookup, self.step.level)[1]

    @property
    def _is_changed(self) -> bool:
        """Whether Django changes the queryset for each object."""
        return CHANGES_GIVEN_QUERYSETS and given_queryset(self.lookup, self.step.level) is not None

    @cached_property
    def objects(self) -> list[Any]:
        """Return the related instances, which know what belongs to them."""
        rows, back = self._rows, self.step.keys.back
        related = rows.instances(with_prefetched=False)
        if back is not None:
            owners = dict(zip(self._keys, self._owners, strict=True))
            for instance, key in zip(related, self._related_keys, strict=True):
                back.cache.set_cached_value(instance, owners[key])
        rows.give_prefetched(related, None)
        return related

    @cached_property
    def instance_by_row_id(self) -> dict[int, Any]:
        """Return the related instances by their rows, which may be equal: by their identities."""
        return dict(zip(map(id, self._rows.rows()), self.objects, strict=True))

    @property
    def _rows(self) -> FetchedRows:
        assert self.rows is not None
        return self.rows


def fetch_instances(queryset: Any) -> list[Any]:
    """Run the query of a queryset, and return its instances, or :class:`LazyInstanceList`.

    In the former nothing is prefetched yet.

    :raises NotRowReadableError: if its rows are not read; its results are still to be found
    """
    shape = shape_of(queryset)
    plan = kept_plan(queryset.model, shape)
    query = CompiledQuery(queryset, is_run=True)
    results = query.execute(None)
    if sum(map(len, results)) < thresholds.few_for_django:
        return query.instances(query.converted(results))
    try:
        plan = plan or new_plan(queryset, shape, query)
        plan.selection.check(query)
    except Exception:  # Django raises its own, if it does
        return query.instances(query.converted(results))
    rows = FetchedRows(query, results, plan.selection)
    instances = LazyInstanceList(rows)
    try:
        prefetch(rows, plan, Lookups(queryset))
    except Exception:
        give_results(queryset, instances)
        raise
    if plan.steps:
        mark_prefetched(queryset)
    return instances


def fetch_rows(data: Any) -> Any:
    """Return the rows of a queryset, as it has them itself, and whose query runs now if it has not.

    They are in a :class:`LazyInstanceList` if they are read, else in a list of instances. What is
    no queryset of Django's is returned as it is; nor is one evaluated while fastschema is disabled.
    """
    if is_disabled() or not issubclass(type(data), QuerySet):
        return data
    try:
        check_readable(data)
        give_results(data, fetch_instances(data))
    except NotRowReadableError:
        if not iterates_as_django(data):
            return data
    return evaluated(data)  # which prefetches, where that is left to Django


def _bare_objects(owner: FetchedRows, step: PrefetchStep) -> Iterator[Any]:
    """Yield the object of each row, which knows nothing but its keys; None if there is none."""
    layout, attribute = owner.layout.at_end_of(step.joins), step.keys.of_object
    key = layout.model._meta.pk.attname
    positions = layout.columns[key], layout.columns[attribute]
    state = new_state(owner.db, owner.fetch_mode)
    for row in owner.converted:
        if row[layout.key] is None:
            yield None
            continue
        instance = object.__new__(layout.model)
        instance.__dict__.update(
            {"_state": state, key: row[positions[0]], attribute: row[positions[1]]}
        )
        yield instance


def _keys_of_rows(rows: FetchedRows, attribute: str, key_of: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the key of each row, from an attribute that its instance would have."""
    position = rows.layout.column(attribute)
    instance = bare(rows.model, rows.db, rows.fetch_mode)
    keys: dict[Any, Any] = {}
    for row in rows.converted:
        value = row[position]
        if value not in keys:
            instance.__dict__[attribute] = value
            keys[value] = key_of(instance)
        yield keys[value]
