"""Whose code runs when fields are made and represented: stock's alone, or users' as well.

When a field is made, what runs users' code is made by it, for each serializer, as in stock.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from enum import Enum, EnumMeta
from functools import partial
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import Any

from django.db import models
from django.db.models import QuerySet
from django.utils.functional import Promise, cached_property
from django.utils.safestring import SafeString
from rest_framework import fields, relations, serializers
from rest_framework.fields import Field, FilePathField
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from fastschema.compiler.real_classes import REAL
from fastschema.contrib.django.front_end.json_encoding import TRANSLATIONS
from fastschema.runtime.patching import is_stock, overridden, stock_method
from fastschema.runtime.plain_values import (
    CONTAINERS,
    PLAIN,
    has_plain_attributes,
    is_a,
    is_plain,
    members,
)

STOCK_TO_REPRESENTATION = stock_method(Serializer, "to_representation")
STOCK_LIST_TO_REPRESENTATION = stock_method(ListSerializer, "to_representation")
STOCK_FIELDS = stock_method(Serializer, "fields")
_READABLE_FIELDS = stock_method(Serializer, "_readable_fields")
_OF_SERIALIZERS = {"to_representation": STOCK_TO_REPRESENTATION}
_OF_LISTS = {"to_representation": STOCK_LIST_TO_REPRESENTATION}
STOCK_CLASSES = {
    value
    for module in (fields, relations, serializers)
    for value in vars(module).values()
    if isinstance(value, type)
}
"""The classes of DRF's fields and serializers. Plugins add those of a package that extends them."""
STOCK_MODEL_SERIALIZERS = [serializers.ModelSerializer, serializers.HyperlinkedModelSerializer]
"""Those that build the fields of models. Plugins add theirs."""
_MAKING = {
    *("__init__", "__new__", "__deepcopy__", "__slots__", "bind", "get_validators", "many_init"),
    *("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__class__"),
    *("_get_choices", "_set_choices"),
}
"""Methods that users write in classes of fields, and that stock runs to make, copy or bind one."""
_ITERATED = {"default_error_messages": (dict,), "default_validators": (list, tuple)}
"""Attributes of classes that stock iterates over when it makes a field, and what is plain then."""
IMMUTABLE = PLAIN | {
    *(SafeString, re.Pattern, range, REAL.datetime, REAL.date, REAL.time, REAL.timedelta),
}
"""Classes whose objects stock's clones may share."""
_COPYING = ("__deepcopy__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
_HEAP_TYPE = 1 << 9
"""The flag of classes that are written in Python."""
_FUNCTIONS = (FunctionType, BuiltinFunctionType)
_KEPT = frozenset(
    [
        *("default", "initial", "label", "help_text", "style", "error_messages"),
        *("queryset", "child", "child_relation", "context"),
    ]
)
"""Arguments of fields that stock copies, and does not look at when it makes or binds a field."""
_OF_ENUMERATIONS = ("__deepcopy__", "__hash__", "__eq__", "__str__", "__getattribute__")
_ENUM_MODULES = ("enum", "django.db.models.enums")


def own_classes(cls: type) -> Iterator[type]:
    """Return the classes that a class of fields inherits from, itself included, but for stock's."""
    return (base for base in cls.__mro__[:-1] if base not in STOCK_CLASSES)


def has_custom_code(cls: type) -> bool:
    """Return whether code of a class of fields runs when stock makes an object of it."""
    making = _MAKING - {"get_validators"} if issubclass(cls, BaseSerializer) else _MAKING
    if issubclass(cls, FilePathField) or type(cls).__call__ is not type.__call__:
        return True  # the one looks at a directory each time
    return any(
        not making.isdisjoint(vars(base))
        or any(hasattr(type(value), "__set__") for value in vars(base).values())
        or any(
            type(vars(base).get(name, plain[0]())) not in plain for name, plain in _ITERATED.items()
        )
        for base in own_classes(cls)
    )


def runs_custom_code(field: Any) -> bool:
    """Return whether users' code runs when stock copies a field that a class declares."""
    cls = type(field)
    if not issubclass(cls, Field):
        return True  # it says that it is one
    if has_custom_code(cls) or copies_by_own_code(getattr(cls, "child", None)):
        return True
    first, *others = field._args or (None,)
    return (
        not (is_known(first) or are_plain_choices(first))
        or not all(map(is_known, others))
        or has_lazy_arguments(field._kwargs)
    )


def has_lazy_arguments(arguments: dict[str, Any]) -> bool:
    """Return whether users' code runs when stock copies arguments of a field, or reads them."""
    return any(_is_lazy_argument(name, value) for name, value in arguments.items())


def _is_lazy_argument(name: str, value: Any) -> bool:
    if name == "validators":  # which stock does not copy
        return type(value) not in (list, tuple, NoneType)
    if name == "choices":
        return not are_plain_choices(value)
    if name not in _KEPT:
        return not is_known(value)
    is_iterated = name == "error_messages" and type(value) not in (dict, NoneType)
    return is_iterated or copies_by_own_code(value)


def is_known(value: Any) -> bool:
    """Return whether stock may look at a value any number of times without code of users."""
    cls = type(value)
    if cls in CONTAINERS:
        return all(map(is_known, members(value)))
    return cls in IMMUTABLE or issubclass(cls, (type, *_FUNCTIONS))


def are_plain_choices(choices: Any) -> bool:
    """Return whether choices are the same ones each time, told without code of users."""
    cls = type(choices)
    if issubclass(cls, EnumMeta):
        return cls.__iter__ is EnumMeta.__iter__ and _is_plain_enumeration(choices)
    if cls is dict:
        choices = choices.items()
    elif not (cls is list or cls is tuple):
        return choices is None
    return all(map(_is_plain_choice, choices))


def _is_plain_choice(choice: Any) -> bool:
    """Return whether a key, a key with its label, or a group of those is the same each time."""
    if type(choice) not in (list, tuple):
        return _is_plain_key(choice)
    if len(choice) != 2:
        return is_plain(choice)
    key, label = choice
    if type(label) in (list, tuple):
        return (_is_plain_key(key) or type(key) in TRANSLATIONS) and are_plain_choices(label)
    return _is_plain_key(key) and (_is_plain_key(label) or is_translation(type(label)))


def _is_plain_key(key: Any) -> bool:
    return type(key) in IMMUTABLE or _is_plain_enumeration(type(key))


def is_translation(cls: type) -> bool:
    """Return whether a class is one that ``gettext_lazy`` and its like make: stock shares those."""
    return issubclass(cls, Promise) and cls.__module__ == Promise.__module__


def _is_plain_enumeration(cls: Any) -> bool:
    """Return whether the members of an enumeration are copied and told apart as Python does it."""
    methods = [getattr(cls, name, None) for name in _OF_ENUMERATIONS]
    return issubclass(cls, Enum) and not any(
        type(method) is FunctionType and method.__module__ not in _ENUM_MODULES
        for method in methods
    )


def copies_by_own_code(value: Any) -> bool:
    """Return whether users' code runs when stock copies a value."""
    cls = type(value)
    if issubclass(cls, Field):
        return runs_custom_code(value)
    if cls is set or cls is frozenset:
        return not is_plain(value)  # clones share what is in them
    if cls in CONTAINERS:
        return any(map(copies_by_own_code, members(value)))
    if cls in IMMUTABLE or issubclass(cls, (type, *_FUNCTIONS)) or copies_as_django(cls):
        return False
    if is_translation(cls) or _is_plain_enumeration(cls):
        return False
    return not is_copied_by_attributes(cls) or any(map(copies_by_own_code, vars(value).values()))


def copies_as_django(cls: type) -> bool:
    """Return whether a class of querysets copies its objects as Django's does."""
    names = ("__init__", "__new__", "__deepcopy__", "all", "_chain", "_clone", "__setattr__")
    return (
        issubclass(cls, QuerySet)
        and has_plain_attributes(cls)
        and all(getattr(cls, name) is getattr(QuerySet, name) for name in names)
    )


def is_copied_by_attributes(cls: Any) -> bool:
    """Return whether ``copy.deepcopy`` copies the ``__dict__`` of an object, and no more."""
    names = ("__reduce_ex__", "__reduce__", "__getstate__")
    return (
        has_plain_attributes(cls)
        and all(getattr(cls, name) is getattr(object, name) for name in names)
        and not any(map(partial(hasattr, cls), _COPYING))
        and all(base.__flags__ & _HEAP_TYPE for base in cls.__mro__[:-1])
        and not any(vars(base).get("__slots__") for base in cls.__mro__)
    )


_DECIDING = ("choices", "get_limit_choices_to", "has_default", "validators")
_READ = (
    *("_verbose_name", "verbose_name", "help_text", "null", "blank", "editable", "primary_key"),
    *("_unique", "unique_for_date", "unique_for_month", "unique_for_year", "max_length"),
    *("max_digits", "decimal_places", "allow_unicode", "protocol"),
)
"""Attributes of models' fields that stock reads when it makes a field of one."""


def is_mapped_by_custom_code(field: models.Field[Any, Any] | Any) -> bool:
    """Return whether users' code runs when stock makes the field of a model's field."""
    if not is_a(field, models.Field):
        return False
    if any(
        name in vars(base)
        for base in type(field).__mro__[:-1]
        if not base.__module__.startswith("django.")
        for name in _DECIDING
    ):
        return True
    if not all(map(_is_plain_text, map(vars(field).get, _READ))):
        return True
    if not all(has_plain_attributes(type(validator)) for validator in field.validators):
        return True
    remote = field.remote_field
    limit = getattr(remote, "limit_choices_to", None)
    if limit and (
        not is_plain_condition(limit) or type(remote.model._default_manager) is not models.Manager
    ):
        return True
    if type(field.model._default_manager) is not models.Manager and any(
        getattr(constraint, "condition", None) is not None
        for constraint in field.model._meta.constraints
    ):
        return True  # a UniqueValidator may get a queryset of it
    inner = getattr(field, "base_field", None)  # of an array
    are_plain = are_plain_choices(field.choices)
    return not are_plain or (inner is not None and is_mapped_by_custom_code(inner))


def _is_plain_text(value: Any) -> bool:
    return is_plain(value) or type(value) in IMMUTABLE or is_translation(type(value))


def is_plain_condition(limit: Any) -> bool:
    """Return whether a condition is the same for each request, and asks no code of users."""
    if type(limit) is models.Q:
        return all(map(is_plain_condition, limit.children))
    return is_plain(limit)


def is_stock_serializer(serializer: Any) -> bool:
    """Return whether a serializer represents as stock does, be it installed or not."""
    return (
        issubclass(type(serializer), Serializer)
        and overridden(serializer, _OF_SERIALIZERS) is None
        and why_fields_are_own(type(serializer)) is None
    )


def has_stock_fields(cls: Any) -> bool:
    """Return whether ``fields`` is DRF's property, or what fastschema has put in its place."""
    return is_stock(cls.fields, STOCK_FIELDS)


def why_fields_are_own(cls: Any) -> str | None:
    """Return why code of users is asked for fields each time, so that stock must run; or None.

    A cached property of users' is asked once for each serializer, which keeps the fields then.
    """
    if not (has_stock_fields(cls) or _name_if_cached(cls.fields) == "fields"):
        return "fields is overridden"
    return None if cls._readable_fields is _READABLE_FIELDS else "_readable_fields is overridden"


def _name_if_cached(value: Any) -> str | None:
    """Return under which name a cached property keeps its value; None for anything else."""
    if type(value) is functools.cached_property:
        return value.attrname
    return value.name if type(value) is cached_property else None


def is_stock_list(serializer: ListSerializer) -> bool:
    """Return whether a list serializer represents as stock does."""
    return overridden(serializer, _OF_LISTS) is None
