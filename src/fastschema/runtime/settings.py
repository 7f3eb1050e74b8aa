"""Check the settings of an application: which there are, and what values they may have."""

from __future__ import annotations

import difflib
import enum
from collections.abc import Mapping
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

Settings = TypeVar("Settings")


class Loads(enum.IntEnum):
    """Which relations are loaded on demand."""

    NONE = 0
    IN_ONE_ORDER = 1
    """All but lists that the database may return in any order."""
    ALL = 2

    @classmethod
    def of(cls, setting: Any) -> Loads:
        """Return what ``LOAD_RELATIONS`` says: a truth value, or "all"."""
        if setting == "all":
            return cls.ALL
        return cls.IN_ONE_ORDER if setting else cls.NONE


def checked_settings(cls: type[Settings], given: Mapping[Any, Any], written: str) -> Settings:
    """Return the settings that an application gives, and the defaults of the others.

    :raises ValueError: for a name that there is not, or a value that it cannot have
    """
    types = {name.upper(): annotation for name, annotation in get_type_hints(cls).items()}
    for name, value in given.items():
        shown = written.format(name)
        if name not in types:
            similar = difflib.get_close_matches(str(name).upper(), types, n=1)
            hint = "Did you mean {}?" if similar else "The settings are {}."
            names = ", ".join(written.format(option) for option in similar or types)
            raise ValueError(f"{shown} is not a setting. {hint.format(names)}")
        expected = get_args(types[name]) or (types[name],)
        if name == "SHADOW":
            if type(value) not in expected or not 0 <= value <= 1:
                raise ValueError(
                    f"{shown} must be a number from 0 to 1, such as 0.1, not {value!r}."
                )
        elif Any not in expected and not _is_allowed(value, expected):
            allowed = " or ".join(map(_name_of, expected))
            raise ValueError(f"{shown} must be of type {allowed}, not {value!r}.")
        elif name.endswith("CHUNK_SIZE") and value < 1:
            raise ValueError(f"{shown} must be at least 1, not {value}.")
    return cls(**{name.lower(): value for name, value in given.items()})


def _is_allowed(value: Any, expected: tuple[Any, ...]) -> bool:
    """Return whether a value is of one of some classes (True is no number) or texts."""
    texts = [text for kind in expected for text in get_args(kind)]
    return type(value) in expected or (type(value) is str and value in texts)


def _name_of(kind: Any) -> str:
    if kind is NoneType:
        return "None"
    return ", ".join(map(repr, get_args(kind))) or str(kind.__name__)
