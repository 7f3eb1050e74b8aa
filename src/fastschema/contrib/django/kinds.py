"""From a DRF field to the description of what is done to its value.

The table is keyed by the method that stock would call (``Field.to_representation``); an override
misses it. An entry describes a field as a tuple of plain values: all that the generated code
depends on, and so a part of the cache key. :mod:`conversions` makes the node from that tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rest_framework
from rest_framework import ISO_8601, fields, relations, serializers
from rest_framework.reverse import reverse
from rest_framework.settings import api_settings

from fastschema.look import Look
from fastschema.registration import registered

Description = tuple[Any, ...]
"""The name of a kind, then its options."""

OWN_METHOD = "own method"
# As they are when fastschema is imported: what is patched later is not stock's.
_QUANTIZE = fields.DecimalField.quantize
_ENFORCE_TIMEZONE = fields.DateTimeField.enforce_timezone
_DEFAULT_TIMEZONE = fields.DateTimeField.default_timezone
_CONTEXT = fields.Field.context
_GET_URL = relations.HyperlinkedRelatedField.get_url
_DJANGO_DURATION_FORMAT = getattr(rest_framework, "DJANGO_DURATION_FORMAT", None)


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
    except (RecursionError, MemoryError):
        raise  # of this moment, not of the field: it may be read the next time
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
    if uuid_format in ("hex_verbose", "hex", "int", "urn"):
        return ("uuid" if uuid_format == "hex_verbose" else f"uuid as {uuid_format}",)
    return stock(f"the UUID format {uuid_format!r} is not compiled")


def _big_integer(look: Look) -> Description:
    is_text = _option(look, "coerce_to_string", "COERCE_BIGINT_TO_STRING")
    return ("integer as string" if is_text else "integer",)


def _decimal(look: Look) -> Description:
    if look.method("quantize") is not _QUANTIZE:
        return stock("quantize is overridden")
    is_text = bool(_option(look, "coerce_to_string", "COERCE_DECIMAL_TO_STRING"))
    if look.get("localize"):
        return stock("a localized decimal is not compiled")
    places = look.get("decimal_places")
    normalize = bool(look.get("normalize_output"))
    return ("decimal", None if places is None else int(places), is_text, normalize)


def _date(look: Look) -> Description:
    return _formatted("date", _option(look, "format", "DATE_FORMAT"))


def _time(look: Look) -> Description:
    return _formatted("time", _option(look, "format", "TIME_FORMAT"))


def _datetime(look: Look) -> Description:
    if look.method("enforce_timezone") is not _ENFORCE_TIMEZONE:
        return stock("enforce_timezone is overridden")
    if look.method("default_timezone") is not _DEFAULT_TIMEZONE:
        return stock("default_timezone is overridden")
    return _formatted("datetime", _option(look, "format", "DATETIME_FORMAT"))


def _formatted(name: str, output_format: Any) -> Description:
    if output_format is None:
        return ("unformatted", name)
    if type(output_format) is not str:
        return stock("the format is not a plain str")
    if output_format.lower() == ISO_8601:
        return (name,)
    return ("strftime", name, output_format)


def _duration(look: Look) -> Description:
    if _DJANGO_DURATION_FORMAT is None:  # before DRF 3.17 there was one format
        return ("duration", "django")
    output_format = _option(look, "format", "DURATION_FORMAT")
    if output_format is None:
        return ("unformatted", "timedelta")
    if type(output_format) is str and output_format.lower() in (ISO_8601, _DJANGO_DURATION_FORMAT):
        return ("duration", "iso" if output_format.lower() == ISO_8601 else "django")
    return stock("the format of the duration is unknown")


def _file(look: Look) -> Description:
    if look.on_class("context") is not _CONTEXT:
        return stock("context is overridden")
    return ("file",)


def _json(look: Look) -> Description:
    if look.get("binary"):
        return stock("binary JSON is not compiled")
    return ("as it is",)


def _list(look: Look) -> Description:
    return ("list", describe(look.within("child")))


def _dict(look: Look) -> Description:
    return ("dict", describe(look.within("child")))


def _many_related(look: Look) -> Description:
    return ("many related", describe(look.within("child_relation")))


def _method(look: Look) -> Description:
    if type(look.get("method_name")) is not str:
        return stock("the name of its method is not a plain str")
    return ("method",)


def _primary_key(look: Look) -> Description:
    if not look.note("({it}.pk_field is None)", look.target.pk_field is None):
        return stock("a pk_field is not compiled")
    return ("primary key",)


def _slug(look: Look) -> Description:
    if type(look.get("slug_field")) is not str:
        return stock("its slug_field is not a plain str")
    return ("slug",)


def _hyperlink(look: Look) -> Description:
    if look.method("get_url") is not _GET_URL:
        return stock("get_url is overridden")
    if look.on_class("context") is not _CONTEXT:
        return stock("context is overridden")
    if look.get("reverse") is not reverse:
        return stock("another reverse is set on the field object")
    if type(look.get("lookup_field")) is not str or type(look.get("view_name")) is not str:
        return stock("its lookup_field or view_name is not a plain str")
    return ("hyperlink",)


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
    fields.DurationField.to_representation: _duration,
    fields.ChoiceField.to_representation: _named("choice"),
    fields.FileField.to_representation: _file,
    fields.ListField.to_representation: _list,
    fields.DictField.to_representation: _dict,
    fields.JSONField.to_representation: _json,
    fields.ReadOnlyField.to_representation: _named("as it is"),
    fields._UnvalidatedField.to_representation: _named("as it is"),
    fields.ModelField.to_representation: _named("model field"),
    fields.SerializerMethodField.to_representation: _method,
    relations.StringRelatedField.to_representation: _named("string related"),
    relations.PrimaryKeyRelatedField.to_representation: _primary_key,
    relations.SlugRelatedField.to_representation: _slug,
    relations.HyperlinkedRelatedField.to_representation: _hyperlink,
    relations.ManyRelatedField.to_representation: _many_related,
    serializers.Serializer.to_representation: _named("nested"),
    serializers.ListSerializer.to_representation: _named("nested"),
}

if hasattr(fields, "BigIntegerField"):  # since DRF 3.17, when multiple choices became lists
    KINDS[fields.BigIntegerField.to_representation] = _big_integer
    KINDS[fields.MultipleChoiceField.to_representation] = _named("multiple choice")
