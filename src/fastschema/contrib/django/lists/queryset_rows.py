"""Run the query of a queryset, and make the instances of its rows for whoever asks.

Only for models of which nobody can tell how their instances are made; see
:mod:`fastschema.contrib.django.lists.row_layout`.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Generator, Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

from django.db import connections
from django.db import router as routers
from django.db.models import QuerySet
from django.db.models.base import ModelState
from django.db.models.query import ModelIterable

from fastschema.contrib.django.app import conf
from fastschema.contrib.django.lists.lazy_caches import LazyCache, Makers
from fastschema.contrib.django.lists.row_layout import (
    Converters,
    Joined,
    NotRowReadableError,
    RowLayout,
    cache_name,
    converted_rows,
    pure_converters,
    row_layout_of,
)
from fastschema.runtime import thresholds
from fastschema.runtime.locks import Locked
from fastschema.runtime.patching import stock_method

if TYPE_CHECKING:
    from functools import cached_property
else:  # that of functools has a lock before Python 3.12, one for all objects
    from django.utils.functional import cached_property

_STOCK = {
    name: stock_method(QuerySet, name)
    for name in ("__iter__", "__len__", "__getitem__", "_fetch_all", "_clone", "_chain", "iterator")
}
_STOCK_ITER = stock_method(ModelIterable, "__iter__")


def is_stock_queryset(rows: Any) -> bool:
    """Whether iterating over a queryset gives the instances of its rows, and nobody has a say."""
    return (
        isinstance(rows, QuerySet)
        and all(getattr(type(rows), name) is method for name, method in _STOCK.items())
        and _STOCK.keys().isdisjoint(vars(rows))
        and rows._iterable_class is ModelIterable
        and ModelIterable.__iter__ is _STOCK_ITER
    )


def check_fetchable(rows: Any) -> None:
    """Check that the query of a queryset can be run in its place.

    :raises NotRowReadableError: if not
    """
    if not conf.settings().rows:
        raise NotRowReadableError('the setting FASTSCHEMA["ROWS"] is False')
    if not is_stock_queryset(rows):
        raise NotRowReadableError(f"{type(rows).__name__} is not a plain QuerySet")
    if rows._result_cache is not None:
        raise NotRowReadableError("the queryset has been evaluated")
    if routers.routers:
        raise NotRowReadableError("DATABASE_ROUTERS may be asked about instances")


def is_fetchable(rows: Any) -> bool:
    """Whether the query of a queryset can be run in its place."""
    try:
        check_fetchable(rows)
    except NotRowReadableError:
        return False
    return True


class FetchedRows(Locked):
    """What the database answered to the query of a queryset, which threads may share.

    :param queryset: see :func:`is_fetchable`
    :param chunk_size: how many rows to read at a time, as for ``QuerySet.iterator``; None: all of
        them, now
    :param is_run: whether to run the query; else there are no rows, only what is known of them
    :raises Exception: what running the query raises in stock
    """

    def __init__(
        self, queryset: Any, chunk_size: int | None = None, *, is_run: bool = True
    ) -> None:
        super().__init__()
        self.model = queryset.model
        self.db = queryset.db
        # Not the queryset, which will refer to this.
        self._attributes = SimpleNamespace(**vars(queryset))
        self.fetch_mode = getattr(queryset, "_fetch_mode", None)
        """That of the queryset; None before Django 6.1."""
        # A copy, if the queryset may run it later: the setup adds joins to the query.
        query = queryset.query if is_run else queryset.query.chain()
        self.compiler = query.get_compiler(using=self.db)
        self._results: Iterable[Any] = ()
        if is_run:
            self._results = self.compiler.execute_sql(**self._chunks(chunk_size))
        else:
            self.compiler.pre_sql_setup()
        self._converted: list[Any] | None = None
        self._instances: list[Any] | None = None
        self.makers: Makers | None = None
        """What makes the single related objects of the instances, if they keep their rows."""

    def _chunks(self, chunk_size: int | None) -> dict[str, Any]:
        if chunk_size is None:
            return {}
        has_cursors = not connections[self.db].settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
        return {"chunked_fetch": has_cursors, "chunk_size": chunk_size}

    def __len__(self) -> int:
        with self.lock:
            return sum(map(len, self._results)) if self._converted is None else len(self._converted)

    def converted(self) -> list[Any]:
        """Return the rows with values as model instances have them, each a tuple or a list.

        :raises Exception: what converting them raises in stock
        """
        with self.lock:
            if self._converted is None:
                self._converted = list(
                    converted_rows(self.compiler, self._results, self.converters)
                )
                self._results = ()
            return self._converted

    def rows(self) -> list[Any]:
        """Return the rows as :attr:`table` says."""
        return self.converted()

    def instances(self) -> list[Any]:
        """Return the model instances of the rows, always the same."""
        with self.lock:
            if self._instances is None:
                self._instances = self._made()
            return self._instances

    @property
    def has_instances(self) -> bool:
        """Whether instances were made of the rows, for whoever asked."""
        return self._instances is not None

    def places(self) -> list[RowPlace]:
        """Return what stands for the instances of the rows."""
        return [RowPlace(self, number) for number in range(len(self))]

    def attribute(self, number: int, name: str) -> Any:
        """Return an attribute of the instance of one row, without making instances if it can be.

        :raises Exception: what reading it from the instance raises
        """
        if not self.has_instances:
            try:
                return self.rows()[number][self.table.column(name)]
            except NotRowReadableError:
                pass
        return getattr(self.instances()[number], name)

    def _made(self) -> list[Any]:
        is_stock = self._make is None and self._converted is None
        rows = self._unconverted() if is_stock else self.converted()
        return list(self._made_by_django(rows) if self._make is None else map(self._make, rows))

    def made_by_django(self) -> list[Any]:
        """Further model instances of the rows, made by Django; where it has made them, those."""
        if self._converted is None:
            return self.instances()
        return list(self._made_by_django(self._converted))

    def _made_by_django(self, rows: Iterable[Any]) -> Iterator[Any]:
        return iter(ModelIterable(_Executed(self._attributes, self.compiler, self.db, rows)))

    def blocks(self) -> Generator[FetchedRows]:
        """Yield the rows, some at a time as they are read; only once.

        Closing it closes the cursor.
        """
        try:
            for results in self._results:
                yield self._block(results)
        finally:
            if isinstance(self._results, Generator):
                self._results.close()

    def _block(self, results: Any) -> Self:
        """Return some of the rows, as what the database answered to a query for them."""
        block = copy.copy(self)
        Locked.__init__(block)
        block._results = [results]
        return block

    def _unconverted(self) -> Iterable[Any]:
        """Return the rows, which stock converts one by one as it makes their instances."""
        rows: Iterable[Any] = self.compiler.results_iter(self._results)
        return rows

    @cached_property
    def converters(self) -> Converters | None:
        """Return the converters of the query; None if code of users is among them."""
        return pure_converters(self.compiler)

    @cached_property
    def table(self) -> RowLayout:
        """Return what stands where in the rows.

        :raises NotRowReadableError: if somebody could tell that no instances are made of them
        """
        return row_layout_of(self.compiler)

    @property
    def are_too_few(self) -> bool:
        """Whether stock makes instances of so few rows in less time than it takes to look at them.

        Only for rows that are there.
        """
        return self._converted is None and len(self) < thresholds.rows_worth_reading_by_column

    @property
    def are_readable(self) -> bool:
        """Whether anything may be read of the rows, and that pays."""
        return not self.are_too_few and self._has_table

    def keep_rows(self) -> None:
        """Let the instances, which are not made yet, keep their rows in place of related objects.

        Those are made when somebody asks for them; see :mod:`lazy_caches`.
        """
        self.makers = Makers()

    @property
    def may_keep_rows(self) -> bool:
        """Whether the instances can keep their rows, and that pays."""
        return self._instances is None and not self.are_too_few and self._may_be_made

    @cached_property
    def _has_table(self) -> bool:
        try:
            return bool(self.table)
        except NotRowReadableError:
            return False

    @cached_property
    def _may_be_made(self) -> bool:
        """Return whether nobody can tell that it is not Django that makes the instances."""
        tracks_peers = getattr(self.fetch_mode, "track_peers", False)
        if self._attributes._known_related_objects or tracks_peers:
            return False
        return self._has_table

    @cached_property
    def _make(self) -> Make | None:
        """Return what makes instances of rows; None if stock must, for somebody could tell."""
        if isinstance(self._results, list) and self.are_too_few:
            return None
        if not self._may_be_made:
            return None
        return instance_maker(self.table, self.db, self.fetch_mode, self.makers)


class RowPlace(dict[str, Any]):
    """Stands for the instance of a row, and gives its attributes as items.

    Of a dictionary, ``CursorPagination`` reads items. No column can have the name of one of its
    attributes then.

    :param fetched: the rows
    :param number: which of them it is
    """

    __slots__ = ("fetched", "number")

    def __init__(self, fetched: FetchedRows, number: int) -> None:
        self.fetched = fetched
        self.number = number

    def __missing__(self, name: str) -> Any:
        return self.fetched.attribute(self.number, name)

    def __bool__(self) -> bool:
        return True


class _Executed:
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
    def query(self) -> _Executed:
        return self

    def get_compiler(self, using: str) -> _Executed:
        return _Executed(self._compiler, None, using, self._rows)

    def execute_sql(self, **arguments: Any) -> None:
        """Return the results of the query, which has been executed."""

    def results_iter(self, results: Any) -> Iterator[Any]:
        return iter(self._rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._owner, name)


class LazyInstanceList(list[Any]):
    """The model instances of rows, as a list that is filled when somebody looks into it.

    :param fetched: the rows
    :param numbers: which of them, in which order; None: all
    """

    def __init__(self, fetched: FetchedRows, numbers: list[int] | None = None) -> None:
        super().__init__()
        self._source: FetchedRows | None = fetched
        self._numbers = numbers

    @property
    def fetched(self) -> FetchedRows | None:
        """The rows; None once there are instances of them, which somebody may have changed."""
        fetched = self._source
        return None if fetched is None or fetched.has_instances else fetched

    def rows(self) -> list[Any]:
        """Return the rows of the list, while :attr:`fetched` is not None."""
        assert self._source is not None
        return self._chosen(self._source.rows())

    def made_by_django(self) -> list[Any]:
        """Return instances of the rows that Django has made; see :class:`FetchedRows`."""
        assert self._source is not None
        return self._chosen(self._source.made_by_django())

    def places(self) -> list[RowPlace]:
        """Return what stands for the instances, while :attr:`fetched` is not None."""
        assert self._source is not None
        return self._chosen(self._source.places())

    def fill(self) -> None:
        """Make the instances."""
        fetched = self._source
        if fetched is not None:
            super().__setitem__(slice(None), self._chosen(fetched.instances()))
            self._source = None

    def _chosen(self, rows: list[Any]) -> list[Any]:
        numbers = self._numbers
        return rows if numbers is None else [rows[number] for number in numbers]

    def __len__(self) -> int:
        if self._source is None:
            return super().__len__()
        return len(self._source) if self._numbers is None else len(self._numbers)

    def __radd__(self, other: list[Any]) -> list[Any]:
        return other + list(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return list, (list(self),)


def _filled(name: str) -> Callable[..., Any]:
    """Return a method of lists that makes the instances first."""
    method = getattr(list, name)

    @functools.wraps(method)
    def call(self: LazyInstanceList, /, *args: Any, **kwargs: Any) -> Any:
        self.fill()
        others = [list(each) if isinstance(each, LazyInstanceList) else each for each in args]
        return method(self, *others, **kwargs)

    return call


# All that looks into a list or changes it.
for _name in sorted(vars(list).keys() - vars(LazyInstanceList).keys() - vars(object).keys()):
    if _name not in ("__class_getitem__", "__hash__"):
        setattr(LazyInstanceList, _name, _filled(_name))
for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__"):
    setattr(LazyInstanceList, _name, _filled(_name))


Make = Callable[[Any], Any]
"""From a row to an instance."""


def instance_maker(table: RowLayout, db: str, fetch_mode: Any, makers: Makers | None) -> Make:
    """Return what makes an instance of each row, with its related objects.

    The same as ``ModelIterable`` and ``Model.from_db`` make, down to the order of attributes.

    :param table: what stands where in the rows
    :param db: the alias of the database
    :param fetch_mode: that of the queryset; None before Django 6.1
    :param makers: gets what makes the related objects when somebody looks; None: they are made now
    """
    model, new = table.model, object.__new__
    names = list(table.columns)
    start, end = min(table.columns.values()), max(table.columns.values()) + 1
    keys = table.foreign_keys
    relations = [
        (
            cache_name(*relation),
            joined.table.key,
            _related_maker(joined, db, fetch_mode, None if makers is None else Makers()),
        )
        for relation, joined in table.relations.items()
    ]
    knows_back = any(joined.set_there is not None for joined in table.relations.values())
    annotations = list(table.annotations.items())
    if makers is not None:
        makers.by_name.update({name: maker for name, _, maker in relations})

    def make(row: Any) -> Any:
        instance = new(model)
        attributes = instance.__dict__
        attributes["_state"] = state = ModelState()
        cache: dict[str, Any] = {}
        if makers is not None and relations:
            if type(row) is not tuple:
                row = tuple(row)  # as LazyCache knows it
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


def _related_maker(
    joined: Joined, db: str, fetch_mode: Any, makers: Makers | None
) -> Callable[[Any, Any], Any]:
    """Return what makes a related object, of an instance and the row in which it was loaded."""
    make = instance_maker(joined.table, db, fetch_mode, makers)
    set_there = joined.set_there
    if set_there is None:
        return lambda instance, row: make(row)

    def make_and_set(instance: Any, row: Any) -> Any:
        related = make(row)
        set_there(related, instance)
        return related

    return make_and_set
