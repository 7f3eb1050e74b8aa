"""Whether objects are made of a statement's rows, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastschema.compiler.nodes import Form
from fastschema.contrib.sqlalchemy.selecting import table_and_dispatch
from fastschema.contrib.sqlalchemy.selection import Selection
from fastschema.contrib.sqlalchemy.tables import ObjectsNeededError
from fastschema.report import Report
from fastschema.runtime.dispatch import Dispatch
from fastschema.runtime.front_end import CompiledSchema


def explain_select(schema: CompiledSchema, statement: Any, session: Any) -> Report:
    """The report on a schema, with a note on a statement's rows.

    :raises TypeError: for another statement than a select of one mapped class, or another session
    :raises Exception: what SQLAlchemy raises when it runs the statement with ``LIMIT 0``
    """
    selection = Selection(statement, session, is_streamed=False).without_rows()
    note = "The rows are read without making objects."
    try:
        _check(schema, selection)
    except ObjectsNeededError as reason:
        note = f"SQLAlchemy makes objects of the rows, because {reason}."
    finally:
        selection.close()
    report = schema.explain()
    return replace(report, notes=[*report.notes, note])


def _check(schema: CompiledSchema, selection: Selection) -> None:
    """Check that rows can be read.

    :raises ObjectsNeededError: if they cannot
    """
    dumper = schema.row_dumper(Form.JSON, None)
    if not isinstance(dumper, Dispatch):
        raise ObjectsNeededError("the schema has hooks, or runs as stock")
    table_and_dispatch(selection, dumper)
