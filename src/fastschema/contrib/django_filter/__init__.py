"""Filters on demand: django-filter without the filters and the form that are not used.

For each request, django-filter copies all filters, builds a form with a field for each and cleans
all of them, to apply those few whose parameters were sent. Here only these are cleaned and applied,
and the rest is made when code asks for it.

A plugin: it is installed with :mod:`fastschema.contrib.django` where there is django-filter.
"""

from __future__ import annotations

import sys

from fastschema.contrib.django import conf
from fastschema.runtime.patching import warn_of_newer
from fastschema.runtime.versions import is_installed

_MODULE = f"{__name__}.on_demand"


def is_available() -> bool:
    """Return whether there is a django-filter that is new enough; nothing else may be imported."""
    return is_installed("django-filter", (24, 3))


def install() -> None:
    if not conf.settings().filters:
        uninstall()
    elif is_available():
        from fastschema.contrib.django_filter import on_demand

        warn_of_newer("django-filter", (26, 2))
        on_demand.install()


def uninstall() -> None:
    if _MODULE in sys.modules:
        sys.modules[_MODULE].uninstall()
