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

from fastschema.contrib.django.encoding import json_number, json_value, utc_text
from fastschema.nodes import Conversion, Form, Kind, Slot

Description = tuple[Any, ...]
"""The name of a kind, then its options."""

OWN_METHOD = "own method"


def stock(reason: str) -> Description:
    """The description of a field whose own ``to_representation`` is called, and why."""
    return (OWN_METHOD, reason)


def overrides(owner: Any, name: str, known: Any) -> bool:
    """Whether a class or an instance has another method of that name than the one we know."""
    return getattr(type(owner), name, None) is not known or name in vars(owner)


def describe(field: Any) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    method = type(field).to_representation
    entry = KINDS.get(method)
    if entry is None:
        return stock(f"{method.__qualname__} is not one that fastschema knows")
    if "to_representation" in vars(field):
        return stock("to_representation is set on the field object")
    try:
        return entry(field)
    except Exception as error:
        return stock(f"its options cannot be read: {error}")


def _named(name: str) -> Callable[[Any], Description]:
    return lambda field: (name,)


def _boolean(field: Any) -> Description:
    if True in field.TRUE_VALUES and False in field.FALSE_VALUES and False not in field.TRUE_VALUES:
        return ("boolean",)
    return stock("TRUE_VALUES and FALSE_VALUES do not hold the two booleans")


def _uuid(field: Any) -> Description:
    if field.uuid_format == "hex_verbose":
        return ("uuid",)
    return stock(f"the UUID format {field.uuid_format!r} is not compiled")


def _decimal(field: Any) -> Description:
    if overrides(field, "quantize", fields.DecimalField.quantize):
        return stock("quantize is overridden")
    if not getattr(field, "coerce_to_string", api_settings.COERCE_DECIMAL_TO_STRING):
        return stock("a decimal that is not coerced to a string is not compiled")
    if field.localize or field.normalize_output:
        return stock("localize and normalize_output are not compiled")
    places = field.decimal_places
    return ("decimal", None if places is None else int(places))


def _date(field: Any) -> Description:
    return _iso("date", getattr(field, "format", api_settings.DATE_FORMAT))


def _time(field: Any) -> Description:
    return _iso("time", getattr(field, "format", api_settings.TIME_FORMAT))


def _datetime(field: Any) -> Description:
    if overrides(field, "enforce_timezone", fields.DateTimeField.enforce_timezone):
        return stock("enforce_timezone is overridden")
    if overrides(field, "default_timezone", fields.DateTimeField.default_timezone):
        return stock("default_timezone is overridden")
    return _iso("datetime", getattr(field, "format", api_settings.DATETIME_FORMAT))


def _iso(name: str, output_format: Any) -> Description:
    if isinstance(output_format, str) and output_format.lower() == ISO_8601:
        return (name,)
    return stock("only the ISO 8601 format is compiled")


def _primary_key(field: Any) -> Description:
    if field.pk_field is not None:
        return stock("a pk_field is not compiled")
    return ("primary key",)


KINDS: dict[Any, Callable[[Any], Description]] = {
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
    """A kind that only looks at the class of the value."""

    common: type
    faithful: str | None = None
    json: str | None = None


_BY_CLASS = {
    "string": _ByClass(str),
    "integer": _ByClass(int),
    "boolean": _ByClass(bool),
    "uuid": _ByClass(uuid.UUID, faithful="str({value})"),
    "date": _ByClass(datetime.date, faithful="{value}.isoformat()"),
    "time": _ByClass(
        datetime.time,
        faithful="{value}.isoformat()",
        # orjson refuses times with a zone.
        json="{value} if {value}.tzinfo is None else {value}.isoformat()",
    ),
}


def _kind_by_class(name: str, otherwise: str) -> Kind:
    common, faithful, json = _BY_CLASS[name]
    class_name = common.__name__
    return Kind(
        name,
        faithful=Conversion(class_name, faithful, otherwise),
        json=Conversion(class_name, json, f"json_value({otherwise})"),
        names={class_name: common, "json_value": json_value},
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
    if places is not None:
        number = len(slots)
        quantum, context, longest = f"quantum_{number}", f"context_{number}", f"longest_{number}"
        slots += [
            Slot(quantum, lambda subject, cls, form: _quantum(subject.fields[path.position])),
            Slot(context, lambda subject, cls, form: _context(subject.fields[path.position])),
            Slot(longest, lambda subject, cls, form: _longest(subject.fields[path.position])),
        ]
        text = f"format({{value}}.quantize({quantum}, {{field}}.rounding, {context}), 'f')"
        if places > 0:
            is_exact = f"(text := str({{value}}))[{-places - 1}:{-places}] == '.'"
            text = f"text if {is_exact} and len(text) <= {longest} else {text}"
    conversion = Conversion("Decimal", text, path.otherwise)
    return Kind(
        "decimal as string",
        faithful=conversion,
        json=conversion,
        names={"Decimal": decimal.Decimal},
        may_skip=True,
    )


def _quantum(field: Any) -> decimal.Decimal:
    quantum: decimal.Decimal = decimal.Decimal(".1") ** field.decimal_places
    return quantum


def _context(field: Any) -> decimal.Context:
    """The decimal context of this dump, as ``DecimalField.quantize`` makes it for each value."""
    context = decimal.getcontext().copy()
    if field.max_digits is not None:
        context.prec = field.max_digits
    return context


def _longest(field: Any) -> int:
    """How long a number with the right places may be written and surely needs no quantizing.

    The decimal point makes it one longer than its digits; 0 for a context in which even such a
    number may be out of range.
    """
    context = _context(field)
    is_ordinary = context.Emin <= -9999 and context.Emax >= 9999
    return context.prec + 1 if is_ordinary else 0


def _datetime_kind(path: FieldPath, slots: list[Slot]) -> Kind:
    zone = f"zone_{len(slots)}"
    slots.append(Slot(zone, lambda subject, cls, form: _zone(subject.fields[path.position])))
    is_utc = f"{{value}}.tzinfo is utc and {zone} is utc"
    zoned = f"zoned({{field}}, {{value}}, {zone})"
    return Kind(
        "datetime",
        faithful=Conversion(
            "datetime", f"utc_text({{value}}) if {is_utc} else {zoned}", path.otherwise
        ),
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
            "utc_text": utc_text,
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
