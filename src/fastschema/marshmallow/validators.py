"""marshmallow's validators as conditions in generated code.

Only validators of marshmallow's own classes are looked into. They compare and measure, so a value
may be validated again by stock when a condition is false, to get stock's error. With any other
validator among them a field's own ``_validate`` is called.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable
from typing import Any

from marshmallow import fields, validate

from fastschema.compiler.nodes import Slot
from fastschema.compiler.real_classes import REAL
from fastschema.marshmallow.customization import IS_MARSHMALLOW_3
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.plain_values import is_plain
from fastschema.runtime.programs import Description

CUSTOM: Description = (("custom",),)
"""The description of validators that the field must call itself."""

_STOCK_VALIDATE = stock_method(fields.Field, "_validate")
_STOCK_VALIDATE_ALL = stock_method(fields.Field, "_validate_all")
_LIMITS = {type(None), int, float, decimal.Decimal, REAL.date, REAL.datetime}
"""The classes of limits that generated code compares with; programs may hold objects of these."""

_COLLECTIONS = {list, tuple, set, frozenset, dict, str}

Rule = Callable[[Any], Description | None]
"""From a validator to its description; None: not known."""


def has_validators(field: Any) -> bool:
    """Return whether there is anything for a field's ``_validate`` to do."""
    validators = field.validators
    is_empty = type(validators) is list and not validators
    return not is_empty or not _validates_as_stock(field)


def _validates_as_stock(field: Any) -> bool:
    cls = type(field)
    return (
        cls._validate is _STOCK_VALIDATE
        and cls._validate_all is _STOCK_VALIDATE_ALL
        and "_validate" not in field.__dict__
        # marshmallow 3 looks for the message before it knows whether it is needed.
        and (not IS_MARSHMALLOW_3 or "validator_failed" in field.error_messages)
    )


def describe(field: Any) -> Description:
    """Return what the validators of a field ask: what makes each condition, then its options.

    Empty if there are none, :data:`CUSTOM` if the field must call them itself.
    """
    if not _validates_as_stock(field) or type(field.validators) is not list:
        return CUSTOM
    described = tuple([_describe(validator) for validator in field.validators])
    return CUSTOM if None in described else described


def _describe(validator: Any) -> Description | None:
    rule = _RULES.get(type(validator))
    if rule is None or overridden(validator, _METHODS[type(validator)]) is not None:
        return None
    return rule(validator)


def _length(validator: Any) -> Description | None:
    limits = [getattr(validator, name) for name in ("min", "max", "equal")]
    if any(limit is not None and type(limit) is not int for limit in limits):
        return None
    return (_of_length, *limits)


def _of_length(low: int | None, high: int | None, equal: int | None, **_: Any) -> str:
    """Return the condition of ``Length``, which looks at no more than the length."""
    if equal is not None:
        return f"len($value) == {equal}"
    if low is None and high is None:
        return "len($value) >= 0"
    lower = "" if low is None else f"{low} <= "
    upper = "" if high is None else f" <= {high}"
    return f"{lower}len($value){upper}"


def _range(validator: Any) -> Description | None:
    low, high = validator.min, validator.max
    if not _LIMITS.issuperset((type(low), type(high))):
        return None
    inclusive = validator.min_inclusive, validator.max_inclusive
    if any(type(is_inclusive) is not bool for is_inclusive in inclusive):
        return None
    # The classes tell 1 from 1.0, which are equal, and would share a key.
    return (_within, type(low), low, type(high), high, *inclusive)


def _within(
    low_class: type,
    low: Any,
    high_class: type,
    high: Any,
    low_inclusive: bool,
    high_inclusive: bool,
    *,
    prefix: str,
    names: dict[str, object],
    **_: Any,
) -> str:
    """Return the comparisons of ``Range``, negated as there: NaN is neither above nor below."""
    conditions = []
    for limit, suffix, operator in (
        (low, "low", "<" if low_inclusive else "<="),
        (high, "high", ">" if high_inclusive else ">="),
    ):
        if limit is not None:
            names[f"{prefix}_{suffix}"] = limit
            conditions.append(f"not $value {operator} {prefix}_{suffix}")
    return " and ".join(conditions) or "True"


def _regexp(validator: Any) -> Description | None:
    pattern = validator.regex
    if type(pattern) is not re.Pattern or type(pattern.pattern) is not str:
        return None
    return (_matching, pattern)


def _matching(pattern: Any, *, prefix: str, names: dict[str, object], **_: Any) -> str:
    names[f"{prefix}_pattern"] = pattern
    return f"{prefix}_pattern.match($value) is not None"


def _membership(validator: Any) -> Description | None:
    """Describe a validator that looks for values in a collection, which may have code of users."""
    attributes = vars(validator)
    values = attributes["choices"] if "choices" in attributes else attributes["iterable"]
    return (_called,) if type(values) in _COLLECTIONS else None


def _called(
    *, index: int, prefix: str, get: Callable[[Any], Any], slots: list[Slot], **_: Any
) -> str:
    validator = f"{prefix}_validator"
    slots.append(Slot(validator, lambda bound: get(bound).validators[index]))
    return f"{validator}($value) is $value"


def _plain(validator: Any) -> Description | None:
    """Describe a validator that is called as it is, if none of its options are lazy."""
    return (_called,) if all(map(is_plain, vars(validator).values())) else None


def _email(validator: Any) -> Description | None:
    message = validator.error
    if type(message) is not str:
        return None
    # Stock formats the message before it knows whether it is needed.
    is_usual = "{" not in message and "}" not in message
    return (_is_email,) if is_usual else (_called,)


def _is_email(*, names: dict[str, object], **_: Any) -> str:
    names["is_email"] = is_email
    return "is_email($value)"


# Letters and digits of ASCII, single signs between them, and hyphens inside of labels. Stock's
# expressions accept all of that where no label is too long, and take three times as long.
_is_usual_email = re.compile(
    r"[a-zA-Z0-9]+(?:[._+-][a-zA-Z0-9]+)*"
    r"@(?:[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*\.)+[a-zA-Z0-9]{2,}\Z"
).match
_LONGEST_LABEL = 63
_is_user = validate.Email.USER_REGEX.match
_is_domain = validate.Email.DOMAIN_REGEX.match
_known_domains = validate.Email.DOMAIN_WHITELIST


def is_email(text: str) -> bool:
    """Return whether ``validate.Email`` surely finds nothing wrong with a text.

    marshmallow 3 also accepts some domains that are not ASCII.
    """
    if len(text) <= _LONGEST_LABEL and _is_usual_email(text) is not None:
        return True
    user, at, domain = text.rpartition("@")
    return (
        at == "@"
        and _is_user(user) is not None
        and (domain in _known_domains or _is_domain(domain) is not None)
    )


_RULES: dict[type, Rule] = {
    validate.Length: _length,
    validate.Range: _range,
    validate.Regexp: _regexp,
    validate.OneOf: _membership,
    validate.ContainsOnly: _membership,
    validate.NoneOf: _membership,
    validate.ContainsNoneOf: _membership,
    validate.Equal: _plain,
    validate.Email: _email,
    validate.URL: _plain,
}
_METHODS = {
    cls: {name: stock_method(cls, name) for name in ("__call__", "_format_error")} for cls in _RULES
}


def condition(
    descriptions: Description,
    prefix: str,
    get: Callable[[Any], Any],
    slots: list[Slot],
    names: dict[str, object],
) -> str | None:
    """Return the condition that all validators make, a template; None if there are none.

    :param prefix: what begins the names of the objects that it needs
    :param get: from what a load is bound to, to the field
    :param slots: where to add those that belong to a load
    :param names: where to add the others
    """
    conditions = [
        make(*options, index=i, prefix=f"{prefix}_{i}", get=get, slots=slots, names=names)
        for i, (make, *options) in enumerate(descriptions)
    ]
    return " and ".join(conditions) or None
