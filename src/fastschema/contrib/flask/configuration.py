"""What an application's configuration says, and which of its requests fastschema answers."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Flask, current_app, request

from fastschema.runtime.encode import CHUNK_SIZE
from fastschema.switch import VARIABLE, is_disabled, is_yes, switch_for_rest

EXTENSION = "fastschema"
"""The key in ``app.extensions``."""

DEFAULTS = {
    "FASTSCHEMA_INSTALL": True,
    "FASTSCHEMA_JSON_PROVIDER": True,
    "FASTSCHEMA_CHUNK_SIZE": CHUNK_SIZE,
    "FASTSCHEMA_SHADOW": 0,
    "FASTSCHEMA_SHADOW_VALUES": False,
    "FASTSCHEMA_ENABLED": None,
    VARIABLE: False,
}
"""The configuration keys."""


@dataclass(frozen=True)
class Settings:
    """What an application is configured to.

    :param chunk_size: how many rows a stream writes at a time
    :param shadow: the share of responses that stock makes as well, to compare them
    :param shadow_values: whether what is told of a difference shows values
    :param is_off: whether the application stays as it is
    """

    chunk_size: int
    shadow: float
    shadow_values: bool
    is_off: bool


def configured(app: Flask) -> Settings:
    """Return the settings in an application's configuration, which gets the defaults of missing
    keys.

    :raises ValueError: for a key that there is not, or one with a value that it cannot have
    """
    for key, default in DEFAULTS.items():
        app.config.setdefault(key, default)
    for key in app.config:
        if key.startswith("FASTSCHEMA_") and key not in DEFAULTS:
            raise ValueError(f"app.config has the unknown key {key!r}. {_hint(key)}")
    for key in ("FASTSCHEMA_INSTALL", "FASTSCHEMA_JSON_PROVIDER", "FASTSCHEMA_SHADOW_VALUES"):
        if type(app.config[key]) is not bool:
            raise ValueError(f"{key} must be True or False, not {app.config[key]!r}")
    size = app.config["FASTSCHEMA_CHUNK_SIZE"]
    if type(size) is not int or size < 1:
        raise ValueError(f"FASTSCHEMA_CHUNK_SIZE must be a positive int, not {size!r}")
    share = app.config["FASTSCHEMA_SHADOW"]
    if type(share) not in (int, float) or not 0 <= share <= 1:
        raise ValueError(
            f"FASTSCHEMA_SHADOW must be a number from 0 to 1, such as 0.1, not {share!r}"
        )
    return Settings(
        chunk_size=size,
        shadow=share,
        shadow_values=app.config["FASTSCHEMA_SHADOW_VALUES"],
        is_off=_is_disabled(app.config[VARIABLE]) or app.config["FASTSCHEMA_ENABLED"] is False,
    )


def _is_disabled(value: Any) -> bool:
    """Return what ``FASTSCHEMA_DISABLED`` says; it may come from the environment, as
    text or a number.
    """
    if value is not None and not isinstance(value, (bool, int, str)):
        raise ValueError(
            f"{VARIABLE} must be True or False, or text as in the environment, not {value!r}"
        )
    return value is not None and is_yes(str(value))


def _hint(key: str) -> str:
    similar = difflib.get_close_matches(key, DEFAULTS, n=1)
    return f"Did you mean {similar[0]!r}?" if similar else f"The keys are {', '.join(DEFAULTS)}."


def settings_of(app: Any) -> Settings | None:
    """Return the settings of an application; None if it has no extension."""
    settings = app.extensions.get(EXTENSION)
    return settings if isinstance(settings, Settings) else None


def current_settings() -> Settings:
    """Return the settings of the current application.

    :raises RuntimeError: without an application context, or if it has no extension
    """
    settings = settings_of(current_app)
    if settings is None:
        raise RuntimeError(
            f"the application {current_app.name!r} has no FastSchema: call init_app(app) once"
        )
    return settings


def switch_by_request(app: Flask, choose: Callable[[Any], Any]) -> None:
    """Answer the requests of an application that a function chooses by fastschema, others by stock.

    The choice holds until Flask tears the request down.

    :param choose: given Flask's request, ``async`` or not; called before the view, in the order of
        ``before_request``; what it raises is an error of the view
    """

    def switch() -> None:
        is_on = bool(app.ensure_sync(choose)(request))
        request.environ.setdefault(_SWITCH, not is_disabled())
        switch_for_rest(is_on=is_on)

    def switch_back(error: BaseException | None) -> None:
        was_on = request.environ.pop(_SWITCH, None)
        if was_on is not None:
            switch_for_rest(is_on=was_on)

    app.before_request(switch)
    app.teardown_request(switch_back)


_SWITCH = "fastschema.was_on"
"""The key in the environment of a request."""
