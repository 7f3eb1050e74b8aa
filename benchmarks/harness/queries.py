"""The SQL that a process executes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def django_statements() -> Iterator[list[str]]:
    """Yield a list of the statements that Django executes meanwhile."""
    from django.db import connection

    statements: list[str] = []

    def record(execute: Any, sql: str, *arguments: Any) -> Any:
        statements.append(sql)
        return execute(sql, *arguments)

    with connection.execute_wrapper(record):
        yield statements


@contextmanager
def sqlalchemy_statements() -> Iterator[list[str]]:
    """Yield a list of the statements that SQLAlchemy executes meanwhile."""
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    statements: list[str] = []

    def record(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", record)
