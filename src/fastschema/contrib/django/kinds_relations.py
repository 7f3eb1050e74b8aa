"""Kinds of fields that take an object: methods of the serializer, relations, files."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import FunctionType
from typing import Any

from rest_framework.settings import api_settings

from fastschema.compiler.nodes import Conversion, Form, Kind, Rereading, Slot
from fastschema.contrib.django.field_path import (
    JSON_VALUE,
    SerializerPath,
    json_ready,
    new_slot,
    option_slot,
)
from fastschema.contrib.django.hyperlinks import (
    Later,
    link_from_value,
    of_request,
    with_known_addresses,
)


def file_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    def resolve(subject: Any, cls: type, form: Form) -> Any:
        function = _file_function(path.get(subject.options), subject)
        return function or path.get(subject.fields).to_representation

    represent = path.called(f"{new_slot(slots, 'file', resolve, of_request)}({{value}})")
    return Kind(
        "file",
        python=Conversion(otherwise=represent),
        json=Conversion(otherwise=json_ready(represent)),
        names=JSON_VALUE,
        may_skip=True,
    )


def _file_function(field: Any, subject: Any) -> Callable[[Any], Any] | None:
    """``FileField.to_representation``, for one setting and one request."""
    if not getattr(field, "use_url", api_settings.UPLOADED_FILES_USE_URL):
        return lambda value: value.name if value else None
    context = subject.context
    if not isinstance(context, dict):
        return None
    request = context.get("request", None)

    def url(value: Any) -> Any:
        if not value:
            return None
        try:
            found = value.url
        except AttributeError:
            return None
        return found if request is None else request.build_absolute_uri(found)

    return url


def method_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    def find(subject: Any) -> Any:
        parent = subject.serializer if path.is_own else path.get(subject.fields).parent
        return _method(parent, path.get(subject.options).method_name)

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        return find(subject) or path.get(subject.fields).to_representation

    call = f"{new_slot(slots, 'method', resolve, find)}({{value}})"
    return Kind(
        "method field",
        python=Conversion(otherwise=call),
        json=Conversion(otherwise=json_ready(call)),
        names=JSON_VALUE,
        user_code="a method of the serializer",
    )


def _method(parent: Any, name: str) -> Callable[[Any], Any] | None:
    """The serializer's method, if it is found the same way for each row."""
    cls: Any = type(parent)
    is_plain = cls.__getattribute__ is object.__getattribute__ and name not in vars(parent)
    if is_plain and type(getattr(cls, name, None)) is FunctionType:
        return getattr(parent, name, None)
    return None


def string_related_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    text = path.called("str({value})")
    return Kind(
        "string related",
        python=Conversion(otherwise=text),
        json=Conversion(otherwise=json_ready(text)),
        names=JSON_VALUE,
        may_skip=True,
        user_code="__str__ of the related object",
    )


def slug_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    getter = option_slot(
        slots,
        "slug",
        path,
        lambda field: attrgetter(_slug_path(field.slug_field)),
        lambda subject: path.get(subject.options).slug_field,
    )
    slug = path.called(f"{getter}({{value}})")
    return Kind(
        "slug related",
        python=Conversion(otherwise=slug),
        json=Conversion(otherwise=json_ready(slug)),
        names=JSON_VALUE,
        may_skip=True,
    )


def _slug_path(slug: str) -> str:
    return slug.replace("__", ".")


def primary_key_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    """The key of a related object; :mod:`reader` has a way of its own for foreign keys."""
    return Kind(
        "primary key",
        python=Conversion(otherwise="{value}.pk"),
        json=Conversion(otherwise="json_value({value}.pk)"),
        names=JSON_VALUE,
        rereading=Rereading.KEY,
    )


def hyperlink_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    """The address of an object that is there; :mod:`reader` reads those of relations."""

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        own = Later(lambda: path.get(subject.fields).to_representation)
        return link_from_value(path.get(subject.options), subject.context, own, form)

    link = new_slot(slots, "link", resolve, of_request)
    conversion = Conversion(otherwise=path.called(f"{link}({{value}})"))
    return Kind(
        "hyperlink",
        python=conversion,
        json=conversion,
        may_skip=True,
        rereading=Rereading.ADDRESS,
    )


def own_hyperlink_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    """What a ``get_url`` of users' makes; the field's own method calls it."""

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        def find() -> Callable[[Any], Any]:
            field = path.get(subject.fields)
            return with_known_addresses(field, field.to_representation)

        return Later(find)

    represent = path.called(f"{new_slot(slots, 'link', resolve, of_request)}({{value}})")
    return Kind(
        "hyperlink",
        python=Conversion(otherwise=represent),
        json=Conversion(otherwise=json_ready(represent)),
        names=JSON_VALUE,
        may_skip=True,
        user_code="get_url of the field",
    )


def nested_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    link = new_slot(slots, "nested", lambda subject, cls, form: subject.link(path.get, form))
    return Kind("nested serializer", python=Conversion(), json=Conversion(), link=link)
