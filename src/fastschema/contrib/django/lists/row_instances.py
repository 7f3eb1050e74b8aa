"""Make model instances of rows, as Django makes them or in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models.base import ModelState

from fastschema.contrib.django.lists.lazy_caches import LazyCache, Makers
from fastschema.contrib.django.lists.row_layout import Relation, RowLayout, cache_name

Make = Callable[[Any], Any]
"""From a row to an instance."""
MakeRelated = Callable[[Any, Any], Any]
"""From an instance, and the row that it was made of, to a related object of it."""


def instance_maker(layout: RowLayout, db: str, fetch_mode: Any, makers: Makers | None) -> Make:
    """Return what makes an instance of each row, with its related objects.

    The same as ``ModelIterable`` and ``Model.from_db`` make, down to the order of attributes.

    :param layout: what stands where in the rows
    :param db: the alias of the database
    :param fetch_mode: that of the queryset; None before Django 6.1
    :param makers: gets what makes the related objects when somebody looks; None: they are made now
    """
    model, new = layout.model, object.__new__
    names = list(layout.columns)
    start, end = min(layout.columns.values()), max(layout.columns.values()) + 1
    keys = layout.foreign_keys
    relations = _related_makers(layout, db, fetch_mode, makers)
    knows_back = any(each.set_there is not None for each in layout.relations.values())
    annotations = list(layout.annotations.items())

    def make(row: Any) -> Any:
        instance = new(model)
        attributes = instance.__dict__
        attributes["_state"] = state = ModelState()
        cache: dict[str, Any] = {}
        if makers is not None and relations:
            cache = lazy = LazyCache()
            lazy.makers = makers
            lazy.instance = instance if knows_back else None
            for name, key, _ in relations:
                cache[name] = None if row[key] is None else row
        for position in keys:
            if row[position] is not None:
                state.fields_cache = cache  # which Django looks into when it sets a key
                break
        state.adding = False
        state.db = db
        if fetch_mode is not None:
            state.fetch_mode = fetch_mode
        attributes.update(zip(names, row[start:end], strict=True))
        if relations:
            state.fields_cache = cache
            if makers is None:
                for name, key, make_related in relations:
                    cache[name] = None if row[key] is None else make_related(instance, row)
        for name, position in annotations:
            attributes[name] = row[position]
        return instance

    return make


def _related_makers(
    layout: RowLayout, db: str, fetch_mode: Any, makers: Makers | None
) -> list[tuple[str, int, MakeRelated]]:
    """Return what makes each object that ``select_related`` has loaded with a row.

    :returns: the name under which the instance has it, the position of its key, and the function
    """
    related = [
        (
            cache_name(*field),
            relation.layout.key,
            _related_maker(relation, db, fetch_mode, None if makers is None else Makers()),
        )
        for field, relation in layout.relations.items()
    ]
    if makers is not None:
        makers.by_name.update({name: make for name, _, make in related})
    return related


def _related_maker(
    relation: Relation, db: str, fetch_mode: Any, makers: Makers | None
) -> MakeRelated:
    make = instance_maker(relation.layout, db, fetch_mode, makers)
    set_there = relation.set_there
    if set_there is None:
        return lambda instance, row: make(row)

    def make_and_set(instance: Any, row: Any) -> Any:
        related = make(row)
        set_there(related, instance)
        return related

    return make_and_set


class ExecutedQuery:
    """Stands for a queryset, for its query and for its compiler, when all is done.

    ``ModelIterable`` asks the queryset for ``db``, ``query``, ``model``, ``_known_related_objects``
    and ``_fetch_mode``; the query for ``get_compiler``; the compiler for ``execute_sql``,
    ``select``, ``klass_info``, ``annotation_col_map`` and ``results_iter``.

    :param owner: has the attributes that are not here
    :param compiler: the compiler
    :param rows: what the compiler gives, converted
    """

    def __init__(self, owner: Any, compiler: Any, db: str | None, rows: Iterable[Any]) -> None:
        self._owner = owner
        self._compiler = compiler
        self._rows = rows
        self.db = db

    @property
    def query(self) -> ExecutedQuery:
        return self

    def get_compiler(self, using: str) -> ExecutedQuery:
        return ExecutedQuery(self._compiler, None, using, self._rows)

    def execute_sql(self, **arguments: Any) -> None:
        """Return the results of the query, which has been executed."""

    def results_iter(self, results: Any) -> Iterator[Any]:
        return iter(self._rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._owner, name)
