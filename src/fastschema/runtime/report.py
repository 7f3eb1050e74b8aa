"""explain(): field by field, compiled or stock, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from fastschema.compiler.nodes import FieldNode, LoadFieldNode, LoadNode, ObjectNode
from fastschema.runtime import json_engine

_MOST_TOLD = 20


@dataclass(frozen=True, slots=True)
class FieldReport:
    """How one field is dumped, or loaded.

    :param key: the key in the output (or the input); dotted for a field of a nested schema
    :param source: where the value comes from; in loading, its key in the result
    :param compiled: whether generated code does it
    :param kind: what is done to the value
    :param why: why it runs as stock, or ""
    :param custom: whether generated code calls a method or a function of yours for each value
    """

    key: str
    source: str
    compiled: bool
    kind: str
    why: str = ""
    custom: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """How a schema is dumped; prints as a table.

    :param schema: its name
    :param fields: its fields in output order, each followed by those of its nested schema
    :param why: why the whole schema runs as stock, or ""
    :param loading: how it loads, if fastschema compiles that
    :param notes: what else there is to know, a sentence each
    :param override: the method of yours that calls the compiled one by ``super()``, or ""
    :param registered: what is registered for its own ``dump`` or ``load``, and for its hooks, or ""
    """

    schema: str
    fields: Sequence[FieldReport]
    why: str = ""
    loading: Report | None = None
    notes: Sequence[str] = ()
    override: str = ""
    registered: str = ""

    @property
    def compiled(self) -> int:
        return sum(field.compiled for field in self.fields)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        loading = {} if self.loading is None else {"loading": self.loading.as_dict()}
        fields = [asdict(field) for field in self.fields]
        about = {"schema": self.schema, "why": self.why, "notes": list(self.notes)}
        return {**about, "override": self.override, "fields": fields, **loading}

    def __iter__(self) -> Iterator[FieldReport]:
        return iter(self.fields)

    def __str__(self) -> str:
        loading = [] if self.loading is None else [self.loading.loading_table()]
        return "\n\n".join([self.table(), *loading, *json_engine.notes()])

    def table(self) -> str:
        return self._table(self.schema, "source")

    def loading_table(self) -> str:
        return self._table(f"{self.schema}, loading", "target")

    def _table(self, title: str, source: str) -> str:
        if self.why:
            return "\n".join([f"{title}: runs as stock, because {self.why}", *self.notes])
        head = f"{title}: {self.compiled} of {len(self.fields)} fields compiled"
        if self.override:
            head += f", inside your {self.override}"
        rows = [("key", source, "runs", "kind", "why stock")]
        rows += [
            (
                field.key,
                field.source,
                "compiled" if field.compiled else "stock",
                field.kind,
                field.why,
            )
            for field in self.fields
        ]
        return "\n".join([head, *self.notes, *aligned(rows)])


def aligned(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


class Ancestors:
    """The schemas in which another is nested, and how often a report tells of each."""

    def __init__(
        self, schemas: tuple[Hashable, ...] = (), told: Counter[Hashable] | None = None
    ) -> None:
        self._schemas = schemas
        self._told: Counter[Hashable] = Counter() if told is None else told

    @property
    def is_nested(self) -> bool:
        return bool(self._schemas)

    def reports_of(
        self,
        schema: Hashable,
        reports: Iterable[FieldReport],
        fields: Iterable[Any],
        explain: Callable[[Any, Ancestors], Report | None],
    ) -> list[FieldReport]:
        """Return the reports on a schema's fields, each followed by those on what it nests.

        A schema that nests itself is told of once on each path to it, but schemas that nest each
        other have too many paths to read.

        :param explain: returns the report on what a field nests, or None if it nests no schema
        """
        if schema in self._schemas or self._told[schema] >= _MOST_TOLD:
            return list(reports)
        self._told[schema] += 1
        within = Ancestors((*self._schemas, schema), self._told)
        return [
            each
            for report, field in zip(reports, fields, strict=True)
            for each in with_nested(report, explain(field, within))
        ]


def field_reports(node: ObjectNode | LoadNode) -> list[FieldReport]:
    return [
        FieldReport(
            key=field.key,
            source=field.target if isinstance(field, LoadFieldNode) else field.source.label,
            compiled=field.reason is None,
            kind=field.kind.label,
            why=field.reason or "",
            custom=isinstance(field, FieldNode) and not field.reason and field.calls_user_code,
        )
        for field in node.fields
    ]


def with_nested(report: FieldReport, nested: Report | None) -> list[FieldReport]:
    """Return the report on a field, and those on the schema nested in it, their keys dotted.

    A nested schema that runs as stock makes its field a stock one; one with a method of yours
    around it, a custom one.
    """
    if nested is None:
        return [report]
    if nested.why:
        report = replace(report, compiled=False, custom=False, why=nested.why)
    elif nested.override:
        report = replace(report, compiled=True, custom=True, why="")
    if nested.registered:
        report = replace(report, kind=f"{report.kind}, {nested.registered}")
    return [report, *(replace(field, key=f"{report.key}.{field.key}") for field in nested)]
