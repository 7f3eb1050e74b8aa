"""python -m fastschema: what fastschema makes of a schema, from the command line."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from fastschema.plan import Plan, compile
from fastschema.runtime.standalone import FORMS


class PathError(Exception):
    """A path that leads to no schema, and why."""


def plan_at(path: str) -> Plan:
    """The plan of the schema at ``package.module:Name``.

    :raises PathError: if the module cannot be imported, or has no such schema
    """
    module_name, separator, name = path.partition(":")
    if not (module_name and separator and name):
        raise PathError(f"{path!r} is not of the form package.module:Schema")
    if "." not in sys.path and "" not in sys.path:
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise PathError(f"{module_name} cannot be imported: {error}") from error
    try:
        schema: Any = attrgetter(name)(module)
    except AttributeError:
        raise PathError(f"{module_name} has no {name}") from None
    try:
        return compile(schema)
    except Exception as error:
        raise PathError(f"{path} cannot be read: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    :param arguments: the command line without the program; None: that of the process
    :returns: the exit status: 0, or 1 for a path that leads to no schema
    """
    options = _parser().parse_args(arguments)
    try:
        plan = plan_at(options.schema)
        print(options.run(plan, options))
    except (PathError, ValueError) as error:
        print(f"fastschema: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fastschema", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    explain = commands.add_parser("explain", help="field by field: compiled or stock, and why")
    explain.add_argument("schema", metavar="package.module:Schema")
    explain.add_argument("--json", action="store_true", help="print JSON instead of a table")
    explain.set_defaults(run=_explain)

    source = commands.add_parser("source", help="the generated code")
    source.add_argument("schema", metavar="package.module:Schema")
    source.add_argument("--form", choices=FORMS, default=FORMS[0], help="what it makes of objects")
    source.add_argument("--access", default="attribute", help="how it reads them")
    source.add_argument("--many", action="store_true", help="the code for many rows")
    source.set_defaults(run=_source)
    return parser


def _explain(plan: Plan, options: argparse.Namespace) -> str:
    report = plan.explain()
    return json.dumps(report.as_dict(), indent=2) if options.json else str(report)


def _source(plan: Plan, options: argparse.Namespace) -> str:
    return plan.source(options.form, options.access, many=options.many).rstrip()
