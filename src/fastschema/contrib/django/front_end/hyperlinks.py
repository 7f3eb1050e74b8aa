"""Addresses of objects: what DRF reverses for each row, found once and kept.

Django's ``reverse`` looks for the pattern of a view, puts the key in, and checks that the pattern
matches. Here the pattern is found once, with all that comes before and after the keys, host
included. A row only puts its keys in and checks. Whatever is out of the ordinary (keys that must be
quoted, format suffixes, views with further options, other versioning schemes than that by the path,
converters of users' own) goes to the field's own method.

What is found is kept under all that it depends on (:meth:`Addresses.of`), for each address anew:
code of users may choose another language between two rows.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from operator import is_
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import Model
from django.db.models.query_utils import DeferredAttribute
from django.http import HttpRequest
from django.urls import converters, get_resolver, get_script_prefix, get_urlconf
from django.urls.resolvers import RFC3986_SUBDELIMS, get_ns_resolver
from django.utils.translation import get_language
from rest_framework.relations import Hyperlink, PKOnlyObject
from rest_framework.reverse import reverse
from rest_framework.settings import api_settings
from rest_framework.versioning import BaseVersioning, URLPathVersioning

from fastschema.compiler.nodes import Form
from fastschema.contrib.django.front_end.access import has_plain_key, on_class
from fastschema.contrib.django.front_end.bypassed import ADDRESSES, are_read_as_stock
from fastschema.contrib.django.front_end.json_encoding import json_value
from fastschema.runtime.plain_values import is_a

_Link = Callable[[Any], Any]
"""From a value, or the object that has it, to an address."""
_needs_no_quoting = re.compile(r"[A-Za-z0-9_-]+\Z").match
_PLAIN_CONVERSIONS = (
    converters.IntConverter.to_url,
    converters.StringConverter.to_url,
    converters.UUIDConverter.to_url,
)


def link_from_value(field: Any, bound: Any, by_field: Callable[[Any], Any], form: Form) -> _Link:
    """Return what does what ``HyperlinkedRelatedField.to_representation`` does.

    :param field: a field with the options of the one that is dumped
    :param by_field: the field's ``to_representation``
    """
    address = _address_of_field(field, bound)
    is_json = form is Form.JSON
    columns = _Columns(field.lookup_field)

    def link(value: Any) -> Any:
        if (names := columns[type(value)]) is not None:
            primary_key, lookup = names
            has_address = getattr(value, primary_key) not in (None, "")
            url = address(getattr(value, lookup)) if has_address else None
            if url is not None:
                return url if is_json else Hyperlink(url, value)
        result = by_field(value)
        return json_value(result) if is_json else result

    return link


def link_from_relation(
    field: Any, bound: Any, by_field: Callable[[Any], Any], form: Form, column: str | None
) -> _Link:
    """Return what makes addresses from the keys of related objects, which a column may hold."""
    address = _address_of_field(field, bound)
    is_json = form is Form.JSON

    def link(obj: Any) -> Any:
        if column is not None:
            key = getattr(obj, column)
            url = address(key)
            if url is not None:
                return url if is_json else Hyperlink(url, PKOnlyObject(key))
        result = by_field(obj)
        return json_value(result) if is_json else result

    return link


def with_known_addresses(field: Any, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that calls a field's own code, for which the addresses of views are kept.

    As long as that leaves ``field.reverse`` as it is, that keeps them while the code runs.
    """
    attributes, known_reverse = vars(field), _KnownReverse()

    def represent(value: Any) -> Any:
        if attributes.get("reverse") is not reverse:
            return call(value)
        attributes["reverse"] = known_reverse
        try:
            return call(value)
        finally:
            if attributes.get("reverse") is known_reverse:
                attributes["reverse"] = reverse

    return represent


class _KnownReverse:
    """``rest_framework.reverse.reverse``, which keeps the patterns of views."""

    __slots__ = ("_addresses",)

    def __init__(self) -> None:
        self._addresses = Addresses()

    def __call__(
        self,
        viewname: Any,
        args: Any = None,
        kwargs: Any = None,
        request: Any = None,
        format: Any = None,
        **extra: Any,
    ) -> Any:
        is_plain = type(viewname) is str and type(kwargs) in (dict, type(None))
        if is_plain and not (args or extra) and format is None:
            url = self._addresses.of(viewname, kwargs or {}, request)
            if url is not None:
                return url
        return reverse(viewname, args, kwargs, request, format, **extra)


class _Columns(dict[type, "tuple[str, str] | None"]):
    """Which attributes hold the primary key of a model and the key that a field looks up.

    None for objects whose attributes are not columns: to read them may run code of users.
    """

    def __init__(self, lookup_field: str) -> None:
        self._lookup_field = lookup_field

    def __missing__(self, cls: type) -> tuple[str, str] | None:
        names = self[cls] = self._find(cls)
        return names

    def _find(self, cls: Any) -> tuple[str, str] | None:
        if cls is PKOnlyObject:
            return ("pk", "pk") if self._lookup_field == "pk" else None
        if not issubclass(cls, Model) or not has_plain_key(cls) or not are_read_as_stock():
            return None
        primary_key: str = cls._meta.pk.attname
        lookup = primary_key if self._lookup_field == "pk" else self._lookup_field
        for name in (primary_key, lookup):
            if not is_a(on_class(cls, name), DeferredAttribute):
                return None
        return primary_key, lookup


class _Address(NamedTuple):
    """The addresses of one view; ``path`` has ``%(name)s`` for each key."""

    start: str
    path: str
    is_known: Callable[[str], Any]

    def of(self, keys: dict[str, Any]) -> str | None:
        """Return the address for keys, or None if stock must say."""
        for key in keys.values():
            is_number = type(key) is int or type(key) is uuid.UUID
            if not is_number and not (type(key) is str and _needs_no_quoting(key)):
                return None
        path = self.path % keys
        return f"{self.start}{path}" if self.is_known(path) else None


class Addresses:
    """The addresses of views, kept as long as all is the same that they depend on."""

    __slots__ = ("_known", "_of_request")

    def __init__(self) -> None:
        self._of_request: tuple[Any, ...] = ()
        self._known: dict[tuple[Any, ...], _Address | None] = {}

    def of(self, view_name: str, keys: dict[str, Any], request: Any) -> str | None:
        """Return the address of an object, or None if stock must say, or raises an error."""
        try:
            if not _are_identical(_of_request(request), self._of_request):
                self._known.clear()
            where = get_resolver(get_urlconf()), get_script_prefix(), get_language()
            view = view_name, *keys, *where
            if view not in self._known:
                self._known[view] = _found(view_name, list(keys), request)
                self._of_request = _of_request(request)  # which knows its host by now
            address = self._known[view]
        except Exception:
            return None
        return None if address is None else address.of(keys)


def _of_request(request: Any) -> tuple[Any, ...]:
    """Return all of a request that addresses depend on: on itself, or kept once it is found."""
    if request is None:
        return (None,)
    attributes = vars(request)
    scheme = attributes.get("versioning_scheme")
    http_request = attributes.get("_request", request)
    of_http = vars(http_request)
    return (
        request,
        http_request,
        scheme,
        scheme and getattr(scheme, "version_param", None),
        attributes.get("version"),
        attributes.get("build_absolute_uri"),
        of_http.get("build_absolute_uri"),
        of_http.get("_current_scheme_host"),
        of_http.get("GET"),
        api_settings.URL_FORMAT_OVERRIDE,
    )


def _are_identical(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Return whether tuples have the very same objects: code of users may compare them."""
    return len(one) == len(other) and all(map(is_, one, other))


def _address_of_field(field: Any, bound: Any) -> Callable[[Any], str | None]:
    """Return what makes an address of a key, or None if stock must say."""
    addresses = Addresses()
    view_name, key_name = field.view_name, field.lookup_url_kwarg

    def address(key: Any) -> str | None:
        context = bound.context
        if type(context) is not dict or "request" not in context:
            return None  # stock says what is wrong
        if context.get("format") is not None:
            return None
        return addresses.of(view_name, {key_name: key}, context["request"])

    return address


def _found(view_name: str, key_names: list[str], request: Any) -> _Address | None:
    """Return the addresses of a view, or None if stock makes them one by one, or raises."""
    try:
        return _find(view_name, key_names, request)
    except Exception:
        return None


def _find(view_name: str, key_names: list[str], request: Any) -> _Address | None:
    versioned = _versioned(view_name, request) if ADDRESSES.are_stock() else None
    if versioned is None or _has_format_parameter(request):
        return None
    view_name, arguments = versioned
    arguments |= {name: f"%({name})s" for name in key_names}
    pattern = _pattern(view_name, arguments)
    if pattern is None:
        return None
    path, is_known = pattern
    sample = path % dict.fromkeys(key_names, 0)
    if not sample.startswith("/") or sample.startswith("//"):
        return None
    if quote(sample, safe=f"{RFC3986_SUBDELIMS}/~:@") != sample:
        return None
    start = _start(request, sample)
    return None if start is None else _Address(start, path, is_known)


def _versioned(view_name: str, request: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the view's name and arguments by the versioning scheme; ``%`` is doubled in them."""
    scheme: Any = getattr(request, "versioning_scheme", None)
    reverse = BaseVersioning.reverse if scheme is None else type(scheme).reverse
    if reverse is BaseVersioning.reverse:
        return view_name, {}
    if reverse is URLPathVersioning.reverse:
        if request.version is None:
            return view_name, {}
        return view_name, {scheme.version_param: str(request.version).replace("%", "%%")}
    return None


def _has_format_parameter(request: Any) -> bool:
    """Return whether the request asks for a format in its query, which then is in each address."""
    parameter = api_settings.URL_FORMAT_OVERRIDE
    return request is not None and bool(parameter) and parameter in request.GET


def _pattern(view_name: str, arguments: dict[str, Any]) -> tuple[str, Callable[[str], Any]] | None:
    """Return the path of the pattern that ``reverse`` tries first, and what recognizes paths."""
    resolver, name = _resolver(view_name)
    prefix = get_script_prefix()
    resolver._populate() if not resolver._populated else None
    for possibility, regex, defaults, known_converters in resolver.reverse_dict.getlist(name):
        for template, parameters in possibility:
            if defaults:
                return None
            if set(arguments) != set(parameters):
                continue
            used = [known_converters[key] for key in arguments if key in known_converters]
            if any(type(converter).to_url not in _PLAIN_CONVERSIONS for converter in used):
                return None
            path = (prefix.replace("%", "%%%%") + template) % {
                key: str(value) for key, value in arguments.items()
            }
            return path, re.compile(f"^{re.escape(prefix)}{regex}").search
    return None


def _resolver(view_name: str) -> tuple[Any, str]:
    """Return the resolver in which ``django.urls.reverse`` looks a view up, and the name there."""
    resolver = get_resolver(get_urlconf())
    *namespaces, name = view_name.split(":")
    pattern, known_converters = "", {}
    for namespace in namespaces:
        instances = resolver.app_dict.get(namespace)
        if instances and namespace not in instances:
            namespace = instances[0]
        extra, resolver = resolver.namespace_dict[namespace]
        pattern += extra
        known_converters.update(resolver.pattern.converters)
    if pattern:
        resolver = get_ns_resolver(pattern, resolver, tuple(known_converters.items()))
    return resolver, name


def _start(request: Any, sample: str) -> str | None:
    """Return what ``request.build_absolute_uri`` puts before a path, or None if only it can say."""
    if not request:
        return ""
    for layer in (request, getattr(request, "_request", request)):
        if "build_absolute_uri" in vars(layer):
            return None
        for name in ("build_absolute_uri", "_current_scheme_host"):
            stock = getattr(HttpRequest, name)
            if getattr(type(layer), name, stock) is not stock:
                return None
    uri: str = request.build_absolute_uri(sample)
    return uri[: -len(sample)] if uri.endswith(sample) else None
