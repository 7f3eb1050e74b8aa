"""What an application's configuration says, and which of its requests fastschema answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from flask import Flask, current_app, request

from fastschema.runtime.encode import CHUNK_SIZE
from fastschema.settings import checked_settings
from fastschema.switch import disabled, is_disabled, is_yes, switch_for_rest

EXTENSION = "fastschema"
"""The key in ``app.extensions``."""

_PREFIX = "FASTSCHEMA_"


@dataclass(frozen=True)
class Settings:
    """What an application's configuration may hold, in capitals, after ``FASTSCHEMA_``.

    :param install: whether all marshmallow schemas of the process are compiled
    :param json_provider: whether ``app.json`` is replaced
    :param chunk_size: how many rows a stream writes at a time
    :param shadow: the share of responses that stock makes as well, to compare them
    :param shadow_values: whether what is told of a difference shows values
    :param enabled: a callable that says which requests fastschema answers, or its path; False: none
    :param disabled: whether the application stays as it is; as text, what it is in the environment
    """

    install: bool = True
    json_provider: bool = True
    chunk_size: int = CHUNK_SIZE
    shadow: float | int = 0
    shadow_values: bool = False
    enabled: Any = None
    disabled: bool | int | str | None = False

    @property
    def is_off(self) -> bool:
        """Whether the application stays as it is."""
        is_disabled = self.disabled is not None and is_yes(str(self.disabled))
        return is_disabled or self.enabled is False

    def switched(self) -> AbstractContextManager[None]:
        """Run stock inside the ``with`` statement if the application is to stay as it is."""
        return disabled() if self.is_off else nullcontext()


def configured(app: Flask) -> Settings:
    """Return the settings in an application's configuration, which gets the defaults of missing
    keys.

    :raises ValueError: for a key that there is not, or one with a value that it cannot have
    """
    for name, default in asdict(Settings()).items():
        app.config.setdefault(f"{_PREFIX}{name.upper()}", default)
    given = {
        key.removeprefix(_PREFIX): value
        for key, value in app.config.items()
        if key.startswith(_PREFIX)
    }
    return checked_settings(Settings, given, f"{_PREFIX}{{}}")


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
