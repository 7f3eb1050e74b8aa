"""The doctor's commands: ``python -m fastschema``, ``flask fastschema``, and what they print."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from fastschema.doctor.diagnosis import (
    DUMP,
    Counts,
    Diagnosis,
    PathError,
    RowQueries,
    SchemaFinding,
    ViewFinding,
    diagnosis_of,
    named,
    object_at,
)
from fastschema.doctor.profiling import FieldTime, readable
from fastschema.plan import FORMS, compile
from fastschema.runtime.report import Report
from fastschema.runtime.versions import versions_text

_SHOWN = 10
"""How many entries a section shows, if not all are asked for."""

Block = list[str]
"""Lines that belong together."""


def printed(diagnosis: Diagnosis, options: Mapping[str, Any], *, is_named: bool) -> str:
    """Return what a doctor prints: all fields, if it is a diagnosis of some schemas."""
    if options["json"]:
        return json.dumps(diagnosis.as_dict(), indent=2)
    most = None if options["all"] else _SHOWN
    return "\n".join(lines(diagnosis, most, has_fields=is_named))


def lines(diagnosis: Diagnosis, most: int | None, *, has_fields: bool = False) -> Iterator[str]:
    """Yield what there is to say of a diagnosis, what costs most first.

    :param most: how many entries of each section are shown; None: all
    """
    yield from queries(diagnosis, most)
    for where, profile in diagnosis.profiles.items():
        yield from (f"Profile of {where}", str(profile), "")
    yield from _section("Fields that cost most", [_cost(*cost) for cost in diagnosis.slowest], None)
    advice = [[what, *_indented(where, most)] for what, where in diagnosis.advice.items()]
    yield from _section("What to change (docs/explain.md says more)", advice, most)
    yield from _section("Views", map(_view, diagnosis.views), most)
    unknown = [[f"{view}: {why}"] for view, why in diagnosis.unknown.items()]
    yield from _section("Views whose schema is not known", unknown, most)
    if has_fields:
        for schema in diagnosis.schemas:
            yield from (schema.path, *_indented(schema.uses, None), "", *_tables(schema))
    else:
        yield from _section("Schemas", map(_schema, diagnosis.schemas), most)
        stock = [[f"{part.where} ({part.does}): {part.why}"] for part in diagnosis.stock]
        yield from _section("Runs as stock", stock, most)
    yield from diagnosis.all_notes()
    if diagnosis.schemas:
        count = len({part.where for part in diagnosis.stock})
        yield f"Schemas and fields that run as stock: {count or 'none'}"


def queries(diagnosis: Diagnosis, most: int | None) -> Iterator[str]:
    """Yield what views ask the database for each row, in which most of their time may go."""
    lists = sum(view.is_list for view in diagnosis.views)
    if not lists:
        return
    by_view, not_looked_at = diagnosis.queries, diagnosis.not_looked_at
    head = [f"list views with such queries: {len(by_view)} of {lists - not_looked_at.total()}"]
    head += [
        f"list views that could not be examined: {count}, because {why}"
        for why, count in not_looked_at.items()
    ]
    blocks = [_of_queries(view, row_queries) for view, row_queries in by_view.items()]
    yield from _section("Queries for each row", [head, *blocks], None if most is None else most + 1)


def _section(title: str, blocks: Iterable[Block], most: int | None) -> Iterator[str]:
    listed = list(blocks)
    if listed:
        yield title
        yield from (f"  {line}" for block in listed[:most] for line in block)
        if most is not None and len(listed) > most:
            yield f"  and {len(listed) - most} more: --all shows everything"
        yield ""


def _indented(texts: Sequence[str], most: int | None) -> Block:
    block = [f"    {text}" for text in texts[:most]]
    if most is not None and len(texts) > most:
        block.append(f"    and {len(texts) - most} more")
    return block


def _of_queries(view: str, found: RowQueries) -> Block:
    cost = f"{found.how} {', '.join(found.relations)}"
    if found.per_row is not None:
        cost = f"{found.per_row:.1f} queries for each row, {readable(found.seconds)}"
    return [f"{view}: {cost}", *_indented([*filter(None, [found.what]), *found.by_users], None)]


def _cost(where: str, field: FieldTime) -> Block:
    return [f"{field.key}, in {where}: {field.cost}"]


def _view(view: ViewFinding) -> Block:
    block = [f"{view.view}: {view.schema}" if view.schema else view.view]
    return [*block, f"    {view.how}"] if view.how else block


def _schema(schema: SchemaFinding) -> Block:
    head = f"{schema.path}, used by {schema.uses[0]}" if schema.uses else schema.path
    if schema.report is None:
        return [head, f"    {schema.error}"]
    return [head, *(_counts(does, report) for does, report in schema.reports())]


def _counts(does: str, report: Report) -> str:
    does = "dumping" if does == DUMP else "loading"
    if report.why:
        return f"    {does}: runs as stock, because {report.why}"
    parts = [f"{number} {name}" for name, number in Counts.of(report)._asdict().items()]
    if report.override:
        parts.append(f"inside your {report.override}")
    return f"    {does}: {', '.join(parts)}"


def _tables(schema: SchemaFinding) -> Iterator[str]:
    for does, report in schema.reports():
        yield report.table() if does == DUMP else report.loading_table()
        yield ""


def add_flags(parser: argparse.ArgumentParser) -> None:
    flags = {
        "--json": "print JSON",
        "--fail-on-stock": "end with exit status 1 if any schema or field runs as stock",
        "--dump-only": "leave out how schemas load",
        "--all": f"show everything, and not the first {_SHOWN} entries of each section",
    }
    for flag, text in flags.items():
        parser.add_argument(flag, action="store_true", help=text)
    parser.add_argument("--svg", metavar="FILE", help="write the profile as a picture")


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=command,
        description="Show what fastschema compiles, what runs as stock, and what to change.",
    )
    parser.add_argument("schemas", nargs="*", metavar="package.module:Name")
    add_flags(parser)
    parser.add_argument(
        "--profile",
        metavar="package.module:rows",
        help="dump these rows, or those that this function returns, and show what each field costs",
    )
    parser.add_argument("--source", action="store_true", help="print the generated code instead")
    parser.add_argument("--form", choices=FORMS, default=FORMS[0], help="what it makes of objects")
    parser.add_argument("--access", default="attribute", help="how it reads them")
    parser.add_argument("--version", action="version", version=versions_text())
    return parser


def main(
    arguments: Sequence[str] | None = None,
    command: str = "python -m fastschema",
    known: Mapping[str, Any] | None = None,
    diagnose: Callable[[], Diagnosis] | None = None,
) -> None:
    """Run the doctor.

    :param known: the schemas of an application by ``package.module:Name``, which may be named by
        their ends
    :param diagnose: returns what there is to find of the application, if no schema is named
    :raises SystemExit: for ``--help`` and its like, for what is wrong with the arguments, and for
        schemas or fields that run as stock with ``--fail-on-stock``
    """
    parser = _parser(command)
    options = parser.parse_args(arguments)
    if diagnose is None and not options.schemas:
        parser.error("name a schema, as package.module:Name")
    if (options.profile or options.svg) and not (options.profile and options.schemas):
        parser.error("--profile needs the name of a schema, and --svg needs --profile")
    try:
        schemas = dict(_schema_at(name, known) for name in options.schemas)
        if options.source:
            for schema in schemas.values():
                print(compile(schema).source(options.form, options.access))
            return
        if diagnose is None or schemas:
            diagnosis = diagnosis_of(schemas, options.profile, options.svg)
        else:
            diagnosis = diagnose()
    except (PathError, ValueError, OSError) as error:
        parser.exit(1, f"fastschema: {error}\n")
    if options.dump_only:
        diagnosis = diagnosis.without_loading()
    print(printed(diagnosis, vars(options), is_named=bool(schemas)))
    failure = diagnosis.failure()
    if options.fail_on_stock and failure is not None:
        parser.exit(1, f"fastschema: {failure}\n")


def _schema_at(name: str, known: Mapping[str, Any] | None) -> tuple[str, Any]:
    paths = named(name, known or ())
    if len(paths) > 1:
        raise PathError(f"{len(paths)} schemas have the name {name}; say which: {', '.join(paths)}")
    if known and paths:
        return paths[0], known[paths[0]]
    if known is None or ":" in name:
        return name, object_at(name)
    raise PathError(f"no schema of the application has the name {name}")
