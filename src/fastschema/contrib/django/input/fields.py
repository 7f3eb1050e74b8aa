"""What is done to the value of a field that takes input: a node of generated code.

A value of the usual class is converted and checked by generated code where nothing but stock code
would see it. Any other goes to the field's ``run_validation``, so that errors are stock's.
"""

from __future__ import annotations

import decimal
import itertools
import re
import sys
import uuid
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from django.core.validators import (
    EmailValidator,
    MaxLengthValidator,
    MaxValueValidator,
    MinLengthValidator,
    MinValueValidator,
    ProhibitNullCharactersValidator,
    RegexValidator,
)
from rest_framework import ISO_8601, fields, relations, serializers
from rest_framework.fields import empty
from rest_framework.settings import api_settings
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from fastschema.compiler.nodes import UnreadableError, fill
from fastschema.compiler.real_classes import REAL
from fastschema.compiler.source import GeneratedFunction, Lines, text_of
from fastschema.contrib.django.front_end.bypassed import VALIDATES
from fastschema.contrib.django.front_end.clones import UNREAD_VALIDATORS
from fastschema.contrib.django.front_end.customization import STOCK_CLASSES
from fastschema.contrib.django.front_end.makers import MakerMethod
from fastschema.contrib.django.input.code import InputConversion, InputField
from fastschema.contrib.django.input.values import (
    PLAIN_EMAIL,
    is_encodable,
    iso_date,
    iso_datetime,
    passes,
    uuid_of,
)
from fastschema.runtime.guard import computes_options
from fastschema.runtime.patching import stock_method, stock_of
from fastschema.runtime.plain_values import PLAIN, is_a, why_lazy
from fastschema.runtime.programs import CACHE_SIZE, method_of, methods_of
from fastschema.runtime.registration import Registered, registered


def stock_methods(name: str, *classes: Any) -> set[Any]:
    return {stock_method(cls, name) for cls in classes}


_FIELD, _TEXT, _DECIMAL = fields.Field, fields.CharField, fields.DecimalField
_RUN = stock_method(_FIELD, "run_validation")
_RUN_TEXT = stock_method(_TEXT, "run_validation")
_RUNS = {(_RUN,)} | {
    (stock_method(cls, "run_validation"), _RUN)
    for cls in (_TEXT, relations.RelatedField, serializers.Serializer, serializers.ListSerializer)
}
"""The methods behind ``run_validation`` of fields: those of ``Field``, and what calls it, or does
the same."""
_EMPTY_VALUES = {
    (stock_method(_FIELD, "validate_empty_values"),),
    (
        stock_method(_DECIMAL, "validate_empty_values"),
        stock_method(_FIELD, "validate_empty_values"),
    ),
}
_GET_DEFAULT = stock_method(_FIELD, "get_default")
_VALIDATING = {
    name: stock_method(_FIELD, name) for name in ("run_validators", "get_validators", "validators")
}
_OWN_METHODS = frozenset(
    [
        *("run_validation", "validate_empty_values", "get_value", "get_default", "fail"),
        *("to_internal_value", "run_validators", "get_validators", "run_child_validation"),
        *("validate_precision", "quantize", "enforce_timezone", "default_timezone"),
        *("TRUE_VALUES", "FALSE_VALUES"),
    ]
)
"""What a field object has of its own only if code has set it."""
OPTIONS = frozenset(
    [
        *("TRUE_VALUES", "FALSE_VALUES", "MAX_STRING_LENGTH", "allow_blank", "allow_empty"),
        *("allow_null", "choice_strings_to_values", "decimal_places", "field_name"),
        *("input_formats", "localize", "max_whole_digits", "read_only", "required", "source"),
        *("source_attrs", "timezone", "trim_whitespace"),
    ]
)
"""The attributes of fields by which programs differ."""
_LOOKED_AT = sorted(OPTIONS - {"source"})
_PLACES = frozenset(["field_name", "source_attrs"])
_LIMITS = {
    MaxLengthValidator: "len(converted) <= $limit",
    MinLengthValidator: "len(converted) >= $limit",
    MaxValueValidator: "value <= $limit",
    MinValueValidator: "value >= $limit",
}
_LARGEST = 2**63 - 1
_LARGEST_EXACT = 2**53


BY_STOCK = InputConversion("the field's run_validation")


def why_by_stock(field: Any) -> str | None:
    """Return why a field is left to its own ``run_validation``, for people; None if it is not."""
    cls: Any = type(field)
    reason = (
        computes_options(cls, OPTIONS, STOCK_CLASSES)
        or why_lazy(field, _LOOKED_AT)
        or VALIDATES.reason(cls)
    )
    if reason is not None:
        return reason
    if cls.__setattr__ is not object.__setattr__:
        return "__setattr__ is overridden"  # it sees the validators, which stock sets on first use
    methods = sorted(_OWN_METHODS & vars(field).keys())
    if methods:
        return f"{methods[0]} is set on the field object"
    runs = tuple(map(stock_of, methods_of(field, "run_validation", _FIELD)))
    if runs not in _RUNS:
        return _unknown(runs[0])
    if methods_of(field, "validate_empty_values", _FIELD) not in _EMPTY_VALUES:
        return _unknown(method_of(field, "validate_empty_values"))
    if type(field).get_default is not _GET_DEFAULT:
        return _unknown(type(field).get_default)
    return None


def _unknown(method: Any) -> str:
    return f"fastschema cannot compile {getattr(method, '__qualname__', method)}"


def has_stock_validators(field: Any) -> bool:
    """Return whether a field has, and calls, its validators as DRF's do."""
    return all(getattr(type(field), name) is method for name, method in _VALIDATING.items())


def conversion(field: Any) -> tuple[InputConversion, str | None]:
    """Return how values are converted, and why that is left to the field's own method, or None."""
    if is_a(field, serializers.ListSerializer):
        return InputConversion("nested list"), None
    if is_a(field, serializers.BaseSerializer):
        return InputConversion("nested serializer"), None
    for name, method in _VALIDATING.items():
        actual = getattr(type(field), name)
        if actual is not method:
            return BY_STOCK, _unknown(getattr(actual, "fget", actual))
    if type(field.validators) not in (list, tuple):
        return BY_STOCK, "its validators may be lazy"
    convert = method_of(field, "to_internal_value")
    if convert in registered:
        return _by_maker(field, registered[convert]), None
    rule, called = _RULES.get(convert, (None, {}))
    is_text = method_of(field, "run_validation") is _RUN_TEXT
    are_stock = all(method_of(field, name) is method for name, method in called.items())
    if rule is not None and is_text is (rule is _text) and are_stock:
        conversion = rule(field)
        if conversion is not None:
            return conversion, None
    if getattr(convert, "__module__", "").startswith("rest_framework."):
        return InputConversion("the field's to_internal_value"), None
    return InputConversion("the field's to_internal_value"), _unknown(convert)


def _by_maker(field: Any, what: Registered) -> InputConversion:
    """Convert by what a maker makes all values that are given and not empty."""
    is_given = "value is not None and value is not empty"
    is_given += " and (not isinstance(value, str) or type(value) is str and value.strip())"
    if method_of(field, "run_validation") is _RUN_TEXT:
        is_given = "type(value) is str and value.strip()"
    convert, names = maker_names(what)
    return _validated(field, what.label, is_given, f"{convert}($own, value)", names)


@cache
def maker_names(what: Registered) -> tuple[str, tuple[tuple[str, object], ...]]:
    """Return the name of what converts by a maker, and that as the names of a conversion."""
    name = f"made_{next(_numbers)}"
    return name, ((name, MakerMethod(what, "to_internal_value", _compiled)),)


_numbers = itertools.count(1)


def _compiled(inner: Any) -> Callable[[Any], Any]:
    """Return what a field or a serializer inside of another does with a value of the input."""
    if not is_a(inner, fields.Field):
        raise TypeError(f"compiled() takes a field or a serializer, not {inner!r}")
    run: Callable[[Any], Any] = inner.run_validation
    if is_a(inner, serializers.BaseSerializer) or why_by_stock(inner) or inner.read_only:
        return run
    converted, _ = conversion(inner)
    is_by_field = "$own" not in converted.result and "own.zone" not in converted.accepts
    if not converted.accepts or converted.has_more_validators or not is_by_field:
        return run
    return _value_function(converted).function(inner, run)  # type: ignore[no-any-return]  # a function


@lru_cache(maxsize=CACHE_SIZE)
def _value_function(converted: InputConversion) -> GeneratedFunction:
    """Return what converts values from a field and its ``run_validation``, for all others."""
    cases: Lines = [f"if {fill(converted.accepts, field='field')}:", [f"return {converted.result}"]]
    convert: Lines = ["def convert(value):", [*cases, "return run(value)"], "return convert"]
    text = text_of(["def bind(field, run):", convert])
    return GeneratedFunction("bind", "convert", text, {"empty": empty, **dict(converted.names)})


def _checks(field: Any, known: tuple[Any, ...]) -> list[str] | None:
    """Return what validators of some classes ask of a value; None if there are others."""
    conditions = []
    for number, validator in enumerate(field.validators):
        cls = type(validator)
        limit = _limit_of(validator)
        if cls not in known:
            return None
        if cls is ProhibitNullCharactersValidator:
            conditions.append("'\\x00' not in converted")
        elif cls is ProhibitSurrogateCharactersValidator:
            conditions.append("(converted.isascii() or is_encodable(converted))")
        elif cls is RegexValidator:
            conditions.append(f"passes($field.validators[{number}], converted)")
        elif cls is EmailValidator:
            passes_it = f"passes($field.validators[{number}], converted)"
            conditions.append(f"(is_plain_email(converted) is not None or {passes_it})")
        elif type(limit) not in (int, float) or not abs(limit) <= sys.float_info.max:
            return None
        else:
            conditions.append(fill(_LIMITS[cls], limit=repr(limit)))
    return conditions


def _limit_of(validator: Any) -> Any:
    return validator.limit_value if type(validator) in _LIMITS else None


_OF_TEXTS = (
    *(MaxLengthValidator, MinLengthValidator, RegexValidator, EmailValidator),
    *(ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator),
)
_OF_NUMBERS = (MaxValueValidator, MinValueValidator)


def _text(field: Any) -> InputConversion | None:
    value = "value.strip()" if field.trim_whitespace else "value"
    checks = _checks(field, _OF_TEXTS)
    is_text = f"type(value) is str and (converted := {value})"
    if not field.allow_blank:
        accepts = " and ".join([is_text, *(checks or ())])
    elif checks:
        accepts = f"type(value) is str and (not (converted := {value}) or {' and '.join(checks)})"
    else:
        accepts = is_text
    names = (
        ("is_encodable", is_encodable),
        ("is_plain_email", PLAIN_EMAIL.fullmatch),
        ("passes", passes),
    )
    return InputConversion("string", accepts, "converted", names, checks is None)


def _number(field: Any, kind: str, condition: str, result: str) -> InputConversion:
    checks = _checks(field, _OF_NUMBERS)
    accepts = " and ".join([condition, *(checks or ())])
    return InputConversion(kind, accepts, result, has_more_validators=checks is None)


def _integer(field: Any) -> InputConversion | None:
    condition = f"type(value) is int and {-_LARGEST} <= value <= {_LARGEST}"
    return _number(field, "integer", condition, "value")


def _float(field: Any) -> InputConversion | None:
    largest = repr(sys.float_info.max)
    condition = (
        f"(type(value) is float and -{largest} <= value <= {largest}"
        f" or type(value) is int and {-_LARGEST_EXACT} <= value <= {_LARGEST_EXACT})"
    )
    return _number(field, "float", condition, "float(value)")


def _boolean(field: Any) -> InputConversion | None:
    true, false = field.TRUE_VALUES, field.FALSE_VALUES
    if not (type(true) is type(false) is set and True in true and False in false - true):
        return None
    return _validated(field, "boolean", "value is True or value is False", "value")


def _decimal(field: Any) -> InputConversion | None:
    """Convert texts that have the places of the field: quantizing them changes nothing."""
    whole, places = field.max_whole_digits, field.decimal_places
    is_usual = whole is not None and whole > 0 and places > 0 and not field.localize
    if not is_usual or whole + places + 2 > field.MAX_STRING_LENGTH:
        return None
    pattern = re.compile(rf"-?[0-9]{{1,{whole}}}\.[0-9]{{{places}}}")
    is_plain = f"is_decimal_{whole}_{places}"
    names = ((is_plain, pattern.fullmatch), ("Decimal", decimal.Decimal))
    accepts = f"type(value) is str and {is_plain}(value) is not None"
    return _validated(field, "decimal", accepts, "Decimal(value)", names)


def _is_iso(field: Any, setting: str) -> bool:
    """Return whether texts are read by their ISO 8601 format first."""
    formats = getattr(field, "input_formats", None)
    if formats is None:
        formats = getattr(api_settings, setting)
    is_ordered = type(formats) in (list, tuple)
    return is_ordered and list(formats)[:1] in ([ISO_8601], [ISO_8601.upper()])


def _date(field: Any) -> InputConversion | None:
    is_iso = _is_iso(field, "DATE_INPUT_FORMATS")
    return _parsed(field, "date", "iso_date(value)", ("iso_date", iso_date)) if is_iso else None


def _parsed(field: Any, kind: str, parse: str, name: tuple[str, object]) -> InputConversion:
    """Return a conversion by a function that gives None for what it cannot read."""
    accepts = f"(converted := {parse}) is not None"
    return _validated(field, kind, accepts, "converted", (name,))


def _datetime(field: Any) -> InputConversion | None:
    if not _is_iso(field, "DATETIME_INPUT_FORMATS"):
        return None
    zone = "None" if hasattr(field, "timezone") else "own.zone"
    parse = f"iso_datetime($field, value, {zone})"
    return _parsed(field, "datetime", parse, ("iso_datetime", iso_datetime))


def _uuid(field: Any) -> InputConversion | None:
    return _parsed(field, "uuid", "uuid_of(value)", ("uuid_of", uuid_of))


def _choice(field: Any) -> InputConversion | None:
    is_choice = "(converted := $field.choice_strings_to_values.get(value, empty)) is not empty"
    return _validated(field, "choice", f"type(value) is str and value and {is_choice}", "converted")


def _list(field: Any) -> InputConversion | None:
    """Convert lists of values that are all converted here, if none of them is refused."""
    child = field.child
    if why_by_stock(child) is not None or child.read_only:  # it gives its default for any value
        return None
    inner, reason = conversion(child)
    is_made = "$own" in inner.result
    if reason is not None or not inner.accepts or inner.has_more_validators or is_made:
        return None
    accepts = fill(inner.accepts, field="$field.child")
    items = f"(items := [{inner.result} for value in value if {accepts}])"
    conditions = ["type(value) is list", f"len({items}) == len(value)"]
    if not field.allow_empty:
        conditions.append("items")
    checks = _checks(field, (MaxLengthValidator, MinLengthValidator))
    conditions += [check.replace("converted", "items") for check in checks or ()]
    names = inner.names
    return InputConversion("list", " and ".join(conditions), "items", names, checks is None)


def _validated(
    field: Any,
    kind: str,
    accepts: str,
    result: str,
    names: tuple[tuple[str, object], ...] = (),
) -> InputConversion:
    """Return a conversion after which validators are called, if there are any."""
    has_validators = bool(field.validators)
    return InputConversion(kind, accepts, result, names, has_more_validators=has_validators)


_Rule = Callable[[Any], InputConversion | None]


def _rule(cls: Any, rule: _Rule, *called: str) -> tuple[Any, tuple[_Rule, dict[str, Any]]]:
    """Return what converts by a class's ``to_internal_value``, with other methods that it calls."""
    stock = {name: stock_method(cls, name) for name in called}
    return stock_method(cls, "to_internal_value"), (rule, stock)


_RULES = dict(
    [
        _rule(fields.CharField, _text),
        _rule(fields.IntegerField, _integer),
        _rule(fields.FloatField, _float),
        _rule(fields.BooleanField, _boolean, "_lower_if_str"),
        _rule(fields.DecimalField, _decimal, "validate_precision", "quantize"),
        _rule(fields.DateField, _date),
        _rule(fields.DateTimeField, _datetime, "enforce_timezone", "default_timezone"),
        _rule(fields.UUIDField, _uuid),
        _rule(fields.ChoiceField, _choice),
        _rule(fields.ListField, _list, "run_child_validation"),
    ]
)


_GET_VALUE = stock_methods(
    "get_value",
    *(fields.Field, serializers.Serializer, serializers.ListSerializer, fields.ListField),
    *(fields.DictField, fields.JSONField, fields.MultipleChoiceField),
    *(relations.RelatedField, relations.ManyRelatedField),
)
"""Given a dictionary, these get what it has under the field's name."""
_NO_VALUE = stock_method(fields.HiddenField, "get_value")
_PLAIN = (str, int, float, bool, type(None), decimal.Decimal, uuid.UUID)
_IMMUTABLE = (*_PLAIN, REAL.date, REAL.datetime, REAL.time, REAL.timedelta)


def input_field(field: Any, *, has_method: bool) -> InputField:
    """Return what is done to a field's input; raise UnreadableError if only its code can say."""
    name = field.field_name
    if type(name) is not str:
        raise UnreadableError("the name of a field is not a plain str")
    if computes_options(type(field), _PLACES, STOCK_CLASSES) is not None:
        raise UnreadableError(f"{type(field).__name__} computes where its value is put")
    source_attrs = tuple(field.source_attrs)
    why = why_by_stock(field)
    if why is not None:
        cls: Any = type(field)
        is_plain = cls.__getattribute__ is object.__getattribute__
        value = "get" if is_plain and method_of(field, "get_value") in _GET_VALUE else "own"
        return InputField(
            name, source_attrs, BY_STOCK, value=value, has_method=has_method, reason=why
        )
    converted, reason = conversion(field)
    get_value = method_of(field, "get_value")
    value = "get" if get_value in _GET_VALUE else "empty" if get_value is _NO_VALUE else "own"
    is_required = bool(field.required)
    return InputField(
        name,
        source_attrs,
        converted,
        is_nested=is_a(field, serializers.Serializer),
        skips=None if value == "own" else not is_required and field.default is empty,
        has_default=type(field.default) in _IMMUTABLE and not is_required and value != "own",
        none_stays=bool(field.allow_null) and bool(source_attrs),
        value=value,
        has_method=has_method,
        reason=reason,
    )


def details(field: Any) -> Any:
    """Return what else tells whether a field validates as another one does: no plain options."""
    default = empty if field.default is empty else type(field.default)
    if field.read_only:
        return default
    attributes = vars(field)
    validators = attributes.get(UNREAD_VALIDATORS) if "_validators" not in attributes else None
    if validators is None and has_stock_validators(field):
        # It is no clone, or its validators were read, or set.
        validators = field.validators
        if type(validators) in (list, tuple):
            validators = list(map(_kind_of_validator, validators))
    inner = details(field.child) if is_a(field, fields.ListField) else None
    return validators, default, inner


def _kind_of_validator(validator: Any) -> tuple[type, Any]:
    limit = _limit_of(validator)
    return type(validator), limit if type(limit) in PLAIN else type(limit)
