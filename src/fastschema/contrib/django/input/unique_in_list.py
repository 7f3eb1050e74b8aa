"""Rows of one list that have the same unique value: DRF alone does not notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import Model
from rest_framework.exceptions import ErrorDetail, ValidationError

from fastschema.contrib.django.input.batch_lookup import column_of, unique_question
from fastschema.contrib.django.schema_reader import field_mapping


@contextmanager
def distinct_rows(serializer: Any) -> Iterator[None]:
    """While it holds, a list serializer refuses a row with a unique value of an earlier one.

    Rows are compared when they are valid, by the values that would be saved.

    :param serializer: the list serializer
    """
    fields = _unique_fields(serializer.child) if serializer.instance is None else {}
    if not fields:
        yield
        return
    own = vars(serializer)
    before = own.get("run_child_validation")
    own["run_child_validation"] = _Distinct(serializer.run_child_validation, fields).run
    try:
        yield
    finally:
        if before is None:
            del own["run_child_validation"]
        else:
            own["run_child_validation"] = before


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


class _Distinct:
    """Validates rows, and compares them with those before.

    :param validate: validates a row
    :param fields: by their attributes, the names of fields and what they say of a second value
    """

    def __init__(self, validate: Callable[[Any], Any], fields: dict[str, Any]) -> None:
        self._validate = validate
        self._fields = fields
        self._seen: dict[str, set[Any]] = {attribute: set() for attribute in fields}

    def run(self, data: Any) -> Any:
        """Return what ``run_child_validation`` returns.

        :raises ValidationError: if the row is wrong, or has a value of an earlier one
        """
        value = self._validate(data)
        errors = {}
        for attribute, (name, message) in self._fields.items():
            if type(value) is dict and self._is_second(attribute, value.get(attribute)):
                errors[name] = [ErrorDetail(message, code="unique")]
        if errors:
            raise ValidationError(errors)
        return value

    def _is_second(self, attribute: str, value: Any) -> bool:
        seen = self._seen[attribute]
        try:
            is_second = value is not None and value in seen
            seen.add(value)
        except TypeError:
            return False  # nothing with which it could be compared
        return is_second
