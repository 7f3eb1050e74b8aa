"""``flask fastschema``: what fastschema makes of an application's schemas."""

from __future__ import annotations

import json
from typing import Any

import click
from flask.cli import AppGroup
from marshmallow import Schema, class_registry

from fastschema.cli import PathError, plan_at
from fastschema.plan import compile
from fastschema.report import Report

commands = AppGroup("fastschema", help="What fastschema makes of this application's schemas.")


@commands.command("explain")
@click.argument("schema", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def explain(schema: str | None, as_json: bool) -> None:
    """List all schemas with how many of their fields are compiled, or one in detail.

    SCHEMA is a name from that list, the part of it after the last dot, or package.module:Name.
    """
    if schema is not None:
        report = _report(schema)
        click.echo(json.dumps(report.as_dict(), indent=2) if as_json else str(report))
        return
    reports = {name: _explained(cls) for name, cls in registered_schemas().items()}
    if as_json:
        listed = {name: _summary(each) for name, each in reports.items()}
        click.echo(json.dumps(listed, indent=2))
        return
    width = max(map(len, reports), default=0)
    for name, each in reports.items():
        click.echo(f"{name.ljust(width)}  {_line(each)}")
    click.echo(f"{len(reports)} schema{'s' * (len(reports) != 1)}")


def registered_schemas() -> dict[str, type[Schema]]:
    """The schema classes in marshmallow's registry by their full names, sorted.

    Without marshmallow's own and those without fields, which others inherit from.
    """
    classes = {cls for each in class_registry._registry.values() for cls in each}
    named = {
        f"{cls.__module__}.{cls.__qualname__}": cls
        for cls in classes
        if cls._declared_fields and not cls.__module__.startswith("marshmallow.")
    }
    return dict(sorted(named.items()))


def _explained(schema: type[Schema]) -> Report | str:
    """The report on a schema class, or why there is none."""
    try:
        return compile(schema).explain()
    except Exception as error:  # its own code: arguments that it requires, say
        return f"cannot be made without arguments: {error}"


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


def _report(name: str) -> Report:
    """The report on the schema of a name.

    :raises click.ClickException: if there is none, or more than one
    """
    if ":" in name:
        try:
            return plan_at(name).explain()
        except PathError as error:
            raise click.ClickException(str(error)) from None
    found = {
        full: cls
        for full, cls in registered_schemas().items()
        if full == name or full.endswith(f".{name}")
    }
    if name in found:
        found = {name: found[name]}
    if not found:
        raise click.ClickException(
            f"no schema has the name {name}; flask fastschema explain lists them all"
        )
    if len(found) > 1:
        raise click.ClickException(
            f"{len(found)} schemas have the name {name}; say which: {', '.join(found)}"
        )
    [cls] = found.values()
    report = _explained(cls)
    if isinstance(report, str):
        raise click.ClickException(f"{name} {report}")
    return report
