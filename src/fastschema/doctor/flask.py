"""``flask fastschema``: what fastschema makes of an application's views and schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click
from flask import Flask, current_app
from flask.cli import with_appcontext
from marshmallow import Schema, class_registry
from werkzeug.routing import Rule

from fastschema.contrib.flask.configuration import settings_of
from fastschema.contrib.flask.responses import SCHEMA
from fastschema.doctor.cli import main
from fastschema.doctor.diagnosis import Diagnosis, RowQueries, SchemaFinding, ViewFinding, path_of
from fastschema.runtime.plugins import plugin
from fastschema.runtime.settings import Loads

_relations = plugin("fastschema.contrib.sqlalchemy_relations.flask")
_UNKNOWN = (
    "fastschema knows the schemas of a view if a decorator names them: @fs.output, or those of "
    "flask-smorest and APIFlask."
)
_LIBRARIES = ("marshmallow.", "flask_smorest.", "apiflask.", "webargs.")
"""How the modules begin whose schemas are no application's."""
_OFF = "FASTSCHEMA_DISABLED or FASTSCHEMA_ENABLED switches fastschema off for this application."


@click.command(
    "fastschema",
    short_help="FastSchema: what is compiled, what runs as stock, and what to change.",
    context_settings={"ignore_unknown_options": True},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@with_appcontext
def command(words: tuple[str, ...]) -> None:
    """Run the doctor of the application."""
    main(words, "flask fastschema", schemas(), diagnosis_of_application)


def schemas() -> dict[str, type[Schema]]:
    """Return the schema classes in marshmallow's registry by ``package.module:Name``, sorted.

    Without those of libraries, and those without fields, which others inherit from.
    """
    classes = {cls for namesakes in class_registry._registry.values() for cls in namesakes}
    listed = {
        path_of(cls): cls
        for cls in classes
        if cls._declared_fields and not f"{cls.__module__}.".startswith(_LIBRARIES)
    }
    return dict(sorted(listed.items()))


def diagnosis_of_application() -> Diagnosis:
    findings_of_views = views(current_app)
    notes = [_UNKNOWN] if any(not finding.schema for finding in findings_of_views) else []
    settings = settings_of(current_app)
    if settings is not None and settings.is_off:
        notes.append(_OFF)
    findings = [SchemaFinding.of(path, cls) for path, cls in schemas().items()]
    return Diagnosis(findings, findings_of_views, notes=notes)


_METHODS_OF_FLASK = {"HEAD", "OPTIONS"}


def views(app: Flask) -> list[ViewFinding]:
    """Return the views of an application in the order of its rules, but for static files.

    The schema of a view is known if a decorator names it: ``@fs.output``, or those of flask-smorest
    and APIFlask.
    """
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint in app.view_functions]
    return [
        _finding(rule, method, view)
        for rule in rules
        if rule.endpoint.rpartition(".")[2] != "static"
        for method, view in _views(rule, app.view_functions[rule.endpoint])
    ]


def _views(rule: Rule, view: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the methods of a rule, each with what answers it: the method of a class, maybe."""
    cls = getattr(view, "view_class", None)
    for method in sorted((rule.methods or set()) - _METHODS_OF_FLASK):
        yield method, getattr(cls, method.lower(), view)


def _finding(rule: Rule, method: str, view: Any) -> ViewFinding:
    schema = next((output for output in _output(view) if _path(output)), None)
    takes = ", ".join(dict.fromkeys(filter(None, map(_path, _input(view)))))
    return ViewFinding(
        f"{method} {rule.rule} ({rule.endpoint})",
        schema=_path(schema),
        how=f"takes {takes}" if takes else "",
        facts={"endpoint": rule.endpoint},
        is_list=_model(schema) is not None,
        queries=None if schema is None else _queries(schema),
    )


def _model(schema: Any) -> Any:
    """Return the mapped class of a list's schema, if marshmallow-sqlalchemy knows it; else None."""
    is_list = isinstance(schema, Schema) and schema.many
    return getattr(schema.opts, "model", None) if is_list else None


def _queries(schema: Any) -> RowQueries | None:
    """Return what a list reads that is loaded lazily unless its statement says otherwise."""
    model = _model(schema)
    if model is None or _relations is None or not _relations.can_load():
        return None
    from fastschema.contrib.sqlalchemy_relations.loading import advice_on

    settings = settings_of(current_app)
    loads = Loads.of(settings is not None and settings.load_relations)
    names, advice = advice_on(schema, model, loads)
    if not names:
        return None
    what = f"Unless its statement has {advice}."
    return RowQueries(what, tuple(names), how="its objects load by themselves")


def _output(view: Any) -> Iterator[Any]:
    """Yield the schemas by which decorators of fastschema, APIFlask, flask-smorest answer."""
    yield getattr(view, SCHEMA, None)
    yield getattr(view, "_spec", {}).get("response", {}).get("schema")
    apidoc = getattr(view, "_apidoc", {})
    responses = apidoc.get("response", {}).get("responses", {})
    for status in apidoc.get("success_status_codes", ()):
        for description in _listed(responses.get(status)):
            yield description.get("schema")


def _input(view: Any) -> Iterator[Any]:
    """Yield the schemas by which decorators of APIFlask and flask-smorest take input."""
    spec = getattr(view, "_spec", {})
    yield spec.get("body")
    yield from (schema for schema, *_ in spec.get("args", ()))
    parameters = getattr(view, "_apidoc", {}).get("arguments", {}).get("parameters", ())
    yield from (parameter.get("schema") for parameter in parameters)


def _listed(described: Any) -> list[Any]:
    """Return the descriptions of a response, of which older versions of flask-smorest have one."""
    descriptions = described if isinstance(described, list) else [described]
    return [description for description in descriptions if isinstance(description, dict)]


def _path(schema: Any) -> str:
    cls = schema if isinstance(schema, type) else type(schema)
    return path_of(cls) if issubclass(cls, Schema) else ""
