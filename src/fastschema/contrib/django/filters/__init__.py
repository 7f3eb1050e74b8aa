"""Filters on demand: django-filter without the filters and the form that nobody looks at.

For each request, django-filter copies all filters, builds a form with a field for each and cleans
all of them, to apply those few whose parameters were sent. Here only these are cleaned and applied,
and the rest is made when somebody looks.
"""

from __future__ import annotations

from fastschema.runtime.versions import is_installed

NEWEST_TESTED = (26, 2)


def is_available() -> bool:
    """Return whether there is a django-filter that is new enough; nothing else may be imported."""
    return is_installed("django-filter", (24, 3))
