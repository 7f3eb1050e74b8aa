"""The doctor's commands: ``python -m fastschema``, ``flask fastschema``, and what they print."""

from __future__ import annotations

import argparse
import enum
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from fastschema.plan import Plan, compile
from fastschema.report import Report
from fastschema.runtime.standalone import FORMS
from fastschema.tools.advice import DUMP, PAGE, Advice
from fastschema.tools.doctor import (
    FLAGS,
    Cost,
    Counts,
    Diagnosis,
    PathError,
    RowQueries,
    SchemaFinding,
    Stock,
    ViewFinding,
    diagnosis_of,
    named,
    object_at,
)
from fastschema.tools.profile import readable
from fastschema.versions import versions_text

_SHOWN = 3
"""For how many fields or views the same advice or reason is told by name."""
_SCREEN = 40
"""How many lines are told, if not all are asked for."""


class Status(enum.Enum):
    """What a line is about, and the code for its colour on terminals."""

    PLAIN = ""
    HEADING = "1"
    COMPILED = "32"
    CUSTOM = "33"
    STOCK = "31"


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
        yield Line("This is a summary: --all shows everything.")


def _overview(diagnosis: Diagnosis, most: int | None) -> Iterator[Line]:
    """Yield what costs most first.

    :param most: how many entries of each section are told; None: all
    """
    is_short = most is not None
    yield from queries(diagnosis, most)
    if not is_short:
        yield from _profiles(diagnosis)
    yield from _costs_and_advice(diagnosis, most)
    views = [each for each in diagnosis.views if each.is_slower or not is_short]
    yield from _section("Views", _views(views), 2 if is_short else None)
    unknown = _unknown(diagnosis, is_short)
    yield from _section("Views whose schema is not known", unknown, 1 if is_short else None)
    if not is_short:
        yield from _section("Schemas", _schemas(diagnosis.schemas))
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
    yield from _profiles(diagnosis)
    yield from _costs_and_advice(diagnosis)
    yield from _last(diagnosis)


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


def _costs_and_advice(diagnosis: Diagnosis, most: int | None = None) -> Iterator[Line]:
    yield from _section("Fields that cost most", map(_cost, diagnosis.costs))
    places = _SHOWN if most is None else 1
    advice = [_advice(each, places) for each in diagnosis.advice_to_compile]
    yield from _section("What to change", advice, most)


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
    verb = "query" if asking > 1 else "queries"
    lists = f"{diagnosis.lists - unseen} list view{'s' * (diagnosis.lists - unseen != 1)}"
    text = f"{number} of {lists} {verb} the database again for each row."
    head = [Line(text, Status.STOCK if asking else Status.PLAIN)]
    head += [
        Line(f"{count} more could not be examined: {why}.")
        for why, count in Counter(diagnosis.not_looked_at).most_common(most)
    ]
    blocks = [head]
    blocks += [_of_queries(view, each) for view, each in diagnosis.queries.items()]
    yield from _section("Queries for each row", blocks, None if most is None else most + 1)


def _of_queries(view: str, found: RowQueries) -> Block:
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


def _schemas(schemas: Iterable[SchemaFinding]) -> Iterator[Block]:
    """Yield a block for each schema; where several have one name, with what uses each."""
    times = Counter(each.path for each in schemas)
    for schema in schemas:
        of_what = f", with the fields of {schema.uses[0]}" if times[schema.path] > 1 else ""
        yield [Line(f"{schema.path}{of_what}"), *_summary(schema)]


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
    if report.override:
        parts.append(f"inside your {report.override}")
    status = Status.CUSTOM if counts.custom else Status.COMPILED
    return Line(f"    {does}: {', '.join(parts)}", Status.STOCK if counts.stock else status)


def _stock(found: Stock) -> Block:
    return [Line(f"{found.where} ({found.does}): {found.why}", Status.STOCK)]


def _cost(cost: Cost) -> Block:
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


_SCHEMA = "package.module:Name"
_MORE = """
Two more commands, whose options --help after them shows:
  explain package.module:Name  the table of fields alone
  source package.module:Name   the generated code
"""


class Application(Protocol):
    """An application whose schemas can be found without being named in full."""

    command: str
    """What its doctor is called: ``flask fastschema``."""

    def schemas(self) -> Mapping[str, Any]:
        """Return its schemas by ``package.module:Name``."""
        ...

    def diagnosis(self) -> Diagnosis:
        """Return what there is to find of all of it."""
        ...


def main(arguments: Sequence[str] | None = None, application: Application | None = None) -> int:
    """Run a command.

    :param arguments: the command line without the program; None: that of the process
    :param application: whose schemas can be left out, or named by their ends; None: there is none
    :returns: the exit status: 0, or 1 for a path that leads to no schema, and for schemas or fields
        that run as stock with ``--fail-on-stock``
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    is_command = bool(words) and words[0] in ("explain", "source")
    options = (_command_parser if is_command else _doctor_parser)(application).parse_args(words)
    try:
        with may_be_cut():
            return int(options.run(options, application))
    except (PathError, ValueError, OSError) as error:
        print(f"fastschema: {error}", file=sys.stderr)
        return 1


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Declare the options that the doctor has everywhere."""
    for flag, text in FLAGS.items():
        parser.add_argument(flag, action="store_true", help=text)
    parser.add_argument("--svg", metavar="FILE", help="write the profile as a picture")


def printed(
    diagnosis: Diagnosis, options: Mapping[str, Any], *, is_named: bool, is_coloured: bool
) -> str:
    """Return what a doctor prints.

    :param options: as :func:`add_flags` declares them
    :param is_named: whether it is a diagnosis of some schemas, and not of an application
    :param is_coloured: whether it is for a terminal with colours
    """
    if options["json"]:
        return json.dumps(diagnosis.as_dict(), indent=2)
    lines = details(diagnosis) if is_named else overview(diagnosis, is_whole=options["all"])
    return "\n".join(_coloured(line) if is_coloured else line.text for line in lines)


def _coloured(line: Line) -> str:
    code = line.status.value
    return f"\x1b[{code}m{line.text}\x1b[0m" if code else line.text


def shows_colours(stream: Any, options: Mapping[str, Any]) -> bool:
    """Return whether a stream is a terminal, and nobody has asked to do without colours."""
    return not (options["no_color"] or os.environ.get("NO_COLOR")) and bool(stream.isatty())


def _doctor_parser(application: Application | None) -> argparse.ArgumentParser:
    command = "python -m fastschema" if application is None else application.command
    parser = argparse.ArgumentParser(
        prog=command,
        description="Show what fastschema compiles, what runs as stock, and what to change.",
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("schemas", nargs="+" if application is None else "*", metavar=_SCHEMA)
    add_flags(parser)
    parser.add_argument(
        "--profile",
        metavar="package.module:rows",
        help="dump these rows, or those that this function returns, and show what each field costs",
    )
    parser.add_argument("--no-color", action="store_true", help="do not colour the output")
    parser.add_argument("--version", action="version", version=versions_text())
    parser.set_defaults(run=_diagnose)
    return parser


def _command_parser(application: Application | None) -> argparse.ArgumentParser:
    command = "python -m fastschema" if application is None else application.command
    parser = argparse.ArgumentParser(prog=command)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    explain = commands.add_parser("explain", help="field by field: compiled or stock, and why")
    explain.add_argument("schema", metavar=_SCHEMA)
    explain.add_argument("--json", action="store_true", help="print JSON instead of a table")
    explain.set_defaults(run=_explain)

    source = commands.add_parser("source", help="the generated code")
    source.add_argument("schema", metavar=_SCHEMA)
    source.add_argument("--form", choices=FORMS, default=FORMS[0], help="what it makes of objects")
    source.add_argument("--access", default="attribute", help="how it reads them")
    source.add_argument("--many", action="store_true", help="the code for many rows")
    source.set_defaults(run=_source)
    return parser


def _diagnose(options: argparse.Namespace, application: Application | None) -> int:
    if options.schemas or application is None:
        schemas = dict(_schema_at(name, application) for name in options.schemas)
        diagnosis = diagnosis_of(schemas, options.profile, options.svg)
    elif options.profile or options.svg:
        raise ValueError("--profile and --svg need the name of a schema")
    else:
        diagnosis = application.diagnosis()
    if options.dump_only:
        diagnosis = diagnosis.without_loading()
    is_coloured = shows_colours(sys.stdout, vars(options))
    is_named = bool(options.schemas)
    print(printed(diagnosis, vars(options), is_named=is_named, is_coloured=is_coloured))
    failure = diagnosis.failure() if options.fail_on_stock else None
    if failure is not None:
        print(f"fastschema: {failure}", file=sys.stderr)
    return 0 if failure is None else 1


def _explain(options: argparse.Namespace, application: Application | None) -> int:
    report = _plan(options.schema, application).explain()
    print(json.dumps(report.as_dict(), indent=2) if options.json else str(report))
    return 0


def _source(options: argparse.Namespace, application: Application | None) -> int:
    plan = _plan(options.schema, application)
    print(plan.source(options.form, options.access, many=options.many).rstrip())
    return 0


def _plan(name: str, application: Application | None) -> Plan:
    """Return the plan of the schema of a name.

    :raises PathError: if there is none
    """
    path, schema = _schema_at(name, application)
    try:
        return compile(schema)
    except Exception as error:
        raise PathError(f"{path} cannot be read: {error}") from error


def _schema_at(name: str, application: Application | None) -> tuple[str, Any]:
    """Return the path and the schema of a name.

    :raises PathError: if there is none, or more than one
    """
    if application is None:
        return name, object_at(name)
    known = application.schemas()
    found = named(name, known)
    if len(found) > 1:
        raise PathError(f"{len(found)} schemas have the name {name}; say which: {', '.join(found)}")
    if found:
        return found[0], known[found[0]]
    if ":" in name:
        return name, object_at(name)
    raise PathError(f"no schema has the name {name}; {application.command} lists them all")
