"""Kinds of dates, times and durations."""

from __future__ import annotations

import datetime
import zoneinfo
from typing import Any

import rest_framework
from django.conf import settings
from django.utils import timezone
from django.utils.duration import duration_iso_string, duration_string
from rest_framework import ISO_8601, fields

from fastschema.compiler.kinds import DATE, TIME, ByClass
from fastschema.compiler.nodes import ANY, TEXT, Kind, Slot, as_template, literal
from fastschema.contrib.django.front_end.field_path import SerializerPath, option, option_slot
from fastschema.contrib.django.front_end.json_encoding import UTC_NAMES, UTC_TEMPLATE
from fastschema.runtime.patching import stock_method
from fastschema.runtime.programs import Description, Rule, method_of, stock

_CLASSES: dict[str, type] = {
    "date": datetime.date,
    "time": datetime.time,
    "datetime": datetime.datetime,
    "timedelta": datetime.timedelta,
}
_ENFORCE_TIMEZONE = stock_method(fields.DateTimeField, "enforce_timezone")
_DEFAULT_TIMEZONE = stock_method(fields.DateTimeField, "default_timezone")
_DJANGO_DURATION_FORMAT = getattr(rest_framework, "DJANGO_DURATION_FORMAT", None)


def _date(field: Any) -> Description:
    return _formatted("date", DATE, option(field, "format", "DATE_FORMAT"))


def _time(field: Any) -> Description:
    return _formatted("time", TIME, option(field, "format", "TIME_FORMAT"))


def _datetime(field: Any) -> Description:
    if method_of(field, "enforce_timezone") is not _ENFORCE_TIMEZONE:
        return stock("enforce_timezone is overridden")
    if method_of(field, "default_timezone") is not _DEFAULT_TIMEZONE:
        return stock("default_timezone is overridden")
    return _formatted("datetime", _in_zone, option(field, "format", "DATETIME_FORMAT"))


def _formatted(name: str, iso: Any, output_format: Any) -> Description:
    """Return what is done in a format: that of ISO, none, or one of ``strftime``."""
    if output_format is None:
        return (_UNFORMATTED[name],)
    if type(output_format) is not str:
        return stock("the format is not a plain str")
    if output_format.lower() == ISO_8601:
        return (iso,)
    return (_in_format, name, output_format)


# A datetime comes without its zone enforced.
_UNFORMATTED = {
    name: ByClass(
        f"{name} as it is", cls, result=TEXT if name == "date" else ANY, survives_json=False
    )
    for name, cls in _CLASSES.items()
}


def _in_zone(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    zone = option_slot(slots, "zone", path, _zone, _active_zone)
    is_utc = f"{{value}}.tzinfo is utc and {zone} is utc"
    zoned = f"(zoned({{value}}, {zone}) or {path.own_method})"
    return ByClass(
        "datetime",
        datetime.datetime,
        f"{UTC_TEMPLATE} if {is_utc} else {zoned}",
        names={"utc": datetime.UTC, "zoned": _zoned, **UTC_NAMES},
        # The engine writes UTC as "Z".
        more={"json": f"{{value}} if {is_utc} else {zoned}"},
    ).kind(path.own_method)


def _zone(field: Any) -> datetime.tzinfo | None:
    """Return the zone of this dump, as ``DateTimeField.enforce_timezone`` finds it."""
    zone = field.timezone if hasattr(field, "timezone") else field.default_timezone()
    if isinstance(zone, zoneinfo.ZoneInfo) and zone.key == "UTC":
        return datetime.UTC
    return zone  # type: ignore[no-any-return]  # a tzinfo or None


def _active_zone(bound: object) -> object:
    """Return the zone of fields that have none of their own: ``DateTimeField.default_timezone``."""
    zone = timezone.get_current_timezone() if settings.USE_TZ else None
    # Such zones are equal if only their names are others.
    return (zone, zone.tzname(None)) if type(zone) is datetime.timezone else zone


def _moved(value: datetime.datetime, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """Return a datetime in the zone of this dump; None for the naive and impossible ones."""
    if zone is None or value.utcoffset() is None:
        return None
    try:
        return value.astimezone(zone)
    except OverflowError:
        return None


def _zoned(value: datetime.datetime, zone: datetime.tzinfo | None) -> str | None:
    """Return such a datetime as text."""
    moved = _moved(value, zone)
    if moved is None:
        return None
    text = moved.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def _zoned_in_format(
    value: datetime.datetime, zone: datetime.tzinfo | None, output_format: str
) -> str | None:
    """Return the same in a format of ``strftime``."""
    moved = _moved(value, zone)
    return None if moved is None else moved.strftime(output_format)


def _in_format(name: str, output_format: str, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    in_format = as_template(literal(output_format))
    text = f"{{value}}.strftime({in_format})"
    if name == "datetime":
        zone = option_slot(slots, "zone", path, _zone, _active_zone)
        text = f"zoned_in_format({{value}}, {zone}, {in_format}) or {path.own_method}"
    names = {"zoned_in_format": _zoned_in_format}
    return ByClass(f"{name} in a format", _CLASSES[name], text, names=names).kind(path.own_method)


def _duration(field: Any) -> Description:
    if _DJANGO_DURATION_FORMAT is None:  # before DRF 3.17 there was one format
        return (_DJANGO_DURATION,)
    output_format = option(field, "format", "DURATION_FORMAT")
    if output_format is None:
        return (_UNFORMATTED["timedelta"],)
    if type(output_format) is str and output_format.lower() in (ISO_8601, _DJANGO_DURATION_FORMAT):
        return (_ISO_DURATION if output_format.lower() == ISO_8601 else _DJANGO_DURATION,)
    return stock("the format of the duration is unknown")


_ISO_DURATION, _DJANGO_DURATION = [
    ByClass(
        "duration",
        datetime.timedelta,
        f"{function.__name__}({{value}})",
        names={function.__name__: function},
    )
    for function in (duration_iso_string, duration_string)
]

RULES: dict[Any, Rule] = {
    stock_method(fields.DateField, "to_representation"): _date,
    stock_method(fields.TimeField, "to_representation"): _time,
    stock_method(fields.DateTimeField, "to_representation"): _datetime,
    stock_method(fields.DurationField, "to_representation"): _duration,
}
