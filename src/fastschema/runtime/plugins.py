"""Plugins: parts of fastschema that can be taken out, found by their names where they are."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def plugin(module: str) -> Any:
    """Return a module of a plugin, by its full name; None if the plugin has been taken out."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        return None
