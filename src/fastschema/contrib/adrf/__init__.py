"""adrf: its asynchronous serializers represent in one step, where nothing in them is asynchronous.

It is installed with :mod:`fastschema.contrib.django` where there is adrf.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

NEWEST_TESTED = (0, 1)
_OLDEST = (0, 1, 13)


def is_available() -> bool:
    """Return whether there is an adrf that is new enough; nothing else may be imported."""
    try:
        found = version("adrf")
    except PackageNotFoundError:
        return False
    return tuple(int(part) for part in found.split(".")[:3] if part.isdecimal()) >= _OLDEST
