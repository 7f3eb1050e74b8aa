"""Querysets and their compilers, as Django has them inside."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from types import SimpleNamespace
from typing import Any, NamedTuple

from django.db import connections
from django.db.models import CharField, QuerySet, TextField
from django.db.models.expressions import Col
from django.db.models.fields.json import JSONField
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    NamedValuesListIterable,
    ValuesIterable,
    ValuesListIterable,
)
from django.db.models.sql.compiler import SQLCompiler

from fastschema.runtime.patching import overridden, stock_method

# Querysets: query.py

_QUERYSET = {
    name: stock_method(QuerySet, name)
    for name in (
        *("__iter__", "__len__", "__getitem__", "_fetch_all", "_clone", "_chain"),
        *("iterator", "_iterator"),
    )
}
_ITERABLES = {
    cls: stock_method(cls, "__iter__")
    for cls in (
        *(ModelIterable, ValuesIterable, ValuesListIterable),
        *(NamedValuesListIterable, FlatValuesListIterable),
    )
}
"""What makes the objects of a queryset, as ``values()`` and the like choose it."""


def iterates_as_django(rows: Any) -> bool:
    """Return whether iterating gives the instances of rows, without code of users."""
    return iterates_as_stock(rows) and rows._iterable_class is ModelIterable


def iterates_as_stock(rows: Any) -> bool:
    """Return whether iterating gives what Django makes of rows: instances, or their values."""
    if not issubclass(type(rows), QuerySet) or overridden(rows, _QUERYSET) is not None:
        return False
    iterable = rows._iterable_class
    return iterable in _ITERABLES and iterable.__iter__ is _ITERABLES[iterable]


def results_of(queryset: Any) -> Any:
    """Return the list of results that a queryset keeps; None if it has not been evaluated."""
    return queryset._result_cache


def give_results(queryset: Any, results: list[Any], *, is_prefetched: bool = False) -> None:
    """Let a queryset have results, as if it had been evaluated, and perhaps prefetched for."""
    queryset._result_cache = results
    if is_prefetched:
        queryset._prefetch_done = True


def evaluated(queryset: Any) -> list[Any]:
    """Return the results of a queryset, which runs what has not been run: ``_fetch_all``."""
    queryset._fetch_all()
    results: list[Any] = queryset._result_cache
    return results


def evaluates_as_stock(cls: type[QuerySet[Any]]) -> bool:
    return cls._fetch_all is QuerySet._fetch_all


def prefetch_lookups(queryset: Any) -> Sequence[Any]:
    """Return what ``prefetch_related`` was given: names and ``Prefetch`` objects."""
    lookups: Sequence[Any] = queryset._prefetch_related_lookups
    return lookups


def mark_prefetched(queryset: Any) -> None:
    """Let a queryset prefetch nothing when it is evaluated."""
    queryset._prefetch_done = True


def fetch_mode_of(queryset: Any) -> Any:
    """Return what decides what instances load later; None before Django 6.1."""
    return getattr(queryset, "_fetch_mode", None)


def tracks_peers(fetch_mode: Any) -> bool:
    """Return whether instances know the others of their query, to load for all of them at once."""
    return getattr(fetch_mode, "track_peers", False)


def comes_from_relation(queryset: Any) -> bool:
    """Return whether a related manager has told a queryset objects to which its rows belong."""
    return bool(queryset._known_related_objects)


def with_iterable(queryset: Any, iterable: Any) -> Any:
    """Return a copy of a queryset, in which ``iterable`` makes the objects of it."""
    copied = queryset._chain()
    give_iterable(copied, iterable)
    return copied


def give_iterable(queryset: Any, iterable: Any = ModelIterable) -> None:
    """Let something else make the objects of a queryset, or its instances again."""
    queryset._iterable_class = iterable


def instances_of(queryset: Any, **arguments: Any) -> list[Any]:
    """Return the instances of a queryset, its query run as stock runs it; nothing is prefetched."""
    return list(ModelIterable(queryset, **arguments))


def without_prefetches(queryset: Any, iterable: Any = ModelIterable) -> Any:
    """Return a copy of a queryset that prefetches nothing."""
    copied = with_iterable(queryset, iterable)
    copied._prefetch_related_lookups = ()
    return copied


def is_combined(queryset: Any) -> bool:
    """Return whether a query is a ``union()`` or the like."""
    return bool(queryset.query.combinator)


def is_nothing(queryset: Any) -> bool:
    """Return whether a queryset is that of ``QuerySet.none()``, and no query is run."""
    return isinstance(queryset, QuerySet) and bool(queryset.query.is_empty())


# Queries that are run by their compiler: sql/compiler.py

_COMPILER = {
    name: stock_method(SQLCompiler, name)
    for name in ("results_iter", "get_converters", "apply_converters", "has_composite_fields")
}
_PURE_MODULES = frozenset(
    f"django.db.backends.{name}.operations" for name in ("base", "mysql", "postgresql", "sqlite3")
)
_SQLITE = "django.db.backends.sqlite3.operations"

Converters = dict[int, tuple[list[Any], Any]]
"""As ``SQLCompiler.get_converters`` returns them: by the position of a column, functions that take
a value, the expression and the connection; and the expression."""


class SelectedModel(NamedTuple):
    """A model whose columns a query selects: ``klass_info`` of a compiler.

    :param columns: the positions of its columns, by the names of attributes
    """

    model: Any
    columns: dict[str, int]
    is_parent: bool
    relations: list[SelectedRelation]

    def models(self) -> Iterator[Any]:
        yield self.model
        for relation in self.relations:
            yield from relation.related.models()


class SelectedRelation(NamedTuple):
    """A relation to one object, by its foreign key, that ``select_related`` follows."""

    field: Any
    is_reverse: bool
    set_there: Callable[[Any, Any], None]
    related: SelectedModel


class CompiledQuery:
    """The query of a queryset, with the compiler that runs it.

    :param is_run: whether :meth:`execute` is to be called; else it is only known what the query
        selects, and the queryset may run it later
    """

    def __init__(self, queryset: Any, *, is_run: bool) -> None:
        self.model = queryset.model
        self.db = queryset.db
        self.fetch_mode = fetch_mode_of(queryset)
        self.comes_from_relation = comes_from_relation(queryset)
        self.select_related = queryset.query.select_related
        self.prefetch_lookups = prefetch_lookups(queryset)
        # Not the queryset, which will refer to what has this.
        self._attributes = SimpleNamespace(**vars(queryset))
        # The setup adds joins to a query.
        sql_query = queryset.query if is_run else queryset.query.chain()
        self._compiler = sql_query.get_compiler(using=self.db)
        if not is_run:
            self._compiler.pre_sql_setup()

    def execute(self, chunk_size: int | None) -> Iterable[list[Any]]:
        """Run the query, and return its rows, some at a time; without a chunk size, all now."""
        arguments: dict[str, Any] = {}
        if chunk_size is not None:
            settings = connections[self.db].settings_dict
            has_cursors = not settings.get("DISABLE_SERVER_SIDE_CURSORS")
            arguments = {"chunked_fetch": has_cursors, "chunk_size": chunk_size}
        results: Iterable[list[Any]] = self._compiler.execute_sql(**arguments)
        return results

    def converted(self, results: Iterable[list[Any]]) -> Iterator[Any]:
        """Return rows with values as instances have them, converted by Django one by one."""
        rows: Iterator[Any] = self._compiler.results_iter(results)
        return rows

    def instances(self, rows: Iterable[Any]) -> list[Any]:
        return list(self._made_by(ModelIterable, rows))

    def iterate(self, chunk_size: int) -> Generator[Any]:
        """Run the query, and yield what ``QuerySet.iterator`` yields, but prefetch nothing.

        ``QuerySet.iterator`` leaves its cursor to the garbage collector where an exception comes
        from below it: from a converter, ``from_db`` or a receiver of ``post_init``.
        """
        with closing_results(self.execute(chunk_size)) as results:
            yield from self._made_by(self._attributes._iterable_class, self.converted(results))

    def _made_by(self, iterable: Any, rows: Iterable[Any]) -> Iterator[Any]:
        """Return what one of Django's iterables makes of converted rows.

        They run the query of a queryset themselves, so they get what stands for one where it has
        been run.
        """

        def results_iter(
            results: Any = None, tuple_expected: bool = False, **arguments: Any
        ) -> Iterator[Any]:
            return map(tuple, rows) if tuple_expected else iter(rows)

        compiler = _StandIn(
            self._compiler, execute_sql=lambda **arguments: None, results_iter=results_iter
        )
        query = _StandIn(self._compiler.query, get_compiler=lambda using: compiler)
        return iter(iterable(_StandIn(self._attributes, db=self.db, query=query)))

    @property
    def connection(self) -> Any:
        return self._compiler.connection

    @property
    def column_count(self) -> int:
        count: int = self._compiler.col_count
        return count

    @property
    def annotations(self) -> dict[str, int]:
        return self._compiler.annotation_col_map or {}

    def selected_model(self) -> SelectedModel | None:
        klass_info = self._compiler.klass_info
        return None if klass_info is None else _selected_model(klass_info, self._compiler.select)

    def selected(self) -> list[Any]:
        """Return what each column of its rows is: a field of a model, or a class of expressions."""
        return [
            column[0].target if type(column[0]) is Col else type(column[0])
            for column in self._compiler.select[: self.column_count]
        ]

    def expression(self, position: int) -> Any:
        return self._compiler.select[position][0]

    def converters(self, positions: Container[int]) -> Converters:
        selected = self._compiler.select[: self.column_count]
        converters: Converters = self._compiler.get_converters(
            [column[0] if number in positions else None for number, column in enumerate(selected)]
        )
        return converters

    def pure_converters(self, positions: Container[int]) -> Converters | None:
        """Return the converters; None if code of users takes part, and Django must convert."""
        if overridden(self._compiler, _COMPILER):
            return None
        converters = self.converters(positions)
        functions = chain.from_iterable([functions for functions, _ in converters.values()])
        return converters if all(map(is_pure_converter, functions)) else None

    @property
    def joins_columns(self) -> bool:
        """Whether several columns make one value."""
        expressions = [column[0] for column in self._compiler.select]
        return bool(self._compiler.has_composite_fields(expressions))


def _selected_model(klass_info: dict[str, Any], select: Any) -> SelectedModel:
    relations = [
        SelectedRelation(
            related["field"],
            related["reverse"],
            related["remote_setter"],
            _selected_model(related, select),
        )
        for related in klass_info.get("related_klass_infos", ())
    ]
    columns = {
        select[position][0].target.attname: position for position in klass_info["select_fields"]
    }
    is_parent = bool(klass_info.get("from_parent"))
    return SelectedModel(klass_info["model"], columns, is_parent, relations)


class _StandIn:
    """An object with some attributes of its own in the place of those of another behind it."""

    def __init__(self, behind: Any, **attributes: Any) -> None:
        self._behind = behind
        vars(self).update(attributes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)


@contextmanager
def closing_results(results: Iterable[list[Any]]) -> Iterator[Iterable[list[Any]]]:
    """Close the cursor behind results, if any, at the end or before an exception leaves."""
    try:
        yield results
    finally:
        if isinstance(results, Generator):
            results.close()


def is_pure_converter(converter: Any) -> bool:
    """Return whether a converter is Django's own, and runs no code of users."""
    if getattr(converter, "__func__", None) is JSONField.from_db_value:
        return converter.__self__.decoder is None
    return getattr(converter, "__module__", None) in _PURE_MODULES


def name_in_sqlite(converter: Any) -> str | None:
    """Return the name of a converter of SQLite's, without importing SQLite; None for any other.

    For the function that ``get_decimalfield_converter`` returns, it is that name.
    """
    if converter.__module__ != _SQLITE:
        return None
    name: str = converter.__qualname__
    return name.removeprefix("DatabaseOperations.").removesuffix(".<locals>.converter")


_EXACT_VENDORS = ("postgresql", "sqlite")
"""Databases to which two texts are equal if they are equal to Python, unless a column says more."""


def is_exact(column: Any, vendor: str) -> bool:
    """Return whether a database takes two values of a column for equal only if Python does."""
    is_text = isinstance(column, (CharField, TextField))
    return not is_text or (column.db_collation is None and vendor in _EXACT_VENDORS)
