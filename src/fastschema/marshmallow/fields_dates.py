"""Kinds of dates, times and durations, dumped and loaded."""

from __future__ import annotations

import datetime
import email.utils
from functools import partial
from typing import Any

from marshmallow import fields, utils

from fastschema.compiler.kinds import DATE, TIME, ByClass, written_by_engine
from fastschema.compiler.nodes import (
    NUMBER,
    PLAIN,
    Kind,
    LoadKind,
    literal,
    of_classes,
)
from fastschema.compiler.real_classes import REAL
from fastschema.runtime.patching import stock_method
from fastschema.runtime.programs import Description, Rule, method_of, own_method

# In marshmallow 3. Fields written for it may still set one, which marshmallow 4 does not look at.
_TIMEDELTA_HAS_A_TYPE = hasattr(fields.TimeDelta(), "serialization_type")
_CLASSES: dict[str, type] = {
    "datetime": REAL.datetime,
    "date": REAL.date,
    "time": REAL.time,
}
# Offsets with seconds are written by orjson without them.
_DATETIME = written_by_engine(
    "datetime",
    REAL.datetime,
    "$value.isoformat()",
    when="(zone := $value.tzinfo) is utc or zone is None",
    utc=datetime.UTC,
)


def _called(label: str, function: Any, result: Any) -> ByClass:
    name = function.__name__
    return ByClass(label, REAL.datetime, f"{name}($value)", result, {name: function})


_RFC = _called("rfc", email.utils.format_datetime, PLAIN)
_TIMESTAMP = _called("timestamp", utils.timestamp, NUMBER)
_TIMESTAMP_MS = _called("timestamp_ms", utils.timestamp_ms, NUMBER)


def _utility(name: str) -> Any:
    """Return a function that only one of marshmallow 3 and 4 has; else an object equal to none."""
    return getattr(utils, name, object())


_BY_FUNCTION: dict[Any, ByClass] = {
    REAL.datetime.isoformat: _DATETIME,
    REAL.date.isoformat: DATE,
    REAL.time.isoformat: TIME,
    _utility("isoformat"): _DATETIME,
    _utility("to_iso_date"): DATE,
    _utility("to_iso_time"): TIME,
    email.utils.format_datetime: _RFC,
    _utility("rfcformat"): _RFC,
    utils.timestamp: _TIMESTAMP,
    utils.timestamp_ms: _TIMESTAMP_MS,
}


def _temporal(field: Any) -> Description:
    data_format = field.format or field.DEFAULT_FORMAT
    function = field.SERIALIZATION_FUNCS.get(data_format)
    if function:
        date_kind = _BY_FUNCTION.get(function)
        if date_kind is None:
            return own_method("fastschema cannot compile the function of its format")
        return (date_kind,)
    if type(data_format) is not str:
        return own_method("the format is not a plain str")
    return (_in_format, field.OBJ_TYPE, data_format)


def _in_format(class_name: str, data_format: str, *, path: Any, **_: Any) -> Kind:
    template = f"$value.strftime({literal(data_format)})"
    usual = ByClass(f"{class_name} in a format", _CLASSES[class_name], template)
    return usual.kind(path.own_method)


def _timedelta(field: Any) -> Description:
    precision = field.precision
    if hasattr(fields.TimeDelta, "_unit_to_microseconds_mapping"):
        unit = field._unit_to_microseconds_mapping.get(precision)
        if type(unit) is not int:
            return own_method("the unit of its precision is not an int")
        return (_duration, "/", unit)
    # marshmallow 3
    unit = datetime.timedelta(**{precision: 1})
    if field.serialization_type is int:
        return (_duration, "//", utils.timedelta_to_microseconds(unit))
    return own_method("a TimeDelta as float is not compiled for marshmallow 3")


def _duration(division: str, unit: int, *, path: Any, **_: Any) -> Kind:
    microseconds = "($value.days * 86400 + $value.seconds) * 1000000 + $value.microseconds"
    template = f"({microseconds}) {division} {unit}"
    usual = ByClass("timedelta", REAL.timedelta, template, NUMBER if division == "/" else PLAIN)
    return usual.kind(path.own_method)


def _loaded(field: Any, awareness: str | None = None) -> Description:
    data_format = field.format or field.DEFAULT_FORMAT
    function = field.DESERIALIZATION_FUNCS.get(data_format)
    if function:
        if function in _FROM_TEXT:
            return (_parsed, ("str",), function, awareness)
        if function in _FROM_NUMBER:
            return (_parsed, ("int", "float"), function, awareness)
        return own_method("fastschema cannot compile the function of its format")
    if type(data_format) is not str:
        return own_method("the format is not a plain str")
    make = method_of(field, "_make_object_from_format")
    obj_type = _FROM_FORMAT.get(make)
    if obj_type is None:
        return own_method("_make_object_from_format is overridden")
    return (_from_format, obj_type, data_format, awareness)


_FROM_TEXT = (
    REAL.datetime.fromisoformat,
    REAL.date.fromisoformat,
    REAL.time.fromisoformat,
    _utility("from_iso_datetime"),
    _utility("from_iso_date"),
    _utility("from_iso_time"),
    email.utils.parsedate_to_datetime,
    _utility("from_rfc"),
)
_FROM_NUMBER = (utils.from_timestamp, utils.from_timestamp_ms)
_FROM_FORMAT = {
    stock_method(fields.DateTime, "_make_object_from_format"): "datetime",
    stock_method(fields.Date, "_make_object_from_format"): "date",
    stock_method(fields.Time, "_make_object_from_format"): "time",
}
_AWARENESS = {
    None: None,
    "naive": "$value.tzinfo is None",
    "aware": "$value.tzinfo is not None",
}


def _parsed(
    classes: tuple[str, ...], function: Any, awareness: str | None, *, path: Any, **_: Any
) -> LoadKind:
    parse = f"{path.prefix}_parse"
    convert, check = f"{parse}($value)", _AWARENESS[awareness]
    return LoadKind("temporal", of_classes(*classes), convert, check, names={parse: function})


def _from_format(obj_type: str, data_format: str, awareness: str | None, **_: Any) -> LoadKind:
    part = "" if obj_type == "datetime" else f".{obj_type}()"
    # By way of the module, as in stock: tests replace the class there.
    convert = f"clock.datetime.strptime($value, {literal(data_format)}){part}"
    label, check = f"{obj_type} in a format", _AWARENESS[awareness]
    return LoadKind(label, of_classes("str"), convert, check, names={"clock": datetime})


def _loaded_timedelta(field: Any) -> Description:
    precision = field.precision
    number_type = float
    if _TIMEDELTA_HAS_A_TYPE:
        number_type = field.serialization_type
    if precision not in _PRECISIONS or number_type not in (int, float):
        return own_method("fastschema cannot compile its precision")
    return (_from_number, precision, number_type.__name__)


_PRECISIONS = ("weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds")


def _from_number(precision: str, number: str, **_: Any) -> LoadKind:
    convert = f"clock.timedelta({precision}={number}($value))"
    return LoadKind("timedelta", of_classes("int", "float"), convert, names={"clock": datetime})


RULES: dict[Any, Rule] = {
    stock_method(fields.DateTime, "_serialize"): _temporal,
    stock_method(fields.TimeDelta, "_serialize"): _timedelta,
}
LOAD_RULES: dict[Any, Rule] = {
    stock_method(fields.DateTime, "_deserialize"): _loaded,
    stock_method(fields.Date, "_deserialize"): _loaded,
    stock_method(fields.Time, "_deserialize"): _loaded,
    stock_method(fields.NaiveDateTime, "_deserialize"): partial(_loaded, awareness="naive"),
    stock_method(fields.AwareDateTime, "_deserialize"): partial(_loaded, awareness="aware"),
    stock_method(fields.TimeDelta, "_deserialize"): _loaded_timedelta,
}
