"""What ``run_validation`` of a serializer does with each row of a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import fields, relations, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import SkipField, empty, get_error_detail
from rest_framework.serializers import ListSerializer, Serializer, as_serializer_error

from fastschema.contrib.django.schema_reader import field_mapping
from fastschema.contrib.django.validation.fields import Validate, validation_of
from fastschema.runtime.stock import stock_method

_STOCK = {
    name: stock_method(Serializer, name)
    for name in ("run_validation", "to_internal_value", "validate_empty_values", "set_value")
}
_STOCK_LIST = {
    name: stock_method(ListSerializer, name)
    for name in ("run_child_validation", "to_internal_value")
}
_WRITABLE_FIELDS = Serializer._writable_fields
_VALIDATORS = Serializer.validators
_VALIDATE = stock_method(Serializer, "validate")
_RUN_VALIDATORS = stock_method(Serializer, "run_validators")
_RUN_FIELD_VALIDATORS = stock_method(fields.Field, "run_validators")
_GET_VALIDATORS = (
    stock_method(Serializer, "get_validators"),
    stock_method(serializers.ModelSerializer, "get_validators"),
)
# Given a dictionary, these get what it has under the field's name.
_GET_VALUE = {
    stock_method(cls, "get_value")
    for cls in (fields.Field, Serializer, ListSerializer, fields.ListField, fields.DictField)
}
_GET_VALUE |= {stock_method(fields.JSONField, "get_value")}
_GET_VALUE |= {stock_method(relations.RelatedField, "get_value")}


class _Field(NamedTuple):
    """A field, and what is known of it for all rows.

    :param name: its name
    :param get_value: finds its value in the data of a row; None: by its name
    :param validate: what its ``run_validation`` does
    :param method: the serializer's own method for it, if there is one
    :param source_attrs: where the value is put
    """

    name: str
    get_value: Callable[[Any], Any] | None
    validate: Validate
    method: Callable[[Any], Any] | None
    source_attrs: list[str]


class RowValidation:
    """Validates rows as ``run_validation`` of a serializer does.

    :param serializer: see :func:`row_validation`
    :param stack: ends what nested lists are given for the time being
    """

    def __init__(self, serializer: Any, stack: ExitStack) -> None:
        self._serializer = serializer
        self._stack = stack
        self._fields: list[_Field] | None = None
        self._has_validators = self._has_validate = False

    def run(self, data: Any) -> Any:
        """What ``run_validation`` returns for a row.

        :raises ValidationError: as stock
        """
        serializer = self._serializer
        if type(data) is not dict:
            return serializer.run_validation(data)
        looked_at = self._look() if self._fields is None else self._fields
        value = self._internal_value(data, looked_at)
        if self._has_validators or self._has_validate:
            return checked(serializer, value, has_validators=self._has_validators)
        return value

    def _look(self) -> list[_Field]:
        """Look at the serializer, when there is a first row: its fields are not made before."""
        serializer = self._serializer
        self._has_validators = _has_validators(serializer)
        self._has_validate = type(serializer).validate is not _VALIDATE or "validate" in vars(
            serializer
        )
        self._fields = [
            _field(serializer, field, self._stack)
            for field in field_mapping(serializer).values()
            if not field.read_only
        ]
        return self._fields

    def _internal_value(self, data: dict[str, Any], looked_at: list[_Field]) -> dict[str, Any]:
        """What ``to_internal_value`` returns."""
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for name, get_value, validate, method, source_attrs in looked_at:
            value = data.get(name, empty) if get_value is None else get_value(data)
            try:
                value = validate(value)
                if method is not None:
                    value = method(value)
            except ValidationError as error:
                errors[name] = error.detail
            except DjangoValidationError as error:
                errors[name] = get_error_detail(error)
            except SkipField:
                pass
            else:
                if len(source_attrs) == 1:
                    values[source_attrs[0]] = value
                else:
                    self._serializer.set_value(values, source_attrs, value)
        if errors:
            raise ValidationError(errors)
        return values


def checked(serializer: Any, value: Any, *, has_validators: bool = True) -> Any:
    """What ``run_validation`` of a serializer, or of a list, does with the values of its fields.

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


def row_validation(serializer: Any, stack: ExitStack) -> RowValidation | None:
    """What validates many rows as a serializer does; None if only the serializer can say.

    :param serializer: the child of a list, or one that is nested
    :param stack: ends what nested lists are given for the time being
    """
    return RowValidation(serializer, stack) if is_stock_row(serializer) else None


def is_stock_row(serializer: Any) -> bool:
    """Whether a serializer validates a row as DRF does, field by field."""
    cls: Any = type(serializer)
    return (
        isinstance(serializer, Serializer)
        and all(getattr(cls, name) is method for name, method in _STOCK.items())
        and cls._writable_fields is _WRITABLE_FIELDS
        and cls.__getattribute__ is object.__getattribute__
        and not hasattr(cls, "__getattr__")
        and _STOCK.keys().isdisjoint(vars(serializer))
        and not serializer.read_only
    )


def _field(serializer: Any, field: Any, stack: ExitStack) -> _Field:
    """What is known of a field for all rows; a nested list looks at its child once from now on."""
    name = field.field_name
    cls: Any = type(field)
    is_plain = (
        cls.__getattribute__ is object.__getattribute__
        and cls.get_value in _GET_VALUE
        and "get_value" not in vars(field)
    )
    validate = None
    if isinstance(field, Serializer):
        nested = row_validation(field, stack)
        validate = None if nested is None else nested.run
    elif isinstance(field, ListSerializer):
        stack.enter_context(children_looked_at_once(field))
        validate = field.run_validation
    return _Field(
        name,
        None if is_plain else field.get_value,
        validate or validation_of(field),
        getattr(serializer, f"validate_{name}", None),
        field.source_attrs,
    )


def _has_validators(serializer: Any) -> bool:
    """Whether ``run_validators`` does anything."""
    cls = type(serializer)
    is_stock = (
        cls.run_validators is _RUN_VALIDATORS
        and super(Serializer, serializer).run_validators.__func__ is _RUN_FIELD_VALIDATORS
        and cls.validators is _VALIDATORS
        and cls.get_validators in _GET_VALIDATORS
        and not {"run_validators", "get_validators"} & vars(serializer).keys()
    )
    has_defaults = any(
        field.read_only and field.default is not empty
        for field in field_mapping(serializer).values()
    )
    return not is_stock or has_defaults or bool(serializer.validators)


def has_stock_rows(serializer: Any) -> bool:
    """Whether a list serializer validates each row by its child, and nobody else has a say."""
    cls: Any = type(serializer)
    own = vars(serializer)
    return cls.__getattribute__ is object.__getattribute__ and all(
        getattr(cls, name) is method and name not in own for name, method in _STOCK_LIST.items()
    )


@contextmanager
def children_looked_at_once(serializer: Any) -> Iterator[None]:
    """While it holds, a list serializer looks at its child once, not for each row.

    :param serializer: any list serializer; one that has its own way stays as it is
    """
    with ExitStack() as stack:
        rows = row_validation(serializer.child, stack) if has_stock_rows(serializer) else None
        if rows is not None:
            own = vars(serializer)
            own["run_child_validation"] = rows.run  # past a __setattr__ of users' own
            stack.callback(own.pop, "run_child_validation", None)
        yield
