"""From a marshmallow field to the description of how its values are loaded.

As :mod:`fastschema.marshmallow.kinds` for dumping: keyed by the methods that stock would call, and
only for the classes of value that JSON has. Everything else goes to the field's own
``deserialize``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import datetime
import email.utils
import ipaddress
from collections.abc import Callable
from typing import Any

from marshmallow import fields, missing, utils, validate

from fastschema.look import Look
from fastschema.marshmallow import validators

Description = tuple[Any, ...]
"""The name of a kind, then its options."""

OWN_METHOD = "own method"
LINKS = frozenset(["nested", "pluck", "list of nested"])
"""Kinds that load by themselves, errors included."""

# As they are when fastschema is imported: what is patched later is not stock's.
_DESERIALIZE = fields.Field.deserialize
_VALIDATE_MISSING = fields.Field._validate_missing
_HAS_PROCESSORS = hasattr(fields.Raw(), "pre_load")
# In marshmallow 3. Fields written for it may still set one, which marshmallow 4 does not look at.
_TIMEDELTA_HAS_A_TYPE = hasattr(fields.TimeDelta(), "serialization_type")
_NUMBER_FORMAT_NUM = fields.Number._format_num
_DECIMAL_FORMAT_NUM = fields.Decimal._format_num
_NESTED_SCHEMA = fields.Nested.schema
_NESTED_METHODS = {
    name: getattr(fields.Nested, name) for name in ("_load", "_test_collection", "make_error")
}


def stock(reason: str) -> Description:
    """The description of a field whose own ``deserialize`` is called, and why."""
    return (OWN_METHOD, reason)


def describe(look: Look) -> Description:
    """How the values of a field are loaded: the name of a kind, then its options.

    Its validators are told of by :func:`fastschema.marshmallow.validators.describe`.
    """
    if look.is_deep:
        return stock("fields so deep inside of others are not compiled")
    if look.method("deserialize") is not _DESERIALIZE:
        return stock("deserialize is overridden")
    if look.method("_validate_missing") is not _VALIDATE_MISSING:
        return stock("_validate_missing is overridden")
    if _HAS_PROCESSORS:
        for name in ("pre_load", "post_load"):
            if not look.is_empty(name):
                return stock(f"it has {name} functions of its own")
    methods = look.chain("_deserialize", fields.Field)
    if not methods:
        return stock("_deserialize is set on the field object")
    entry = KINDS.get(methods[0])
    if entry is None or any(method not in KINDS for method in methods):
        name = getattr(methods[0], "__qualname__", "its _deserialize")
        return stock(f"{name} is not one that fastschema knows")
    try:
        return entry(look)
    except (RecursionError, MemoryError):
        raise  # of this moment, not of the field: it may be read the next time
    except Exception as error:
        return stock(f"its options for loading cannot be read: {error}")


def describe_missing(look: Look) -> str:
    """What is done where the key is missing: "skip", "value", or "own" for the field's method."""
    default = look.target.load_default
    if look.is_true("required"):
        return "own"
    if look.note("{it}.load_default is missing", default is missing, "load_default"):
        return "skip"
    return "own" if look.note("callable({it}.load_default)", callable(default)) else "value"


def allows_none(look: Look) -> bool:
    """Whether None is loaded as None, without a look at anything else."""
    return look.is_true("allow_none")


def describe_validators(look: Look, kind: Description) -> Description:
    """What the validators of a field of some kind ask; see :func:`validators.describe`.

    Validators of values whose class is not known, or is an enum of the user's, are called by the
    field: who knows what comparing such a value calls.
    """
    described = validators.describe(look)
    if _holds_any_value(kind) and any(name != "length" for name, *_ in described):
        return validators.CUSTOM
    return validators.CUSTOM if kind[0] in ("any", "enum") and described else described


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


def _describe_inner(look: Look, kind: Description) -> Description | None:
    """A field of some kind inside of a field: the kind, whether it allows None, its validators.

    None if it may call user code, or loads by itself.
    """
    if kind[0] == OWN_METHOD or kind[0] in LINKS:
        return None
    described = describe_validators(look, kind)
    return None if described == validators.CUSTOM else (kind, allows_none(look), described)


def _any(look: Look) -> Description:
    return ("any",)


def _string(look: Look) -> Description:
    return ("string",)


def _uuid(look: Look) -> Description:
    if look.chain("_validated", fields.UUID) != (fields.UUID._validated,):
        return stock("_validated is overridden")
    return ("uuid",)


def _number(look: Look) -> Description:
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
    num_type = look.constant("num_type")
    if num_type is float and name == "float":
        return ("float", look.get("allow_nan") is not False)
    if num_type is int and name in ("integer", "number"):
        return ("integer",)
    return stock("its num_type is not that of marshmallow's own field")


def _boolean(look: Look) -> Description:
    truthy, falsy = look.target.truthy, look.target.falsy
    is_usual = look.note(
        "(True in {it}.truthy and False in {it}.falsy and False not in {it}.truthy)",
        True in truthy and False in falsy and False not in truthy,
    )
    return ("boolean",) if is_usual else stock("truthy and falsy do not hold the two booleans")


def _temporal(look: Look, awareness: str | None = None) -> Description:
    data_format = look.get("format") or look.constant("DEFAULT_FORMAT")
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


def _naive(look: Look) -> Description:
    return _temporal(look, "naive")


def _aware(look: Look) -> Description:
    return _temporal(look, "aware")


def _timedelta(look: Look) -> Description:
    precision = look.get("precision")
    number_type = float
    if _TIMEDELTA_HAS_A_TYPE:
        number_type = look.get("serialization_type")
    if precision not in _PRECISIONS or number_type not in (int, float):
        return stock("its precision is not one that fastschema knows")
    return ("timedelta", precision, number_type)


def _ip(look: Look) -> Description:
    cls = look.constant("DESERIALIZATION_CLASS")
    default = ipaddress.ip_address
    if look.method("_deserialize") is fields.IPInterface._deserialize:
        default = ipaddress.ip_interface
    if cls is not None and cls not in _IP_CLASSES:
        return stock("its DESERIALIZATION_CLASS is not one that fastschema knows")
    return ("ip", cls or default)


def _enum(look: Look) -> Description:
    by_value = bool(look.get("by_value"))
    inner = look.within("field").chain("_deserialize", fields.Field)
    expected = fields.Field._deserialize if by_value else fields.String._deserialize
    if inner != (expected, *_BELOW_FIELD[expected]):
        return stock("an enum by such a field is not compiled")
    return ("enum", "value" if by_value else "name")


def _list(look: Look) -> Description:
    inner = look.within("inner")
    kind = describe(inner)
    if kind == ("nested",):
        return ("list of nested", bool(validators.describe(inner)))
    described = _describe_inner(inner, kind)
    if described is None:
        return stock("a list of fields that run as stock is not compiled")
    return ("list", described)


def _tuple(look: Look) -> Description:
    count = len(look.target.tuple_fields)
    look.facts.add(f"len({look.path}.tuple_fields) == {count}")
    looks = [look.at("tuple_fields", index) for index in range(count)]
    inner = [_describe_inner(each, describe(each)) for each in looks]
    length = look.within("validate_length")
    is_usual = length.cls is validate.Length and length.get("equal") == count
    if any(each is None for each in inner) or not is_usual:
        return stock("a tuple that holds a field that runs as stock is not compiled")
    return ("tuple", tuple(inner))


def _mapping(look: Look) -> Description:
    if look.constant("mapping_type") is not dict:
        return stock("its mapping_type is not dict")
    inner: list[Description | None] = []
    for name in ("key_field", "value_field"):
        if look.note(f"({{it}}.{name} is None)", getattr(look.target, name) is None, name):
            inner.append(None)
            continue
        field = look.within(name)
        described = _describe_inner(field, describe(field))
        if described is None:
            return stock("a mapping of fields that run as stock is not compiled")
        inner.append(described)
    return ("mapping", *inner)


def _nested(look: Look) -> Description:
    if look.on_class("schema") is not _NESTED_SCHEMA:
        return stock("the schema property is overridden")
    for name, function in _NESTED_METHODS.items():
        if look.method(name) is not function:
            return stock(f"{name} is overridden")
    # What is found for a nested schema depends on them.
    look.get("many")
    look.get("unknown")
    return ("nested",)


def _pluck(look: Look) -> Description:
    nested = _nested(look)
    if nested == ("nested",) and look.on_class("_field_data_key") is not _FIELD_DATA_KEY:
        return stock("_field_data_key is overridden")
    return ("pluck",) if nested == ("nested",) else nested


_FIELD_DATA_KEY = fields.Pluck._field_data_key


def _by_its_method(look: Look) -> Description:
    return stock(f"{look.cls.__name__} is loaded by its own method")


_VALIDATED: dict[tuple[Any, ...], str] = {
    (fields.Number._validated,): "number",
    (fields.Integer._validated, fields.Number._validated): "integer",
    (fields.Float._validated, fields.Number._validated): "float",
    (fields.Decimal._validated, fields.Number._validated): "decimal",
}
_BELOW_FIELD: dict[Any, tuple[Any, ...]] = {
    fields.Field._deserialize: (),
    fields.String._deserialize: (fields.Field._deserialize,),
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
    fields.DateTime._make_object_from_format: "datetime",
    fields.Date._make_object_from_format: "date",
    fields.Time._make_object_from_format: "time",
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

KINDS: dict[Any, Callable[[Look], Description]] = {
    fields.Field._deserialize: _any,
    fields.String._deserialize: _string,
    fields.UUID._deserialize: _uuid,
    fields.Number._deserialize: _number,
    fields.Boolean._deserialize: _boolean,
    fields.DateTime._deserialize: _temporal,
    fields.Date._deserialize: _temporal,
    fields.Time._deserialize: _temporal,
    fields.NaiveDateTime._deserialize: _naive,
    fields.AwareDateTime._deserialize: _aware,
    fields.TimeDelta._deserialize: _timedelta,
    fields.Enum._deserialize: _enum,
    fields.List._deserialize: _list,
    fields.Tuple._deserialize: _tuple,
    fields.Mapping._deserialize: _mapping,
    fields.Nested._deserialize: _nested,
    fields.Pluck._deserialize: _pluck,
    fields.IP._deserialize: _ip,
    fields.IPInterface._deserialize: _ip,
    fields.Method._deserialize: _by_its_method,
    fields.Function._deserialize: _by_its_method,
    fields.Constant._deserialize: _by_its_method,
}
