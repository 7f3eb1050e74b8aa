"""The versions of what works together here, for ``--version`` and for reports of bugs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from fastschema import __version__

_PACKAGES = ("orjson", "marshmallow", "Django", "djangorestframework", "Flask", "SQLAlchemy")


def versions() -> dict[str, str]:
    """The versions of fastschema, Python, and the packages around it that are installed."""
    found = {"fastschema": __version__, platform.python_implementation(): platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def versions_text() -> str:
    """The same, in a line."""
    return ", ".join(f"{name} {number}" for name, number in versions().items())
