"""What is done to the value of a field: a node of generated code."""

from __future__ import annotations

import datetime
import decimal
import uuid
from types import FunctionType
from typing import Any

from rest_framework import fields, relations, serializers
from rest_framework.fields import empty
from rest_framework.utils.formatting import lazy_format

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.clones import LATER
from fastschema.contrib.django.customization import own_classes
from fastschema.contrib.django.input.code import InputField
from fastschema.contrib.django.input.conversions import (
    BY_STOCK,
    conversion,
    has_stock_validators,
    overridden,
    stock_methods,
)
from fastschema.runtime.patching import stock_method
from fastschema.runtime.programs import method_of

_GET_VALUE = stock_methods(
    "get_value",
    *(fields.Field, serializers.Serializer, serializers.ListSerializer, fields.ListField),
    *(fields.DictField, fields.JSONField, fields.MultipleChoiceField),
    *(relations.RelatedField, relations.ManyRelatedField),
)
"""Given a dictionary, these get what it has under the field's name."""
_NO_VALUE = stock_method(fields.HiddenField, "get_value")
_PLAIN = (str, int, float, bool, type(None), decimal.Decimal, uuid.UUID)
_IMMUTABLE = (*_PLAIN, datetime.date, datetime.datetime, datetime.time, datetime.timedelta)
_SEEN = (serializers.BaseSerializer, relations.RelatedField, relations.ManyRelatedField)
"""The fields that ask others, or the database."""


def input_field(field: Any, *, has_method: bool) -> InputField:
    """Return what is done to the value of a field that takes input.

    :param field: the field
    :param has_method: whether the serializer has a ``validate_`` method for it
    :raises UnreadableError: if its name is no plain text
    """
    name = field.field_name
    if type(name) is not str:
        raise UnreadableError(f"the name of field {name!r} is not a plain str")
    source_attrs = tuple(field.source_attrs)
    own_method = overridden(field)
    if own_method is not None:
        cls: Any = type(field)
        is_plain = cls.__getattribute__ is object.__getattribute__
        value = "get" if is_plain and method_of(field, "get_value") in _GET_VALUE else "own"
        return InputField(
            name, source_attrs, BY_STOCK, value=value, has_method=has_method, reason=own_method
        )
    converted, reason = conversion(field)
    get_value = method_of(field, "get_value")
    value = "get" if get_value in _GET_VALUE else "empty" if get_value is _NO_VALUE else "own"
    is_required = bool(field.required)
    return InputField(
        name,
        source_attrs,
        converted,
        is_shared=value != "own" and _is_shared(field),
        is_nested=isinstance(field, serializers.Serializer),
        skips=None if value == "own" else not is_required and field.default is empty,
        has_default=type(field.default) in _IMMUTABLE and not is_required and value != "own",
        none_stays=bool(field.allow_null) and bool(source_attrs),
        value=value,
        has_method=has_method,
        reason=reason,
    )


def _is_shared(field: Any) -> bool:
    """Return whether nobody can tell by which field like it a value was validated.

    User code might see the field; and the text of a ``lazy_format`` is that of its first use.
    """
    return (
        not isinstance(field, _SEEN)
        and next(own_classes(type(field)), None) is None
        and type(field.default) in (*_IMMUTABLE, FunctionType, type)
        and not any(map(_needs_field, (field.default, *field.validators)))
        and not any(type(getattr(each, "message", "")) is lazy_format for each in field.validators)
        and (not hasattr(field, "child") or _is_shared(field.child))
    )


def _needs_field(function: Any) -> bool:
    """Return whether a default or a validator may want the field that it is called for."""
    is_known = type(function) in (FunctionType, type, *_IMMUTABLE) or (
        type(function).__module__.startswith(("django.core.", "rest_framework."))
    )
    return not is_known or bool(getattr(function, "requires_context", False))


def details(field: Any) -> Any:
    """Return what else tells whether a field validates as another one does: no plain options."""
    default = field.default
    is_plain = default is empty or type(default) in _IMMUTABLE
    if field.read_only:
        return default if is_plain else type(default)
    own = vars(field)
    found = own.get(LATER) if "_validators" not in own else None
    if found is None and has_stock_validators(field):
        # It is no clone, or somebody has looked at its validators, or set others.
        found = [(type(each), getattr(each, "limit_value", None)) for each in field.validators]
    inner = details(field.child) if isinstance(field, fields.ListField) else None
    return found, default if is_plain else type(default), inner
