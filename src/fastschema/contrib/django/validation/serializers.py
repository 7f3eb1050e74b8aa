"""``Serializer.run_validation`` and what it calls, by generated code."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty
from rest_framework.serializers import as_serializer_error

from fastschema.contrib.django.class_state import has_made_fields
from fastschema.contrib.django.validation.class_validation import (
    KNOWN,
    STOCK_RUN_VALIDATION,
    STOCK_RUN_VALIDATORS,
    STOCK_TO_INTERNAL_VALUE,
    Validation,
    find_validation,
)
from fastschema.contrib.django.validation.fields import register_run_validation


def run_validation(self: Any, data: Any = empty) -> Any:
    """Return what ``Serializer.run_validation`` does.

    :raises ValidationError: as stock
    """
    found = find_validation(self) if type(data) is dict and not self.read_only else None
    if found is None:
        return STOCK_RUN_VALIDATION(self, data)
    return validated(self, *found, data)


def to_internal_value(self: Any, data: Any) -> Any:
    """Return what ``Serializer.to_internal_value`` does.

    :raises ValidationError: as stock
    """
    found = find_validation(self, 0, is_whole=False) if type(data) is dict else None
    if found is None:
        return STOCK_TO_INTERNAL_VALUE(self, data)
    validation, options = found
    return validation.program.function().validate(self, options, data)


def run_validators(self: Any, value: Any) -> None:
    """Do what ``Serializer.run_validators`` does.

    :raises ValidationError: as stock
    """
    is_pending = type(value) is dict and not has_made_fields(self)
    found = find_validation(self, 0, is_whole=False) if is_pending else None
    if found is None or found[0].has_validators or vars(self).get("_validators"):
        STOCK_RUN_VALIDATORS(self, value)


def validated(serializer: Any, validation: Validation, options: list[Any], data: Any) -> Any:
    """Return what ``run_validation`` does for a dictionary.

    :param validation: how the serializer validates
    :param options: fields like its own
    :raises ValidationError: as stock
    """
    value = validation.program.function().validate(serializer, options, data)
    has_validators = validation.has_validators or vars(serializer).get("_validators")
    if has_validators or validation.has_validate:
        return checked(serializer, value, has_validators=bool(has_validators))
    return value


def checked(serializer: Any, value: Any, *, has_validators: bool = True) -> Any:
    """Return what ``run_validation`` of a serializer, or of a list, makes of its fields' values.

    :param has_validators: whether ``run_validators`` does anything
    :raises ValidationError: as stock
    """
    try:
        if has_validators:
            serializer.run_validators(value)
        value = serializer.validate(value)
        assert value is not None, ".validate() should return the validated data"
    except (ValidationError, DjangoValidationError) as error:
        raise ValidationError(detail=as_serializer_error(error))  # noqa: B904  # as stock does
    return value


def register_installed() -> None:
    """Let the methods that :mod:`installation` puts in place count as stock's."""
    for method in (run_validation, to_internal_value, run_validators):
        KNOWN[method.__name__].add(method)
    register_run_validation(run_validation)


register_installed()
