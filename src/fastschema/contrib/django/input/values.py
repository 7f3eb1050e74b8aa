"""What generated code asks of a value of the input, and reads it as, besides what is inline."""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework.exceptions import ValidationError

PLAIN_EMAIL = re.compile(
    r"(?=.{1,254}\Z)[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@(?:[A-Za-z0-9]{1,63}\.)+[A-Za-z]{2,63}"
)
"""Addresses that Django's validator accepts, whatever its options: most, but not all of those."""


def is_encodable(text: str) -> bool:
    """Return whether a text has no surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def passes(validator: Any, text: str) -> bool:
    try:
        validator(text)
    except (ValidationError, DjangoValidationError):
        return False
    return True


def parsed(parse: Callable[[str], Any], value: Any) -> Any:
    """Return what a text is read as; None if it cannot be read so."""
    if type(value) is not str:
        return None
    try:
        return parse(value)
    except ValueError:
        return None


# By way of the module, as in stock: tests replace the class there.
iso_date = partial(parsed, lambda text: datetime.date.fromisoformat(text))
uuid_of = partial(parsed, lambda text: uuid.UUID(text))


def iso_datetime(field: Any, value: Any, zone: Any) -> datetime.datetime | None:
    """Return what a text of a date and a time is read as; without a zone, the field is asked."""
    if type(value) is not str:
        return None
    try:
        moment = datetime.datetime.fromisoformat(value)
        if zone is not None and moment.tzinfo is not None:
            return moment.astimezone(zone)
        enforced: datetime.datetime = field.enforce_timezone(moment)
    except (ValueError, TypeError, OverflowError, ValidationError):
        return None  # stock's exception is the answer
    return enforced
