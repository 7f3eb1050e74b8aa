"""The setting ``FASTSCHEMA``: a dictionary, checked whole, and anew when a test overrides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from fastschema.runtime.settings import checked_settings

NAME = "FASTSCHEMA"


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``FASTSCHEMA`` may hold, in capitals, and what holds without it.

    :param install: whether the app makes all serializers run compiled programs when Django starts
    :param load_relations: whether views load the relations that their serializers read
    :param stream_chunk_size: how many rows a streamed list reads from the database at a time
    :param rows: whether list views write the rows of the database without making model instances,
        where nobody can tell
    :param filters: whether filter sets of django-filter make their filters and forms on demand
    :param bulk_input: whether lists of input ask the database once for all rows, and are created by
        ``bulk_create`` where that is the same
    :param check_serializers: whether ``manage.py check`` warns of serializers that run as stock
    :param shadow: the share of list responses that stock renders as well, to compare them
    :param shadow_values: whether what is told of a difference shows values
    """

    install: bool = True
    rows: bool = True
    filters: bool = True
    load_relations: bool = False
    stream_chunk_size: int = 500
    bulk_input: bool = False
    check_serializers: bool = False
    shadow: float | int = 0
    shadow_values: bool = False


@cache
def settings() -> Settings:
    """Return what Django's settings say now.

    :raises ImproperlyConfigured: for a key or a value that is none
    """
    return checked(getattr(django_settings, NAME, {}))


def holds_for(view: Any, setting: str) -> bool:
    """Return whether a setting holds for a view: its own ``fastschema_load_relations``, say, first.

    :param view: it may be anything, in the tests of a project, and is not asked itself
    :param setting: the name of the attribute of :class:`Settings`
    """
    name = f"fastschema_{setting}"
    own = getattr(view, "__dict__", {}).get(name, getattr(type(view), name, None))
    return bool(getattr(settings(), setting) if own is None else own)


def view_of(serializer: Any) -> Any:
    """Return the view that has made a serializer, as its context tells; None if it does not."""
    while serializer.parent is not None:
        serializer = serializer.parent
    context = getattr(serializer, "_context", None)
    return context.get("view") if type(context) is dict else None


def checked(value: Any) -> Settings:
    """Return the settings in a dictionary.

    :raises ImproperlyConfigured: if it is no dictionary, or for a key or a value that is none
    """
    if not isinstance(value, Mapping):
        raise ImproperlyConfigured(
            f"{NAME} must be a dictionary, such as {{'INSTALL': True}}, not {value!r}."
        )
    try:
        return checked_settings(Settings, value, f"{NAME}[{{!r}}]")
    except ValueError as error:
        raise ImproperlyConfigured(str(error)) from error


def _forget(*, setting: str, **kwargs: Any) -> None:
    if setting == NAME:
        settings.cache_clear()


setting_changed.connect(_forget, dispatch_uid="fastschema.contrib.django.conf")
