"""The views of an application, and what is known of their schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from fastschema.contrib.flask.responses import SCHEMA
from fastschema.doctor import ViewFinding
from fastschema.naming import path_of

_METHODS_OF_FLASK = {"HEAD", "OPTIONS"}


def views(app: Flask) -> list[ViewFinding]:
    """The views of an application in the order of its rules, but for Flask's own static files.

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
    """The methods of a rule, each with what answers it: the method of a class, if that does."""
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
