"""The setting ``FASTSCHEMA``: a dictionary, checked whole, and anew when a test overrides it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, get_args, get_type_hints

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

NAME = "FASTSCHEMA"


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``FASTSCHEMA`` may hold, in capitals, and what holds without it.

    :param install: whether the app makes all serializers run compiled programs when Django starts
    :param only_columns: whether such views select no columns but those that are read
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
    :param enabled: the path of a callable that says which requests fastschema answers; None: all
    """

    install: bool = True
    rows: bool = True
    filters: bool = True
    only_columns: bool = False
    load_relations: bool = False
    stream_chunk_size: int = 500
    bulk_input: bool = False
    check_serializers: bool = False
    shadow: float | int = 0
    shadow_values: bool = False
    enabled: str | None = None


_TYPES = {name.upper(): cls for name, cls in get_type_hints(Settings).items()}


@cache
def settings() -> Settings:
    """Return what Django's settings say now.

    :raises ImproperlyConfigured: for a key or a value that is none
    """
    return checked(getattr(django_settings, NAME, {}))


def holds_for(view: Any, setting: str) -> bool:
    """Return whether a setting holds for a view: its own ``fastschema_only_columns``, say, first.

    :param setting: the name of the attribute of :class:`Settings`
    """
    return bool(getattr(view, f"fastschema_{setting}", getattr(settings(), setting)))


def checked(value: Any) -> Settings:
    """Return the settings in a dictionary.

    :raises ImproperlyConfigured: if it is no dictionary, or for a key or a value that is none
    """
    if not isinstance(value, Mapping):
        raise ImproperlyConfigured(
            f"{NAME} must be a dictionary, such as {{'INSTALL': True}}, not {value!r}."
        )
    for key, given in value.items():
        if key not in _TYPES:
            raise ImproperlyConfigured(_unknown(key))
        if key == "SHADOW":
            _check_share(given)
        else:
            _check_type(key, given)
    result = Settings(**{key.lower(): value[key] for key in value})
    if result.stream_chunk_size < 1:
        raise ImproperlyConfigured(
            f"{NAME}['STREAM_CHUNK_SIZE'] must be at least 1, not {result.stream_chunk_size}."
        )
    return result


def _unknown(key: Any) -> str:
    similar = difflib.get_close_matches(str(key).upper(), _TYPES, n=1)
    hint = f"Did you mean {similar[0]!r}?" if similar else f"It may hold {', '.join(_TYPES)}."
    return f"{NAME} has the unknown key {key!r}. {hint}"


def _check_share(value: Any) -> None:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ImproperlyConfigured(
            f"{NAME}['SHADOW'] must be a number from 0 to 1, such as 0.1, not {value!r}."
        )


def _check_type(key: str, value: Any) -> None:
    expected = get_args(_TYPES[key]) or (_TYPES[key],)
    if type(value) not in expected:  # True is an int, but no number of rows
        names = " or ".join("None" if each is NoneType else each.__name__ for each in expected)
        raise ImproperlyConfigured(f"{NAME}[{key!r}] must be of type {names}, not {value!r}.")


def _forget(*, setting: str, **kwargs: Any) -> None:
    if setting == NAME:
        settings.cache_clear()


setting_changed.connect(_forget, dispatch_uid="fastschema.contrib.django.app.conf")
