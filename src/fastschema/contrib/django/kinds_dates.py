"""Kinds of dates, times and durations."""

from __future__ import annotations

import datetime
import zoneinfo
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.duration import duration_iso_string, duration_string

from fastschema.compiler.nodes import Conversion, Kind, Slot, as_template, literal
from fastschema.contrib.django.field_path import JSON_VALUE, SerializerPath, option_slot
from fastschema.contrib.django.json_encoding import UTC_NAMES, UTC_TEMPLATE

FORMATTED: dict[str, type] = {
    "date": datetime.date,
    "time": datetime.time,
    "datetime": datetime.datetime,
    "timedelta": datetime.timedelta,
}


def datetime_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    zone = option_slot(slots, "zone", path, _zone, _active_zone)
    is_utc = f"{{value}}.tzinfo is utc and {zone} is utc"
    zoned = f"(zoned({{value}}, {zone}) or {path.own_method})"
    return Kind(
        "datetime",
        python=Conversion("datetime", f"{UTC_TEMPLATE} if {is_utc} else {zoned}", path.own_method),
        # The engine writes UTC as "Z".
        json=Conversion(
            "datetime",
            f"{{value}} if {is_utc} else {zoned}",
            f"json_value({path.own_method})",
        ),
        names={
            **JSON_VALUE,
            "datetime": datetime.datetime,
            "utc": datetime.UTC,
            **UTC_NAMES,
            "zoned": _zoned,
        },
        may_skip=True,
    )


def _zone(field: Any) -> datetime.tzinfo | None:
    """The zone of this dump, as ``DateTimeField.enforce_timezone`` finds it for each value."""
    zone = field.timezone if hasattr(field, "timezone") else field.default_timezone()
    if isinstance(zone, zoneinfo.ZoneInfo) and zone.key == "UTC":
        return datetime.UTC
    return zone  # type: ignore[no-any-return]  # a tzinfo or None


def _active_zone(subject: object) -> object:
    """The zone of fields that have none of their own: ``DateTimeField.default_timezone``."""
    zone = timezone.get_current_timezone() if settings.USE_TZ else None
    # Such zones are equal if only their names are others.
    return (zone, zone.tzname(None)) if type(zone) is datetime.timezone else zone


def _zoned(value: datetime.datetime, zone: datetime.tzinfo | None) -> str | None:
    """A datetime in the zone of this dump, or None: stock takes the naive and impossible ones."""
    if zone is None or value.utcoffset() is None:
        return None
    try:
        text = value.astimezone(zone).isoformat()
    except OverflowError:
        return None
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def unformatted_kind(name: str, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Dates, times and durations as they are; a datetime comes without its zone enforced."""
    json = "json_value({value})"
    return Kind(
        f"{name} as it is",
        python=Conversion(name, None, path.own_method),
        json=Conversion(name, None if name == "date" else json, f"json_value({path.own_method})"),
        names={name: FORMATTED[name], **JSON_VALUE},
        may_skip=True,
    )


def strftime_kind(
    name: str, output_format: str, *, path: SerializerPath, slots: list[Slot]
) -> Kind:
    in_format = as_template(literal(output_format))
    text = f"{{value}}.strftime({in_format})"
    if name == "datetime":
        zone = option_slot(slots, "zone", path, _zone, _active_zone)
        text = f"zoned_in_format({{value}}, {zone}, {in_format}) or {path.own_method}"
    return Kind(
        f"{name} in a format",
        python=Conversion(name, text, path.own_method),
        json=Conversion(name, text, f"json_value({path.own_method})"),
        names={name: FORMATTED[name], "zoned_in_format": _zoned_in_format, **JSON_VALUE},
        may_skip=True,
    )


def _zoned_in_format(
    value: datetime.datetime, zone: datetime.tzinfo | None, output_format: str
) -> str | None:
    """The same in a format of ``strftime``."""
    if zone is None or value.utcoffset() is None:
        return None
    try:
        zoned = value.astimezone(zone)
    except OverflowError:
        return None
    return zoned.strftime(output_format)


def duration_kind(output_format: str, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    function = duration_iso_string if output_format == "iso" else duration_string
    text = f"{function.__name__}({{value}})"
    return Kind(
        "duration",
        python=Conversion("timedelta", text, path.own_method),
        json=Conversion("timedelta", text, f"json_value({path.own_method})"),
        names={"timedelta": datetime.timedelta, function.__name__: function, **JSON_VALUE},
        may_skip=True,
    )
