"""``ListSerializer.run_validation``, as DRF has it but for what it looks at again for each row."""

from __future__ import annotations

import functools
from contextlib import ExitStack
from typing import Any

from rest_framework.fields import empty
from rest_framework.serializers import ListSerializer
from rest_framework.settings import api_settings

from fastschema.contrib.django.bulk.asking import asked_at_once
from fastschema.contrib.django.bulk.choosing import is_list_in_bulk
from fastschema.contrib.django.bulk.distinct import distinct_rows
from fastschema.contrib.django.validation.rows import (
    checked,
    children_looked_at_once,
    has_stock_rows,
    is_stock_row,
)
from fastschema.runtime import policy
from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_RUN_VALIDATION = stock_method(ListSerializer, "run_validation")


def warns_of_errors() -> bool:
    """Whether errors of lists are lists, of which DRF warns, and blames a caller by its frame.

    DRF 3.18 has the setting for that, and 3.20 drops it.
    """
    return not getattr(api_settings, "LIST_SERIALIZER_ERRORS_AS_DICT", True)


def _may_look_once(serializer: Any) -> bool:
    return not warns_of_errors() and has_stock_rows(serializer) and not is_disabled()


def _may_ask_at_once(serializer: Any, rows: list[Any]) -> bool:
    return (
        is_list_in_bulk(serializer)
        and has_stock_rows(serializer)
        and is_stock_row(serializer.child)
        # Other lists are refused before the first row is looked at.
        and (serializer.max_length is None or len(rows) <= serializer.max_length)
        and (serializer.min_length is None or len(rows) >= serializer.min_length)
    )


@functools.wraps(STOCK_RUN_VALIDATION)
def run_validation(self: Any, data: Any = empty) -> Any:
    """What ``ListSerializer.run_validation`` returns, or raises.

    It does not call stock's: DRF's warning of an old format of errors blames the caller that it
    finds a number of frames away.
    """
    is_empty_value, data = self.validate_empty_values(data)
    if is_empty_value:
        return data
    with ExitStack() as stack:
        if type(data) is list:
            asks_at_once = _may_ask_at_once(self, data)
            if asks_at_once:
                stack.enter_context(asked_at_once(self, data))
            if len(data) >= policy.rows_worth_validating and _may_look_once(self):
                stack.enter_context(children_looked_at_once(self))
            if asks_at_once:
                stack.enter_context(distinct_rows(self))
        value = self.to_internal_value(data)
    return checked(self, value)
