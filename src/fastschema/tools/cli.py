"""The doctor's commands: ``python -m fastschema``, ``flask fastschema``, and what they print."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from fastschema.plan import Plan, compile
from fastschema.runtime.standalone import FORMS
from fastschema.tools.doctor import FLAGS, Diagnosis, PathError, diagnosis_of, named, object_at
from fastschema.tools.doctor_text import Line, Status, details, may_be_cut, overview
from fastschema.versions import versions_text

_SCHEMA = "package.module:Name"
_MORE = """
Two more commands, whose options --help after them shows:
  explain package.module:Name  the table of fields alone
  source package.module:Name   the generated code
"""
_ANSI = {Status.HEADING: "1", Status.COMPILED: "32", Status.CUSTOM: "33", Status.STOCK: "31"}
"""The codes for colours of terminals."""


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
    code = _ANSI.get(line.status)
    return line.text if code is None else f"\x1b[{code}m{line.text}\x1b[0m"


def shows_colours(stream: Any, options: Mapping[str, Any]) -> bool:
    """Return whether a stream is a terminal, and nobody has asked to do without colours."""
    return not (options["no_color"] or os.environ.get("NO_COLOR")) and bool(stream.isatty())


def _doctor_parser(application: Application | None) -> argparse.ArgumentParser:
    command = "python -m fastschema" if application is None else application.command
    parser = argparse.ArgumentParser(
        prog=command,
        description="Tells of schemas what is compiled, what runs as stock, and what to change.",
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
        raise ValueError("--profile and --svg are for one schema: name it")
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
