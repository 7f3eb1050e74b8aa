"""What the core asks about marshmallow schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marshmallow.fields import List, Nested

from fastschema.engines import Engine, engine, standard_dumps
from fastschema.marshmallow.dumping import (
    dispatch_for,
    dump,
    has_hooks,
    overrides_dump,
    own_dump,
)
from fastschema.marshmallow.reader import read
from fastschema.nodes import Form, UnreadableError, known_access
from fastschema.program import Program, RowDumper
from fastschema.report import Report, field_reports, with_nested
from fastschema.switch import disabled


class MarshmallowFrontEnd:
    """Reads marshmallow schemas; see :class:`fastschema.front_end.FrontEnd`."""

    def __init__(self) -> None:
        self._engine = engine()

    def instance(self, schema: Any) -> Any:
        """The schema itself, or an instance of a schema class."""
        return schema() if isinstance(schema, type) else schema

    def dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """``Schema.dump``, compiled between its hooks, be it installed or not."""
        return dump(schema, obj, many)

    def stock_dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """``Schema.dump`` of stock."""
        with disabled():
            return own_dump(schema, obj, many)

    def is_collection(self, schema: Any, obj: Any, many: bool | None) -> bool:
        """Whether ``many``, or else ``Schema.many``, is true; None is never a collection."""
        return obj is not None and bool(schema.many if many is None else many)

    def row_dumper(self, schema: Any, form: Form) -> RowDumper | None:
        """The schema's dispatch, unless it has hooks or overrides or cannot be read."""
        if overrides_dump(schema) is not None or has_hooks(schema):
            return None
        try:
            return dispatch_for(schema, form)
        except UnreadableError:
            return None

    def rows(self, schema: Any, obj: Any) -> Iterable[Any]:
        """The collection itself."""
        rows: Iterable[Any] = obj
        return rows

    def engine(self, schema: Any) -> Engine:
        """The engine whose values equal those of ``json.dumps``."""
        return self._engine

    def stock_encode(self, schema: Any, data: Any) -> bytes:
        """``json.dumps``, compact and as UTF-8."""
        return standard_dumps(data)

    def program(self, schema: Any) -> Program | None:
        """The program of a schema, or None if it runs as stock."""
        try:
            return None if overrides_dump(schema) is not None else read(schema)[0]
        except UnreadableError:
            return None

    def access(self, name: str) -> str:
        """A way of access by its name; see :func:`fastschema.nodes.known_access`."""
        return known_access(name)

    def explain(self, schema: Any) -> Report:
        """How the schema is dumped, nested schemas included."""
        return _explain(schema, ())


def _explain(schema: Any, above: tuple[Program, ...]) -> Report:
    name = type(schema).__name__
    reason = overrides_dump(schema)
    if reason is not None:
        return Report(name, [], reason)
    try:
        program, fields = read(schema)
    except UnreadableError as error:
        return Report(name, [], str(error))
    reports = field_reports(program.node)
    nested: dict[str, Report] = {}
    if program not in above:  # a schema that nests itself is told of once
        for report, field in zip(reports, fields, strict=True):
            if report.compiled:
                nested.update(_explain_nested(report.key, field, (*above, program)))
    return Report(name, with_nested(reports, nested))


def _explain_nested(key: str, field: Any, above: tuple[Program, ...]) -> dict[str, Report]:
    """The report on a field's nested schema, by the field's key; empty if it has none."""
    while isinstance(field, List):
        field = field.inner
    if not isinstance(field, Nested):
        return {}
    try:
        schema = field.schema
    except Exception as error:  # stock raises it when the first object is dumped
        return {key: Report(str(field.nested), [], f"its schema cannot be found: {error}")}
    return {key: _explain(schema, above)}


front_end = MarshmallowFrontEnd()
