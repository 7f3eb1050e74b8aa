"""adrf: its asynchronous serializers represent in one step, where nothing in them is asynchronous.

It is installed with :mod:`fastschema.contrib.django` where there is adrf.
"""

from __future__ import annotations

from fastschema.runtime.versions import is_installed

NEWEST_TESTED = (0, 1)


def is_available() -> bool:
    """Return whether there is an adrf that is new enough, and a DRF that it can be imported with.

    Nothing else of this package may be imported where there is not.
    """
    return is_installed("adrf", (0, 1, 13)) and is_installed("djangorestframework", (3, 17))
