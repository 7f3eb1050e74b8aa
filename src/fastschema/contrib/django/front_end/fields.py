"""What is done to the value of a DRF field that is dumped.

A *rule* describes a field as a tuple: what makes its kind, then plain values, all that the
generated code depends on. The kind is made from the tuple alone, which is the key to the cache.
``RULES`` is keyed by the method that stock would call (``Field.to_representation``); an
override misses it.

Only the common class of value is handled inline. Everything else goes to the field's own
``to_representation``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
import zoneinfo
from collections.abc import Iterable
from typing import Any

import rest_framework
from django.conf import settings
from django.utils import timezone
from django.utils.duration import duration_iso_string, duration_string
from rest_framework import ISO_8601, fields, relations
from rest_framework.serializers import BaseSerializer

from fastschema.compiler.kinds import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    INTEGER_AS_STRING,
    STRING,
    TIME,
    UUID,
    ByClass,
    by_class,
    decimal_context,
    decimal_text,
    expression,
    for_all,
    longest_decimal,
)
from fastschema.compiler.nodes import (
    ANY,
    PLAIN,
    Conversion,
    Form,
    Kind,
    Slot,
    fill,
    literal,
)
from fastschema.compiler.real_classes import REAL
from fastschema.contrib.django.front_end import fields_relations
from fastschema.contrib.django.front_end.access import SerializerPath, option, option_slot
from fastschema.contrib.django.front_end.bypassed import DUMPS, READS
from fastschema.contrib.django.front_end.customization import STOCK_CLASSES
from fastschema.contrib.django.front_end.json_encoding import UTC_NAMES, UTC_TEMPLATE
from fastschema.runtime.guard import computes_options
from fastschema.runtime.patching import stock_method
from fastschema.runtime.plain_values import is_a, why_lazy
from fastschema.runtime.programs import (
    OWN_METHOD,
    Description,
    Rule,
    always,
    describe_by_rule,
    method_of,
    own_method,
    rule_for,
    tell_booleans,
)

# As it is when fastschema is imported: what is patched later is not stock's.
_QUANTIZE = stock_method(fields.DecimalField, "quantize")


OPTIONS = frozenset(
    [
        *("TRUE_VALUES", "FALSE_VALUES", "binary", "coerce_to_string"),
        *("decimal_places", "field_name", "format", "localize", "lookup_field"),
        *("lookup_url_kwarg", "max_digits", "method_name", "normalize_output", "pk_field"),
        *("reverse", "slug_field", "source_attrs", "timezone", "use_url", "uuid_format"),
        *("view_name", "write_only"),
    ]
)
"""The attributes of fields by which programs differ, or what they are bound to."""
_LOOKED_AT = sorted(OPTIONS - {"pk_field"})
_HOLDERS = frozenset(["child", "child_relation"])
_HOLDING = (fields.ListField, fields.DictField, relations.ManyRelatedField, BaseSerializer)
_LEAVES = frozenset([cls for cls in STOCK_CLASSES if not issubclass(cls, _HOLDING)])
"""The classes of DRF's fields that hold no others."""


def why_unknown(field: Any) -> str | None:
    """Return why the options of a field, or what it does with them, cannot be known, or None."""
    cls = type(field)
    return (
        computes_options(cls, OPTIONS, STOCK_CLASSES)
        or why_lazy(field, _LOOKED_AT)
        or DUMPS.reason(cls)
        or READS.reason()
    )


def inner_fields(field: Any) -> Iterable[str]:
    """Return the attributes of a field that hold others; one of users' may hold something else."""
    if type(field) in _LEAVES or is_a(field, BaseSerializer):
        return ()
    attributes = vars(field)
    return [name for name in _HOLDERS if is_a(attributes.get(name), fields.Field)]


def describe(field: Any) -> Description:
    """Return what is done to the value of a field: what makes its kind, then its options."""
    reason = why_unknown(field)
    if reason is not None:
        return own_method(reason)
    method = method_of(field, "to_representation")
    if method is None:
        return own_method("to_representation is set on the field object")
    return describe_by_rule(field, method, rule_for(method, RULES), "to_representation")


def kind(description: Description, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Return the kind for a description; what it needs from each dump is added to ``slots``."""
    make, *options = description
    if make == OWN_METHOD:
        called = path.called("$field.to_representation($value)")
        return for_all("the field's own method", called)
    field_kind: Kind = make(*options, path=path, slots=slots)
    return field_kind


def model_field(*, path: SerializerPath, **_: Any) -> Kind:
    return for_all("model field", "$field.to_representation($value)")


def _as_it_is(*, path: SerializerPath, **_: Any) -> Kind:
    return ByClass("value as it is", str).kind(path.called("$value"))


def _json(field: Any) -> Description:
    return own_method("binary JSON is not compiled") if field.binary else (_as_it_is,)


def _boolean(field: Any) -> Description:
    if tell_booleans(field.TRUE_VALUES, field.FALSE_VALUES):
        return (BOOLEAN,)
    return own_method("TRUE_VALUES and FALSE_VALUES do not hold the two booleans")


def _uuid(field: Any) -> Description:
    uuid_format = field.uuid_format
    usual = _UUIDS.get(uuid_format)
    return (usual,) if usual else own_method(f"the UUID format {uuid_format!r} is not compiled")


_UUIDS = {
    "hex_verbose": UUID,
    "hex": ByClass("uuid as hex", uuid.UUID, "$value.hex"),
    "int": ByClass("uuid as int", uuid.UUID, "$value.int", ANY),
    "urn": ByClass("uuid as urn", uuid.UUID, "$value.urn"),
}


def _big_integer(field: Any) -> Description:
    is_text = option(field, "coerce_to_string", "COERCE_BIGINT_TO_STRING")
    return (INTEGER_AS_STRING if is_text else INTEGER,)


def _decimal(field: Any) -> Description:
    if method_of(field, "quantize") is not _QUANTIZE:
        return own_method("quantize is overridden")
    is_text = bool(option(field, "coerce_to_string", "COERCE_DECIMAL_TO_STRING"))
    if field.localize:
        return own_method("a localized decimal is not compiled")
    places = field.decimal_places
    is_normalized = bool(field.normalize_output)
    return (_quantized, None if places is None else int(places), is_text, is_normalized)


def _quantized(
    places: int | None,
    is_text: bool,
    is_normalized: bool,
    *,
    path: SerializerPath,
    slots: list[Slot],
) -> Kind:
    """Write a value that has its places already as it stands, and quantize the others."""
    result = "$value"
    names: dict[str, object] = {}
    if places is not None:
        context = option_slot(slots, "context", path, _context, decimal_context)
        quantum = f"quantum_{len(slots)}"
        names[quantum] = decimal.Decimal((0, (1,), -places))
        rounding = option_slot(slots, "rounding", path, lambda field: field.rounding)
        result = f"$value.quantize({quantum}, {rounding}, {context})"
    if is_normalized:
        result = f"{result}.normalize()"
    if not is_text:
        # A float, as for DRF's encoder.
        as_float = f"json_number(float(text)) if (text := {result}).is_finite()"
        json = f"{as_float} else json_value(text)"
        usual = ByClass("decimal", decimal.Decimal, result, names=names, json=json)
        return usual.kind(path.own_method)
    text = f"format({result}, 'f')"
    if places is not None and not is_normalized:
        longest = option_slot(
            slots,
            "longest",
            path,
            lambda field: longest_decimal(field.max_digits),
            decimal_context,
        )
        text = decimal_text(places, longest, text)
    usual = ByClass("decimal as string", decimal.Decimal, text, names=names)
    return usual.kind(path.own_method)


def _context(field: Any) -> decimal.Context:
    """Return the decimal context as ``DecimalField.quantize`` makes it for each value."""
    context = decimal.getcontext().copy()
    if field.max_digits is not None:
        context.prec = field.max_digits
    return context


# Dates, times and durations

_CLASSES: dict[str, type] = {
    "date": REAL.date,
    "time": REAL.time,
    "datetime": REAL.datetime,
    "timedelta": REAL.timedelta,
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
        return own_method("enforce_timezone is overridden")
    if method_of(field, "default_timezone") is not _DEFAULT_TIMEZONE:
        return own_method("default_timezone is overridden")
    return _formatted("datetime", _in_zone, option(field, "format", "DATETIME_FORMAT"))


def _formatted(name: str, iso: Any, output_format: Any) -> Description:
    """Return what is done in a format: that of ISO, none, or one of ``strftime``."""
    if output_format is None:
        return (_UNFORMATTED[name],)
    if type(output_format) is not str:
        return own_method("the format is not a plain str")
    if output_format.lower() == ISO_8601:
        return (iso,)
    return (_in_format, name, output_format)


# A datetime comes without its zone enforced.
_UNFORMATTED = {
    name: ByClass(f"{name} as it is", cls, result=PLAIN if name == "date" else ANY)
    for name, cls in _CLASSES.items()
}


def _in_zone(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    zone = option_slot(slots, "zone", path, _zone, _active_zone)
    is_utc = f"$value.tzinfo is utc and {zone} is utc"
    zoned = f"(zoned($value, {zone}) or {path.own_method})"
    return ByClass(
        "datetime",
        REAL.datetime,
        f"{UTC_TEMPLATE} if {is_utc} else {zoned}",
        names={"utc": datetime.UTC, "zoned": _zoned, **UTC_NAMES},
        # The engine writes UTC as "Z".
        json=f"$value if {is_utc} else {zoned}",
    ).kind(path.own_method)


def _zone(field: Any) -> datetime.tzinfo | None:
    """Return the zone of this dump, as ``DateTimeField.enforce_timezone`` finds it."""
    zone = field.timezone if hasattr(field, "timezone") else field.default_timezone()
    if type(zone) is zoneinfo.ZoneInfo and zone.key == "UTC":
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
    moved = _moved(value, zone)
    if moved is None:
        return None
    text = moved.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def _zoned_in_format(
    value: datetime.datetime, zone: datetime.tzinfo | None, output_format: str
) -> str | None:
    moved = _moved(value, zone)
    return None if moved is None else moved.strftime(output_format)


def _in_format(name: str, output_format: str, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    in_format = literal(output_format)
    text = f"$value.strftime({in_format})"
    if name == "datetime":
        zone = option_slot(slots, "zone", path, _zone, _active_zone)
        text = f"zoned_in_format($value, {zone}, {in_format}) or {path.own_method}"
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
    return own_method("the format of the duration is unknown")


_ISO_DURATION, _DJANGO_DURATION = [
    ByClass(
        "duration",
        REAL.timedelta,
        f"{function.__name__}($value)",
        names={function.__name__: function},
    )
    for function in (duration_iso_string, duration_string)
]


# Choices, and fields that hold others


def _choice(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    chosen = f"$value and {choices}.get($value, $value)"
    number = f"{choices}.get(str($value), $value)"
    otherwise = f"{number} if type($value) is int else {path.own_method}"
    return ByClass("choice", str, chosen, ANY).kind(otherwise)


def _multiple_choice(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    # A generator, as in stock: of a StopIteration it makes a RuntimeError.
    chosen = f"list(dict.fromkeys({choices}.get(str(each), each) for each in $value))"
    usual = ByClass("multiple choice", list, chosen, json=f"json_value({chosen})")
    return usual.kind(path.own_method)


def _list(field: Any) -> Description:
    return (_collection, "list", describe(field.child))


def _dict(field: Any) -> Description:
    return (_collection, "dict", describe(field.child))


_COMPREHENSIONS = {
    "list": "[$item for each in $value]",
    "dict": "{str(key): $item for key, each in $value.items()}",
}


def _collection(name: str, child: Description, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Write a comprehension with the child's conversion for each item of a list or a dict."""
    child_path = path.inside("child")
    child_kind = kind(child, child_path, slots)

    def each(form: Form) -> str:
        conversion, field = child_kind.conversion(form), child_path.expression
        item = expression(child_kind, conversion, "each", field, none_stays=True)
        return fill(_COMPREHENSIONS[name], item=item)

    return by_class(
        f"{name} of {child_kind.label}",
        name,
        each(Form.PYTHON),
        path.own_method,
        PLAIN,
        json=each(Form.JSON),
        names=child_kind.names,
        repeatable=child_kind.repeatable,
    )


def _many_related(field: Any) -> Description:
    return (many_related, describe(field.child_relation))


def many_related(child: Description, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Write a list of what the relation's field makes of each related object."""
    child_path = path.inside("child_relation")
    child_kind = kind(child, child_path, slots)

    def each(conversion: Conversion) -> Conversion:
        item = expression(child_kind, conversion, "each", child_path.expression, none_stays=False)
        return Conversion(otherwise=f"[{item} for each in $value]")

    return Kind(
        f"many of {child_kind.label}",
        python=each(child_kind.python),
        json=each(child_kind.json),
        names=child_kind.names,
    )


def _stock(cls: type) -> Any:
    return stock_method(cls, "to_representation")


RULES: dict[Any, Rule] = {
    **fields_relations.RULES,
    _stock(fields.CharField): always(STRING),
    _stock(fields.IntegerField): always(INTEGER),
    _stock(fields.FloatField): always(FLOAT),
    _stock(fields.BooleanField): _boolean,
    _stock(fields.UUIDField): _uuid,
    _stock(fields.DecimalField): _decimal,
    _stock(fields.DateField): _date,
    _stock(fields.TimeField): _time,
    _stock(fields.DateTimeField): _datetime,
    _stock(fields.DurationField): _duration,
    _stock(fields.ChoiceField): always(_choice),
    _stock(fields.ListField): _list,
    _stock(fields.DictField): _dict,
    _stock(fields.JSONField): _json,
    _stock(fields.ReadOnlyField): always(_as_it_is),
    _stock(fields._UnvalidatedField): always(_as_it_is),
    _stock(fields.ModelField): always(model_field),
    _stock(relations.ManyRelatedField): _many_related,
}
if hasattr(fields, "BigIntegerField"):  # since DRF 3.17, when multiple choices became lists
    RULES[_stock(fields.BigIntegerField)] = _big_integer
    RULES[_stock(fields.MultipleChoiceField)] = always(_multiple_choice)
