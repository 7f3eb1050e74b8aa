"""Selects of a mapped class, dumped from their rows, or as objects if users' code could notice."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any
from weakref import WeakSet

import sqlalchemy
from sqlalchemy import Result, ScalarResult, Select, inspect
from sqlalchemy.orm import Mapper, Query, Session, scoped_session
from sqlalchemy.orm.util import AliasedInsp

from fastschema.compiler.nodes import Form, NotRowReadableError
from fastschema.contrib.sqlalchemy.row_layout import (
    Key,
    cursor_below,
    entity_layout_of,
)
from fastschema.contrib.sqlalchemy.row_programs import UnloadedError, by_row, columns_of
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.front_end import CompiledSchema, DumpingSchema, RowDumper
from fastschema.runtime.json_engine import Engine
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.report import Report

_SESSION_METHODS = {name: stock_method(Session, name) for name in ("execute", "scalars")}
_QUERY_METHODS = {
    name: stock_method(Query, name) for name in ("_iter", "__iter__") if hasattr(Query, name)
}
FETCH_SIZE = 1000
"""How many rows a stream fetches at a time."""
_ACCEPTED = (
    "pass a select of one mapped class, such as select(Flight).options(joinedload(Flight.airline))"
)
logger = logging.getLogger("fastschema")
_warned: WeakSet[type] = WeakSet()


class SelectDumper:
    """A schema that dumps what one statement selects.

    See :class:`fastschema.runtime.front_end.DumpingSchema`; there is nothing to dump but that. The
    statement is run once, when that is first asked for. Where the rows cannot be read as they are,
    they are objects, and dumped as any others.

    :param is_streamed: whether to fetch the rows some at a time: as many as the statement's
        ``yield_per`` says, or else ``FETCH_SIZE``
    """

    def __init__(
        self, schema: DumpingSchema, statement: Any, session: Any, *, is_streamed: bool = False
    ) -> None:
        self.schema = schema.schema
        self._compiled = schema
        self._statement = _checked_statement(statement)
        self._session = _checked_session(session)
        if isinstance(statement, Query) and _checked_session(statement.session) != self._session:
            raise ValueError("the query belongs to a different session")
        self._fetch_size = _fetch_size(statement) if is_streamed else None
        self._objects: Any = None
        self._result: Any = None  # of which the objects are made
        self._rows: Iterator[Any] | None = None  # if no objects are made

    def dump(self, obj: Any, many: bool | None) -> Any:
        return self._compiled.dump(list(self._select()), True)

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        return self._compiled.stock_dump(list(self._select()), True)

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        return True

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        """Return what dumps the rows, or else the objects."""
        dumper = self._compiled.row_dumper(form, None)
        try:
            return self.row_dispatch(dumper)
        except UnloadedError as reason:
            self._warn(reason)
        except NotRowReadableError:
            pass
        return dumper

    def row_dispatch(self, dumper: RowDumper | None) -> Dispatch:
        """Return what dumps the rows, by what dumps the objects.

        :raises NotRowReadableError: if objects have to be made
        """
        if not isinstance(dumper, Dispatch):
            raise NotRowReadableError("the schema has hooks, or runs as stock")
        self._select()
        if self._result is None:
            raise NotRowReadableError("the session or the query runs statements in its own way")
        size = self._fetch_size
        try:
            cursor = cursor_below(self._result)
            layout = entity_layout_of(cursor, self._session, is_streamed=size is not None)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            _warn_of_version(str(error))
            raise NotRowReadableError("fastschema does not know this SQLAlchemy") from error
        dispatch = by_row(dumper, columns_of(dumper, layout))
        key = layout.key
        self._rows = _unique(cursor, key) if size is None else _chunks(cursor, key, size)
        return dispatch

    def rows(self, obj: Any) -> Iterable[Any]:
        """Return the rows for what :meth:`row_dumper` returned: None for one without an object."""
        if self._rows is not None:
            return self._rows
        objects: Iterable[Any] = self._select()
        return list(objects) if self._fetch_size is None else objects

    def engine(self) -> Engine:
        return self._compiled.engine()

    def stock_encode(self, data: Any) -> bytes:
        return self._compiled.stock_encode(data)

    def close(self) -> None:
        # A session of a class of users gives objects alone.
        for result in (self._result, self._objects):
            if isinstance(result, (Result, ScalarResult)):
                result.close()

    def closing(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield chunks of the selection, and close its cursor after them or when that is closed."""
        try:
            yield from chunks
        finally:
            self.close()

    def _select(self) -> Any:
        """Run the statement, unless it has run, and return the objects.

        They are as ``session.scalars(statement).unique()`` gives them, or a ``Query``. What is
        streamed comes as ``session.scalars(statement)`` gives it: SQLAlchemy does not compare all
        objects then.
        """
        if self._objects is None:
            if isinstance(self._statement, Query):
                self._objects = self._run_query(self._statement)
            else:
                self._objects = self._run_select(self._statement)
        return self._objects

    def _run_select(self, statement: Any) -> Any:
        if self._fetch_size is not None:
            statement = statement.execution_options(yield_per=self._fetch_size)
        if overridden(self._session, _SESSION_METHODS) is None:
            self._result = self._session.execute(statement)
            objects = self._result.scalars()
        else:
            objects = self._session.scalars(statement)
        return objects.unique() if self._fetch_size is None else objects

    def _run_query(self, query: Query[Any]) -> Any:
        if self._fetch_size is not None:
            query = query.yield_per(self._fetch_size)
        if not hasattr(Query, "_iter") or overridden(query, _QUERY_METHODS) is not None:
            return query
        objects = query._iter()
        self._result = getattr(objects, "_real_result", None)
        return objects

    def _warn(self, reason: UnloadedError) -> None:
        """Log that rows may be a query each, or more; once for each class of schemas."""
        cls = type(self.schema)
        if cls not in _warned:
            _warned.add(cls)
            logger.warning("%s may query the database again for each row: %s", cls.__name__, reason)


def explain_select(schema: CompiledSchema, statement: Any, session: Any) -> Report:
    """Return the report on a schema, with a note on a statement's rows; it runs ``LIMIT 0``."""
    statement = _checked_statement(statement)
    if not isinstance(statement, Query):
        statement = statement.limit(0)
    selecting = SelectDumper(schema, statement.execution_options(autoflush=False), session)
    note = "The rows are read without making objects."
    try:
        selecting.row_dispatch(schema.row_dumper(Form.JSON, None))
    except NotRowReadableError as reason:
        note = f"SQLAlchemy makes objects of the rows, because {reason}."
    finally:
        selecting.close()
    report = schema.explain()
    return replace(report, notes=[*report.notes, note])


def _checked_session(session: Any) -> Session:
    if isinstance(session, scoped_session):
        session = session()
    if isinstance(session, Session):
        return session
    hint = "With an AsyncSession, call this within await session.run_sync(...)."
    if isinstance(getattr(session, "session", None), (scoped_session, Session)):
        hint = "Pass its session attribute, such as db.session."
    class_name = type(session).__name__
    raise TypeError(
        f"session must be a SQLAlchemy Session or scoped_session, not {class_name}. {hint}"
    )


def _checked_statement(statement: Any) -> Any:
    if not isinstance(statement, (Select, Query)):
        raise TypeError(f"a {type(statement).__name__} is not a select: {_ACCEPTED}")
    selected = [description["expr"] for description in statement.column_descriptions]
    if len(selected) != 1:
        raise TypeError(f"the statement selects {len(selected)} things: {_ACCEPTED}")
    if not isinstance(inspect(selected[0], raiseerr=False), (Mapper, AliasedInsp)):
        raise TypeError(f"the statement selects {selected[0]}, not a mapped class: {_ACCEPTED}")
    return statement


def _fetch_size(statement: Any) -> int:
    size: int = statement.get_execution_options().get("yield_per") or FETCH_SIZE
    return size


def _unique(result: Any, key: Key) -> Iterator[Any]:
    """Yield the first row of each object, as a session makes one of all rows with its key."""
    key_of = key.getter()
    seen = set()
    for row in result.all():
        identity = key_of(row)
        if identity not in seen:
            seen.add(identity)
            yield None if identity is None else row


def _chunks(result: Any, key: Key, size: int) -> Iterator[Any]:
    """For each row the first one of its object in the same chunk, where a session has but one."""
    key_of = key.getter()
    for rows in result.partitions(size):
        first: dict[Any, Any] = {None: None}
        for row in rows:
            yield first.setdefault(key_of(row), row)


@cache
def _warn_of_version(reason: str) -> None:
    warnings.warn(
        f"fastschema cannot read the rows of SQLAlchemy {sqlalchemy.__version__} ({reason}): "
        "objects are made of them, as without fastschema",
        RuntimeWarning,
        stacklevel=2,
    )
