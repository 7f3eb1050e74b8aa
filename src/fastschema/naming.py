"""How schemas are named on the command line: ``package.module:Name``.

Where there is a list of schemas to find it in, its end will do: ``Name``. ``package.module.Name``
means the same as with a colon.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from fastschema.plan import Plan, compile


class PathError(Exception):
    """A name that leads to no object, and why."""


def told(error: Exception) -> str:
    """An error in a line, without addresses of memory, which say nothing to anybody."""
    text = f"{type(error).__name__}: {error}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))


def path_of(cls: type) -> str:
    """The name of a class, as the command line takes it."""
    return f"{cls.__module__}:{cls.__qualname__}"


def named(name: str, paths: Iterable[str]) -> list[str]:
    """The paths that a name stands for: the very one, or else those that end with it.

    :param name: a path with a colon or with dots only, or the end of one
    :param paths: what there is, as :func:`path_of` writes it
    """
    dotted = {path: path.replace(":", ".") for path in paths}
    wanted = name.replace(":", ".")
    same = [path for path, each in dotted.items() if each == wanted]
    return same or [path for path, each in dotted.items() if each.endswith(f".{wanted}")]


def object_at(path: str) -> Any:
    """The object at ``package.module:Name`` or ``package.module.Name``.

    Modules of the current directory are found, too.

    :raises PathError: if the module cannot be imported, or has no such object
    """
    if "." not in sys.path and "" not in sys.path:
        sys.path.insert(0, "")
    module_name, separator, name = path.partition(":")
    if not separator and "." in path:
        return _object_at_dots(path)
    if not (module_name and name):
        raise PathError(f"{path!r} is not of the form package.module:Name")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise PathError(f"{module_name} cannot be imported: {error}") from error
    try:
        return attrgetter(name)(module)
    except AttributeError:
        raise PathError(f"{module_name} has no {name}") from None
    except Exception as error:  # of a module that imports what is asked for
        raise PathError(f"{path} cannot be imported: {error}") from error


def plan_at(path: str) -> Plan:
    """The plan of the schema at ``package.module:Name``.

    :raises PathError: if there is none
    """
    schema = object_at(path)
    try:
        return compile(schema)
    except Exception as error:
        raise PathError(f"{path} cannot be read: {error}") from error


def _object_at_dots(path: str) -> Any:
    try:
        return pkgutil.resolve_name(path)
    except Exception as error:
        raise PathError(f"{path} cannot be read: {error}") from error
