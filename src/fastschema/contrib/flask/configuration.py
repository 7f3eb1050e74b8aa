"""What an application's configuration says."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any, Literal

from flask import Flask, current_app

from fastschema.runtime.encode import CHUNK_SIZE
from fastschema.runtime.settings import checked_settings
from fastschema.runtime.switch import disabled, is_yes

EXTENSION = "fastschema"
"""The key in ``app.extensions``."""

_PREFIX = "FASTSCHEMA_"
_DICTIONARY = "FASTSCHEMA"
"""The setting of Django, which people may take for one of Flask."""


@dataclass(frozen=True)
class Settings:
    """What an application's configuration may hold, in capitals, after ``FASTSCHEMA_``.

    ``FastSchema.init_app`` says what they mean.
    """

    install: bool = True
    json_provider: bool = True
    chunk_size: int = CHUNK_SIZE
    load_relations: bool | Literal["all"] = False
    shadow: float | int = 0
    shadow_values: bool = False
    enabled: bool = True
    disabled: bool | int | str | None = False

    @property
    def is_off(self) -> bool:
        is_disabled = self.disabled is not None and is_yes(str(self.disabled))
        return is_disabled or not self.enabled

    def switched(self) -> AbstractContextManager[None]:
        return disabled() if self.is_off else nullcontext()


def configured(app: Flask) -> Settings:
    """Return the settings in an application's configuration, where the defaults are added."""
    dictionary = app.config.get(_DICTIONARY)
    if isinstance(dictionary, Mapping):
        raise ValueError(_instead_of(dictionary))
    for name, default in asdict(Settings()).items():
        app.config.setdefault(f"{_PREFIX}{name.upper()}", default)
    settings = {
        key.removeprefix(_PREFIX): value
        for key, value in app.config.items()
        if key.startswith(_PREFIX)
    }
    return checked_settings(Settings, settings, f"{_PREFIX}{{}}")


def _instead_of(dictionary: Mapping[Any, Any]) -> str:
    keys = [f"app.config[{f'{_PREFIX}{name}'!r}] = {value!r}" for name, value in dictionary.items()]
    return f"Nothing reads the dictionary app.config[{_DICTIONARY!r}]. " + (
        f"Write {', '.join(keys)}." if keys else "Each setting has a key of its own."
    )


def settings_of(app: Any) -> Settings | None:
    """Return the settings of an application; None if it has no extension."""
    settings = app.extensions.get(EXTENSION)
    return settings if isinstance(settings, Settings) else None


def current_settings() -> Settings:
    """Return the settings of the current application; ``RuntimeError`` if it has no extension."""
    settings = settings_of(current_app)
    if settings is None:
        raise RuntimeError(
            f"the application {current_app.name!r} has no FastSchema: call init_app(app) once"
        )
    return settings


def answer_by_stock(app: Flask) -> None:
    """Let stock answer all requests of an application, whatever others in the process do."""
    wsgi_app = app.wsgi_app

    def by_stock(environ: Any, start_response: Any) -> Any:
        with disabled():
            return wsgi_app(environ, start_response)

    app.wsgi_app = by_stock  # type: ignore[method-assign]  # as Flask's documentation does
