"""``flask fastschema``: what fastschema makes of an application's views and schemas."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click
from flask import Flask, current_app
from flask.cli import AppGroup
from marshmallow import Schema, class_registry
from werkzeug.routing import Rule

from fastschema.contrib.flask.configuration import settings_of
from fastschema.contrib.flask.responses import SCHEMA
from fastschema.report import Report
from fastschema.tools.doctor import (
    ALL,
    FLAGS,
    Diagnosis,
    PathError,
    SchemaFinding,
    ViewFinding,
    diagnosis_of,
    named,
    object_at,
    path_of,
)
from fastschema.tools.doctor_text import Line, Status, details, overview
from fastschema.versions import versions_text

_DOCTOR = "doctor"
_UNKNOWN = "Of a view without @fs.output, nobody can tell which schemas it uses."
_OFF = "FASTSCHEMA_DISABLED or FASTSCHEMA_ENABLED switches it off: stock answers this application."
_STYLES: Mapping[Status, dict[str, Any]] = {
    Status.PLAIN: {},
    Status.HEADING: {"bold": True},
    Status.COMPILED: {"fg": "green"},
    Status.CUSTOM: {"fg": "yellow"},
    Status.STOCK: {"fg": "red"},
}


class _DoctorGroup(AppGroup):
    """A group that passes what is none of its commands on to the doctor."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_DOCTOR, *args]
        return super().parse_args(ctx, args)


commands = _DoctorGroup(
    "fastschema",
    help="FastSchema: what is compiled, what runs as stock, and what to change. Without a command: "
    "doctor.",
)


def _with_flags(command: Callable[..., None]) -> Callable[..., None]:
    for flag, text in reversed(FLAGS.items()):
        command = click.option(flag, is_flag=True, help=f"{text[0].upper()}{text[1:]}.")(command)
    return command


def _show_versions(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        click.echo(versions_text())
        ctx.exit()


@commands.command(_DOCTOR)
@click.argument("schemas", nargs=-1, metavar="[SCHEMA]...")
@_with_flags
@click.option("--all", "is_whole", is_flag=True, help=f"{ALL['--all'].capitalize()}.")
@click.option(
    "--profile",
    metavar="MODULE:ROWS",
    help="Dump these rows, or those that this function returns, and show what each field costs.",
)
@click.option("--svg", metavar="FILE", help="Write the profile as a picture.")
@click.option("--no-color", is_flag=True, help="Do not colour the output.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_versions,
    help="Show the versions of fastschema and of what it works with.",
)
def doctor(schemas: tuple[str, ...], **options: Any) -> None:
    """Tell of the application's views and schemas what is compiled, and what to change.

    SCHEMA is package.module:Name, or the Name alone: tell of that one, field by field.
    """
    try:
        if schemas or options["profile"] or options["svg"]:
            diagnosis = _of_named(schemas, options["profile"], options["svg"])
        else:
            diagnosis = _of_application()
    except (PathError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None
    if options["dump_only"]:
        diagnosis = diagnosis.without_loading()
    if options["json"]:
        click.echo(json.dumps(diagnosis.as_dict(), indent=2))
    else:
        is_plain = options["no_color"] or bool(os.environ.get("NO_COLOR"))
        is_whole = options["is_whole"]
        lines = details(diagnosis) if schemas else overview(diagnosis, is_whole=is_whole)
        _print(lines, is_plain=is_plain)
    failure = diagnosis.failure() if options["fail_on_stock"] else None
    if failure is not None:
        raise click.ClickException(failure)


@commands.command("explain")
@click.argument("schema", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def explain(schema: str | None, as_json: bool) -> None:
    """List all schemas with how many of their fields are compiled, or one in detail.

    SCHEMA is package.module:Name, or the Name alone.
    """
    if schema is not None:
        report = _report(schema)
        click.echo(json.dumps(report.as_dict(), indent=2) if as_json else str(report))
        return
    found = {path: SchemaFinding.of(path, cls) for path, cls in registered_schemas().items()}
    if as_json:
        listed = {path: _summary(each.report or each.error) for path, each in found.items()}
        click.echo(json.dumps(listed, indent=2))
        return
    width = max(map(len, found), default=0)
    for path, each in found.items():
        click.echo(f"{path.ljust(width)}  {_line(each.report or each.error)}")
    click.echo(f"{len(found)} schema{'s' * (len(found) != 1)}")


def registered_schemas() -> dict[str, type[Schema]]:
    """Return the schema classes in marshmallow's registry by ``package.module:Name``, sorted.

    Without marshmallow's own and those without fields, which others inherit from.
    """
    classes = {cls for each in class_registry._registry.values() for cls in each}
    listed = {
        path_of(cls): cls
        for cls in classes
        if cls._declared_fields and not cls.__module__.startswith("marshmallow.")
    }
    return dict(sorted(listed.items()))


def _of_application() -> Diagnosis:
    schemas = [SchemaFinding.of(path, cls) for path, cls in registered_schemas().items()]
    found = views(current_app)
    notes = [_UNKNOWN] if any(not each.schema for each in found) else []
    settings = settings_of(current_app)
    if settings is not None and settings.is_off:
        notes.append(_OFF)
    return Diagnosis(schemas, found, notes=notes)


def _of_named(names: Iterable[str], rows_path: str | None, svg: str | None) -> Diagnosis:
    found = dict(map(_schema, names))
    if not found:
        raise ValueError("--profile and --svg are for one schema: name it")
    return diagnosis_of(found, rows_path, svg)


def _schema(name: str) -> tuple[str, Any]:
    """Return the path and the schema of a name.

    :raises PathError: if there is none, or more than one
    """
    registered = registered_schemas()
    found = named(name, registered)
    if len(found) > 1:
        raise PathError(f"{len(found)} schemas have the name {name}; say which: {', '.join(found)}")
    if found:
        return found[0], registered[found[0]]
    if ":" in name:
        return name, object_at(name)
    raise PathError(f"no schema has the name {name}; flask fastschema lists them all")


def _report(name: str) -> Report:
    """Return the report on the schema of a name.

    :raises click.ClickException: if there is none, or more than one
    """
    try:
        [found] = _of_named([name], None, None).schemas
    except PathError as error:
        raise click.ClickException(str(error)) from None
    assert found.report is not None  # it would have been an error
    return found.report


def _line(report: Report | str) -> str:
    if isinstance(report, str):
        return report
    dumping = _compiled(report)
    return dumping if report.loading is None else f"{dumping}; loading: {_compiled(report.loading)}"


def _compiled(report: Report) -> str:
    if report.why:
        return f"runs as stock, because {report.why}"
    return f"{report.compiled} of {len(report.fields)} fields compiled"


def _summary(report: Report | str) -> dict[str, Any]:
    if isinstance(report, str):
        return {"error": report}
    loading = {} if report.loading is None else {"loading": _summary(report.loading)}
    about = {"fields": len(report.fields), "compiled": report.compiled, "why": report.why}
    return {**about, **loading}


def _print(lines: Iterable[Line], *, is_plain: bool) -> None:
    """Print lines, in colour on a terminal."""
    for line in lines:
        styled = click.style(line.text, **_STYLES[line.status]) if line.text else ""
        click.echo(styled, color=False if is_plain else None)


_METHODS_OF_FLASK = {"HEAD", "OPTIONS"}


def views(app: Flask) -> list[ViewFinding]:
    """Return the views of an application in the order of its rules, but for Flask's own static
    files.

    Only of those with ``@fs.output`` the schema is known: what others do with schemas is up to
    their code.
    """
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint in app.view_functions]
    return [
        _finding(rule, method, view)
        for rule in rules
        if rule.endpoint.rpartition(".")[2] != "static"
        for method, view in _views(rule, app.view_functions[rule.endpoint])
    ]


def _views(rule: Rule, view: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the methods of a rule, each with what answers it: the method of a class, if
    that does.
    """
    cls = getattr(view, "view_class", None)
    for method in sorted((rule.methods or set()) - _METHODS_OF_FLASK):
        yield method, getattr(cls, method.lower(), view)


def _finding(rule: Rule, method: str, view: Any) -> ViewFinding:
    schema = getattr(view, SCHEMA, None)
    cls = schema if isinstance(schema, type) or schema is None else type(schema)
    return ViewFinding(
        f"{method} {rule.rule} ({rule.endpoint})",
        schema="" if cls is None else path_of(cls),
        facts={"endpoint": rule.endpoint},
    )
