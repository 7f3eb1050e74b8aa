"""marshmallow's validators as conditions in generated code.

Only validators of marshmallow's own classes, with options of plain classes, are looked into: they
call no user code, so a value may be validated again by stock when a condition is false, to get
stock's error. With any other validator among them a field's own ``_validate`` is called.
"""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from collections.abc import Callable
from typing import Any

from marshmallow import fields, validate

from fastschema.compiler.nodes import Slot
from fastschema.marshmallow.emails import is_email
from fastschema.runtime.descriptions import Description, method_of
from fastschema.runtime.stock import stock_method

CUSTOM: Description = (("custom",),)
"""The description of validators that the field must call itself."""

_STOCK_VALIDATE = stock_method(fields.Field, "_validate")
_STOCK_VALIDATE_ALL = stock_method(fields.Field, "_validate_all")
_PLAIN = (
    str,
    int,
    float,
    bool,
    bytes,
    type(None),
    decimal.Decimal,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    uuid.UUID,
)
"""The classes whose comparison calls no user code."""


def _needs_a_message() -> bool:
    """Whether this marshmallow looks for a message even if there are no validators: 3 does."""
    field = fields.Raw()
    field.error_messages = {}
    try:
        field._validate(None)
    except KeyError:
        return True
    return False


_NEEDS_A_MESSAGE = _needs_a_message()


def has_validators(field: Any) -> bool:
    """Whether there is anything for a field's ``_validate`` to do."""
    cls = type(field)
    if (
        field.validators != []
        or cls._validate is not _STOCK_VALIDATE
        or cls._validate_all is not _STOCK_VALIDATE_ALL
        or "_validate" in field.__dict__
    ):
        return True
    return _NEEDS_A_MESSAGE and "validator_failed" not in field.error_messages


def describe(field: Any) -> Description:
    """What the validators of a field ask of a value: for each the name of a condition and options.

    Empty if there are none, :data:`CUSTOM` if the field must call them itself.
    """
    if method_of(field, "_validate") is not _STOCK_VALIDATE:
        return CUSTOM
    if type(field)._validate_all is not _STOCK_VALIDATE_ALL:
        return CUSTOM
    if _NEEDS_A_MESSAGE and "validator_failed" not in field.error_messages:
        return CUSTOM
    validators = field.validators
    if type(validators) is not list:
        return CUSTOM
    described = []
    for index, validator in enumerate(validators):
        description = _describe(validator, index)
        if description is None:
            return CUSTOM
        described.append(description)
    return tuple(described)


def _describe(validator: Any, index: int) -> Description | None:
    rule = _RULES.get(type(validator))
    if rule is None or vars(validator).keys() & {"__call__", "_format_error"}:
        return None
    if type(validator).__call__ is not _CALLS[type(validator)]:
        return None
    return rule(validator, index)


def _length(validator: Any, index: int) -> Description | None:
    limits = [getattr(validator, name) for name in ("min", "max", "equal")]
    if any(limit is not None and type(limit) is not int for limit in limits):
        return None
    return ("length", *limits)


def _range(validator: Any, index: int) -> Description | None:
    low, high = validator.min, validator.max
    if any(limit is not None and type(limit) not in _PLAIN for limit in (low, high)):
        return None
    inclusive = [bool(getattr(validator, name)) for name in ("min_inclusive", "max_inclusive")]
    # The classes tell 1 from 1.0, which are equal, and would share a key.
    return ("range", type(low), low, type(high), high, *inclusive)


def _regexp(validator: Any, index: int) -> Description | None:
    pattern = validator.regex
    if type(pattern) is not re.Pattern or type(pattern.pattern) is not str:
        return None
    return ("regexp", pattern)


def _membership(attribute: str) -> Callable[[Any, int], Description | None]:
    def describe_membership(validator: Any, index: int) -> Description | None:
        values = getattr(validator, attribute)
        if type(values) not in (list, tuple, set, frozenset):
            return None
        return ("call", index) if all(type(value) in _PLAIN for value in values) else None

    return describe_membership


def _equal(validator: Any, index: int) -> Description | None:
    return ("call", index) if type(validator.comparable) in _PLAIN else None


def _url(validator: Any, index: int) -> Description | None:
    return ("call", index) if type(validator.error) is str else None


def _email(validator: Any, index: int) -> Description | None:
    message = validator.error
    if type(message) is not str:
        return None
    is_usual = all(getattr(validator, name) is value for name, value in _EMAIL.items())
    # Stock formats the message before it knows whether it is needed.
    return ("email",) if is_usual and "{" not in message and "}" not in message else ("call", index)


_EMAIL = {
    name: getattr(validate.Email, name)
    for name in ("USER_REGEX", "DOMAIN_REGEX", "DOMAIN_WHITELIST")
}


_RULES: dict[type, Callable[[Any, int], Description | None]] = {
    validate.Length: _length,
    validate.Range: _range,
    validate.Regexp: _regexp,
    validate.OneOf: _membership("choices"),
    validate.ContainsOnly: _membership("choices"),
    validate.NoneOf: _membership("iterable"),
    validate.ContainsNoneOf: _membership("iterable"),
    validate.Equal: _equal,
    validate.Email: _email,
    validate.URL: _url,
}
_CALLS = {cls: stock_method(cls, "__call__") for cls in _RULES}


def condition(
    descriptions: Description,
    prefix: str,
    get: Callable[[Any], Any],
    slots: list[Slot],
    names: dict[str, object],
) -> str | None:
    """The condition that all validators make on ``{value}``, a template; None if there are none.

    :param prefix: what begins the names of the objects that it needs
    :param get: from what a load is bound to, to the field
    :param slots: where to add those that belong to a load
    :param names: where to add the others
    """
    if not descriptions:
        return None
    conditions = []
    for number, (name, *options) in enumerate(descriptions):
        if name == "call":
            validator = f"{prefix}_validator_{number}"
            slots.append(Slot(validator, _validator(get, options[0])))
            conditions.append(f"{validator}({{value}}) is {{value}}")
        elif name == "length":
            conditions.append(_length_condition(*options))
        elif name == "email":
            names["is_email"] = is_email
            conditions.append("is_email({value})")
        elif name == "regexp":
            pattern = f"{prefix}_pattern_{number}"
            names[pattern] = options[0]
            conditions.append(f"{pattern}.match({{value}}) is not None")
        else:
            conditions += _range_conditions(f"{prefix}_limit_{number}", names, *options)
    return " and ".join(conditions) or "True"


def _validator(get: Callable[[Any], Any], index: int) -> Callable[[Any], Any]:
    return lambda subject: get(subject).validators[index]


def _length_condition(low: int | None, high: int | None, equal: int | None) -> str:
    if equal is not None:
        return f"len({{value}}) == {equal}"
    if low is None and high is None:
        return "len({value}) >= 0"
    lower = "" if low is None else f"{low} <= "
    upper = "" if high is None else f" <= {high}"
    return f"{lower}len({{value}}){upper}"


def _range_conditions(
    prefix: str,
    names: dict[str, object],
    low_class: type,
    low: Any,
    high_class: type,
    high: Any,
    low_inclusive: bool,
    high_inclusive: bool,
) -> list[str]:
    """The comparisons of ``Range``, negated as it makes them: NaN is neither above nor below."""
    conditions = []
    for limit, suffix, operator in (
        (low, "low", "<" if low_inclusive else "<="),
        (high, "high", ">" if high_inclusive else ">="),
    ):
        if limit is not None:
            name = f"{prefix}_{suffix}"
            names[name] = limit
            conditions.append(f"not {{value}} {operator} {name}")
    return conditions
