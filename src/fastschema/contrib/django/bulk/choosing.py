"""Whether a list is validated and created in bulk, which is for users to say: queries change."""

from __future__ import annotations

from typing import Any

from fastschema.contrib.django import conf
from fastschema.switch import is_disabled

PER_SERIALIZER = "fastschema_bulk_input"
"""The attribute of a serializer that says more than the setting."""


def is_list_in_bulk(serializer: Any) -> bool:
    """Whether a list of input is handled in bulk.

    One that is nested is not: its rows need not be those that are saved.

    :param serializer: the list serializer
    """
    return serializer.parent is None and is_in_bulk(serializer.child)


def is_in_bulk(serializer: Any) -> bool:
    """Whether lists of input for a serializer are handled in bulk, unless they are nested.

    :param serializer: the child of a list
    """
    return bool(getattr(serializer, PER_SERIALIZER, conf.settings().bulk_input)) and (
        not is_disabled()
    )
