"""From what a database driver returns to the values that model instances have.

Stock calls each converter for each row. Those of Django itself, which do nothing but convert, are
called a column at a time; the most frequent values are converted right here.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from django.conf import settings
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.sqlite3.operations import DatabaseOperations
from django.db.models.fields.json import JSONField
from django.db.models.sql.compiler import SQLCompiler

_STOCK = {
    name: getattr(SQLCompiler, name)
    for name in ("results_iter", "get_converters", "apply_converters", "has_composite_fields")
}
_PURE_MODULES = frozenset(
    [
        BaseDatabaseOperations.__module__,
        DatabaseOperations.__module__,
        "django.db.backends.mysql.operations",
        "django.db.backends.postgresql.operations",
    ]
)
_TO_DATETIME = DatabaseOperations.convert_datetimefield_value
_TO_DATE = DatabaseOperations.convert_datefield_value
_TO_BOOLEAN = DatabaseOperations.convert_booleanfield_value

Converter = Callable[[Any, Any, Any], Any]


def converted_rows(compiler: Any, results: Iterable[list[Any]]) -> Iterator[Any]:
    """The rows of a query, with values as model instances have them.

    :param compiler: the one that has executed the query
    :param results: what it returned: rows, some at a time
    :returns: tuples or lists
    :raises Exception: what a converter raises, for the row for which it does in stock
    """
    converters = _pure_converters(compiler)
    if converters is None:
        rows: Iterator[Any] = compiler.results_iter(results)
        return rows
    return chain.from_iterable(_converted(compiler, block, converters) for block in results)


def is_converted_by_django(compiler: Any, position: int) -> bool:
    """Whether nobody but Django makes the values of a column."""
    fields = [selected[0] for selected in compiler.select[: compiler.col_count]]
    functions, _ = compiler.get_converters(fields).get(position, ((), None))
    return all(map(_is_pure, functions))


def _pure_converters(compiler: Any) -> dict[int, tuple[list[Converter], Any]] | None:
    """The converters by the positions of their columns; None if stock must call them row by row."""
    if any(getattr(type(compiler), name) is not method for name, method in _STOCK.items()):
        return None
    fields = [selected[0] for selected in compiler.select[: compiler.col_count]]
    if compiler.has_composite_fields(fields):
        return None
    converters: dict[int, tuple[list[Converter], Any]] = compiler.get_converters(fields)
    is_pure = all(_is_pure(each) for functions, _ in converters.values() for each in functions)
    return converters if is_pure else None


def _is_pure(converter: Any) -> bool:
    """Whether a converter is Django's own, and runs no code of users."""
    if getattr(converter, "__func__", None) is JSONField.from_db_value:
        return converter.__self__.decoder is None
    return getattr(converter, "__module__", None) in _PURE_MODULES


def _converted(
    compiler: Any, block: list[Any], converters: dict[int, tuple[list[Converter], Any]]
) -> Iterable[Any]:
    if not converters or not block:
        return block
    columns: list[Any] = list(zip(*block, strict=True))
    try:
        for position, (functions, expression) in converters.items():
            for convert in functions:
                column = columns[position]
                columns[position] = _converted_column(
                    column, convert, expression, compiler.connection
                )
    except Exception:
        rows: Iterable[Any] = compiler.results_iter([block])  # which raises it for the right row
        return rows
    return zip(*columns, strict=True)


def _converted_column(
    column: Iterable[Any], convert: Any, expression: Any, connection: Any
) -> list[Any]:
    function = getattr(convert, "__func__", None)
    if function is _TO_DATETIME and settings.USE_TZ:
        zone = connection.timezone
        return [
            value.replace(tzinfo=zone)
            if type(value) is datetime.datetime and value.tzinfo is None
            else convert(value, expression, connection)
            for value in column
        ]
    if function is _TO_DATE or function is _TO_DATETIME:
        cls = datetime.date if function is _TO_DATE else datetime.datetime
        return [
            value if type(value) is cls else convert(value, expression, connection)
            for value in column
        ]
    if function is _TO_BOOLEAN:
        return [
            value if value is True or value is False else convert(value, expression, connection)
            for value in column
        ]
    return [convert(value, expression, connection) for value in column]
