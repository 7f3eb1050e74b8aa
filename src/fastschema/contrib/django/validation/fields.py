"""What ``run_validation`` of a field does, without what it looks up for each value.

A value of the usual class is converted and checked right here where nothing but stock code would
see it. Any other goes to the field's own methods, so that errors are stock's.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.core.validators import (
    MaxLengthValidator,
    MaxValueValidator,
    MinLengthValidator,
    MinValueValidator,
    ProhibitNullCharactersValidator,
)
from rest_framework import ISO_8601, fields
from rest_framework.fields import empty
from rest_framework.settings import api_settings
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from fastschema.runtime.descriptions import tell_booleans
from fastschema.runtime.stock import stock_method

Validate = Callable[[Any], Any]
"""From a primitive value, which may be ``empty``, to the validated one."""
Accepts = Callable[[Any], bool]
"""Whether the validators of a field accept a value; if it says no, they must be asked."""

_RUN = stock_method(fields.Field, "run_validation")
_RUN_TEXT = stock_method(fields.CharField, "run_validation")
_STOCK = {name: stock_method(fields.Field, name) for name in ("run_validators", "get_validators")}
_EMPTY_VALUES = stock_method(fields.Field, "validate_empty_values")
_VALIDATORS = fields.Field.validators
_TO_TEXT = stock_method(fields.CharField, "to_internal_value")
_TO_INTEGER = stock_method(fields.IntegerField, "to_internal_value")
_TO_FLOAT = stock_method(fields.FloatField, "to_internal_value")
_TO_BOOLEAN = stock_method(fields.BooleanField, "to_internal_value")
_LOWER = stock_method(fields.BooleanField, "_lower_if_str")
_TO_DECIMAL = stock_method(fields.DecimalField, "to_internal_value")
_OF_DECIMALS = {
    name: stock_method(fields.DecimalField, name)
    for name in ("validate_empty_values", "validate_precision", "quantize")
}
_TO_DATE = stock_method(fields.DateField, "to_internal_value")
_METHODS = {*_STOCK, *_OF_DECIMALS, "run_validation", "to_internal_value"}
_LIMITS = {
    MaxLengthValidator: "max_length",
    MinLengthValidator: "min_length",
    MaxValueValidator: "max_value",
    MinValueValidator: "min_value",
}
_PROHIBITING = (ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator)
_LARGEST = 2**63


class Way(NamedTuple):
    """How values are validated for a field.

    :param kind: what is done to a value, for people
    :param make: makes the function that does it, from the field and its ``run_validation``; None:
        it is ``run_validation``
    :param why: why it is the field's own method, or ""
    """

    kind: str
    make: Callable[[Any, Validate], Validate] | None
    why: str = ""


def validation_of(field: Any) -> Validate:
    """What validates values for a field.

    :param field: a bound field, none of whose options change before the last value
    """
    run: Validate = field.run_validation
    make = way_of(field).make
    return run if make is None else make(field, run)


def way_of(field: Any) -> Way:
    """How values are validated for a field."""
    overridden = _overridden(field)
    if overridden is not None:
        return Way("the field's run_validation", None, overridden)
    cls: Any = type(field)
    convert = cls.to_internal_value
    if convert is _TO_TEXT and cls.run_validation is _RUN_TEXT:
        return Way("string", _text)
    if convert is _TO_INTEGER:
        return Way("integer", partial(_number, is_plain=_is_integer))
    if convert is _TO_FLOAT:
        return Way("float", partial(_number, is_plain=_is_float))
    if convert is _TO_BOOLEAN and _has_usual_booleans(field) and not field.validators:
        return Way("boolean", _boolean)
    if convert is _TO_DATE and _is_iso_date(field):
        return Way("date", _date)
    if convert is _TO_DECIMAL:
        return Way("decimal", _decimal if _is_usual_decimal(field) else None)
    if convert.__module__.startswith("rest_framework."):
        return Way("the field's to_internal_value", _converted)
    why = f"{convert.__qualname__} is not one that fastschema knows"
    return Way("the field's to_internal_value", _converted, why)


def _overridden(field: Any) -> str | None:
    """Which method that runs for each value is not stock's, for people; None if all are."""
    cls: Any = type(field)
    if cls.__getattribute__ is not object.__getattribute__:
        return "__getattribute__ is overridden"
    stock = {**_STOCK, "validators": _VALIDATORS, "validate_empty_values": _EMPTY_VALUES}
    if cls.to_internal_value is _TO_DECIMAL:
        stock |= _OF_DECIMALS
    is_text = cls.run_validation is _RUN_TEXT
    stock["run_validation"] = _RUN_TEXT if is_text else _RUN
    if is_text:
        stock["to_internal_value"] = _TO_TEXT
    for name, method in stock.items():
        found = getattr(cls, name)
        if found is not method:
            return f"{getattr(found, '__qualname__', name)} is not one that fastschema knows"
    if is_text and super(fields.CharField, field).run_validation.__func__ is not _RUN:
        return "run_validation is overridden behind CharField"
    for name in sorted(_METHODS & vars(field).keys()):
        return f"{name} is set on the field object"
    return None


def _text(field: Any, run: Validate) -> Validate:
    trims = field.trim_whitespace
    accepts = _accepts_text(field.validators)
    run_validators = field.run_validators

    def validate(value: Any) -> Any:
        if type(value) is str:
            text = value.strip() if trims else value
            if text:
                if not accepts(text):
                    run_validators(text)
                return text
        return run(value)

    return validate


def _boolean(field: Any, run: Validate) -> Validate:
    return lambda value: value if value is True or value is False else run(value)


def _number(field: Any, run: Validate, is_plain: Accepts) -> Validate:
    accepts = _accepts_number(field.validators)
    run_validators = field.run_validators

    def validate(value: Any) -> Any:
        if not is_plain(value):
            return run(value)
        if not accepts(value):
            run_validators(value)
        return value

    return validate


def _is_usual_decimal(field: Any) -> bool:
    whole, places = field.max_whole_digits, field.decimal_places
    return (
        whole is not None
        and whole > 0
        and places > 0
        and not field.localize
        and whole + places + 2 <= field.MAX_STRING_LENGTH
    )


def _decimal(field: Any, run: Validate) -> Validate:
    """For texts that have the places of the field: quantizing them changes nothing."""
    whole, places = field.max_whole_digits, field.decimal_places
    is_plain = re.compile(rf"-?[0-9]{{1,{whole}}}\.[0-9]{{{places}}}").fullmatch
    to_decimal, run_validators = decimal.Decimal, field.run_validators

    def validate(value: Any) -> Any:
        if type(value) is not str or is_plain(value) is None:
            return run(value)
        number = to_decimal(value)
        if field.validators:
            run_validators(number)
        return number

    return validate


def _is_iso_date(field: Any) -> bool:
    formats = getattr(field, "input_formats", api_settings.DATE_INPUT_FORMATS)
    return type(formats) in (list, tuple) and [*formats, ""][0] in (ISO_8601, ISO_8601.upper())


def _date(field: Any, run: Validate) -> Validate:
    """For texts of dates as Django reads them first."""
    from_iso_format, run_validators = datetime.date.fromisoformat, field.run_validators

    def validate(value: Any) -> Any:
        if type(value) is not str:
            return run(value)
        try:
            date = from_iso_format(value)
        except ValueError:
            return run(value)
        if field.validators:
            run_validators(date)
        return date

    return validate


def _converted(field: Any, run: Validate) -> Validate:
    """For a field whose own method converts."""
    convert, run_validators = field.to_internal_value, field.run_validators

    def validate(value: Any) -> Any:
        if value is None or value is empty:
            return run(value)
        value = convert(value)
        # The list is read each time: a validator of users' own may add to it.
        if field.validators:
            run_validators(value)
        return value

    return validate


def _is_integer(value: Any) -> bool:
    return type(value) is int and -_LARGEST <= value < _LARGEST


def _is_float(value: Any) -> bool:
    return type(value) is float and math.isfinite(value)


def _has_usual_booleans(field: Any) -> bool:
    true, false = field.TRUE_VALUES, field.FALSE_VALUES
    is_usual = type(true) is set and type(false) is set and type(field)._lower_if_str is _LOWER
    return is_usual and tell_booleans(true, false)


def _limits(validators: list[Any], known: tuple[str, ...]) -> dict[str, Any] | None:
    """The limits that validators set; None if there are others among them."""
    limits: dict[str, Any] = {}
    for validator in validators:
        cls = type(validator)
        if cls in _PROHIBITING:
            continue
        name = _LIMITS.get(cls)
        limit = getattr(validator, "limit_value", None)
        if name not in known or name in limits or type(limit) not in (int, float):
            return None
        limits[name] = limit
    return limits


def _accepts_text(validators: list[Any]) -> Accepts:
    limits = _limits(validators, ("max_length", "min_length"))
    if limits is None:
        return _accepts_nothing
    shortest, longest = limits.get("min_length", 0), limits.get("max_length", math.inf)

    def accepts(text: str) -> bool:
        return (
            shortest <= len(text) <= longest
            and "\x00" not in text
            and (text.isascii() or _is_encodable(text))
        )

    return accepts


def _accepts_number(validators: list[Any]) -> Accepts:
    if any(type(each) in _PROHIBITING for each in validators):
        return _accepts_nothing
    limits = _limits(validators, ("max_value", "min_value"))
    if limits is None:
        return _accepts_nothing
    least, most = limits.get("min_value", -math.inf), limits.get("max_value", math.inf)
    return lambda number: least <= number <= most


def _accepts_nothing(value: Any) -> bool:
    return False


def _is_encodable(text: str) -> bool:
    """Whether a text has no surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
