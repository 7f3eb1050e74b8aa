"""Relationships that are not loaded: the setting ``FASTSCHEMA_LOAD_RELATIONS``."""

from __future__ import annotations

import sys
from typing import Any

from flask import current_app, has_app_context

from fastschema.contrib.flask.configuration import Settings, settings_of
from fastschema.marshmallow.dump import call_before
from fastschema.runtime.settings import Loads
from fastschema.runtime.switch import is_disabled
from fastschema.runtime.versions import is_installed, require

_OLDEST = (1, 4)


def switch_on(settings: Settings, *, is_debug: bool) -> None:
    """Load relationships on demand, if an application says so; in debug mode, log lazy loads.

    :raises ImportError: if it says so, and SQLAlchemy is missing or too old
    """
    if settings.load_relations:
        require("FASTSCHEMA_LOAD_RELATIONS", sqlalchemy=_OLDEST)
    if settings.load_relations or (is_debug and can_load()):
        call_before(load_if_set)


def can_load() -> bool:
    return is_installed("sqlalchemy", _OLDEST)


def load_if_set(schema: Any, objects: list[Any], compiled: Any) -> None:
    """Load what a schema is about to read of some objects, if the current application says so."""
    if not has_app_context():
        return
    app: Any = current_app._get_current_object()  # type: ignore[attr-defined]  # of a proxy
    settings = settings_of(app)
    if settings is None or is_disabled() or not objects or "sqlalchemy.orm" not in sys.modules:
        return
    from fastschema.contrib.sqlalchemy_relations.loading import load_for, warn_of_lazy_loads

    if settings.load_relations:
        load_for(schema, objects, compiled, Loads.of(settings.load_relations))
    if app.debug:
        warn_of_lazy_loads(schema, objects)
