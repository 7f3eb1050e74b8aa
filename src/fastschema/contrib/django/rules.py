"""From a DRF field to the description of what is done to its value.

The table is keyed by the method that stock would call (``Field.to_representation``); an override
misses it. An entry describes a field as a tuple of plain values: all that the generated code
depends on, and so a part of the cache key. :mod:`kinds` makes the node from that tuple.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rest_framework
from rest_framework import ISO_8601, fields, relations, serializers
from rest_framework.reverse import reverse
from rest_framework.serializers import BaseSerializer
from rest_framework.settings import api_settings

from fastschema.contrib.django.own_code import STOCK_CLASSES
from fastschema.registration import registered
from fastschema.runtime.descriptions import (
    Description,
    Rule,
    describe_by_rule,
    method_of,
    stock,
)
from fastschema.runtime.snapshot import computes_options
from fastschema.runtime.stock import stock_method

# As they are when fastschema is imported: what is patched later is not stock's.
_QUANTIZE = stock_method(fields.DecimalField, "quantize")
_ENFORCE_TIMEZONE = stock_method(fields.DateTimeField, "enforce_timezone")
_DEFAULT_TIMEZONE = stock_method(fields.DateTimeField, "default_timezone")
_CONTEXT = stock_method(fields.Field, "context")
_GET_URL = stock_method(relations.HyperlinkedRelatedField, "get_url")
_DJANGO_DURATION_FORMAT = getattr(rest_framework, "DJANGO_DURATION_FORMAT", None)

OPTIONS = frozenset(
    [
        *("TRUE_VALUES", "FALSE_VALUES", "binary", "coerce_to_string"),
        *("decimal_places", "field_name", "format", "localize", "lookup_field", "method_name"),
        *("normalize_output", "pk_field", "reverse", "slug_field", "source_attrs", "timezone"),
        *("uuid_format", "view_name", "write_only"),
    ]
)
"""The attributes of fields by which programs differ, or what they are bound to."""
_HOLDERS = frozenset(["child", "child_relation"])


def why_unknown(field: Any) -> str | None:
    """Return why the options of a field cannot be known, or None."""
    return computes_options(type(field), OPTIONS, STOCK_CLASSES)


def inner_fields(field: Any) -> Iterable[str]:
    """Return the names of the attributes of a field that hold fields inside of it."""
    return _HOLDERS.intersection(vars(field)) if not isinstance(field, BaseSerializer) else ()


def describe(field: Any) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    reason = why_unknown(field)
    if reason is not None:
        return stock(reason)
    method = method_of(field, "to_representation")
    if method is None:
        return stock("to_representation is set on the field object")
    if method in registered:
        return ("registered", registered[method])
    return describe_by_rule(field, method, RULES, "to_representation")


def _named(name: str) -> Rule:
    return lambda field: (name,)


def _option(field: Any, attribute: str, setting: str) -> Any:
    """An option of a field, or the setting that stands in for it."""
    is_given = hasattr(field, attribute)
    return getattr(field, attribute) if is_given else getattr(api_settings, setting)


def _boolean(field: Any) -> Description:
    truthy, falsy = field.TRUE_VALUES, field.FALSE_VALUES
    is_usual = True in truthy and False in falsy and False not in truthy
    if is_usual:
        return ("boolean",)
    return stock("TRUE_VALUES and FALSE_VALUES do not hold the two booleans")


def _uuid(field: Any) -> Description:
    uuid_format = field.uuid_format
    if uuid_format in ("hex_verbose", "hex", "int", "urn"):
        return ("uuid" if uuid_format == "hex_verbose" else f"uuid as {uuid_format}",)
    return stock(f"the UUID format {uuid_format!r} is not compiled")


def _big_integer(field: Any) -> Description:
    is_text = _option(field, "coerce_to_string", "COERCE_BIGINT_TO_STRING")
    return ("integer as string" if is_text else "integer",)


def _decimal(field: Any) -> Description:
    if method_of(field, "quantize") is not _QUANTIZE:
        return stock("quantize is overridden")
    is_text = bool(_option(field, "coerce_to_string", "COERCE_DECIMAL_TO_STRING"))
    if field.localize:
        return stock("a localized decimal is not compiled")
    places = field.decimal_places
    normalize = bool(field.normalize_output)
    return ("decimal", None if places is None else int(places), is_text, normalize)


def _date(field: Any) -> Description:
    return _formatted("date", _option(field, "format", "DATE_FORMAT"))


def _time(field: Any) -> Description:
    return _formatted("time", _option(field, "format", "TIME_FORMAT"))


def _datetime(field: Any) -> Description:
    if method_of(field, "enforce_timezone") is not _ENFORCE_TIMEZONE:
        return stock("enforce_timezone is overridden")
    if method_of(field, "default_timezone") is not _DEFAULT_TIMEZONE:
        return stock("default_timezone is overridden")
    return _formatted("datetime", _option(field, "format", "DATETIME_FORMAT"))


def _formatted(name: str, output_format: Any) -> Description:
    if output_format is None:
        return ("unformatted", name)
    if type(output_format) is not str:
        return stock("the format is not a plain str")
    if output_format.lower() == ISO_8601:
        return (name,)
    return ("strftime", name, output_format)


def _duration(field: Any) -> Description:
    if _DJANGO_DURATION_FORMAT is None:  # before DRF 3.17 there was one format
        return ("duration", "django")
    output_format = _option(field, "format", "DURATION_FORMAT")
    if output_format is None:
        return ("unformatted", "timedelta")
    if type(output_format) is str and output_format.lower() in (ISO_8601, _DJANGO_DURATION_FORMAT):
        return ("duration", "iso" if output_format.lower() == ISO_8601 else "django")
    return stock("the format of the duration is unknown")


def _file(field: Any) -> Description:
    if type(field).context is not _CONTEXT:
        return stock("context is overridden")
    return ("file",)


def _json(field: Any) -> Description:
    if field.binary:
        return stock("binary JSON is not compiled")
    return ("as it is",)


def _list(field: Any) -> Description:
    return ("list", describe(field.child))


def _dict(field: Any) -> Description:
    return ("dict", describe(field.child))


def _many_related(field: Any) -> Description:
    return ("many related", describe(field.child_relation))


def _method(field: Any) -> Description:
    if type(field.method_name) is not str:
        return stock("the name of its method is not a plain str")
    return ("method",)


def _primary_key(field: Any) -> Description:
    if field.pk_field is not None:
        return stock("a pk_field is not compiled")
    return ("primary key",)


def _slug(field: Any) -> Description:
    if type(field.slug_field) is not str:
        return stock("its slug_field is not a plain str")
    return ("slug",)


def _hyperlink(field: Any) -> Description:
    if method_of(field, "get_url") is not _GET_URL:
        return stock("get_url is overridden")
    if type(field).context is not _CONTEXT:
        return stock("context is overridden")
    if field.reverse is not reverse:
        return stock("another reverse is set on the field object")
    if type(field.lookup_field) is not str or type(field.view_name) is not str:
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
