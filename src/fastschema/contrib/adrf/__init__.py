"""adrf: its asynchronous serializers represent in one step, where nothing in them is asynchronous.

A plugin: it is installed with :mod:`fastschema.contrib.django` where there is adrf.
"""

from __future__ import annotations

import sys

from fastschema.runtime.patching import warn_of_newer
from fastschema.runtime.versions import is_installed

_MODULE = f"{__name__}.representation"


def is_available() -> bool:
    """Return whether adrf and DRF are new enough; else nothing more of this is to be imported."""
    return is_installed("adrf", (0, 1, 13)) and is_installed("djangorestframework", (3, 17))


def install() -> None:
    if is_available():
        from fastschema.contrib.adrf import representation

        warn_of_newer("adrf", (0, 1))
        representation.install()


def uninstall() -> None:
    if _MODULE in sys.modules:
        sys.modules[_MODULE].uninstall()
