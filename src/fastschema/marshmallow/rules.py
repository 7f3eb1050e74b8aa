"""From a marshmallow field to the description of what is done to its value.

The table is keyed by the method that stock would call (``Field._serialize``), so a subclass that
overrides only validation is compiled as its parent is, and one that overrides serialization is
not. An entry describes a field as a tuple of plain values: all that the generated code depends on,
and so a part of the cache key.

Only the common class of value is handled inline. Everything else goes to the field's own
``_serialize``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import datetime
import email.utils
from typing import Any

from marshmallow import Schema, fields, utils

from fastschema.marshmallow.plain_classes import OPTIONS, STOCK_CLASSES
from fastschema.marshmallow.sqlalchemy_rules import describe_related
from fastschema.registration import registered
from fastschema.runtime.descriptions import (
    OWN_METHOD,
    Description,
    Rule,
    describe_by_rule,
    method_of,
    methods_of,
    stock,
)
from fastschema.runtime.snapshot import computes_options
from fastschema.runtime.stock import stock_method

# As they are when fastschema is imported: what is patched later is not stock's.
_NUMBER_FORMAT_NUM = stock_method(fields.Number, "_format_num")
_NUMBER_TO_STRING = stock_method(fields.Number, "_to_string")
_DECIMAL_FORMAT_NUM = stock_method(fields.Decimal, "_format_num")
_DECIMAL_TO_STRING = stock_method(fields.Decimal, "_to_string")
_NESTED_SCHEMA = stock_method(fields.Nested, "schema")
_PLUCK_METHODS = (
    stock_method(fields.Pluck, "_serialize"),
    stock_method(fields.Nested, "_serialize"),
)
_FIELD_DATA_KEY = stock_method(fields.Pluck, "_field_data_key")
_CALL_OR_RAISE = (
    stock_method(fields.Function, "_call_or_raise")
    if hasattr(fields.Function, "_call_or_raise")
    else None
)
_DICT_CLASS = Schema.dict_class
_TYPE_MAPPING = Schema.TYPE_MAPPING
_FIELDS_OF_VALUES: dict[Any, Any] = {
    str: fields.String,
    int: fields.Integer,
    float: fields.Float,
    list: fields.Raw,
    dict: None,
    type(None): None,
}
"""The fields by which values stay what they are."""
_OF_COMMON_VALUES = {
    (fields.String, "_serialize"): stock_method(fields.String, "_serialize"),
    (fields.Raw, "_serialize"): stock_method(fields.Raw, "_serialize"),
    (fields.Integer, "_serialize"): stock_method(fields.Integer, "_serialize"),
    (fields.Integer, "_format_num"): _NUMBER_FORMAT_NUM,
    (fields.Integer, "num_type"): int,
    (fields.Float, "_serialize"): stock_method(fields.Float, "_serialize"),
    (fields.Float, "_format_num"): _NUMBER_FORMAT_NUM,
    (fields.Float, "num_type"): float,
}
"""What makes them stay what they are."""


def describe_dict_class(schema: Any) -> bool:
    """Return whether a schema makes dictionaries and nothing else."""
    if isinstance(_DICT_CLASS, property) and type(schema).dict_class is _DICT_CLASS:
        # marshmallow 3 makes ordered ones of them where a schema asks for that.
        return not schema.ordered
    return bool(schema.dict_class is dict)


def why_unknown(field: Any) -> str | None:
    """Return why the options of a field cannot be known, or None."""
    return computes_options(type(field), OPTIONS, STOCK_CLASSES)


def describe(field: Any) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    reason = why_unknown(field)
    if reason is not None:
        return stock(reason)
    method = method_of(field, "_serialize")
    if method is None:
        return stock("_serialize is set on the field object")
    if method in registered:
        return ("registered", registered[method])
    if method not in RULES:
        related = describe_related(field, method)
        if related is not None:
            return related
    return describe_by_rule(field, method, RULES, "_serialize")


def _raw(field: Any) -> Description:
    # marshmallow 4 dumps whatever value a Boolean has.
    return ("raw", "bool" if issubclass(type(field), fields.Boolean) else "str")


def _string(field: Any) -> Description:
    # In marshmallow 3, UUID serializes by String's method.
    return ("uuid",) if issubclass(type(field), fields.UUID) else ("string",)


def _uuid(field: Any) -> Description:
    return ("uuid",)


def _number(field: Any) -> Description:
    as_string = bool(field.as_string)
    format_num, to_string = method_of(field, "_format_num"), method_of(field, "_to_string")
    if format_num is _DECIMAL_FORMAT_NUM:
        if to_string is not _DECIMAL_TO_STRING:
            return stock("_to_string is overridden")
        places = field.places
        return ("decimal", as_string, None if places is None else -places.as_tuple().exponent)
    if format_num is not _NUMBER_FORMAT_NUM:
        return stock("_format_num is overridden")
    if to_string is not _NUMBER_TO_STRING:
        return stock("_to_string is overridden")
    num_type = field.num_type
    if num_type is int:
        return ("integer", as_string)
    if num_type is float:
        return ("float", as_string)
    return stock("num_type is neither int nor float")


def _boolean(field: Any) -> Description:
    """Marshmallow 3 coerces by the field's sets, which users may set."""
    truthy, falsy = field.truthy, field.falsy
    is_usual = True in truthy and False in falsy and False not in truthy
    return ("boolean",) if is_usual else stock("truthy and falsy do not hold the two booleans")


def _temporal(field: Any) -> Description:
    data_format = field.format or field.DEFAULT_FORMAT
    try:
        function = field.SERIALIZATION_FUNCS.get(data_format)
    except TypeError:
        return stock("the format cannot be looked up")
    if function:
        name = _FORMAT_FUNCTIONS.get(function)
        return (name,) if name else stock("its format's function is not one that fastschema knows")
    if type(data_format) is not str:
        return stock("the format is not a plain str")
    return ("strftime", field.OBJ_TYPE, data_format)


def _timedelta(field: Any) -> Description:
    precision = field.precision
    if hasattr(fields.TimeDelta, "_unit_to_microseconds_mapping"):
        unit = field._unit_to_microseconds_mapping.get(precision)
        if type(unit) is not int:
            return stock("the unit of its precision is not an int")
        return ("timedelta", "float", unit)
    # marshmallow 3
    unit = datetime.timedelta(**{precision: 1})
    if field.serialization_type is int:
        return ("timedelta", "int", utils.timedelta_to_microseconds(unit))
    return stock("a TimeDelta as float is not compiled for marshmallow 3")


def _mapping(field: Any) -> Description:
    if field.mapping_type is not dict:
        return stock("its mapping_type is not dict")
    inner = []
    for name in ("key_field", "value_field"):
        each = getattr(field, name)
        inner.append(None if each is None else describe(each))
    return ("mapping", *inner)


def _tuple(field: Any) -> Description:
    inner = list(map(describe, field.tuple_fields))
    if any(each[0] == OWN_METHOD for each in inner):
        # Stock makes the tuple by a generator, which turns their StopIteration into another error.
        return stock("a tuple that holds a field that runs as stock is not compiled")
    return ("tuple", tuple(inner))


def _ip(field: Any) -> Description:
    return ("ip", "exploded" if field.exploded else "compressed")


def _enum(field: Any) -> Description:
    attribute = "value" if field.by_value else "name"
    inner = describe(field.field)
    if inner[0] in _NOT_IN_AN_ENUM:
        return stock("an enum by such a field is not compiled")
    return ("enum", attribute, inner)


def _pluck(field: Any) -> Description:
    if type(field)._field_data_key is not _FIELD_DATA_KEY:
        return stock("_field_data_key is overridden")
    if methods_of(field, "_serialize", fields.Nested) != _PLUCK_METHODS:
        return stock("_serialize of a base is overridden")
    nested = _nested(field)
    return ("pluck",) if nested == ("nested",) else nested


def describe_without_attribute(field: Any) -> Description:
    """What is done by a field that reads no attribute: the name of a kind, then its options."""
    method = method_of(field, "_serialize")
    if method is _CONSTANT:
        return ("constant",)
    if method is _METHOD:
        return ("method", field._serialize_method is not None)
    if method is _FUNCTION and method_of(field, "_call_or_raise") is _CALL_OR_RAISE:
        return ("function",)
    return stock(f"{type(field).__name__} does not read an attribute")


_CONSTANT = stock_method(fields.Constant, "_serialize")
_METHOD = stock_method(fields.Method, "_serialize")
_FUNCTION = stock_method(fields.Function, "_serialize")


_NOT_IN_AN_ENUM = frozenset([OWN_METHOD, "nested", "pluck", "list", "mapping", "tuple", "enum"])


def _list(field: Any) -> Description:
    return ("list", describe(field.inner))


def _nested(field: Any) -> Description:
    if type(field).schema is not _NESTED_SCHEMA:
        return stock("the schema property is overridden")
    return ("nested",)


def _inferred(field: Any) -> Description:
    """A field that takes its class from each value: marshmallow 3 has them for undeclared names."""
    root = field.root
    mapping = getattr(root, "TYPE_MAPPING", None)
    if mapping is not _TYPE_MAPPING or type(mapping) is not dict:
        return stock("TYPE_MAPPING is overridden")
    if any(mapping.get(cls) is not _FIELDS_OF_VALUES[cls] for cls in _FIELDS_OF_VALUES):
        return stock("TYPE_MAPPING has other fields for common values")
    for (cls, name), stock_value in _OF_COMMON_VALUES.items():
        if getattr(cls, name) is not stock_value:
            return stock("the fields of common values are changed")
    return ("inferred",)


def _utility(name: str) -> Any:
    """A function that only one of marshmallow 3 and 4 has; else an object equal to none."""
    return getattr(utils, name, object())


_FORMAT_FUNCTIONS: dict[Any, str] = {
    datetime.datetime.isoformat: "datetime",
    datetime.date.isoformat: "date",
    datetime.time.isoformat: "time",
    _utility("isoformat"): "datetime",
    _utility("to_iso_date"): "date",
    _utility("to_iso_time"): "time",
    email.utils.format_datetime: "rfc",
    _utility("rfcformat"): "rfc",
    utils.timestamp: "timestamp",
    utils.timestamp_ms: "timestamp_ms",
}

RULES: dict[Any, Rule] = {
    stock_method(fields.Field, "_serialize"): _raw,
    stock_method(fields.String, "_serialize"): _string,
    stock_method(fields.Number, "_serialize"): _number,
    stock_method(fields.DateTime, "_serialize"): _temporal,
    stock_method(fields.TimeDelta, "_serialize"): _timedelta,
    stock_method(fields.Enum, "_serialize"): _enum,
    stock_method(fields.List, "_serialize"): _list,
    stock_method(fields.Tuple, "_serialize"): _tuple,
    stock_method(fields.Mapping, "_serialize"): _mapping,
    stock_method(fields.Nested, "_serialize"): _nested,
    stock_method(fields.Pluck, "_serialize"): _pluck,
    stock_method(fields.IP, "_serialize"): _ip,
    stock_method(fields.IPInterface, "_serialize"): _ip,
}
# Methods of their own only in one of marshmallow 3 and 4.
if hasattr(fields, "Inferred"):
    RULES[stock_method(fields.Inferred, "_serialize")] = _inferred
RULES.setdefault(stock_method(fields.UUID, "_serialize"), _uuid)
RULES.setdefault(stock_method(fields.Boolean, "_serialize"), _boolean)
