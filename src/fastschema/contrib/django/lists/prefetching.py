"""The objects that ``prefetch_related`` adds to rows, read as rows themselves.

Django gives each row's instance a manager and a queryset for them. Here its prefetchers only say
what to ask the database: they get instances that know their keys and nothing else, and a queryset
that does not run. What the database answers is put beside the rows. Whoever looks at the instances
later gets what Django makes of the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from django import VERSION
from django.db.models.query import ModelIterable, get_prefetcher, prefetch_one_level

from fastschema.contrib.django.front_end.access import PREFETCHED
from fastschema.contrib.django.lists.lazy_caches import (
    LazyCache,
    Makers,
    RelatedRows,
    as_it_was,
)
from fastschema.contrib.django.lists.prefetch_plan import PrefetchQuery, bare, steps_of, unfiltered
from fastschema.contrib.django.lists.queryset_rows import (
    FetchedRows,
    LazyInstanceList,
    is_fetchable,
)
from fastschema.contrib.django.lists.row_layout import (
    Collection,
    Relation,
    RowLayout,
    cache_name,
)

if TYPE_CHECKING:
    from functools import cached_property
else:  # that of functools has a lock before Python 3.12, one for all objects
    from django.utils.functional import cached_property


def prefetch(rows: FetchedRows, steps: Iterable[PrefetchQuery]) -> None:
    """Run the queries of ``prefetch_related`` for some rows.

    :param steps: see :func:`steps_of`
    :raises Exception: what running one of them raises
    """
    rows.converted()  # In stock, they are instances before anything is prefetched for them.
    found: list[FetchedRows] = []
    for step in steps:
        owner = rows if step.owner < 0 else found[step.owner]
        related = Related(step, owner)
        owner.related.append(related)
        found.append(related.rows)


class Answer(NamedTuple):
    """What ``get_prefetch_querysets`` of Django's prefetchers returns, after the queryset.

    :param key_of_related: from a related object to the key by which it belongs to its owner
    :param key_of_owner: the same for an owner
    :param is_single: whether an owner has but one
    :param cache_name: under which name an owner keeps what is found
    :param is_descriptor: whether that is set by a descriptor
    """

    key_of_related: Callable[[Any], Any]
    key_of_owner: Callable[[Any], Any]
    is_single: bool
    cache_name: str
    is_descriptor: bool


class Related:
    """The related objects that one query has found for some rows.

    :param step: the query
    :param owner: the rows
    :raises Exception: what running the query raises
    """

    def __init__(self, step: PrefetchQuery, owner: FetchedRows) -> None:
        self._step = step
        self.attribute = step.attribute
        self._keys: list[Any] = []
        self._related_keys: list[Any] = []
        self._owners: list[Any] = []
        if not owner.converted():
            self.rows = FetchedRows(unfiltered(step, _bare_of(owner)), is_run=False)
            return
        objects = list(_bare_objects(owner, step.keys.of_object))
        prefetcher, *_ = get_prefetcher(objects[0], step.name, step.attribute)
        queryset = _with_rows(unfiltered(step, objects[0]), lambda queryset: ())
        queryset, *answer = prefetcher.get_prefetch_querysets(objects, [queryset])
        self._answer = Answer(*answer)
        # It has not been run, whatever it believes.
        self.rows = FetchedRows(_with_rows(queryset, ModelIterable))
        self._keys = list(map(self._answer.key_of_owner, objects))
        self._related_keys = list(
            _keys_of_rows(self.rows, step.keys.of_related, self._answer.key_of_related)
        )
        if self._cache is not None:
            known = set(self._keys)
            for each in self._related_keys:
                if each not in known:  # to Python, that is; as Django has it
                    raise KeyError(each)

    def add_to(self, layout: RowLayout, position: int) -> None:
        """Add what is found to the layout of the rows, beside which it stands at some position."""
        single = self._step.keys.single
        if single is None:
            layout.collections[self.attribute] = Collection(position, self.rows.layout)
        else:
            field, is_reverse = single
            may_be_none = not is_reverse and field.null
            layout.prefetched[single] = Relation(self.rows.layout, may_be_none, position=position)

    def beside(self) -> Iterator[Any]:
        """Return what stands beside each row: a list of rows; or one, None if there is none."""
        by_key: dict[Any, RelatedRows] = {}
        for key, row in zip(self._related_keys, self.rows.rows(), strict=True):
            found = by_key.get(key)
            if found is None:
                found = by_key[key] = RelatedRows()
            found.append(row)
        if self._step.keys.single is None:
            return (by_key[key] if key in by_key else RelatedRows() for key in self._keys)
        return (by_key[key][0] if key in by_key else None for key in self._keys)

    def give(self, instances: list[Any], owner: FetchedRows) -> None:
        """Let the instances of some rows know the related ones: when somebody looks at them."""
        if not instances:
            return
        if self._cache is not None:
            self._owners = instances
        lookup, level = self._step.lookup, self._step.level
        is_own_attribute = lookup.get_current_to_attr(level)[1]
        # Django 6.1 changes the queryset of a Prefetch for each object that it is given to.
        is_changed = VERSION >= (6, 1) and lookup.get_current_querysets(level) is not None
        if owner.makers is None or is_own_attribute or is_changed:
            for each in instances:
                each.__dict__.setdefault(PREFETCHED, {})
            prefetcher = _Answered((self.objects, *self._answer))
            prefetch_one_level(instances, prefetcher, lookup, level)
        elif self._step.keys.single is None:
            self._give_many(instances, owner, owner.collection_makers)
        else:
            self._give_one(instances, owner, owner.makers)

    def _give_one(self, instances: list[Any], owner: FetchedRows, makers: Makers) -> None:
        """Let each instance keep its row in the place of one related object."""
        relation: Any = self._step.keys.single
        name = cache_name(*relation)
        position = owner.layout.prefetched[relation].position

        def make(instance: Any, row: Any) -> Any:
            makers.shared.add(name)
            return self._by_row[id(row[position])]

        makers.by_name[name] = make
        for instance, row in zip(instances, owner.rows(), strict=True):
            instance.__dict__.setdefault(PREFETCHED, {})
            state = instance._state
            cache = state.fields_cache
            if type(cache) is not LazyCache:
                state.fields_cache = cache = LazyCache.of(cache, makers)
            cache[name] = None if row[position] is None else row

    def _give_many(self, instances: list[Any], owner: FetchedRows, makers: Makers) -> None:
        """Let each instance keep the rows of its related objects."""
        name = self._answer.cache_name
        layout = owner.layout
        position = layout.collections[self.attribute].position
        keys = {owner.model._meta.pk.attname, self._step.keys.of_object}
        positions = {key: layout.columns[key] for key in keys}

        def objects(rows: RelatedRows) -> list[Any]:
            makers.shared.add(name)
            if rows.objects is None:
                rows.objects = [self._by_row[id(row)] for row in rows]
            return rows.objects

        def make(instance: Any, rows: RelatedRows) -> Any:
            found = objects(rows)
            with as_it_was(instance, {key: rows.owner[at] for key, at in positions.items()}):
                manager = getattr(instance, self._step.name)
                # As its get_queryset does, but for a look into the cache.
                queryset = manager._apply_rel_filters(unfiltered(self._step, instance))
            queryset._result_cache = found
            queryset._prefetch_done = True
            return queryset

        makers.by_name[name] = make
        makers.objects[name] = objects
        for instance, row in zip(instances, owner.rows(), strict=True):
            attributes = instance.__dict__
            cache = attributes.get(PREFETCHED)
            if type(cache) is not LazyCache:
                attributes[PREFETCHED] = cache = LazyCache.of(cache or {}, makers, instance)
            cache[name] = rows = row[position]
            rows.owner = row

    @cached_property
    def objects(self) -> list[Any]:
        """Return the related instances, which know what belongs to them."""
        related = self.rows.instances(with_related=False)
        if self._cache is not None:
            owners = dict(zip(self._keys, self._owners, strict=True))
            for each, key in zip(related, self._related_keys, strict=True):
                self._cache.set_cached_value(each, owners[key])
        self.rows.give_related(related)
        return related

    @cached_property
    def _by_row(self) -> dict[int, Any]:
        """Return the related instances by their rows, which may be equal: by their identities."""
        return dict(zip(map(id, self.rows.rows()), self.objects, strict=True))

    @cached_property
    def _cache(self) -> Any:
        """Return what keeps the one object of each related one; None if that is not to be told."""
        keys = self._step.keys
        # select_related may have loaded it with them.
        if keys.back is None or (not keys.single and keys.back in self.rows.own_layout.relations):
            return None
        field, is_reverse = keys.back
        return field.remote_field if is_reverse else field


class _Answered:
    """Stands for a prefetcher whose query has been run.

    :param answer: what it says, related objects first
    """

    def __init__(self, answer: tuple[Any, ...]) -> None:
        self._answer = answer

    def get_prefetch_querysets(self, instances: list[Any], querysets: Any = None) -> Any:
        """Return the same as Django's prefetchers have it."""
        return self._answer


def fetch(queryset: Any) -> FetchedRows:
    """Run the query of a queryset, and those of what it prefetches if that may be rows.

    :func:`is_all_fetched` says whether the latter was so.

    :param queryset: see :func:`fastschema.contrib.django.lists.queryset_rows.is_fetchable`
    :raises Exception: what running one of them raises
    """
    rows = FetchedRows(queryset)
    if not queryset._prefetch_related_lookups or rows.are_too_few:
        return rows
    try:
        steps = steps_of(queryset, rows)
    except Exception:
        return rows  # Django prefetches; it raises what is wrong with a queryset in its turn
    rows.converted()
    try:
        prefetch(rows, steps)
    except Exception:
        queryset._result_cache = LazyInstanceList(rows)
        raise
    queryset._prefetch_done = True
    return rows


def is_all_fetched(queryset: Any) -> bool:
    """Whether :func:`fetch` has left nothing to prefetch for Django."""
    return not queryset._prefetch_related_lookups or queryset._prefetch_done


def described(queryset: Any) -> FetchedRows:
    """Return what is known of the rows of a queryset, and of what it prefetches; no query is run.

    :raises NotRowReadableError: if code of users has a say in what is prefetched
    """
    rows = FetchedRows(queryset, is_run=False)
    if queryset._prefetch_related_lookups:
        rows.steps = steps_of(queryset, rows)
        prefetch(rows, rows.steps)
    return rows


def fetch_in_blocks(queryset: Any, chunk_size: int) -> FetchedRows | None:
    """Run the query of a queryset, whose rows :func:`blocks` gives as they are read.

    :param queryset: see :func:`fastschema.contrib.django.lists.queryset_rows.is_fetchable`
    :param chunk_size: how many rows to read at a time
    :returns: None, and no query is run, if somebody could tell that they are no instances
    :raises Exception: what running the query raises
    """
    try:
        known = described(queryset)
        is_readable = bool(known.layout) and known.converters is not None
    except Exception:
        return None  # Django raises its own, if it does
    if not is_readable or getattr(known.fetch_mode, "track_peers", False):
        return None
    rows = FetchedRows(queryset, chunk_size)
    rows.steps = known.steps
    return rows


def blocks(fetched: FetchedRows) -> Generator[FetchedRows]:
    """Yield the rows that :func:`fetch_in_blocks` gives, with what is prefetched for each block.

    Closing it closes the cursor.
    """
    with closing(fetched.blocks()) as found:
        for block in found:
            if fetched.steps:
                prefetch(block, fetched.steps)
            yield block


def fetch_lazily(queryset: Any) -> list[Any]:
    """Run the query of a queryset, and return its instances, or :class:`LazyInstanceList`.

    In the former nothing is prefetched yet.

    :param queryset: see :func:`fastschema.contrib.django.lists.queryset_rows.is_fetchable`
    :raises Exception: what running the query, or converting its values, raises
    """
    rows = fetch(queryset)
    if is_all_fetched(queryset) and rows.are_readable:
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
        queryset._result_cache = fetch_lazily(queryset)
    queryset._fetch_all()  # prefetches, where that is left to Django
    rows: list[Any] = queryset._result_cache
    return rows


def _with_rows(queryset: Any, iterable: Any) -> Any:
    """Return a queryset that is the same, but for what makes its objects; nothing is
    prefetched there.
    """
    queryset = queryset._chain()
    queryset._iterable_class = iterable
    queryset._prefetch_related_lookups = ()
    return queryset


def _bare_of(rows: FetchedRows) -> Any:
    return bare(rows.model, rows.db, rows.fetch_mode)


def _bare_objects(rows: FetchedRows, attribute: str) -> Iterator[Any]:
    """Instances of rows that know nothing but their keys."""
    key = rows.model._meta.pk.attname
    columns = rows.own_layout.columns
    positions = columns[key], columns[attribute]
    state = _bare_of(rows)._state
    for row in rows.converted():
        instance = object.__new__(rows.model)
        instance.__dict__.update(
            {"_state": state, key: row[positions[0]], attribute: row[positions[1]]}
        )
        yield instance


def _keys_of_rows(rows: FetchedRows, attribute: str, key_of: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the key of each row, from an attribute that its instance would have."""
    position = rows.own_layout.column(attribute)
    instance = _bare_of(rows)
    found: dict[Any, Any] = {}
    for row in rows.converted():
        value = row[position]
        if value not in found:
            instance.__dict__[attribute] = value
            found[value] = key_of(instance)
        yield found[value]
