"""From a marshmallow field to the description of how its values are loaded.

As :mod:`fastschema.marshmallow.rules` for dumping: keyed by the methods that stock would call, and
only for the classes of value that JSON has. Everything else goes to the field's own
``deserialize``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import datetime
import email.utils
import ipaddress
from typing import Any

from marshmallow import fields, missing, utils, validate

from fastschema.marshmallow import validator_rules
from fastschema.marshmallow.sqlalchemy_rules import passes_session
from fastschema.runtime.descriptions import (
    OWN_METHOD,
    Description,
    Rule,
    describe_by_rule,
    stock,
    tell_booleans,
)
from fastschema.runtime.inspection import Inspection
from fastschema.runtime.stock import stock_method

LINKS = frozenset(["nested", "pluck", "list of nested"])
"""Kinds that load by themselves, errors included."""

# As they are when fastschema is imported: what is patched later is not stock's.
_DESERIALIZE = stock_method(fields.Field, "deserialize")
_VALIDATE_MISSING = stock_method(fields.Field, "_validate_missing")
_HAS_PROCESSORS = hasattr(fields.Raw(), "pre_load")
# In marshmallow 3. Fields written for it may still set one, which marshmallow 4 does not look at.
_TIMEDELTA_HAS_A_TYPE = hasattr(fields.TimeDelta(), "serialization_type")
_NUMBER_FORMAT_NUM = stock_method(fields.Number, "_format_num")
_DECIMAL_FORMAT_NUM = stock_method(fields.Decimal, "_format_num")
_FIELD_DESERIALIZE = stock_method(fields.Field, "_deserialize")
_STRING_DESERIALIZE = stock_method(fields.String, "_deserialize")
_IP_INTERFACE_DESERIALIZE = stock_method(fields.IPInterface, "_deserialize")
_UUID_VALIDATED = stock_method(fields.UUID, "_validated")
_NESTED_SCHEMA = stock_method(fields.Nested, "schema")
_NESTED_METHODS = {
    name: stock_method(fields.Nested, name) for name in ("_load", "_test_collection", "make_error")
}


def describe(look: Inspection) -> Description:
    """How the values of a field are loaded: the name of a kind, then its options.

    Its validators are told of by :func:`fastschema.marshmallow.validator_rules.describe`.
    """
    reason = why_not_deserialized(look)
    if reason is not None:
        return stock(reason)
    methods = look.chain("_deserialize", fields.Field)
    if not methods:
        return stock("_deserialize is set on the field object")
    if passes_session(methods[0]):
        methods = methods[1:]
    unknown = next((method for method in methods if method not in RULES), methods[0])
    return describe_by_rule(look, unknown, RULES, "_deserialize")


def why_not_deserialized(look: Inspection) -> str | None:
    """Why what stock does around a field's ``_deserialize`` is not generated, or None."""
    if look.decides_each_read:
        return "__getattribute__ is overridden"
    if look.is_deep:
        return "fields so deep inside of others are not compiled"
    if look.method("deserialize") is not _DESERIALIZE:
        return "deserialize is overridden"
    if look.method("_validate_missing") is not _VALIDATE_MISSING:
        return "_validate_missing is overridden"
    if _HAS_PROCESSORS:
        for name in ("pre_load", "post_load"):
            if look.contents(name):
                return f"it has {name} functions of its own"
    return None


def describe_missing(look: Inspection) -> str:
    """What is done where the key is missing: "skip", "value", or "own" for the field's method."""
    if look.is_true("required"):
        return "own"
    default = look.get("load_default")
    if default is missing:
        return "skip"
    return "own" if callable(default) else "value"


def allows_none(look: Inspection) -> bool:
    """Whether None is loaded as None, without a look at anything else."""
    return look.is_true("allow_none")


def describe_validators(look: Inspection, kind: Description) -> Description:
    """What the validators of a field of some kind ask; see :func:`validator_rules.describe`.

    Validators of values whose class is not known, or is an enum of the user's, are called by the
    field: who knows what comparing such a value calls.
    """
    described = validator_rules.describe(look)
    if _holds_any_value(kind) and any(name != "length" for name, *_ in described):
        return validator_rules.CUSTOM
    return validator_rules.CUSTOM if kind[0] in ("any", "enum") and described else described


def _holds_any_value(kind: Description | None) -> bool:
    """Whether values of a kind may hold objects of any class."""
    if kind is None or kind[0] in ("any", "enum"):
        return True
    name, *options = kind
    if name == "tuple":
        return any(_holds_any_value(inner[0]) for inner in options[0])
    if name not in ("list", "mapping"):
        return False
    return any(_holds_any_value(None if inner is None else inner[0]) for inner in options)


def _describe_inner(look: Inspection, kind: Description) -> Description | None:
    """A field of some kind inside of a field: the kind, whether it allows None, its validators.

    None if it may call user code, or loads by itself.
    """
    if kind[0] == OWN_METHOD or kind[0] in LINKS:
        return None
    described = describe_validators(look, kind)
    return None if described == validator_rules.CUSTOM else (kind, allows_none(look), described)


def _any(look: Inspection) -> Description:
    return ("any",)


def _string(look: Inspection) -> Description:
    return ("string",)


def _uuid(look: Inspection) -> Description:
    if look.chain("_validated", fields.UUID) != (_UUID_VALIDATED,):
        return stock("_validated is overridden")
    return ("uuid",)


def _number(look: Inspection) -> Description:
    validated = look.chain("_validated", fields.Number)
    name = _VALIDATED.get(validated)
    if name is None:
        return stock("_validated is overridden")
    format_num = look.method("_format_num")
    if name == "decimal":
        if format_num is not _DECIMAL_FORMAT_NUM:
            return stock("_format_num is overridden")
        places = look.get("places")
        allow_nan = bool(look.get("allow_nan"))
        return ("decimal", None if places is None else -places.as_tuple().exponent, allow_nan)
    if format_num is not _NUMBER_FORMAT_NUM:
        return stock("_format_num is overridden")
    num_type = look.get("num_type")
    if num_type is float and name == "float":
        return ("float", look.get("allow_nan") is not False)
    if num_type is int and name in ("integer", "number"):
        return ("integer",)
    return stock("its num_type is not that of marshmallow's own field")


def _boolean(look: Inspection) -> Description:
    if tell_booleans(look.contents("truthy"), look.contents("falsy")):
        return ("boolean",)
    return stock("truthy and falsy do not hold the two booleans")


def _temporal(look: Inspection, awareness: str | None = None) -> Description:
    data_format = look.get("format") or look.get("DEFAULT_FORMAT")
    try:
        function = look.item("DESERIALIZATION_FUNCS", data_format)
    except TypeError:
        return stock("the format cannot be looked up")
    if function:
        name = _PARSERS.get(function)
        if name is None:
            return stock("its format's function is not one that fastschema knows")
        return (name, function, awareness)
    if type(data_format) is not str:
        return stock("the format is not a plain str")
    make = look.method("_make_object_from_format")
    obj_type = _FROM_FORMAT.get(make)
    if obj_type is None:
        return stock("_make_object_from_format is overridden")
    return ("strptime", obj_type, data_format, awareness)


def _naive(look: Inspection) -> Description:
    return _temporal(look, "naive")


def _aware(look: Inspection) -> Description:
    return _temporal(look, "aware")


def _timedelta(look: Inspection) -> Description:
    precision = look.get("precision")
    number_type = float
    if _TIMEDELTA_HAS_A_TYPE:
        number_type = look.get("serialization_type")
    if precision not in _PRECISIONS or number_type not in (int, float):
        return stock("its precision is not one that fastschema knows")
    return ("timedelta", precision, number_type)


def _ip(look: Inspection) -> Description:
    cls = look.get("DESERIALIZATION_CLASS")
    default = ipaddress.ip_address
    if look.method("_deserialize") is _IP_INTERFACE_DESERIALIZE:
        default = ipaddress.ip_interface
    if cls is not None and cls not in _IP_CLASSES:
        return stock("its DESERIALIZATION_CLASS is not one that fastschema knows")
    return ("ip", cls or default)


def _enum(look: Inspection) -> Description:
    by_value = bool(look.get("by_value"))
    inner = look.within("field").chain("_deserialize", fields.Field)
    expected = _FIELD_DESERIALIZE if by_value else _STRING_DESERIALIZE
    if inner != (expected, *_BELOW_FIELD[expected]):
        return stock("an enum by such a field is not compiled")
    return ("enum", "value" if by_value else "name")


def _list(look: Inspection) -> Description:
    inner = look.within("inner")
    kind = describe(inner)
    if kind == ("nested",):
        return ("list of nested", bool(validator_rules.describe(inner)))
    described = _describe_inner(inner, kind)
    if described is None:
        return stock("a list of fields that run as stock is not compiled")
    return ("list", described)


def _tuple(look: Inspection) -> Description:
    count = len(look.contents("tuple_fields"))
    looks = [look.field_at("tuple_fields", index) for index in range(count)]
    inner = [_describe_inner(each, describe(each)) for each in looks]
    length = look.within("validate_length")
    is_usual = length.cls is validate.Length and length.get("equal") == count
    if any(each is None for each in inner) or not is_usual:
        return stock("a tuple that holds a field that runs as stock is not compiled")
    return ("tuple", tuple(inner))


def _mapping(look: Inspection) -> Description:
    if look.get("mapping_type") is not dict:
        return stock("its mapping_type is not dict")
    inner: list[Description | None] = []
    for name in ("key_field", "value_field"):
        field = look.optional_within(name)
        if field is None:
            inner.append(None)
            continue
        described = _describe_inner(field, describe(field))
        if described is None:
            return stock("a mapping of fields that run as stock is not compiled")
        inner.append(described)
    return ("mapping", *inner)


def _nested(look: Inspection) -> Description:
    if look.on_class("schema") is not _NESTED_SCHEMA:
        return stock("the schema property is overridden")
    for name, function in _NESTED_METHODS.items():
        if look.method(name) is not function:
            return stock(f"{name} is overridden")
    return ("nested",)


def _pluck(look: Inspection) -> Description:
    nested = _nested(look)
    if nested == ("nested",) and look.on_class("_field_data_key") is not _FIELD_DATA_KEY:
        return stock("_field_data_key is overridden")
    return ("pluck",) if nested == ("nested",) else nested


_FIELD_DATA_KEY = stock_method(fields.Pluck, "_field_data_key")


def _by_its_method(look: Inspection) -> Description:
    return stock(f"{look.cls.__name__} is loaded by its own method")


_NUMBER_VALIDATED = stock_method(fields.Number, "_validated")
_VALIDATED: dict[tuple[Any, ...], str] = {
    (_NUMBER_VALIDATED,): "number",
    (stock_method(fields.Integer, "_validated"), _NUMBER_VALIDATED): "integer",
    (stock_method(fields.Float, "_validated"), _NUMBER_VALIDATED): "float",
    (stock_method(fields.Decimal, "_validated"), _NUMBER_VALIDATED): "decimal",
}
_BELOW_FIELD: dict[Any, tuple[Any, ...]] = {
    stock_method(fields.Field, "_deserialize"): (),
    stock_method(fields.String, "_deserialize"): (stock_method(fields.Field, "_deserialize"),),
}


def _utility(name: str) -> Any:
    """A function that only one of marshmallow 3 and 4 has; else an object equal to none."""
    return getattr(utils, name, object())


_PARSERS: dict[Any, str] = {
    datetime.datetime.fromisoformat: "from text",
    datetime.date.fromisoformat: "from text",
    datetime.time.fromisoformat: "from text",
    _utility("from_iso_datetime"): "from text",
    _utility("from_iso_date"): "from text",
    _utility("from_iso_time"): "from text",
    email.utils.parsedate_to_datetime: "from text",
    _utility("from_rfc"): "from text",
    utils.from_timestamp: "from number",
    utils.from_timestamp_ms: "from number",
}
_FROM_FORMAT = {
    stock_method(fields.DateTime, "_make_object_from_format"): "datetime",
    stock_method(fields.Date, "_make_object_from_format"): "date",
    stock_method(fields.Time, "_make_object_from_format"): "time",
}
_PRECISIONS = frozenset(
    ["weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds"]
)
_IP_CLASSES = frozenset(
    [
        ipaddress.IPv4Address,
        ipaddress.IPv6Address,
        ipaddress.IPv4Interface,
        ipaddress.IPv6Interface,
    ]
)

RULES: dict[Any, Rule] = {
    stock_method(fields.Field, "_deserialize"): _any,
    stock_method(fields.String, "_deserialize"): _string,
    stock_method(fields.UUID, "_deserialize"): _uuid,
    stock_method(fields.Number, "_deserialize"): _number,
    stock_method(fields.Boolean, "_deserialize"): _boolean,
    stock_method(fields.DateTime, "_deserialize"): _temporal,
    stock_method(fields.Date, "_deserialize"): _temporal,
    stock_method(fields.Time, "_deserialize"): _temporal,
    stock_method(fields.NaiveDateTime, "_deserialize"): _naive,
    stock_method(fields.AwareDateTime, "_deserialize"): _aware,
    stock_method(fields.TimeDelta, "_deserialize"): _timedelta,
    stock_method(fields.Enum, "_deserialize"): _enum,
    stock_method(fields.List, "_deserialize"): _list,
    stock_method(fields.Tuple, "_deserialize"): _tuple,
    stock_method(fields.Mapping, "_deserialize"): _mapping,
    stock_method(fields.Nested, "_deserialize"): _nested,
    stock_method(fields.Pluck, "_deserialize"): _pluck,
    stock_method(fields.IP, "_deserialize"): _ip,
    stock_method(fields.IPInterface, "_deserialize"): _ip,
    stock_method(fields.Method, "_deserialize"): _by_its_method,
    stock_method(fields.Function, "_deserialize"): _by_its_method,
    stock_method(fields.Constant, "_deserialize"): _by_its_method,
}
