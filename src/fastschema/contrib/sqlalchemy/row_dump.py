"""Dump what a statement selects from its rows, where nobody can tell; and say where not."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from weakref import WeakSet

from fastschema.compiler.nodes import Form
from fastschema.contrib.sqlalchemy.row_layout import NotRowReadableError, RowLayout
from fastschema.contrib.sqlalchemy.row_programs import UnloadedError, by_row, columns_of
from fastschema.contrib.sqlalchemy.selection import Selection
from fastschema.report import Report
from fastschema.runtime.bound_program import Dispatch, RowDumper
from fastschema.runtime.front_end import CompiledSchema, DumpingSchema
from fastschema.runtime.json_engine import Engine

logger = logging.getLogger("fastschema")
_warned: WeakSet[type] = WeakSet()


class SelectDumper:
    """A schema that dumps one selection; see :class:`fastschema.runtime.front_end.DumpingSchema`.

    Where the rows cannot be read as they are, they are objects, and dumped as any others.

    :param schema: the compiled schema
    :param statement: a ``Select`` of one mapped class, or a legacy ``Query`` of one
    :param session: a ``Session``, or a ``scoped_session``
    :param is_streamed: whether to fetch the rows some at a time
    :raises TypeError: for another statement or session
    :raises ValueError: for a ``Query`` of another session
    """

    def __init__(
        self, schema: DumpingSchema, statement: Any, session: Any, *, is_streamed: bool = False
    ) -> None:
        self.schema = schema.schema
        self.selection = Selection(statement, session, is_streamed=is_streamed)
        self._compiled = schema
        self._table: RowLayout | None = None

    def dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns for the objects, by generated code where
        that is possible.
        """
        return self._compiled.dump(list(self.selection), True)

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns for the objects, by stock."""
        return self._compiled.stock_dump(list(self.selection), True)

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        """Return a selection is one."""
        return True

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        """Return what dumps the rows, or else the objects.

        :raises Exception: what SQLAlchemy raises when it runs the statement
        """
        dumper = self._compiled.row_dumper(form, None)
        if not isinstance(dumper, Dispatch):
            return dumper
        try:
            self._table, by_rows = table_and_dispatch(self.selection, dumper)
        except NotRowReadableError as reason:
            if isinstance(reason, UnloadedError):
                self._warn(reason)
            return dumper
        return by_rows

    def rows(self, obj: Any) -> Iterable[Any]:
        """Return the rows for the dumper that :meth:`row_dumper` has returned.

        :raises Exception: what SQLAlchemy raises
        """
        selection = self.selection
        if self._table is not None:
            return selection.rows(self._table)
        return selection if selection.is_streamed else list(selection)

    def engine(self) -> Engine:
        """Return the schema's own JSON writer."""
        return self._compiled.engine()

    def stock_encode(self, data: Any) -> bytes:
        """Stock's data as JSON."""
        return self._compiled.stock_encode(data)

    def closing(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield chunks of the selection, and close its cursor after them or when they
        are closed.
        """
        try:
            yield from chunks
        finally:
            self.selection.close()

    def _warn(self, reason: UnloadedError) -> None:
        """Log that rows may be a query each, or more; once for each class of schemas."""
        cls = type(self.schema)
        if cls not in _warned:
            _warned.add(cls)
            logger.warning("%s may ask the database again for each row: %s", cls.__name__, reason)


def table_and_dispatch(selection: Selection, dispatch: Dispatch) -> tuple[RowLayout, Dispatch]:
    """Return what stands where in the rows of a selection, and what dumps them.

    :param dispatch: what dumps the objects
    :raises NotRowReadableError: if objects have to be made
    :raises Exception: what SQLAlchemy raises when it runs the statement
    """
    table = selection.table()
    return table, by_row(dispatch, columns_of(dispatch, table))


def explain_select(schema: CompiledSchema, statement: Any, session: Any) -> Report:
    """Return the report on a schema, with a note on a statement's rows.

    :raises TypeError: for another statement than a select of one mapped class, or another session
    :raises Exception: what SQLAlchemy raises when it runs the statement with ``LIMIT 0``
    """
    selection = Selection(statement, session, is_streamed=False).without_rows()
    note = "The rows are read without making objects."
    try:
        _check(schema, selection)
    except NotRowReadableError as reason:
        note = f"SQLAlchemy makes objects of the rows, because {reason}."
    finally:
        selection.close()
    report = schema.explain()
    return replace(report, notes=[*report.notes, note])


def _check(schema: CompiledSchema, selection: Selection) -> None:
    """Check that rows can be read.

    :raises NotRowReadableError: if they cannot
    """
    dumper = schema.row_dumper(Form.JSON, None)
    if not isinstance(dumper, Dispatch):
        raise NotRowReadableError("the schema has hooks, or runs as stock")
    table_and_dispatch(selection, dumper)
