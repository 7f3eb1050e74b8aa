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
from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields, utils

from fastschema.look import Look
from fastschema.registration import registered

Description = tuple[Any, ...]
"""The name of a kind, then its options."""

OWN_METHOD = "own method"
# As they are when fastschema is imported: what is patched later is not stock's.
_NUMBER_FORMAT_NUM = fields.Number._format_num
_NUMBER_TO_STRING = fields.Number._to_string
_DECIMAL_FORMAT_NUM = fields.Decimal._format_num
_DECIMAL_TO_STRING = fields.Decimal._to_string
_NESTED_SCHEMA = fields.Nested.schema
_PLUCK_METHODS = (fields.Pluck._serialize, fields.Nested._serialize)
_FIELD_DATA_KEY = fields.Pluck._field_data_key
_CALL_OR_RAISE = getattr(fields.Function, "_call_or_raise", None)
_DICT_CLASS = Schema.dict_class


def stock(reason: str) -> Description:
    """The description of a field whose own ``_serialize`` is called, and why."""
    return (OWN_METHOD, reason)


def describe_dict_class(look: Look) -> bool:
    """Whether a schema makes dictionaries and nothing else.

    :param look: a look at the schema
    """
    is_dict = look.target.dict_class is dict
    if isinstance(_DICT_CLASS, property) and look.on_class("dict_class") is _DICT_CLASS:
        # marshmallow 3 makes ordered ones of them where a schema asks for that.
        look.facts.of_schema(f"(not schema.ordered) is {is_dict}", "ordered")
    else:
        look.facts.of_schema(f"(schema.dict_class is dict) is {is_dict}", "dict_class")
    return is_dict


def describe(look: Look) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    if look.is_deep:
        return stock("fields so deep inside of others are not compiled")
    method = look.method("_serialize")
    if method is None:
        return stock("_serialize is set on the field object")
    entry = KINDS.get(method)
    if method in registered:
        return ("registered", registered[method])
    if entry is None:
        name = getattr(method, "__qualname__", "its _serialize")
        return stock(f"{name} is not one that fastschema knows")
    try:
        return entry(look)
    except (RecursionError, MemoryError):
        raise  # of this moment, not of the field: it may be read the next time
    except Exception as error:
        return stock(f"its options cannot be read: {error}")


def _raw(look: Look) -> Description:
    # marshmallow 4 dumps whatever value a Boolean has.
    return ("raw", "bool" if issubclass(look.cls, fields.Boolean) else "str")


def _string(look: Look) -> Description:
    # In marshmallow 3, UUID serializes by String's method.
    return ("uuid",) if issubclass(look.cls, fields.UUID) else ("string",)


def _uuid(look: Look) -> Description:
    return ("uuid",)


def _number(look: Look) -> Description:
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
    num_type = look.constant("num_type")
    if num_type is int:
        return ("integer", as_string)
    if num_type is float:
        return ("float", as_string)
    return stock("num_type is neither int nor float")


def _boolean(look: Look) -> Description:
    """Marshmallow 3 coerces by the field's sets, which users may set."""
    truthy, falsy = look.target.truthy, look.target.falsy
    is_usual = look.note(
        "(True in {it}.truthy and False in {it}.falsy and False not in {it}.truthy)",
        True in truthy and False in falsy and False not in truthy,
    )
    return ("boolean",) if is_usual else stock("truthy and falsy do not hold the two booleans")


def _temporal(look: Look) -> Description:
    data_format = look.get("format") or look.constant("DEFAULT_FORMAT")
    try:
        function = look.item("SERIALIZATION_FUNCS", data_format)
    except TypeError:
        return stock("the format cannot be looked up")
    if function:
        name = _FORMAT_FUNCTIONS.get(function)
        return (name,) if name else stock("its format's function is not one that fastschema knows")
    if type(data_format) is not str:
        return stock("the format is not a plain str")
    return ("strftime", look.constant("OBJ_TYPE"), data_format)


def _timedelta(look: Look) -> Description:
    precision = look.get("precision")
    if hasattr(fields.TimeDelta, "_unit_to_microseconds_mapping"):
        unit = look.target._unit_to_microseconds_mapping[precision]
        look.matches("{it}._unit_to_microseconds_mapping[{it}.precision]", unit)
        if type(unit) is not int:
            return stock("the unit of its precision is not an int")
        return ("timedelta", "float", unit)
    # marshmallow 3
    unit = datetime.timedelta(**{precision: 1})
    if look.get("serialization_type") is int:
        return ("timedelta", "int", utils.timedelta_to_microseconds(unit))
    return stock("a TimeDelta as float is not compiled for marshmallow 3")


def _mapping(look: Look) -> Description:
    if look.constant("mapping_type") is not dict:
        return stock("its mapping_type is not dict")
    inner = []
    for name in ("key_field", "value_field"):
        is_none = look.note(f"({{it}}.{name} is None)", getattr(look.target, name) is None, name)
        inner.append(None if is_none else describe(look.within(name)))
    return ("mapping", *inner)


def _tuple(look: Look) -> Description:
    count = len(look.target.tuple_fields)
    look.facts.add(f"len({look.path}.tuple_fields) == {count}")
    inner = [describe(look.at("tuple_fields", index)) for index in range(count)]
    if any(each[0] == OWN_METHOD for each in inner):
        # Stock makes the tuple by a generator, which turns their StopIteration into another error.
        return stock("a tuple that holds a field that runs as stock is not compiled")
    return ("tuple", tuple(inner))


def _ip(look: Look) -> Description:
    return ("ip", "exploded" if look.get("exploded") else "compressed")


def _enum(look: Look) -> Description:
    attribute = "value" if look.get("by_value") else "name"
    inner = describe(look.within("field"))
    if inner[0] in _NOT_IN_AN_ENUM:
        return stock("an enum by such a field is not compiled")
    return ("enum", attribute, inner)


def _pluck(look: Look) -> Description:
    if look.on_class("_field_data_key") is not _FIELD_DATA_KEY:
        return stock("_field_data_key is overridden")
    if look.chain("_serialize", fields.Nested) != _PLUCK_METHODS:
        return stock("_serialize of a base is overridden")
    nested = _nested(look)
    return ("pluck",) if nested == ("nested",) else nested


def describe_without_attribute(look: Look) -> Description:
    """What is done by a field that reads no attribute: the name of a kind, then its options."""
    method = look.method("_serialize")
    if method is _CONSTANT:
        return ("constant",)
    if method is _METHOD:
        has_method = look.note(
            "({it}._serialize_method is not None)",
            look.target._serialize_method is not None,
            "_serialize_method",
        )
        return ("method", has_method)
    if method is _FUNCTION and look.method("_call_or_raise") is _CALL_OR_RAISE:
        return ("function",)
    return stock(f"{look.cls.__name__} does not read an attribute")


_CONSTANT = fields.Constant._serialize
_METHOD = fields.Method._serialize
_FUNCTION = fields.Function._serialize


_NOT_IN_AN_ENUM = frozenset([OWN_METHOD, "nested", "pluck", "list", "mapping", "tuple", "enum"])


def _list(look: Look) -> Description:
    return ("list", describe(look.within("inner")))


def _nested(look: Look) -> Description:
    if look.on_class("schema") is not _NESTED_SCHEMA:
        return stock("the schema property is overridden")
    look.get("many")  # what is found for a nested schema depends on it
    return ("nested",)


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

KINDS: dict[Any, Callable[[Look], Description]] = {
    fields.Field._serialize: _raw,
    fields.String._serialize: _string,
    fields.Number._serialize: _number,
    fields.DateTime._serialize: _temporal,
    fields.TimeDelta._serialize: _timedelta,
    fields.Enum._serialize: _enum,
    fields.List._serialize: _list,
    fields.Tuple._serialize: _tuple,
    fields.Mapping._serialize: _mapping,
    fields.Nested._serialize: _nested,
    fields.Pluck._serialize: _pluck,
    fields.IP._serialize: _ip,
    fields.IPInterface._serialize: _ip,
}
# Methods of their own only in one of marshmallow 3 and 4.
KINDS.setdefault(fields.UUID._serialize, _uuid)
KINDS.setdefault(fields.Boolean._serialize, _boolean)
