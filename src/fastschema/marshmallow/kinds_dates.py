"""Kinds of dates, times and durations: how they are dumped."""

from __future__ import annotations

import datetime
import email.utils
from typing import Any

from marshmallow import fields, utils

from fastschema.compiler.kinds import DATE, TIME, ByClass, written_by_engine
from fastschema.compiler.nodes import NUMBER, PLAIN, TEXT, Kind, as_template, literal
from fastschema.runtime.descriptions import Description, Rule, stock
from fastschema.runtime.inspection import Inspection
from fastschema.runtime.stock import stock_method

_CLASSES: dict[str, type] = {
    "datetime": datetime.datetime,
    "date": datetime.date,
    "time": datetime.time,
}
# Offsets with seconds are written by orjson without them.
_DATETIME = written_by_engine(
    "datetime",
    datetime.datetime,
    "{value}.isoformat()",
    when="(zone := {value}.tzinfo) is utc or zone is None",
    utc=datetime.UTC,
)


def _called(label: str, function: Any, result: Any) -> ByClass:
    """The kind of datetimes that a function is called with."""
    name = function.__name__
    return ByClass(label, datetime.datetime, f"{name}({{value}})", result, {name: function})


_RFC = _called("rfc", email.utils.format_datetime, TEXT)
_TIMESTAMP = _called("timestamp", utils.timestamp, NUMBER)
_TIMESTAMP_MS = _called("timestamp_ms", utils.timestamp_ms, NUMBER)


def _utility(name: str) -> Any:
    """A function that only one of marshmallow 3 and 4 has; else an object equal to none."""
    return getattr(utils, name, object())


_BY_FUNCTION: dict[Any, ByClass] = {
    datetime.datetime.isoformat: _DATETIME,
    datetime.date.isoformat: DATE,
    datetime.time.isoformat: TIME,
    _utility("isoformat"): _DATETIME,
    _utility("to_iso_date"): DATE,
    _utility("to_iso_time"): TIME,
    email.utils.format_datetime: _RFC,
    _utility("rfcformat"): _RFC,
    utils.timestamp: _TIMESTAMP,
    utils.timestamp_ms: _TIMESTAMP_MS,
}


def _temporal(look: Inspection) -> Description:
    data_format = look.get("format") or look.get("DEFAULT_FORMAT")
    try:
        function = look.item("SERIALIZATION_FUNCS", data_format)
    except TypeError:
        return stock("the format cannot be looked up")
    if function:
        made = _BY_FUNCTION.get(function)
        return (made,) if made else stock("its format's function is not one that fastschema knows")
    if type(data_format) is not str:
        return stock("the format is not a plain str")
    return (_in_format, look.get("OBJ_TYPE"), data_format)


def _in_format(class_name: str, data_format: str, *, path: Any, **_: Any) -> Kind:
    template = f"{{value}}.strftime({as_template(literal(data_format))})"
    row = ByClass(f"{class_name} in a format", _CLASSES[class_name], template)
    return row.kind(path.own_method)


def _timedelta(look: Inspection) -> Description:
    precision = look.get("precision")
    if hasattr(fields.TimeDelta, "_unit_to_microseconds_mapping"):
        unit = look.item("_unit_to_microseconds_mapping", precision)
        if type(unit) is not int:
            return stock("the unit of its precision is not an int")
        return (_duration, "/", unit)
    # marshmallow 3
    unit = datetime.timedelta(**{precision: 1})
    if look.get("serialization_type") is int:
        return (_duration, "//", utils.timedelta_to_microseconds(unit))
    return stock("a TimeDelta as float is not compiled for marshmallow 3")


def _duration(division: str, unit: int, *, path: Any, **_: Any) -> Kind:
    microseconds = "({value}.days * 86400 + {value}.seconds) * 1000000 + {value}.microseconds"
    template = f"({microseconds}) {division} {unit}"
    row = ByClass("timedelta", datetime.timedelta, template, NUMBER if division == "/" else PLAIN)
    return row.kind(path.own_method)


RULES: dict[Any, Rule] = {
    stock_method(fields.DateTime, "_serialize"): _temporal,
    stock_method(fields.TimeDelta, "_serialize"): _timedelta,
}
