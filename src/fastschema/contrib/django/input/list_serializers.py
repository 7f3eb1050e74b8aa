"""``ListSerializer.run_validation``: the child is looked at once for all rows."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from rest_framework.fields import empty
from rest_framework.serializers import ListSerializer

from fastschema.contrib.django.input.batch_lookup import asked_at_once
from fastschema.contrib.django.input.bulk_create import is_list_in_bulk
from fastschema.contrib.django.input.class_validation import (
    Rows,
    checked,
    is_readable,
    runs_as_a_whole,
)
from fastschema.contrib.django.input.conversions import register_run_validation
from fastschema.contrib.django.input.unique_in_list import distinct_rows
from fastschema.runtime.patching import stock_method
from fastschema.switch import is_disabled

STOCK_RUN_VALIDATION = stock_method(ListSerializer, "run_validation")
_STOCK = {
    name: stock_method(ListSerializer, name)
    for name in ("run_child_validation", "to_internal_value")
}


@functools.wraps(STOCK_RUN_VALIDATION)
def run_validation(self: Any, data: Any = empty) -> Any:
    """Return what ``ListSerializer.run_validation`` does, or raise what it raises.

    It does not call stock's: DRF's warning of an old format of errors blames the caller that it
    finds a number of frames away.
    """
    is_empty_value, data = self.validate_empty_values(data)
    if is_empty_value:
        return data
    with ExitStack() as stack:
        if type(data) is list and has_stock_rows(self) and not is_disabled():
            rows = Rows(self.child, len(data))
            asks_at_once = _may_ask_at_once(self, data)
            if asks_at_once:
                if any(type(row) is dict for row in data):
                    rows.find()  # before anything stands in the place of validators
                stack.enter_context(asked_at_once(self, data))
            stack.enter_context(_child_validation(self, rows))
            if asks_at_once:
                stack.enter_context(distinct_rows(self))
        value = self.to_internal_value(data)
    return checked(self, value)


register_run_validation(run_validation)


def has_stock_rows(serializer: Any) -> bool:
    """Return whether a list serializer validates each row by its child, and nobody has a say."""
    cls: Any = type(serializer)
    own = vars(serializer)
    return cls.__getattribute__ is object.__getattribute__ and all(
        getattr(cls, name) is method and name not in own for name, method in _STOCK.items()
    )


def _may_ask_at_once(serializer: Any, rows: list[Any]) -> bool:
    cls = type(serializer.child)
    return (
        is_list_in_bulk(serializer)
        and is_readable(cls)
        and runs_as_a_whole(cls)
        # Other lists are refused before the first row is looked at.
        and (serializer.max_length is None or len(rows) <= serializer.max_length)
        and (serializer.min_length is None or len(rows) >= serializer.min_length)
    )


@contextmanager
def _child_validation(serializer: Any, rows: Rows) -> Iterator[None]:
    """While it holds, a list serializer looks at its child once, not for each row."""
    own = vars(serializer)
    own["run_child_validation"] = rows.run  # past a __setattr__ of users' own
    try:
        yield
    finally:
        own.pop("run_child_validation", None)
