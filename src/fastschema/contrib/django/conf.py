"""The setting ``FASTSCHEMA``: a dictionary, checked whole, and anew when a test overrides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from fastschema.runtime.settings import checked_settings

NAME = "FASTSCHEMA"


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``FASTSCHEMA`` may hold, in capitals, and what holds without it: docs/settings.md."""

    install: bool = True
    rows: bool = True
    filters: bool = True
    load_relations: bool | Literal["all"] = False
    stream_chunk_size: int = 500
    bulk_input: bool = False
    check_serializers: bool = False
    shadow: float | int = 0
    shadow_values: bool = False


@cache
def settings() -> Settings:
    """Return what Django's settings say now, or raise ImproperlyConfigured."""
    return checked(getattr(django_settings, NAME, {}))


def value_for(view: Any, setting: str) -> Any:
    """Return a setting for a view: its own ``fastschema_load_relations``, say, first.

    The view may be anything, in the tests of a project, and is not asked itself.
    """
    name = f"fastschema_{setting}"
    value = getattr(view, "__dict__", {}).get(name, getattr(type(view), name, None))
    return getattr(settings(), setting) if value is None else value


def view_of(serializer: Any) -> Any:
    """Return the view that has made a serializer, as its context tells; None if it does not."""
    while serializer.parent is not None:
        serializer = serializer.parent
    context = getattr(serializer, "_context", None)
    return context.get("view") if type(context) is dict else None


def checked(value: Any) -> Settings:
    """Return the settings in a dictionary, or raise ImproperlyConfigured."""
    if not isinstance(value, Mapping):
        raise ImproperlyConfigured(
            f"{NAME} must be a dictionary, such as {{'INSTALL': True}}, not {value!r}."
        )
    try:
        return checked_settings(Settings, value, f"{NAME}[{{!r}}]")
    except ValueError as error:
        raise ImproperlyConfigured(str(error)) from error


def _clear_cache(*, setting: str, **kwargs: Any) -> None:
    if setting == NAME:
        settings.cache_clear()


setting_changed.connect(_clear_cache, dispatch_uid="fastschema.contrib.django.conf")
