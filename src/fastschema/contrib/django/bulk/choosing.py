"""Whether a list is validated and created in bulk, which is for users to say: queries change."""

from __future__ import annotations

from typing import Any

from fastschema.contrib.django import conf
from fastschema.switch import is_disabled

PER_SERIALIZER = "fastschema_bulk_input"
"""The attribute of a serializer that says more than the setting."""


def is_in_bulk(serializer: Any) -> bool:
    """Whether lists of input for a serializer are handled in bulk.

    :param serializer: the child of a list
    """
    return bool(getattr(serializer, PER_SERIALIZER, conf.settings().bulk_input)) and (
        not is_disabled()
    )
