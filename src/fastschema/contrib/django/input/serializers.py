"""``run_validation`` of serializers and of lists, by generated code."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.contrib.django.class_state import has_made_fields
from fastschema.contrib.django.input.batch_lookup import asked_at_once
from fastschema.contrib.django.input.bulk_create import is_list_in_bulk
from fastschema.contrib.django.input.class_validation import (
    STOCK_RUN_VALIDATION,
    STOCK_TO_INTERNAL_VALUE,
    OwnFields,
    Rows,
    checked,
    find_validation,
    is_readable,
    runs_as_a_whole,
)
from fastschema.contrib.django.input.unique_in_list import distinct
from fastschema.runtime.patching import stands_for, stock_method
from fastschema.switch import is_disabled

STOCK_RAISE_ERRORS_ON_NESTED_WRITES = stock_method(serializers, "raise_errors_on_nested_writes")
STOCK_RUN_LIST_VALIDATION = stock_method(ListSerializer, "run_validation")
_OF_LISTS = {
    name: stock_method(ListSerializer, name)
    for name in ("run_child_validation", "to_internal_value")
}


def run_validation(self: Any, data: Any = empty) -> Any:
    """Return what ``Serializer.run_validation`` does.

    :raises ValidationError: as stock
    """
    found = find_validation(self) if type(data) is dict and not self.read_only else None
    if found is None:
        return STOCK_RUN_VALIDATION(self, data)
    validation, options = found
    return validation.run(self, options, OwnFields(self), data)


def to_internal_value(self: Any, data: Any) -> Any:
    """Return what ``Serializer.to_internal_value`` does.

    :raises ValidationError: as stock
    """
    found = find_validation(self, 0, is_whole=False) if type(data) is dict else None
    if found is None:
        return STOCK_TO_INTERNAL_VALUE(self, data)
    validation, options = found
    return validation.program.function().validate(self, options, OwnFields(self), data)


def raise_errors_on_nested_writes(method_name: str, serializer: Any, validated_data: Any) -> None:
    """Do what DRF's function of that name does.

    :raises AssertionError: as stock
    """
    if not has_made_fields(serializer) and isinstance(serializer, Serializer):
        found = find_validation(serializer, 0, is_whole=False, is_pending=True)
        if found is not None and found[0].is_flat:
            return
    STOCK_RAISE_ERRORS_ON_NESTED_WRITES(method_name, serializer, validated_data)


@functools.wraps(STOCK_RUN_LIST_VALIDATION)
def run_list_validation(self: Any, data: Any = empty) -> Any:
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
            validate: Callable[[Any], Any] = rows.run
            if _may_ask_at_once(self, data):
                if any(type(row) is dict for row in data):
                    rows.find()  # before anything stands in the place of validators
                stack.enter_context(asked_at_once(self, data))
                validate = distinct(self, validate)
            own = vars(self)
            own["run_child_validation"] = validate  # past a __setattr__ of users' own
            stack.callback(own.pop, "run_child_validation", None)
        value = self.to_internal_value(data)
    return checked(self, value)


stands_for(run_validation, STOCK_RUN_VALIDATION)
stands_for(run_list_validation, STOCK_RUN_LIST_VALIDATION)


def has_stock_rows(serializer: Any) -> bool:
    """Return whether a list serializer validates each row by its child, and nobody has a say."""
    cls, own = type(serializer), vars(serializer)
    return all(
        getattr(cls, name) is method and name not in own for name, method in _OF_LISTS.items()
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
