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
    STOCK_RUN_VALIDATORS,
    STOCK_TO_INTERNAL_VALUE,
    OwnFields,
    Validation,
    find_validation,
)
from fastschema.contrib.django.input.conversions import register_run_validation
from fastschema.runtime.patching import stock_method

STOCK_GET_INITIAL = stock_method(Serializer, "get_initial")
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


def run_validators(self: Any, value: Any) -> None:
    """Do what ``Serializer.run_validators`` does.

    :raises ValidationError: as stock
    """
    found = _pending_validation(self) if type(value) is dict else None
    if found is None or found.has_validators_for(self):
        STOCK_RUN_VALIDATORS(self, value)


def get_initial(self: Any) -> Any:
    """Return what ``Serializer.get_initial`` does, for input without fields of the serializer."""
    data = vars(self).get("initial_data")
    found = _pending_validation(self) if type(data) is dict else None
    fields = () if found is None else found.program.node.fields
    if found is None or any(field.value == "own" for field in fields):
        return STOCK_GET_INITIAL(self)
    return {
        field.name: data[field.name]
        for field in fields
        if field.value == "get" and data.get(field.name, empty) is not empty
    }


def raise_errors_on_nested_writes(method_name: str, serializer: Any, validated_data: Any) -> None:
    """Do what DRF's function of that name does.

    :raises AssertionError: as stock
    """
    found = _pending_validation(serializer)
    if found is None or not found.is_flat:
        STOCK_RAISE_ERRORS_ON_NESTED_WRITES(method_name, serializer, validated_data)


def _pending_validation(serializer: Any) -> Validation | None:
    """Return how a serializer validates, if it has made no fields."""
    if has_made_fields(serializer) or not isinstance(serializer, Serializer):
        return None
    found = find_validation(serializer, 0, is_whole=False, is_pending=True)
    return None if found is None else found[0]


def register_installed() -> None:
    """Let the methods that :mod:`installation` puts in place count as stock's."""
    for method in (run_validation, to_internal_value, run_validators):
        KNOWN[method.__name__].add(method)
    register_run_validation(run_validation)


register_installed()
