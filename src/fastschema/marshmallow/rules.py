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

from fastschema.marshmallow.sqlalchemy_rules import describe_related
from fastschema.registration import registered
from fastschema.runtime.descriptions import OWN_METHOD, Description, Rule, describe_by_rule, stock
from fastschema.runtime.inspection import Inspection
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


def describe_dict_class(look: Inspection) -> bool:
    """Whether a schema makes dictionaries and nothing else.

    :param look: a look at the schema
    """
    if isinstance(_DICT_CLASS, property) and look.on_class("dict_class") is _DICT_CLASS:
        # marshmallow 3 makes ordered ones of them where a schema asks for that.
        return not look.get("ordered")
    return look.get("dict_class") is dict


def describe(look: Inspection) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    if look.decides_each_read:
        return stock("__getattribute__ is overridden")
    if look.is_deep:
        return stock("fields so deep inside of others are not compiled")
    method = look.method("_serialize")
    if method is None:
        return stock("_serialize is set on the field object")
    if method in registered:
        return ("registered", registered[method])
    if method not in RULES:
        related = describe_related(look, method)
        if related is not None:
            return related
    return describe_by_rule(look, method, RULES, "_serialize")


def _raw(look: Inspection) -> Description:
    # marshmallow 4 dumps whatever value a Boolean has.
    return ("raw", "bool" if issubclass(look.cls, fields.Boolean) else "str")


def _string(look: Inspection) -> Description:
    # In marshmallow 3, UUID serializes by String's method.
    return ("uuid",) if issubclass(look.cls, fields.UUID) else ("string",)


def _uuid(look: Inspection) -> Description:
    return ("uuid",)


def _number(look: Inspection) -> Description:
    as_string = bool(look.get("as_string"))
    format_num, to_string = look.method("_format_num"), look.method("_to_string")
    if format_num is _DECIMAL_FORMAT_NUM:
        if to_string is not _DECIMAL_TO_STRING:
            return stock("_to_string is overridden")
        places = look.get("places")
        return ("decimal", as_string, None if places is None else -places.as_tuple().exponent)
    if format_num is not _NUMBER_FORMAT_NUM:
        return stock("_format_num is overridden")
    if to_string is not _NUMBER_TO_STRING:
        return stock("_to_string is overridden")
    num_type = look.get("num_type")
    if num_type is int:
        return ("integer", as_string)
    if num_type is float:
        return ("float", as_string)
    return stock("num_type is neither int nor float")


def _boolean(look: Inspection) -> Description:
    """Marshmallow 3 coerces by the field's sets, which users may set."""
    truthy, falsy = look.contents("truthy"), look.contents("falsy")
    is_usual = True in truthy and False in falsy and False not in truthy
    return ("boolean",) if is_usual else stock("truthy and falsy do not hold the two booleans")


def _temporal(look: Inspection) -> Description:
    data_format = look.get("format") or look.get("DEFAULT_FORMAT")
    try:
        function = look.item("SERIALIZATION_FUNCS", data_format)
    except TypeError:
        return stock("the format cannot be looked up")
    if function:
        name = _FORMAT_FUNCTIONS.get(function)
        return (name,) if name else stock("its format's function is not one that fastschema knows")
    if type(data_format) is not str:
        return stock("the format is not a plain str")
    return ("strftime", look.get("OBJ_TYPE"), data_format)


def _timedelta(look: Inspection) -> Description:
    precision = look.get("precision")
    if hasattr(fields.TimeDelta, "_unit_to_microseconds_mapping"):
        unit = look.item("_unit_to_microseconds_mapping", precision)
        if type(unit) is not int:
            return stock("the unit of its precision is not an int")
        return ("timedelta", "float", unit)
    # marshmallow 3
    unit = datetime.timedelta(**{precision: 1})
    if look.get("serialization_type") is int:
        return ("timedelta", "int", utils.timedelta_to_microseconds(unit))
    return stock("a TimeDelta as float is not compiled for marshmallow 3")


def _mapping(look: Inspection) -> Description:
    if look.get("mapping_type") is not dict:
        return stock("its mapping_type is not dict")
    inner = []
    for name in ("key_field", "value_field"):
        field = look.optional_within(name)
        inner.append(None if field is None else describe(field))
    return ("mapping", *inner)


def _tuple(look: Inspection) -> Description:
    count = len(look.contents("tuple_fields"))
    inner = [describe(look.field_at("tuple_fields", index)) for index in range(count)]
    if any(each[0] == OWN_METHOD for each in inner):
        # Stock makes the tuple by a generator, which turns their StopIteration into another error.
        return stock("a tuple that holds a field that runs as stock is not compiled")
    return ("tuple", tuple(inner))


def _ip(look: Inspection) -> Description:
    return ("ip", "exploded" if look.get("exploded") else "compressed")


def _enum(look: Inspection) -> Description:
    attribute = "value" if look.get("by_value") else "name"
    inner = describe(look.within("field"))
    if inner[0] in _NOT_IN_AN_ENUM:
        return stock("an enum by such a field is not compiled")
    return ("enum", attribute, inner)


def _pluck(look: Inspection) -> Description:
    if look.on_class("_field_data_key") is not _FIELD_DATA_KEY:
        return stock("_field_data_key is overridden")
    if look.chain("_serialize", fields.Nested) != _PLUCK_METHODS:
        return stock("_serialize of a base is overridden")
    nested = _nested(look)
    return ("pluck",) if nested == ("nested",) else nested


def describe_without_attribute(look: Inspection) -> Description:
    """What is done by a field that reads no attribute: the name of a kind, then its options."""
    method = look.method("_serialize")
    if method is _CONSTANT:
        return ("constant",)
    if method is _METHOD:
        return ("method", look.is_given("_serialize_method"))
    if method is _FUNCTION and look.method("_call_or_raise") is _CALL_OR_RAISE:
        return ("function",)
    return stock(f"{look.cls.__name__} does not read an attribute")


_CONSTANT = stock_method(fields.Constant, "_serialize")
_METHOD = stock_method(fields.Method, "_serialize")
_FUNCTION = stock_method(fields.Function, "_serialize")


_NOT_IN_AN_ENUM = frozenset([OWN_METHOD, "nested", "pluck", "list", "mapping", "tuple", "enum"])


def _list(look: Inspection) -> Description:
    return ("list", describe(look.within("inner")))


def _nested(look: Inspection) -> Description:
    if look.on_class("schema") is not _NESTED_SCHEMA:
        return stock("the schema property is overridden")
    return ("nested",)


def _inferred(look: Inspection) -> Description:
    """A field that takes its class from each value: marshmallow 3 has them for undeclared names."""
    root = look.target.root
    mapping = getattr(root, "TYPE_MAPPING", None)
    if mapping is not _TYPE_MAPPING or type(mapping) is not dict:
        return stock("TYPE_MAPPING is overridden")
    look.guard.class_attribute(type(root), "TYPE_MAPPING", mapping)
    look.guard.contents(mapping)
    if any(mapping.get(cls) is not _FIELDS_OF_VALUES[cls] for cls in _FIELDS_OF_VALUES):
        return stock("TYPE_MAPPING has other fields for common values")
    for (cls, name), stock_value in _OF_COMMON_VALUES.items():
        look.guard.class_attribute(cls, name, getattr(cls, name))
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
