"""Kinds of fields that take an object: files, methods of the serializer, relations."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import FunctionType
from typing import Any

from rest_framework import fields, relations
from rest_framework.reverse import reverse
from rest_framework.serializers import ListSerializer, Serializer
from rest_framework.settings import api_settings

from fastschema.compiler.kinds import for_all, new_slot
from fastschema.compiler.nodes import PLAIN, Conversion, Form, Kind, Repeatable, Slot
from fastschema.contrib.django.front_end.access import SerializerPath, option_slot
from fastschema.contrib.django.front_end.bypassed import are_linked_as_stock
from fastschema.contrib.django.front_end.hyperlinks import (
    link_from_value,
    with_known_addresses,
)
from fastschema.runtime.patching import stock_method
from fastschema.runtime.programs import Description, Rule, always, method_of, own_method

# As they are when fastschema is imported: what is patched later is not stock's.
_CONTEXT = stock_method(fields.Field, "context")
_GET_URL = stock_method(relations.HyperlinkedRelatedField, "get_url")


def _file(field: Any) -> Description:
    if type(field).context is not _CONTEXT:
        return own_method("context is overridden")
    return (_address_or_name,)


def _address_or_name(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    def resolve(bound: Any, cls: type, form: Form) -> Any:
        return _file_function(path.get(bound.exemplar_fields), bound)

    return for_all("file", path.called(f"{new_slot(slots, 'file', resolve)}($value)"))


def _file_function(field: Any, bound: Any) -> Callable[[Any], Any]:
    """Return what does what ``FileField.to_representation`` does."""

    def address_or_name(value: Any) -> Any:
        if not value:
            return None
        if not getattr(field, "use_url", api_settings.UPLOADED_FILES_USE_URL):
            return value.name
        try:
            url = value.url
        except AttributeError:
            return None
        request = bound.context.get("request", None)
        return url if request is None else request.build_absolute_uri(url)

    return address_or_name


def _method(field: Any) -> Description:
    if type(field.method_name) is not str:
        return own_method("the name of its method is not a plain str")
    return (_called_method,)


def _called_method(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    def find(bound: Any) -> Any:
        parent = bound.serializer if path.is_own else path.get(bound.fields).parent
        return _method_of(parent, path.get(bound.exemplar_fields).method_name)

    def resolve(bound: Any, cls: type, form: Form) -> Any:
        return find(bound) or path.get(bound.fields).to_representation

    call = f"{new_slot(slots, 'method', resolve, find)}($value)"
    return for_all("method field", call, user_code="a method of the serializer")


def _method_of(parent: Any, name: str) -> Callable[[Any], Any] | None:
    """Return the serializer's method, if it is found the same way for each row."""
    if name not in vars(parent) and type(getattr(type(parent), name, None)) is FunctionType:
        return getattr(parent, name, None)
    return None


def string_related(*, path: SerializerPath, **_: Any) -> Kind:
    text = path.called("str($value)")
    return for_all("string related", text, user_code="__str__ of the related object")


def _slug(field: Any) -> Description:
    if type(field.slug_field) is not str:
        return own_method("its slug_field is not a plain str")
    return (slug,)


def slug(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    getter = option_slot(
        slots,
        "slug",
        path,
        lambda field: attrgetter(field.slug_field.replace("__", ".")),
        lambda bound: path.get(bound.exemplar_fields).slug_field,
    )
    return for_all("slug related", path.called(f"{getter}($value)"))


def _primary_key(field: Any) -> Description:
    if field.pk_field is not None:
        return own_method("a pk_field is not compiled")
    return (primary_key,)


def primary_key(**_: Any) -> Kind:
    """Return the kind of a related key; :mod:`schema_reader` reads foreign keys itself."""
    return for_all("primary key", "$value.pk", repeatable=Repeatable.KEY)


def _hyperlink(field: Any) -> Description:
    if type(field).context is not _CONTEXT:
        return own_method("context is overridden")
    if field.reverse is not reverse:
        return own_method("reverse is set on the field object")
    if method_of(field, "get_url") is not _GET_URL:
        return (own_hyperlink,)
    if type(field.lookup_field) is not str or type(field.view_name) is not str:
        return own_method("its lookup_field or view_name is not a plain str")
    return (hyperlink,)


def hyperlink(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    def resolve(bound: Any, cls: type, form: Form) -> Any:
        def by_field(value: Any) -> Any:
            return path.get(bound.fields).to_representation(value)

        return link_from_value(path.get(bound.exemplar_fields), bound, by_field, form)

    address = path.called(f"{new_slot(slots, 'link', resolve, are_linked_as_stock)}($value)")
    return for_all("hyperlink", address, PLAIN, repeatable=Repeatable.ADDRESS)


def own_hyperlink(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Return the kind of an address by a ``get_url`` of users', called by the field's method."""

    def resolve(bound: Any, cls: type, form: Form) -> Any:
        field = path.get(bound.fields)
        return with_known_addresses(field, lambda value: field.to_representation(value))

    address = path.called(f"{new_slot(slots, 'link', resolve, are_linked_as_stock)}($value)")
    return for_all("hyperlink", address, user_code="get_url of the field")


def nested(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    slot = new_slot(slots, "nested", lambda bound, cls, form: bound.nested_dumper(path.get, form))
    return Kind("nested serializer", python=Conversion(), json=Conversion(), nested_slot=slot)


def nested_list(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    return nested(path=path, slots=slots)


RULES: dict[Any, Rule] = {
    stock_method(fields.FileField, "to_representation"): _file,
    stock_method(fields.SerializerMethodField, "to_representation"): _method,
    stock_method(relations.StringRelatedField, "to_representation"): always(string_related),
    stock_method(relations.PrimaryKeyRelatedField, "to_representation"): _primary_key,
    stock_method(relations.SlugRelatedField, "to_representation"): _slug,
    stock_method(relations.HyperlinkedRelatedField, "to_representation"): _hyperlink,
    stock_method(Serializer, "to_representation"): always(nested),
    stock_method(ListSerializer, "to_representation"): always(nested_list),
}
"""From methods of stock to what describes the fields that have them."""
