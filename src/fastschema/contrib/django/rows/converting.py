"""From what a database driver returns to the values that model instances have.

Stock calls each converter for each row. Those of Django itself, which do nothing but convert, are
called a column at a time; the most frequent values are converted right here.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

from django.conf import settings
from django.db.models.fields.json import JSONField
from django.db.models.sql.compiler import SQLCompiler

from fastschema.runtime.stock import stock_method

_STOCK = {
    name: stock_method(SQLCompiler, name)
    for name in ("results_iter", "get_converters", "apply_converters", "has_composite_fields")
}
_PURE_MODULES = frozenset(
    f"django.db.backends.{name}.operations" for name in ("base", "mysql", "postgresql", "sqlite3")
)
_SQLITE = "django.db.backends.sqlite3.operations"
_TO_DATETIME = "DatabaseOperations.convert_datetimefield_value"
_CLASSES = {
    _TO_DATETIME: datetime.datetime,
    "DatabaseOperations.convert_datefield_value": datetime.date,
    "DatabaseOperations.convert_timefield_value": datetime.time,
    "DatabaseOperations.convert_booleanfield_value": bool,
}
"""SQLite's converters by name, since importing them imports SQLite; values of exactly these classes
stay what they are."""
_SLOW = (
    "DatabaseOperations.convert_uuidfield_value",
    "DatabaseOperations.get_decimalfield_converter.<locals>.converter",
)
_MOST_REMEMBERED = 10_000

Column = Iterable[Any]
Convert = Callable[[Any], Any]
Converters = dict[int, tuple[list[Any], Any]]
"""As ``SQLCompiler.get_converters`` returns them: by the position of a column, functions that take
a value, the expression and the connection; and the expression."""


def converted_rows(
    compiler: Any, results: Iterable[list[Any]], converters: Converters | None
) -> Iterator[Any]:
    """The rows of a query, with values as model instances have them.

    :param compiler: the one that has executed the query
    :param results: what it returned: rows, some at a time
    :param converters: its :func:`pure_converters`
    :returns: tuples or lists
    :raises Exception: what a converter raises, for the row for which it does in stock
    """
    if converters is None:
        rows: Iterator[Any] = compiler.results_iter(results)
        return rows
    if not converters:
        return chain.from_iterable(results)
    by_column: list[tuple[int, Callable[[Column], Column]]] = [
        (position, _convert_column(function, expression, compiler.connection))
        for position, (functions, expression) in converters.items()
        for function in functions
    ]
    return chain.from_iterable(_converted(compiler, block, by_column) for block in results)


def converted_by_users(compiler: Any) -> frozenset[int]:
    """The positions of the columns whose values code of users may make."""
    return frozenset(
        position
        for position, (functions, _) in _all_converters(compiler).items()
        if not all(map(_is_pure, functions))
    )


def _all_converters(compiler: Any) -> Converters:
    expressions = [selected[0] for selected in compiler.select[: compiler.col_count]]
    converters: Converters = compiler.get_converters(expressions)
    return converters


def pure_converters(compiler: Any) -> Converters | None:
    """The converters of a query; None if stock must call them row by row."""
    if any(getattr(type(compiler), name) is not method for name, method in _STOCK.items()):
        return None
    if compiler.has_composite_fields([each[0] for each in compiler.select]):
        return None
    converters = _all_converters(compiler)
    is_pure = all(_is_pure(each) for functions, _ in converters.values() for each in functions)
    return converters if is_pure else None


def _is_pure(converter: Any) -> bool:
    """Whether a converter is Django's own, and runs no code of users."""
    if getattr(converter, "__func__", None) is JSONField.from_db_value:
        return converter.__self__.decoder is None
    return getattr(converter, "__module__", None) in _PURE_MODULES


def _converted(
    compiler: Any, block: list[Any], by_column: list[tuple[int, Callable[[Column], Column]]]
) -> Iterable[Any]:
    columns: list[Column] = list(zip(*block, strict=True))
    try:
        for position, convert_column in by_column:
            columns[position] = convert_column(columns[position])
    except Exception:
        rows: Iterable[Any] = compiler.results_iter([block])  # which raises it for the right row
        return rows
    return zip(*columns, strict=True)


def _convert_column(
    function: Any, expression: Any, connection: Any
) -> Callable[[Column], list[Any]]:
    """From the values of a column to what a converter makes of them."""

    def convert(value: Any) -> Any:
        return function(value, expression, connection)

    name = function.__qualname__ if function.__module__ == _SQLITE else None
    if name == _TO_DATETIME and settings.USE_TZ:
        return partial(_aware_datetimes, convert, connection.timezone)
    if name in _CLASSES:
        return partial(_of_class, convert, _CLASSES[name])
    if name in _SLOW:
        return partial(_each_once, _Remembered(convert))
    return lambda column: [convert(value) for value in column]


def _aware_datetimes(convert: Convert, zone: Any, column: Column) -> list[Any]:
    return [
        value.replace(tzinfo=zone)
        if type(value) is datetime.datetime and value.tzinfo is None
        else convert(value)
        for value in column
    ]


def _of_class(convert: Convert, cls: type, column: Column) -> list[Any]:
    return [value if type(value) is cls else convert(value) for value in column]


def _each_once(remembered: _Remembered, column: Column) -> list[Any]:
    return [remembered[value] for value in column]


class _Remembered(dict[Any, Any]):
    """What became of the values of one column so far: those of related objects come often.

    :param convert: what is called for a value that is new
    """

    def __init__(self, convert: Convert) -> None:
        self._convert = convert

    def __missing__(self, value: Any) -> Any:
        converted = self._convert(value)
        # 0.0 equals -0.0.
        if value != 0 and len(self) < _MOST_REMEMBERED:
            self[value] = converted
        return converted
