"""Whether a list is validated and created in bulk, which is for users to say: queries change."""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import Serializer

from fastschema.contrib.django import conf
from fastschema.contrib.django.validation.rows import has_stock_rows, is_stock_row
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


def is_asked_at_once(serializer: Any, data: list[Any]) -> bool:
    """Whether the rows of a list ask the database at once.

    :param serializer: the list serializer
    :param data: the rows
    """
    child = serializer.child
    return (
        isinstance(child, Serializer)
        and is_in_bulk(child)
        and has_stock_rows(serializer)
        and is_stock_row(child)
        # Other lists are refused before the first row is looked at.
        and (serializer.max_length is None or len(data) <= serializer.max_length)
        and (serializer.min_length is None or len(data) >= serializer.min_length)
    )
