"""What is done to the value of a field, from a look at it: a node of generated code."""

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
from fastschema.contrib.django.own_code import own_classes
from fastschema.contrib.django.validation.code import InputField
from fastschema.contrib.django.validation.conversions import conversion, overridden, stock_methods
from fastschema.runtime.inspection import Inspection
from fastschema.runtime.stock import stock_method

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


def input_field(look: Inspection, *, has_method: bool) -> InputField:
    """Return what is done to the value of a field that takes input.

    :param look: a look at it
    :param has_method: whether the serializer has a ``validate_`` method for it
    :raises UnreadableError: if its name is no plain text
    """
    name = look.get("field_name")
    if type(name) is not str:
        raise UnreadableError(f"the name of field {name!r} is not a plain str")
    source_attrs = tuple(look.contents("source_attrs"))
    own_method = overridden(look)
    if own_method is not None:
        is_plain = not look.decides_each_read and look.method("get_value") in _GET_VALUE
        value = "get" if is_plain else "own"
        kind = "the field's run_validation"
        return InputField(
            name, source_attrs, kind, value=value, has_method=has_method, reason=own_method
        )
    converted, reason = conversion(look)
    get_value = look.method("get_value")
    value = "get" if get_value in _GET_VALUE else "empty" if get_value is _NO_VALUE else "own"
    has_default = _default_is_plain(look)
    is_required = bool(look.get("required"))
    return InputField(
        name,
        source_attrs,
        converted.kind,
        converted.accepts,
        converted.result,
        converted.names,
        is_shared=value != "own" and _is_shared(look),
        is_nested=isinstance(look.target, serializers.Serializer),
        has_more_validators=converted.has_more_validators,
        skips=None if value == "own" else not is_required and look.target.default is empty,
        has_default=has_default and not is_required and value != "own",
        none_stays=bool(look.get("allow_null")) and bool(source_attrs),
        value=value,
        has_method=has_method,
        reason=reason,
    )


def _is_shared(look: Inspection) -> bool:
    """Return whether nobody can tell by which field like it a value was validated.

    User code might see the field; and the text of a ``lazy_format`` is that of its first use.
    """
    target = look.target
    return (
        not isinstance(target, (serializers.BaseSerializer, relations.RelatedField))
        and not isinstance(target, relations.ManyRelatedField)
        and next(own_classes(look.cls), None) is None
        and (type(target.default) in (*_IMMUTABLE, FunctionType, type) or target.default is empty)
        and not any(map(_needs_field, (target.default, *target.validators)))
        and not any(type(getattr(each, "message", "")) is lazy_format for each in target.validators)
        and (not hasattr(target, "child") or _is_shared(look.within("child")))
    )


def _needs_field(function: Any) -> bool:
    """Return whether a default or a validator may want the field that it is called for."""
    is_known = type(function) in (FunctionType, type, *_IMMUTABLE) or (
        type(function).__module__.startswith(("django.core.", "rest_framework."))
    )
    return not is_known or bool(getattr(function, "requires_context", False))


def _default_is_plain(look: Inspection) -> bool:
    """Return whether a default may stand for a missing value as it is."""
    if type(look.target.default) in _IMMUTABLE or look.target.default is empty:
        return look.get("default") is not empty
    look.is_given("default")  # each field has its own, as it is copied
    return False
