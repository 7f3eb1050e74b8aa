"""python -m fastschema: what fastschema makes of schemas, from the command line."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence

from fastschema.runtime.standalone import FORMS
from fastschema.tools.doctor import FLAGS, PathError, diagnosis_of, object_at, plan_at
from fastschema.tools.doctor_text import Line, Status, details, may_be_cut
from fastschema.versions import versions_text

_COMMANDS = ("explain", "source")
_SCHEMA = "package.module:Name"
_MORE = """
Two more commands, whose options --help after them shows:
  explain package.module:Name  the table of fields alone
  source package.module:Name   the generated code
"""
_STYLES = {
    Status.PLAIN: "",
    Status.HEADING: "bold",
    Status.COMPILED: "green",
    Status.CUSTOM: "yellow",
    Status.STOCK: "red",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    :param arguments: the command line without the program; None: that of the process
    :returns: the exit status: 0, or 1 for a path that leads to no schema, and for schemas or fields
        that run as stock with ``--fail-on-stock``
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = _command_parser() if words and words[0] in _COMMANDS else _doctor_parser()
    options = parser.parse_args(words)
    try:
        with may_be_cut():
            return int(options.run(options))
    except (PathError, ValueError, OSError) as error:
        print(f"fastschema: {error}", file=sys.stderr)
        return 1
    return 0


def _doctor_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fastschema",
        description="Tells of schemas what is compiled, what runs as stock, and what to change.",
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("schemas", nargs="+", metavar=_SCHEMA)
    for flag, text in FLAGS.items():
        parser.add_argument(flag, action="store_true", help=text)
    parser.add_argument(
        "--profile",
        metavar="package.module:rows",
        help="dump these rows, or those that this function returns, and show what each field costs",
    )
    parser.add_argument("--svg", metavar="FILE", help="write the profile as a picture")
    parser.add_argument("--no-color", action="store_true", help="do not colour the output")
    parser.add_argument("--version", action="version", version=versions_text())
    parser.set_defaults(run=_diagnose)
    return parser


def _command_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fastschema")
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


def _diagnose(options: argparse.Namespace) -> int:
    schemas = {path: object_at(path) for path in options.schemas}
    diagnosis = diagnosis_of(schemas, options.profile, options.svg)
    if options.dump_only:
        diagnosis = diagnosis.without_loading()
    if options.json:
        print(json.dumps(diagnosis.as_dict(), indent=2))
    else:
        _print(details(diagnosis), is_plain=options.no_color)
    failure = diagnosis.failure() if options.fail_on_stock else None
    if failure is not None:
        print(f"fastschema: {failure}", file=sys.stderr)
    return 0 if failure is None else 1


def _explain(options: argparse.Namespace) -> int:
    report = plan_at(options.schema).explain()
    print(json.dumps(report.as_dict(), indent=2) if options.json else str(report))
    return 0


def _source(options: argparse.Namespace) -> int:
    plan = plan_at(options.schema)
    print(plan.source(options.form, options.access, many=options.many).rstrip())
    return 0


def _print(lines: Iterable[Line], *, is_plain: bool) -> None:
    """Print lines, in colour on a terminal if rich is installed."""
    if is_plain or os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        print("\n".join(line.text for line in lines))
        return
    try:
        from rich.console import Console
    except ModuleNotFoundError:
        print("\n".join(line.text for line in lines))
        return
    console = Console(soft_wrap=True)
    for line in lines:
        console.print(line.text, style=_STYLES[line.status], markup=False, highlight=False)
