"""adrf: its asynchronous serializers represent in one step, where nothing in them is asynchronous.

It is installed with :mod:`fastschema.contrib.django` where there is adrf.
"""

from __future__ import annotations

from importlib.util import find_spec

NEWEST_TESTED = (0, 1)


def is_available() -> bool:
    """Return whether there is adrf; nothing else may be imported without it."""
    return find_spec("adrf") is not None
