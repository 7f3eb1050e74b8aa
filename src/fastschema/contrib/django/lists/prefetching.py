"""The objects that ``prefetch_related`` adds to rows, read as rows themselves.

Django gives each row's instance a manager and a queryset for them. Here its prefetchers only say
what to ask the database: they get instances that know their keys and nothing else, and a queryset
that does not run. What the database answers is put beside the rows. Whoever looks at the instances
later gets what Django makes of the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fastschema.contrib.django.internals.instances import (
    CHANGES_GIVEN_QUERYSETS,
    SingleRelation,
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
    closing_results,
    evaluated,
    give_results,
    is_prefetched,
    mark_prefetched,
    prefetch_lookups,
    tracks_peers,
)
from fastschema.contrib.django.lists.prefetch_plan import PrefetchStep, bare, steps_of, unfiltered
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    is_fetchable,
)
from fastschema.contrib.django.lists.row_instances import (
    LazyCache,
    Makers,
    RelatedRows,
    keep_related_rows,
    keep_row,
)
from fastschema.contrib.django.lists.row_layout import CollectionLayout, RelatedLayout, RowLayout
from fastschema.runtime import thresholds

if TYPE_CHECKING:
    from functools import cached_property
else:  # that of functools has a lock before Python 3.12, one for all objects
    from django.utils.functional import cached_property


def prefetch(rows: FetchedRows, steps: Iterable[PrefetchStep]) -> None:
    """Run the queries of ``prefetch_related`` for some rows.

    :param steps: see :func:`steps_of`
    :raises Exception: what running one of them raises
    """
    rows.converted()  # In stock, they are instances before anything is prefetched for them.
    found = [rows]
    for step in steps:
        owner = found[step.owner]
        result = PrefetchResult(step, owner)
        owner.prefetched.append(result)
        found.append(result.rows)


class PrefetchResult:
    """The related objects that one query has found for some rows.

    :param step: the query; it is not run where there are no rows to find them for
    :param owner: the rows
    :raises Exception: what running the query raises
    """

    def __init__(self, step: PrefetchStep, owner: FetchedRows) -> None:
        self.step = step
        self._keys: list[Any] = []
        self._related_keys: list[Any] = []
        self._owners: list[Any] = []
        instances = list(_bare_objects(owner, step))
        objects = [each for each in instances if each is not None]
        if not objects:
            self._keys = instances
            model = owner.own_layout.at_end_of(step.joins).model
            queryset = unfiltered(step, bare(model, owner.db, owner.fetch_mode))
            self.rows = FetchedRows(CompiledQuery(queryset, is_run=False), ())
            return
        queryset = unfiltered(step, objects[0])
        queryset, self._answer = ask_prefetcher(objects, step.name, step.attribute, queryset)
        self.rows = FetchedRows.of(queryset)
        key_of = self._answer.key_of_owner
        self._keys = [None if each is None else key_of(each) for each in instances]
        self._related_keys = list(
            _keys_of_rows(self.rows, step.keys.of_related, self._answer.key_of_related)
        )
        if self._cache is not None:
            known = set(self._keys)
            for each in self._related_keys:
                if each not in known:  # to Python, that is; as Django has it
                    raise KeyError(each)

    def add_to(self, layout: RowLayout, position: int) -> None:
        """Add the related objects to the layout of the rows beside which they stand.

        :param position: where they do
        """
        found, single = self.rows.layout, self.step.keys.single
        layout = layout.at_end_of(self.step.joins)
        if single is None:
            layout.collections[self.step.attribute] = CollectionLayout(position, found)
        else:
            layout.prefetched[single] = RelatedLayout(found, single.may_be_none, position=position)

    def beside(self) -> Iterator[Any]:
        """Return what stands beside each row: a list of rows; or one, None if there is none."""
        by_key: dict[Any, RelatedRows] = {}
        for key, row in zip(self._related_keys, self.rows.rows(), strict=True):
            found = by_key.get(key)
            if found is None:
                found = by_key[key] = RelatedRows()
            found.append(row)
        if self.step.keys.single is None:
            return (by_key[key] if key in by_key else RelatedRows() for key in self._keys)
        return (by_key[key][0] if key in by_key else None for key in self._keys)

    def give(self, instances: list[Any], owner: FetchedRows) -> None:
        """Let the instances of some rows know the related ones.

        Where they keep their rows, each gets its own row for one related object, or the rows of
        several: the objects are there when somebody looks. Else Django assigns them now, and what
        has an attribute of its own (``to_attr``), or a queryset that Django changes.
        """
        lookup, level, joins = self.step.lookup, self.step.level, self.step.joins
        for join in joins:
            prepare_for_prefetching(instances)
            instances = [
                None if each is None else join.cache.get_cached_value(each) for each in instances
            ]
        if self._cache is not None:
            self._owners = instances
        found = [each for each in instances if each is not None]
        if not found:
            return
        _, is_own_attribute = attribute_for(lookup, level)
        is_changed = CHANGES_GIVEN_QUERYSETS and given_queryset(lookup, level) is not None
        single, makers = self.step.keys.single, owner.makers
        if is_own_attribute or is_changed or joins or makers is None:
            assign_prefetched(found, self.objects, self._answer, lookup, level)
        elif single is None:
            self._give_many(found, owner, makers)
        else:
            self._give_one(single, found, owner, makers)

    def _give_one(
        self, relation: SingleRelation, instances: list[Any], owner: FetchedRows, makers: Makers
    ) -> None:
        """Let each instance keep its row in the place of one related object."""
        name = relation.cache_name
        position = owner.layout.prefetched[relation].position

        def make(cache: LazyCache, row: Any) -> Any:
            makers.shared.add(name)
            return self._instance_by_row_id[id(row[position])]

        makers.by_name[name] = make
        keep_row(instances, owner.rows(), position, name, makers)

    def _give_many(self, instances: list[Any], owner: FetchedRows, makers: Makers) -> None:
        """Let each instance keep the rows of its related objects."""
        name = self._answer.cache_name
        position = owner.layout.collections[self.step.attribute].position

        def objects(rows: RelatedRows) -> list[Any]:
            makers.shared.add(name)
            if rows.objects is None:
                rows.objects = [self._instance_by_row_id[id(row)] for row in rows]
            return rows.objects

        def make(cache: LazyCache, rows: Any) -> Any:
            if type(rows) is not RelatedRows:
                return rows  # a tuple, which code of users has put there
            as_it_was = _as_it_was(owner, cache.row)
            queryset = unfiltered(self.step, as_it_was)
            queryset = filtered_for(cache.instance, as_it_was, self.step.name, queryset)
            give_results(queryset, objects(rows), is_prefetched=True)
            return queryset

        makers.by_name[name] = make
        makers.objects[name] = objects
        keep_related_rows(instances, owner.rows(), position, name, makers)

    @cached_property
    def objects(self) -> list[Any]:
        """Return the related instances, which know what belongs to them."""
        related = self.rows.instances(with_prefetched=False)
        if self._cache is not None:
            owners = dict(zip(self._keys, self._owners, strict=True))
            for each, key in zip(related, self._related_keys, strict=True):
                self._cache.set_cached_value(each, owners[key])
        self.rows.give_prefetched(related)
        return related

    @cached_property
    def _instance_by_row_id(self) -> dict[int, Any]:
        """Return the related instances by their rows, which may be equal: by their identities."""
        return dict(zip(map(id, self.rows.rows()), self.objects, strict=True))

    @cached_property
    def _cache(self) -> Any:
        """Return what keeps the one object of each related one; None if that is not to be told."""
        keys = self.step.keys
        # select_related may have loaded it with them.
        if keys.back is None or (not keys.single and keys.back in self.rows.own_layout.joined):
            return None
        return keys.back.cache


def fetch_rows(queryset: Any) -> FetchedRows:
    """Run the query of a queryset, and those of what it prefetches if that may be rows.

    If not, they are left to Django: the queryset is not marked as prefetched then.

    :param queryset: see :func:`fastschema.contrib.django.lists.queryset_rows.is_fetchable`
    :raises Exception: what running one of them raises
    """
    rows = FetchedRows.of(queryset)
    rows.are_few = len(rows) < thresholds.rows_worth_reading_by_column
    if not prefetch_lookups(queryset) or rows.are_few:
        return rows
    try:
        steps = steps_of(queryset, rows.own_layout)
    except Exception:
        return rows  # Django prefetches; it raises what is wrong with a queryset in its turn
    rows.converted()
    try:
        prefetch(rows, steps)
    except Exception:
        give_results(queryset, LazyInstanceList(rows))
        raise
    mark_prefetched(queryset)
    return rows


def described(queryset: Any) -> FetchedRows:
    """Return no rows of a queryset, of which all is known but what the database has.

    As nothing is prefetched for no rows, no query is run.

    :raises NotRowReadableError: if code of users takes part in what is prefetched
    """
    rows = FetchedRows(CompiledQuery(queryset, is_run=False), ())
    if prefetch_lookups(queryset):
        rows.steps = steps_of(queryset, rows.own_layout)
        prefetch(rows, rows.steps)
    return rows


def fetch_in_blocks(queryset: Any, chunk_size: int) -> Generator[FetchedRows] | None:
    """Return the rows of a queryset in blocks, as they are read. Its query runs with the first.

    The cursor is closed at the end, at an error, and when the generator is closed.

    :param queryset: see :func:`fastschema.contrib.django.lists.queryset_rows.is_fetchable`
    :param chunk_size: how many rows to read at a time
    :returns: None if code of users could notice that they are no instances
    """
    try:
        known = described(queryset)
        _ = known.layout
    except Exception:
        return None  # Django raises its own, if it does
    if known.converters is None or tracks_peers(known.fetch_mode):
        return None
    return _blocks(CompiledQuery(queryset, is_run=True), chunk_size, known)


def _blocks(query: CompiledQuery, chunk_size: int, known: FetchedRows) -> Generator[FetchedRows]:
    """Run a query, and yield its rows as they are read, with what is prefetched for each block."""
    with closing_results(query.execute(chunk_size)) as results:
        for each in results:
            block = FetchedRows(query, [each])
            # The same for all blocks.
            block.own_layout, block.converters = known.own_layout, known.converters
            if known.steps:
                prefetch(block, known.steps)
            yield block


def fetch_instances(queryset: Any) -> list[Any]:
    """Run the query of a queryset, and return its instances, or :class:`LazyInstanceList`.

    In the former nothing is prefetched yet.

    :param queryset: see :func:`fastschema.contrib.django.lists.queryset_rows.is_fetchable`
    :raises Exception: what running the query, or converting its values, raises
    """
    rows = fetch_rows(queryset)
    if is_prefetched(queryset) and rows.are_readable:
        rows.converted()
        return LazyInstanceList(rows)
    return rows.instances()


def evaluate(queryset: Any) -> list[Any]:
    """Return the rows of a queryset as it has them itself, its query run now if it was not.

    :param queryset: a queryset as stock has it
    :returns: its instances, or :class:`LazyInstanceList`
    :raises Exception: what running the query raises
    """
    if is_fetchable(queryset):
        give_results(queryset, fetch_instances(queryset))
    return evaluated(queryset)  # which prefetches, where that is left to Django


def _bare_objects(owner: FetchedRows, step: PrefetchStep) -> Iterator[Any]:
    """Yield the object of each row, which knows nothing but its keys; None if there is none."""
    layout, attribute = owner.own_layout.at_end_of(step.joins), step.keys.of_object
    key = layout.model._meta.pk.attname
    positions = layout.columns[key], layout.columns[attribute]
    state = new_state(owner.db, owner.fetch_mode)
    for row in owner.converted():
        if row[layout.key] is None:
            yield None
            continue
        instance = object.__new__(layout.model)
        instance.__dict__.update(
            {"_state": state, key: row[positions[0]], attribute: row[positions[1]]}
        )
        yield instance


def _as_it_was(owner: FetchedRows, row: Any) -> Any:
    """Return another instance of a row, with the keys that it had when it was prefetched for.

    Code of users may have given the instance another key since, or none: ``delete()`` does.
    """
    instance = object.__new__(owner.model)
    instance.__dict__["_state"] = new_state(owner.db, owner.fetch_mode)
    columns = owner.own_layout.columns.items()
    instance.__dict__.update({name: row[position] for name, position in columns})
    return instance


def _keys_of_rows(rows: FetchedRows, attribute: str, key_of: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the key of each row, from an attribute that its instance would have."""
    position = rows.own_layout.column(attribute)
    instance = bare(rows.model, rows.db, rows.fetch_mode)
    found: dict[Any, Any] = {}
    for row in rows.converted():
        value = row[position]
        if value not in found:
            instance.__dict__[attribute] = value
            found[value] = key_of(instance)
        yield found[value]
