"""A diagnosis as lines for people, each with a status that says how to colour it."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from fastschema.advice import DUMP, PAGE, Advice
from fastschema.costs import Cost
from fastschema.doctor import Counts, Diagnosis, SchemaFinding, ViewFinding
from fastschema.report import Report

_SHOWN = 3
"""For how many fields or views the same advice or reason is told by name."""
_STOCK_SHOWN = 30
"""How many fields that run as stock are listed."""


class Status(enum.Enum):
    """What a line is about."""

    PLAIN = "plain"
    HEADING = "heading"
    COMPILED = "compiled"
    CUSTOM = "custom"
    STOCK = "stock"


class Line(NamedTuple):
    """A line, without its end."""

    text: str
    status: Status = Status.PLAIN


def overview(diagnosis: Diagnosis) -> Iterator[Line]:
    """All of a diagnosis, with a line or two for each schema and view."""
    yield from _section("Views", (line for each in diagnosis.views for line in _view(each)))
    yield from _section("Views whose schema is not known", _unknown(diagnosis))
    yield from _section("Schemas", (line for each in diagnosis.schemas for line in _schema(each)))
    if diagnosis.profiles is None:
        yield from _section("Runs as stock", _stock(diagnosis))
    yield from _end(diagnosis)


def details(diagnosis: Diagnosis) -> Iterator[Line]:
    """All of a diagnosis, with all fields of each schema."""
    for schema in diagnosis.schemas:
        yield Line(schema.path, Status.HEADING)
        yield from (Line(f"    {use}") for use in schema.uses)
        yield from _summary(schema)
        yield Line("")
        for _, report in schema.reports():
            yield from table(report, is_loading=report is not schema.report)
            yield Line("")
    yield from _end(diagnosis)


def table(report: Report, *, is_loading: bool = False) -> Iterator[Line]:
    """The table of a report, as it prints, without how the schema loads."""
    lines = (report.loading_table() if is_loading else report.table()).splitlines()
    fields = list(report)
    before = len(lines) - len(fields)
    yield Line(lines[0], Status.STOCK if report.why else Status.PLAIN)
    yield from map(Line, lines[1:before])
    for line, field in zip(lines[before:], fields, strict=True):
        status = Status.CUSTOM if field.custom else Status.COMPILED
        yield Line(line, status if field.compiled else Status.STOCK)


def _end(diagnosis: Diagnosis) -> Iterator[Line]:
    """What is told in any case, at the end."""
    if diagnosis.profiles is not None:
        for where, profile in diagnosis.profiles.items():
            yield from _section(f"Profile of {where}", map(Line, str(profile).splitlines()), "")
        yield from _section("Fields that cost most", map(_cost, diagnosis.costs))
    advice = (line for each in diagnosis.advice for line in _advice(each))
    yield from _section("What to change", advice)
    yield from map(Line, diagnosis.all_notes())
    if diagnosis.schemas:
        yield Line(diagnosis.summary(), Status.STOCK if diagnosis.stock else Status.COMPILED)


def _section(title: str, lines: Iterator[Line], indent: str = "  ") -> Iterator[Line]:
    """Lines under a heading, and an empty one; nothing if there are none."""
    found = list(lines)
    if found:
        yield Line(title, Status.HEADING)
        yield from (Line(f"{indent}{text}", status) for text, status in found)
        yield Line("")


def _view(view: ViewFinding) -> Iterator[Line]:
    schema = f": {view.schema}" if view.schema else ""
    yield Line(f"{view.view}{schema}")
    if view.how:
        yield Line(f"    {view.how}", Status.CUSTOM if view.is_slower else Status.PLAIN)


def _unknown(diagnosis: Diagnosis) -> Iterator[Line]:
    by_reason: dict[str, list[str]] = {}
    for view, why in diagnosis.unknown.items():
        by_reason.setdefault(why, []).append(view)
    for why, found in by_reason.items():
        yield from (Line(f"{view}: {why}") for view in found[:_SHOWN])
        if len(found) > _SHOWN:
            yield Line(f"and {len(found) - _SHOWN} more: {why}")


def _schema(schema: SchemaFinding) -> Iterator[Line]:
    yield Line(schema.path)
    yield from _summary(schema)


def _summary(schema: SchemaFinding) -> Iterator[Line]:
    if schema.report is None:
        yield Line(f"    {schema.error}", Status.CUSTOM)
    for does, report in schema.reports():
        yield _counts("dumping" if does == DUMP else "loading", report)


def _counts(does: str, report: Report) -> Line:
    if report.why:
        return Line(f"    {does}: runs as stock, because {report.why}", Status.STOCK)
    counts = Counts.of(report)
    parts = [f"{number} {name}" for name, number in counts._asdict().items()]
    status = Status.CUSTOM if counts.custom else Status.COMPILED
    return Line(f"    {does}: {', '.join(parts)}", Status.STOCK if counts.stock else status)


def _stock(diagnosis: Diagnosis) -> Iterator[Line]:
    found = diagnosis.stock
    for each in found[:_STOCK_SHOWN]:
        yield Line(f"{each.where} ({each.does}): {each.why}", Status.STOCK)
    if len(found) > _STOCK_SHOWN:
        yield Line(f"and {len(found) - _STOCK_SHOWN} more; --json lists all")


def _cost(cost: Cost) -> Line:
    # Imported here: only who asks for a profile needs it.
    from fastschema.profiling.profile import readable

    text = f"{cost.key}, in {cost.where}: {readable(cost.seconds)}"
    if cost.user_seconds:
        text += f", {readable(cost.user_seconds)} of it in your own code or in stock methods"
    if cost.why:
        text += f" ({cost.why})"
    return Line(text, Status.COMPILED if cost.compiled else Status.STOCK)


def _advice(advice: Advice) -> Iterator[Line]:
    yield Line(f'{advice.what} See "{advice.see}" in {PAGE}.')
    yield from (Line(f"    {where}") for where in advice.where[:_SHOWN])
    if len(advice.where) > _SHOWN:
        yield Line(f"    and {len(advice.where) - _SHOWN} more")
