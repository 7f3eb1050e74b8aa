"""``run_validation`` of serializers and of lists: by generated code, found for each class once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import NoneType
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty
from rest_framework.serializers import ListSerializer, Serializer, as_serializer_error

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.clones import UNREAD_VALIDATORS
from fastschema.contrib.django.front_end.pending import (
    has_made_fields,
    is_pending,
    needed_field,
)
from fastschema.contrib.django.front_end.record import SerializerRecord, class_record
from fastschema.contrib.django.front_end.schema_reader import all_fields, field_mapping
from fastschema.contrib.django.input.code import is_lazily_partial
from fastschema.contrib.django.input.schema_reader import (
    STOCK,
    VALIDATE,
    Validation,
    is_readable,
    runs_as_a_whole,
)
from fastschema.runtime import thresholds
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.plugins import plugin
from fastschema.runtime.switch import is_disabled

if TYPE_CHECKING:
    from functools import cached_property
else:  # that of functools has a lock before Python 3.12, one for all objects
    from django.utils.functional import cached_property

_bulk = plugin("fastschema.contrib.django.bulk.batch_lookup")
_STOCK_RUN_VALIDATION = STOCK["run_validation"]
_STOCK_TO_INTERNAL_VALUE = STOCK["to_internal_value"]
_STOCK_RUN_LIST_VALIDATION = stock_method(ListSerializer, "run_validation")
_OF_LISTS = {
    name: stock_method(ListSerializer, name)
    for name in ("run_child_validation", "to_internal_value")
}


class FieldsByName(dict[str, Any]):
    """The fields of a serializer that validates, by name: none is made before it is needed."""

    def __init__(self, serializer: Any, objects: int = 1) -> None:
        self._serializer = serializer
        self._objects = objects

    def __missing__(self, name: str) -> Any:
        field = self[name] = needed_field(self._serializer, name)
        return field

    @cached_property
    def nested(self) -> dict[str, RowValidator]:
        """Return what nested serializers do, by the names of their fields, each looked at once."""
        return {}

    def run_nested(self, name: str, data: Any) -> Any:
        """Return what ``run_validation`` of a nested serializer does."""
        if type(data) is not dict:
            return self[name].run_validation(data)
        if name not in self.nested:
            self.nested[name] = RowValidator(self[name], self._objects)
        return self.nested[name].run(data)

    @cached_property
    def zone(self) -> Any:
        """Return the zone of fields without one: ``DateTimeField.default_timezone``."""
        return timezone.get_current_timezone() if settings.USE_TZ else None

    def run(self, validation: Validation, options: list[Any], data: Any) -> Any:
        serializer = self._serializer
        value = validation.program.generated().function(serializer, options, self, data)
        attributes = vars(serializer)
        validators = attributes.get("_validators")
        has_validators = (
            validation.has_validators
            or UNREAD_VALIDATORS in attributes
            or (validators is not None and (type(validators) is not list or validators != []))
        )
        if has_validators or validation.has_validate:
            return checked(serializer, value, has_validators=has_validators)
        return value


class RowValidator:
    """Does what ``run_validation`` of a serializer does, for so many objects."""

    __slots__ = ("_found", "_own", "_runs_as_stock", "_serializer")

    def __init__(self, serializer: Any, objects: int) -> None:
        self._serializer = serializer
        self._own = FieldsByName(serializer, objects)
        is_read_only = serializer.read_only is not False
        self._found = None if is_read_only else find_validation(serializer, objects)
        is_ours = type(serializer).run_validation is run_validation
        self._runs_as_stock = is_ours and "run_validation" not in vars(serializer)

    def run(self, data: Any) -> Any:
        if type(data) is dict and self._found is not None:
            return self._own.run(*self._found, data)
        if self._runs_as_stock:
            return _run_as_stock(self._serializer, data)
        return self._serializer.run_validation(data)


def _run_as_stock(serializer: Any, data: Any) -> Any:
    """Return what DRF's own ``run_validation`` does.

    Its ``to_internal_value`` is not called where that is ours: it would only find once more that
    stock validates.
    """
    name = "to_internal_value"
    if type(serializer).to_internal_value is not to_internal_value or name in vars(serializer):
        return _STOCK_RUN_VALIDATION(serializer, data)
    is_empty_value, data = serializer.validate_empty_values(data)
    if is_empty_value:
        return data
    return checked(serializer, _STOCK_TO_INTERNAL_VALUE(serializer, data))


def find_validation(
    serializer: Any,
    objects: int,
    *,
    is_whole: bool = True,
) -> tuple[Validation, list[Any]] | None:
    """Count objects, and return how their serializer validates, and fields like its own.

    None if stock must validate, or takes less time: to compare fields that are made pays for lists.

    :param objects: how many there are; 0 if they were counted
    :param is_whole: whether its ``run_validation`` must be stock's as a whole
    """
    compares = objects >= thresholds.few_for_django
    if is_disabled() or (has_made_fields(serializer) and not compares):
        return None
    cls = type(serializer)
    record = class_record(cls)
    is_stock = record.has_unreadable_fields or not record.count_by(serializer, objects)
    if is_stock or is_lazily_partial(serializer):
        return None
    validation_and_fields = _find_of_pending(record, serializer)
    if (
        validation_and_fields is None
        and compares
        and is_readable(cls)
        and (runs_as_a_whole(cls) or not is_whole)  # asked before its fields are made
    ):
        validation_and_fields = _find_of_made(record, serializer)
    if validation_and_fields is None:
        return None
    validation, _ = validation_and_fields
    has_own_methods = not validation.names.isdisjoint(vars(serializer))
    return (
        None if has_own_methods or (is_whole and not validation.is_whole) else validation_and_fields
    )


def _find_of_pending(
    record: SerializerRecord, serializer: Any
) -> tuple[Validation, list[Any]] | None:
    """Return how a serializer validates whose fields were never read, by its class."""
    reading = record.pending(VALIDATE) if is_pending(serializer) else None
    return None if reading is None else (reading.compiled, reading.compiled.options)


def _find_of_made(record: SerializerRecord, serializer: Any) -> tuple[Validation, list[Any]] | None:
    """Return how a serializer validates by its own fields, which are made if they are not."""
    try:
        options = all_fields(serializer)
    except UnreadableError:
        record.has_unreadable_fields = True
        return None
    names = list(field_mapping(serializer))
    if [field.field_name for field in options] != names:
        return None  # code of users has renamed one
    reading = record.of_made(VALIDATE, serializer, options)
    return None if reading is None else (reading.compiled, options)


def checked(serializer: Any, value: Any, *, has_validators: bool = True) -> Any:
    """Return what ``run_validation`` makes of the values of fields, or raise ValidationError."""
    try:
        if has_validators:
            serializer.run_validators(value)
        value = serializer.validate(value)
        assert value is not None, ".validate() should return the validated data"
    except (ValidationError, DjangoValidationError) as error:
        raise ValidationError(detail=as_serializer_error(error))  # noqa: B904  # as stock does
    return value


def run_validation(self: Any, data: Any = empty) -> Any:
    """Return what ``Serializer.run_validation`` does."""
    if type(data) is not dict or self.read_only is not False:
        return _STOCK_RUN_VALIDATION(self, data)
    validation_and_fields = find_validation(self, 1)
    if validation_and_fields is None:
        return _run_as_stock(self, data)
    return FieldsByName(self).run(*validation_and_fields, data)


def to_internal_value(self: Any, data: Any) -> Any:
    """Return what ``Serializer.to_internal_value`` does."""
    is_plain = type(data) is dict
    validation_and_fields = find_validation(self, 0, is_whole=False) if is_plain else None
    if validation_and_fields is None:
        return _STOCK_TO_INTERNAL_VALUE(self, data)
    validation, options = validation_and_fields
    return validation.program.generated().function(self, options, FieldsByName(self), data)


@functools.wraps(_STOCK_RUN_LIST_VALIDATION)
def run_list_validation(self: Any, data: Any = empty) -> Any:
    """Return what ``ListSerializer.run_validation`` does.

    It does not call stock's: DRF's warning of an old format of errors blames the caller that it
    finds a number of frames away.
    """
    is_empty_value, data = self.validate_empty_values(data)
    if is_empty_value:
        return data
    has_rows = type(data) is list and any(type(row) is dict for row in data)
    if not (has_rows and _has_length_of(self, data) and has_stock_rows(self)) or is_disabled():
        return checked(self, self.to_internal_value(data))
    # Looked at before anything stands in the place of validators.
    validate = RowValidator(self.child, len(data)).run
    cls, attributes = type(self.child), vars(self)
    context: AbstractContextManager[Callable[[Any], Any]] = nullcontext(validate)
    is_outermost = self.parent is None  # others are never in bulk
    if is_outermost and _bulk is not None and is_readable(cls) and runs_as_a_whole(cls):
        context = _bulk.validating_at_once(self, data, validate)
    with context as attributes["run_child_validation"]:  # past a __setattr__ of users' own
        try:
            value = self.to_internal_value(data)
        finally:
            attributes.pop("run_child_validation", None)
    return checked(self, value)


REPLACEMENTS = [
    (Serializer, "run_validation", _STOCK_RUN_VALIDATION, run_validation),
    (Serializer, "to_internal_value", _STOCK_TO_INTERNAL_VALUE, to_internal_value),
    (ListSerializer, "run_validation", _STOCK_RUN_LIST_VALIDATION, run_list_validation),
]


def has_stock_rows(serializer: Any) -> bool:
    """Return whether a list serializer validates each row by its child, without code of users."""
    return overridden(serializer, _OF_LISTS) is None


def _has_length_of(serializer: Any, rows: list[Any]) -> bool:
    """Return whether a list is not refused before its first row is looked at."""
    longest, shortest = serializer.max_length, serializer.min_length
    if not {type(longest), type(shortest)} <= {int, NoneType}:
        return False
    return (longest is None or len(rows) <= longest) and (shortest is None or len(rows) >= shortest)
