"""``Serializer.run_validation`` and what it calls, by generated code."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.serializers import Serializer

from fastschema.contrib.django.class_state import has_made_fields
from fastschema.contrib.django.input.class_validation import (
    KNOWN,
    STOCK_RUN_VALIDATION,
    STOCK_TO_INTERNAL_VALUE,
    OwnFields,
    find_validation,
)
from fastschema.contrib.django.input.conversions import register_run_validation
from fastschema.runtime.patching import stock_method

STOCK_RAISE_ERRORS_ON_NESTED_WRITES = stock_method(serializers, "raise_errors_on_nested_writes")


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


KNOWN["run_validation"].add(run_validation)
KNOWN["to_internal_value"].add(to_internal_value)
register_run_validation(run_validation)
