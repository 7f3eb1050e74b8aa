"""Rows of one list that have the same unique value: DRF alone does not notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import Model
from rest_framework.exceptions import ErrorDetail, ValidationError

from fastschema.contrib.django.input.batch_lookup import column_of, unique_question
from fastschema.contrib.django.schema_reader import field_mapping


def distinct(serializer: Any, validate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what validates the rows of a list, and refuses unique values of earlier rows.

    Rows are compared when they are valid, by the values that would be saved.

    :param serializer: the list serializer
    :param validate: validates a row
    """
    fields = _unique_fields(serializer.child) if serializer.instance is None else {}
    seen: dict[str, set[Any]] = {attribute: set() for attribute in fields}

    def validate_distinct(data: Any) -> Any:
        value = validate(data)
        if type(value) is dict:
            errors = {
                name: [ErrorDetail(message, code="unique")]
                for attribute, (name, message) in fields.items()
                if _is_second(seen[attribute], value.get(attribute))
            }
            if errors:
                raise ValidationError(errors)
        return value

    return validate_distinct if fields else validate


def _is_second(seen: set[Any], value: Any) -> bool:
    """Add a value to those that were seen; return whether it was among them."""
    try:
        is_second = value is not None and value in seen
        seen.add(value)
    except TypeError:
        return False  # nothing with which it could be compared
    return is_second


def _unique_fields(child: Any) -> dict[str, Any]:
    """By its attribute, each field whose values are unique in the table to which rows go."""
    model = getattr(getattr(child, "Meta", None), "model", None)
    found = {}
    for field in field_mapping(child).values():
        if field.read_only:
            continue
        for validator in field.validators:
            # What stands for a validator passes for it.
            question = unique_question(getattr(validator, "stock", validator), field)
            if question is not None and _is_of_table(question, model):
                found[field.source_attrs[0]] = field.field_name, validator.message
    return found


def _is_of_table(question: Any, model: Any) -> bool:
    """Whether no two rows of a model's table may have the same value."""
    asked_of = question.queryset.model
    is_same = isinstance(model, type) and issubclass(model, Model)
    is_same = is_same and model._meta.concrete_model is asked_of._meta.concrete_model
    # A constraint with a condition asks some of the rows only.
    column = column_of(asked_of, question.lookup)
    return is_same and bool(column.unique) and not question.queryset.query.has_filters()
