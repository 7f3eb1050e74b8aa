"""Which lists of input are handled in bulk."""

from __future__ import annotations

from typing import Any

from fastschema.contrib.django import conf
from fastschema.runtime.switch import is_disabled

PER_SERIALIZER = "fastschema_bulk_input"
"""The attribute of a serializer that says more than the setting."""


def is_list_in_bulk(serializer: Any) -> bool:
    """Return whether a list is handled in bulk; a nested one's rows may not be those saved."""
    return serializer.parent is None and is_in_bulk(serializer.child)


def is_in_bulk(serializer: Any) -> bool:
    """Return whether lists for a serializer are handled in bulk, unless they are nested."""
    if is_disabled():
        return False
    # Not by getattr(): a __getattr__ of users is asked for nothing that stock does not ask.
    default = getattr(type(serializer), PER_SERIALIZER, conf.settings().bulk_input)
    return bool(vars(serializer).get(PER_SERIALIZER, default))
