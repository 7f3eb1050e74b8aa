"""A diagnosis as lines for people, each with a status that says how to colour it."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from fastschema.report import Report
from fastschema.tools.advice import DUMP, PAGE, Advice
from fastschema.tools.doctor import (
    Cost,
    Counts,
    Diagnosis,
    RowQueries,
    SchemaFinding,
    Stock,
    ViewFinding,
)

_SHOWN = 3
"""For how many fields or views the same advice or reason is told by name."""
_SCREEN = 40
"""How many lines are told, if not all are asked for."""


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


Block = list[Line]
"""Lines that belong together."""


def overview(diagnosis: Diagnosis, *, is_whole: bool = False) -> Iterator[Line]:
    """Yield what there is to say of a diagnosis: all, if that fits on a screen, or is asked for.

    :param is_whole: whether it is
    """
    whole = list(_overview(diagnosis, None))
    if is_whole or len(whole) <= _SCREEN:
        yield from whole
    else:
        yield from _overview(diagnosis, _SHOWN)
        yield Line("That is the gist: --all shows everything.")


def _overview(diagnosis: Diagnosis, most: int | None) -> Iterator[Line]:
    """Yield what costs most first.

    :param most: how many entries of each section are told; None: all
    """
    is_short = most is not None
    yield from queries(diagnosis, most)
    if not is_short:
        yield from _profiles(diagnosis)
    yield from _section("Fields that cost most", map(_cost, diagnosis.costs))
    advice = [_advice(each, 1 if is_short else _SHOWN) for each in diagnosis.advice_to_compile]
    yield from _section("What to change", advice, most)
    views = [each for each in diagnosis.views if each.is_slower or not is_short]
    yield from _section("Views", _views(views), 2 if is_short else None)
    unknown = _unknown(diagnosis, is_short)
    yield from _section("Views whose schema is not known", unknown, 1 if is_short else None)
    if not is_short:
        yield from _section("Schemas", map(_schema, diagnosis.schemas))
    if diagnosis.profiles is None:
        yield from _section("Runs as stock", map(_stock, diagnosis.stock), most)
    if is_short:
        yield Line(f"{len(diagnosis.views)} views, {len(diagnosis.schemas)} schemas.")
    yield from _last(diagnosis)


@contextmanager
def may_be_cut() -> Iterator[None]:
    """Let the reader of what is printed go away before the end, as ``head`` does."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is left goes nowhere, or the interpreter complains when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    """Yield the table of a report, as it prints, without how the schema loads."""
    lines = (report.loading_table() if is_loading else report.table()).splitlines()
    fields = list(report)
    before = len(lines) - len(fields)
    yield Line(lines[0], Status.STOCK if report.why else Status.PLAIN)
    yield from map(Line, lines[1:before])
    for line, field in zip(lines[before:], fields, strict=True):
        status = Status.CUSTOM if field.custom else Status.COMPILED
        yield Line(line, status if field.compiled else Status.STOCK)


def _end(diagnosis: Diagnosis) -> Iterator[Line]:
    """Yield what is told of schemas that are named, after their fields."""
    yield from _profiles(diagnosis)
    yield from _section("Fields that cost most", map(_cost, diagnosis.costs))
    advice = [_advice(each, _SHOWN) for each in diagnosis.advice_to_compile]
    yield from _section("What to change", advice)
    yield from _last(diagnosis)


def _last(diagnosis: Diagnosis) -> Iterator[Line]:
    yield from map(Line, diagnosis.all_notes())
    if diagnosis.schemas:
        yield Line(diagnosis.summary(), Status.STOCK if diagnosis.stock else Status.COMPILED)


def _section(title: str, blocks: Iterable[Block], most: int | None = None) -> Iterator[Line]:
    """Blocks under a heading, and an empty line; nothing if there are none.

    :param most: how many of them are told
    """
    found = list(blocks)
    if found:
        yield Line(title, Status.HEADING)
        yield from (Line(f"  {text}", status) for block in found[:most] for text, status in block)
        if most is not None and len(found) > most:
            yield Line(f"  and {len(found) - most} more")
        yield Line("")


def queries(diagnosis: Diagnosis, most: int | None) -> Iterator[Line]:
    """Yield what views ask the database for each row, in which most of their time may go."""
    if not diagnosis.lists:
        return
    asking, unseen = len(diagnosis.queries), sum(diagnosis.not_looked_at.values())
    number = asking or "None"
    asks = "ask" if asking > 1 else "asks"
    lists = f"{diagnosis.lists - unseen} list view{'s' * (diagnosis.lists - unseen != 1)}"
    text = f"{number} of {lists} {asks} the database again for each row."
    if unseen:
        why = max(diagnosis.not_looked_at, key=lambda each: diagnosis.not_looked_at[each])
        text += f" {unseen} more could not be looked at without a real request ({why})."
    blocks = [[Line(text, Status.STOCK if asking else Status.PLAIN)]]
    blocks += [_of_queries(view, each) for view, each in diagnosis.queries.items()]
    yield from _section("Queries for each row", blocks, None if most is None else most + 1)


def _of_queries(view: str, found: RowQueries) -> Block:
    # Imported here: only who asks for a profile needs it.
    from fastschema.tools.profile import readable

    cost = f"nothing loads {', '.join(found.relations)}"
    if found.per_row is not None:
        cost = f"{found.per_row:.1f} queries for each row, {readable(found.seconds)}"
    block = [Line(f"{view}: {cost}", Status.STOCK)]
    if found.what:
        block.append(Line(f"    {found.what}"))
    return block + [Line(f"    {each}") for each in found.by_users]


def _profiles(diagnosis: Diagnosis) -> Iterator[Line]:
    for where, profile in (diagnosis.profiles or {}).items():
        yield Line(f"Profile of {where}", Status.HEADING)
        yield from map(Line, [*str(profile).splitlines(), ""])


def _views(views: list[ViewFinding]) -> list[Block]:
    """Return a block for each view, but one for all methods of a path of which there is
    no more to say.
    """
    by_path: dict[tuple[str, ...], list[ViewFinding]] = {}
    for view in views:
        place = view.view if view.how else view.view.partition(" ")[2].partition(" (")[0]
        by_path.setdefault((place, view.schema, view.how), []).append(view)
    blocks = []
    for (place, schema, how), found in by_path.items():
        methods = ", ".join(view.view.partition(" ")[0] for view in found)
        name = f"{methods} {place}" if len(found) > 1 else found[0].view
        block = [Line(f"{name}: {schema}" if schema else name)]
        if how:
            status = Status.CUSTOM if found[0].is_slower else Status.PLAIN
            block.append(Line(f"    {how}", status))
        blocks.append(block)
    return blocks


def _unknown(diagnosis: Diagnosis, is_short: bool) -> list[Block]:
    by_reason: dict[str, list[str]] = {}
    for view, why in diagnosis.unknown.items():
        by_reason.setdefault(why, []).append(view)
    most = 1 if is_short else _SHOWN
    blocks = []
    for why, found in by_reason.items():
        blocks.append([Line(f"{view}: {why}") for view in found[:most]])
        if len(found) > most:
            blocks[-1].append(Line(f"and {len(found) - most} more: {why}"))
    return blocks


def _schema(schema: SchemaFinding) -> Block:
    return [Line(schema.path), *_summary(schema)]


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


def _stock(found: Stock) -> Block:
    return [Line(f"{found.where} ({found.does}): {found.why}", Status.STOCK)]


def _cost(cost: Cost) -> Block:
    # Imported here: only who asks for a profile needs it.
    from fastschema.tools.profile import readable

    text = f"{cost.key}, in {cost.where}: {readable(cost.seconds)}"
    if cost.user_seconds:
        text += f", {readable(cost.user_seconds)} of it in your own code or in stock methods"
    if cost.why:
        text += f" ({cost.why})"
    return [Line(text, Status.COMPILED if cost.compiled else Status.STOCK)]


def _advice(advice: Advice, most: int) -> Block:
    """Return what to change, and where.

    :param most: how many places are named
    """
    block = [Line(f'{advice.what} See "{advice.see}" in {PAGE}.')]
    block += [Line(f"    {where}") for where in advice.where[:most]]
    if len(advice.where) > most:
        block.append(Line(f"    and {len(advice.where) - most} more"))
    return block
