"""From a DRF field to what is done to its value.

The table is keyed by the method that stock would call (``Field.to_representation``); an override
misses it. An entry describes a field as a tuple of plain values: all that the generated code
depends on, and so a part of the cache key. :func:`kind` makes the node from that tuple alone.

Only the common class of value is handled inline. Everything else goes to the field's own
``to_representation``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any, NamedTuple

from rest_framework import ISO_8601, fields, relations, serializers
from rest_framework.settings import api_settings

from fastschema import decimals
from fastschema.contrib.django.encoding import (
    UTC_NAMES,
    UTC_TEMPLATE,
    json_number,
    json_value,
)
from fastschema.engines import JSON_TIME_TEMPLATE, TEXT_NAMES, TEXT_TEMPLATES
from fastschema.nodes import Conversion, Form, Kind, Slot
from fastschema.recognition import Look
from fastschema.registration import registered

Description = tuple[Any, ...]
"""The name of a kind, then its options."""

OWN_METHOD = "own method"
# As they are when fastschema is imported: what is patched later is not stock's.
_QUANTIZE = fields.DecimalField.quantize
_ENFORCE_TIMEZONE = fields.DateTimeField.enforce_timezone
_DEFAULT_TIMEZONE = fields.DateTimeField.default_timezone


def stock(reason: str) -> Description:
    """The description of a field whose own ``to_representation`` is called, and why."""
    return (OWN_METHOD, reason)


def describe(look: Look) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    method = look.method("to_representation")
    if method is None:
        return stock("to_representation is set on the field object")
    if method in registered:
        return ("registered", registered[method])
    entry = KINDS.get(method)
    if entry is None:
        name = getattr(method, "__qualname__", "its to_representation")
        return stock(f"{name} is not one that fastschema knows")
    try:
        return entry(look)
    except Exception as error:
        return stock(f"its options cannot be read: {error}")


def _named(name: str) -> Callable[[Look], Description]:
    return lambda look: (name,)


def _option(look: Look, attribute: str, setting: str) -> Any:
    """An option of a field, or the setting that stands in for it."""
    value = getattr(look.target, attribute, getattr(api_settings, setting))
    look.matches(
        f"getattr({{it}}, {attribute!r}, {{settings}}.{setting})", value, settings=api_settings
    )
    return value


def _boolean(look: Look) -> Description:
    field = look.target
    is_usual = look.note(
        "(True in {it}.TRUE_VALUES and False in {it}.FALSE_VALUES"
        " and False not in {it}.TRUE_VALUES)",
        True in field.TRUE_VALUES
        and False in field.FALSE_VALUES
        and False not in field.TRUE_VALUES,
    )
    if is_usual:
        return ("boolean",)
    return stock("TRUE_VALUES and FALSE_VALUES do not hold the two booleans")


def _uuid(look: Look) -> Description:
    uuid_format = look.get("uuid_format")
    if uuid_format == "hex_verbose":
        return ("uuid",)
    return stock(f"the UUID format {uuid_format!r} is not compiled")


def _decimal(look: Look) -> Description:
    if look.method("quantize") is not _QUANTIZE:
        return stock("quantize is overridden")
    if not _option(look, "coerce_to_string", "COERCE_DECIMAL_TO_STRING"):
        return stock("a decimal that is not coerced to a string is not compiled")
    if look.get("localize") or look.get("normalize_output"):
        return stock("localize and normalize_output are not compiled")
    places = look.get("decimal_places")
    return ("decimal", None if places is None else int(places))


def _date(look: Look) -> Description:
    return _iso("date", _option(look, "format", "DATE_FORMAT"))


def _time(look: Look) -> Description:
    return _iso("time", _option(look, "format", "TIME_FORMAT"))


def _datetime(look: Look) -> Description:
    if look.method("enforce_timezone") is not _ENFORCE_TIMEZONE:
        return stock("enforce_timezone is overridden")
    if look.method("default_timezone") is not _DEFAULT_TIMEZONE:
        return stock("default_timezone is overridden")
    return _iso("datetime", _option(look, "format", "DATETIME_FORMAT"))


def _iso(name: str, output_format: Any) -> Description:
    if isinstance(output_format, str) and output_format.lower() == ISO_8601:
        return (name,)
    return stock("only the ISO 8601 format is compiled")


def _primary_key(look: Look) -> Description:
    if not look.note("({it}.pk_field is None)", look.target.pk_field is None):
        return stock("a pk_field is not compiled")
    return ("primary key",)


KINDS: dict[Any, Callable[[Look], Description]] = {
    fields.CharField.to_representation: _named("string"),
    fields.IntegerField.to_representation: _named("integer"),
    fields.FloatField.to_representation: _named("float"),
    fields.BooleanField.to_representation: _boolean,
    fields.UUIDField.to_representation: _uuid,
    fields.DecimalField.to_representation: _decimal,
    fields.DateField.to_representation: _date,
    fields.TimeField.to_representation: _time,
    fields.DateTimeField.to_representation: _datetime,
    fields.ChoiceField.to_representation: _named("choice"),
    fields.ReadOnlyField.to_representation: _named("as it is"),
    relations.PrimaryKeyRelatedField.to_representation: _primary_key,
    serializers.Serializer.to_representation: _named("nested"),
    serializers.ListSerializer.to_representation: _named("nested"),
}


class FieldPath(NamedTuple):
    """Where the field object of a dump is found.

    :param expression: in generated code
    :param position: in the list of the serializer's fields
    :param otherwise: the template for values that are not of the common class
    """

    expression: str
    position: int
    otherwise: str


def kind(description: Description, path: FieldPath, slots: list[Slot]) -> Kind:
    """The kind for a description; what it needs from each dump is added to ``slots``."""
    name, *options = description
    if name in _BY_CLASS:
        return _kind_by_class(name, path.otherwise)
    if name == "registered":
        registered_kind: Kind = options[0].kind(path.otherwise, json_value)
        return registered_kind
    if name == "float":
        return _float_kind(path.otherwise)
    if name == "decimal":
        return _decimal_kind(*options, path=path, slots=slots)
    if name == "datetime":
        return _datetime_kind(path, slots)
    if name == "choice":
        return _choice_kind(path, slots)
    if name == "nested":
        return _nested_kind(path, slots)
    return Kind(
        "value as it is" if name == "as it is" else "the field's own method",
        faithful=Conversion(otherwise=path.otherwise),
        json=Conversion(otherwise=f"json_value({path.otherwise})"),
        names={"json_value": json_value},
        may_skip=True,
    )


class _ByClass(NamedTuple):
    """A kind that only looks at the class of the value: a template for each form."""

    common: type
    faithful: str | None = None
    json: str | None = None


_BY_CLASS = {
    "string": _ByClass(str),
    "integer": _ByClass(int),
    "boolean": _ByClass(bool),
    "uuid": _ByClass(uuid.UUID, faithful=TEXT_TEMPLATES["uuid"]),
    "date": _ByClass(datetime.date, faithful=TEXT_TEMPLATES["iso"]),
    "time": _ByClass(datetime.time, faithful="{value}.isoformat()", json=JSON_TIME_TEMPLATE),
}


def _kind_by_class(name: str, otherwise: str) -> Kind:
    common, faithful, json = _BY_CLASS[name]
    class_name = common.__name__
    return Kind(
        name,
        faithful=Conversion(class_name, faithful, otherwise),
        json=Conversion(class_name, json, f"json_value({otherwise})"),
        names={class_name: common, "json_value": json_value, **TEXT_NAMES},
        may_skip=True,
    )


def _float_kind(otherwise: str) -> Kind:
    return Kind(
        "float",
        faithful=Conversion("float", None, otherwise),
        json=Conversion(
            "float",
            "{value} if 1e-4 <= {value} < 1e16 else json_number({value})",
            f"json_number({otherwise})",
        ),
        names={"json_number": json_number},
        may_skip=True,
    )


def _decimal_kind(places: int | None, *, path: FieldPath, slots: list[Slot]) -> Kind:
    """A value that has its places already is written as it stands; the others are quantized."""
    text = "format({value}, 'f')"
    names: dict[str, object] = {"Decimal": decimal.Decimal}
    if places is not None:
        number = len(slots)
        quantum, context, longest = f"quantum_{number}", f"context_{number}", f"longest_{number}"
        names[quantum] = decimal.Decimal((0, (1,), -places))
        slots += [
            Slot(context, lambda subject, cls, form: _context(subject.fields[path.position])),
            Slot(
                longest,
                lambda subject, cls, form: decimals.longest(
                    subject.fields[path.position].max_digits
                ),
            ),
        ]
        text = f"format({{value}}.quantize({quantum}, {{field}}.rounding, {context}), 'f')"
        text = decimals.written(places, longest, text)
    conversion = Conversion("Decimal", text, path.otherwise)
    return Kind(
        "decimal as string", faithful=conversion, json=conversion, names=names, may_skip=True
    )


def _context(field: Any) -> decimal.Context:
    """The decimal context of this dump, as ``DecimalField.quantize`` makes it for each value."""
    context = decimal.getcontext().copy()
    if field.max_digits is not None:
        context.prec = field.max_digits
    return context


def _datetime_kind(path: FieldPath, slots: list[Slot]) -> Kind:
    zone = f"zone_{len(slots)}"
    slots.append(Slot(zone, lambda subject, cls, form: _zone(subject.fields[path.position])))
    is_utc = f"{{value}}.tzinfo is utc and {zone} is utc"
    zoned = f"zoned({{field}}, {{value}}, {zone})"
    return Kind(
        "datetime",
        faithful=Conversion("datetime", f"{UTC_TEMPLATE} if {is_utc} else {zoned}", path.otherwise),
        # The engine writes UTC as "Z".
        json=Conversion(
            "datetime",
            f"{{value}} if {is_utc} else {zoned}",
            f"json_value({path.otherwise})",
        ),
        names={
            "json_value": json_value,
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


def _zoned(field: Any, value: datetime.datetime, zone: datetime.tzinfo | None) -> Any:
    """A datetime in the zone of this dump; stock takes the naive and the impossible ones."""
    if zone is None or value.utcoffset() is None:
        return field.to_representation(value)
    try:
        text = value.astimezone(zone).isoformat()
    except OverflowError:
        return field.to_representation(value)
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def _choice_kind(path: FieldPath, slots: list[Slot]) -> Kind:
    choices = f"choices_{len(slots)}"

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        return subject.fields[path.position].choice_strings_to_values

    slots.append(Slot(choices, resolve))
    chosen = f"{{value}} and {choices}.get({{value}}, {{value}})"
    json_chosen = f"text if type(text := ({chosen})) is str else json_value(text)"
    return Kind(
        "choice",
        faithful=Conversion("str", chosen, path.otherwise),
        json=Conversion("str", json_chosen, f"json_value({path.otherwise})"),
        names={"json_value": json_value},
        may_skip=True,
    )


def _nested_kind(path: FieldPath, slots: list[Slot]) -> Kind:
    link = f"nested_{len(slots)}"

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        return subject.link(subject.fields[path.position], form)

    slots.append(Slot(link, resolve))
    return Kind("nested serializer", faithful=Conversion(), json=Conversion(), link=link)
