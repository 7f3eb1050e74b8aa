"""From a DRF field to the description of what is done to its value.

The table is keyed by the method that stock would call (``Field.to_representation``); an override
misses it. An entry describes a field as a tuple of plain values: all that the generated code
depends on, and so a part of the cache key. :mod:`kinds` makes the node from that tuple.
"""

from __future__ import annotations

from typing import Any

import rest_framework
from rest_framework import ISO_8601, fields, relations, serializers
from rest_framework.reverse import reverse
from rest_framework.settings import api_settings

from fastschema.registration import registered
from fastschema.runtime.descriptions import Description, Rule, describe_by_rule, stock
from fastschema.runtime.guard import ABSENT
from fastschema.runtime.inspection import Inspection
from fastschema.runtime.stock import stock_method

# As they are when fastschema is imported: what is patched later is not stock's.
_QUANTIZE = stock_method(fields.DecimalField, "quantize")
_ENFORCE_TIMEZONE = stock_method(fields.DateTimeField, "enforce_timezone")
_DEFAULT_TIMEZONE = stock_method(fields.DateTimeField, "default_timezone")
_CONTEXT = stock_method(fields.Field, "context")
_GET_URL = stock_method(relations.HyperlinkedRelatedField, "get_url")
_DJANGO_DURATION_FORMAT = getattr(rest_framework, "DJANGO_DURATION_FORMAT", None)


def describe(look: Inspection) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    method = look.method("to_representation")
    if method is None:
        return stock("to_representation is set on the field object")
    if method in registered:
        return ("registered", registered[method])
    return describe_by_rule(look, method, RULES, "to_representation")


def _named(name: str) -> Rule:
    return lambda look: (name,)


def _option(look: Inspection, attribute: str, setting: str) -> Any:
    """An option of a field, or the setting that stands in for it."""
    value = look.optional(attribute)
    if value is ABSENT:
        value = getattr(api_settings, setting)
        look.guard.computed(api_settings, setting, value)
    return value


def _boolean(look: Inspection) -> Description:
    truthy, falsy = look.contents("TRUE_VALUES"), look.contents("FALSE_VALUES")
    is_usual = True in truthy and False in falsy and False not in truthy
    if is_usual:
        return ("boolean",)
    return stock("TRUE_VALUES and FALSE_VALUES do not hold the two booleans")


def _uuid(look: Inspection) -> Description:
    uuid_format = look.get("uuid_format")
    if uuid_format in ("hex_verbose", "hex", "int", "urn"):
        return ("uuid" if uuid_format == "hex_verbose" else f"uuid as {uuid_format}",)
    return stock(f"the UUID format {uuid_format!r} is not compiled")


def _big_integer(look: Inspection) -> Description:
    is_text = _option(look, "coerce_to_string", "COERCE_BIGINT_TO_STRING")
    return ("integer as string" if is_text else "integer",)


def _decimal(look: Inspection) -> Description:
    if look.method("quantize") is not _QUANTIZE:
        return stock("quantize is overridden")
    is_text = bool(_option(look, "coerce_to_string", "COERCE_DECIMAL_TO_STRING"))
    if look.get("localize"):
        return stock("a localized decimal is not compiled")
    places = look.get("decimal_places")
    normalize = bool(look.get("normalize_output"))
    return ("decimal", None if places is None else int(places), is_text, normalize)


def _date(look: Inspection) -> Description:
    return _formatted("date", _option(look, "format", "DATE_FORMAT"))


def _time(look: Inspection) -> Description:
    return _formatted("time", _option(look, "format", "TIME_FORMAT"))


def _datetime(look: Inspection) -> Description:
    if look.method("enforce_timezone") is not _ENFORCE_TIMEZONE:
        return stock("enforce_timezone is overridden")
    if look.method("default_timezone") is not _DEFAULT_TIMEZONE:
        return stock("default_timezone is overridden")
    look.optional("timezone")
    return _formatted("datetime", _option(look, "format", "DATETIME_FORMAT"))


def _formatted(name: str, output_format: Any) -> Description:
    if output_format is None:
        return ("unformatted", name)
    if type(output_format) is not str:
        return stock("the format is not a plain str")
    if output_format.lower() == ISO_8601:
        return (name,)
    return ("strftime", name, output_format)


def _duration(look: Inspection) -> Description:
    if _DJANGO_DURATION_FORMAT is None:  # before DRF 3.17 there was one format
        return ("duration", "django")
    output_format = _option(look, "format", "DURATION_FORMAT")
    if output_format is None:
        return ("unformatted", "timedelta")
    if type(output_format) is str and output_format.lower() in (ISO_8601, _DJANGO_DURATION_FORMAT):
        return ("duration", "iso" if output_format.lower() == ISO_8601 else "django")
    return stock("the format of the duration is unknown")


def _file(look: Inspection) -> Description:
    if look.on_class("context") is not _CONTEXT:
        return stock("context is overridden")
    return ("file",)


def _json(look: Inspection) -> Description:
    if look.get("binary"):
        return stock("binary JSON is not compiled")
    return ("as it is",)


def _list(look: Inspection) -> Description:
    return ("list", describe(look.within("child")))


def _dict(look: Inspection) -> Description:
    return ("dict", describe(look.within("child")))


def _many_related(look: Inspection) -> Description:
    return ("many related", describe(look.within("child_relation")))


def _method(look: Inspection) -> Description:
    if type(look.get("method_name")) is not str:
        return stock("the name of its method is not a plain str")
    return ("method",)


def _primary_key(look: Inspection) -> Description:
    if look.get("pk_field") is not None:
        return stock("a pk_field is not compiled")
    return ("primary key",)


def _slug(look: Inspection) -> Description:
    if type(look.get("slug_field")) is not str:
        return stock("its slug_field is not a plain str")
    return ("slug",)


def _hyperlink(look: Inspection) -> Description:
    if look.method("get_url") is not _GET_URL:
        return stock("get_url is overridden")
    if look.on_class("context") is not _CONTEXT:
        return stock("context is overridden")
    if look.get("reverse") is not reverse:
        return stock("another reverse is set on the field object")
    if type(look.get("lookup_field")) is not str or type(look.get("view_name")) is not str:
        return stock("its lookup_field or view_name is not a plain str")
    return ("hyperlink",)


RULES: dict[Any, Rule] = {
    stock_method(fields.CharField, "to_representation"): _named("string"),
    stock_method(fields.IntegerField, "to_representation"): _named("integer"),
    stock_method(fields.FloatField, "to_representation"): _named("float"),
    stock_method(fields.BooleanField, "to_representation"): _boolean,
    stock_method(fields.UUIDField, "to_representation"): _uuid,
    stock_method(fields.DecimalField, "to_representation"): _decimal,
    stock_method(fields.DateField, "to_representation"): _date,
    stock_method(fields.TimeField, "to_representation"): _time,
    stock_method(fields.DateTimeField, "to_representation"): _datetime,
    stock_method(fields.DurationField, "to_representation"): _duration,
    stock_method(fields.ChoiceField, "to_representation"): _named("choice"),
    stock_method(fields.FileField, "to_representation"): _file,
    stock_method(fields.ListField, "to_representation"): _list,
    stock_method(fields.DictField, "to_representation"): _dict,
    stock_method(fields.JSONField, "to_representation"): _json,
    stock_method(fields.ReadOnlyField, "to_representation"): _named("as it is"),
    stock_method(fields._UnvalidatedField, "to_representation"): _named("as it is"),
    stock_method(fields.ModelField, "to_representation"): _named("model field"),
    stock_method(fields.SerializerMethodField, "to_representation"): _method,
    stock_method(relations.StringRelatedField, "to_representation"): _named("string related"),
    stock_method(relations.PrimaryKeyRelatedField, "to_representation"): _primary_key,
    stock_method(relations.SlugRelatedField, "to_representation"): _slug,
    stock_method(relations.HyperlinkedRelatedField, "to_representation"): _hyperlink,
    stock_method(relations.ManyRelatedField, "to_representation"): _many_related,
    stock_method(serializers.Serializer, "to_representation"): _named("nested"),
    stock_method(serializers.ListSerializer, "to_representation"): _named("nested list"),
}

if hasattr(fields, "BigIntegerField"):  # since DRF 3.17, when multiple choices became lists
    RULES[stock_method(fields.BigIntegerField, "to_representation")] = _big_integer
    RULES[stock_method(fields.MultipleChoiceField, "to_representation")] = _named("multiple choice")
