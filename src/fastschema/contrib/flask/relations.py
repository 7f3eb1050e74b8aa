"""Relationships that nobody has loaded: the setting ``FASTSCHEMA_LOAD_RELATIONS``."""

from __future__ import annotations

from typing import Any

from flask import current_app, has_app_context

from fastschema.contrib.flask.configuration import settings_of
from fastschema.marshmallow.sqlalchemy import is_mapped
from fastschema.runtime.switch import is_disabled
from fastschema.runtime.versions import is_installed, require

_OLDEST = (2, 0)


def check_can_load() -> None:
    """Raise ``ImportError`` if SQLAlchemy is missing or too old for the setting."""
    require("FASTSCHEMA_LOAD_RELATIONS", sqlalchemy=_OLDEST)


def can_load() -> bool:
    return is_installed("sqlalchemy", _OLDEST)


def load_if_set(schema: Any, objects: list[Any], compiled: Any) -> None:
    """Load what a schema is about to read of some objects, if the current application says so.

    In debug mode, what is left to lazy loads is logged.
    """
    settings = settings_of(current_app) if has_app_context() else None
    if settings is None or is_disabled() or not objects or not is_mapped(type(objects[0])):
        return
    from fastschema.contrib.sqlalchemy.relations import load_for, warn_of_lazy_loads

    if settings.load_relations:
        load_for(schema, objects, compiled)
    if current_app.debug:
        advice = "" if settings.load_relations else ", or set FASTSCHEMA_LOAD_RELATIONS = True"
        warn_of_lazy_loads(schema, objects, advice)
