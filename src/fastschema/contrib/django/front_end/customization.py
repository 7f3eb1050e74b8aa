"""Whose code runs when fields are made and represented: stock's alone, or users' as well.

When a field is made, what runs users' code is made by it, for each serializer, as in stock.
"""

from __future__ import annotations

import decimal
import functools
import re
import uuid
from collections.abc import Iterator
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

from django.db import models
from django.db.models import QuerySet
from django.utils.functional import Promise, cached_property
from rest_framework import fields, relations, serializers
from rest_framework.fields import Field, FilePathField
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer
from rest_framework.utils.formatting import lazy_format

from fastschema.compiler.real_classes import REAL
from fastschema.runtime.patching import is_stock, overridden, stock_method

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
"""The classes of DRF's fields and serializers. Rooms add those of a package that extends them."""
STOCK_MODEL_SERIALIZERS = [serializers.ModelSerializer, serializers.HyperlinkedModelSerializer]
"""Those that build the fields of models. Rooms add theirs."""
_MAKING = {
    *("__init__", "__new__", "__deepcopy__", "__slots__", "bind", "get_validators", "many_init"),
    *("__getattr__", "__getattribute__", "__setattr__", "__delattr__"),
    *("_get_choices", "_set_choices"),
}
"""Names of classes' own code that runs when stock makes, copies or binds a field."""
_DATES = (REAL.date, REAL.time, REAL.timedelta, REAL.tzinfo)
_NUMBERS = (int, float, complex, decimal.Decimal, uuid.UUID, range)
IMMUTABLE = (str, bytes, frozenset, re.Pattern, Enum, *_NUMBERS, *_DATES)
CONTAINERS = (list, tuple, dict, set)
_COPYING = ("__deepcopy__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
_HEAP_TYPE = 1 << 9
"""The flag of classes that are written in Python."""
_ATOMIC = (type, FunctionType, BuiltinFunctionType, Promise, lazy_format, models.Manager)


def own_classes(cls: type) -> Iterator[type]:
    """Return the classes that a class of fields inherits from, itself included, but for stock's."""
    return (
        base
        for base in cls.__mro__[:-1]
        if base not in STOCK_CLASSES and not base.__module__.startswith("fastschema.")
    )


def has_own_code(cls: type) -> bool:
    """Return whether code of a class of fields runs when stock makes an object of it."""
    making = _MAKING - {"get_validators"} if issubclass(cls, BaseSerializer) else _MAKING
    if issubclass(cls, FilePathField) or type(cls).__call__ is not type.__call__:
        return True  # the one looks at a directory each time
    return any(
        not making.isdisjoint(vars(base))
        or any(hasattr(type(value), "__set__") for value in vars(base).values())
        for base in own_classes(cls)
    )


def runs_own_code(field: Any) -> bool:
    """Return whether users' code runs when stock copies a field that a class declares."""
    cls = type(field)
    if has_own_code(cls) or copies_by_own_code(getattr(cls, "child", None)):
        return True
    arguments = dict(enumerate(field._args)) | field._kwargs
    return any(_is_read_by_own_code(name, value) for name, value in arguments.items())


def _is_read_by_own_code(name: Any, value: Any) -> bool:
    """Return whether users' code runs when stock copies or iterates an argument of a field."""
    if name in (0, "choices", "validators", "error_messages"):  # those that are iterated
        is_plain = value is None or isinstance(value, (*_ATOMIC, *IMMUTABLE, Field))
        is_lazy = isinstance(value, Promise)  # what it gives may be other choices each time
        if is_lazy or not (is_plain or type(value) in CONTAINERS):
            return True
    return name not in ("validators", "regex") and copies_by_own_code(value)


def copies_by_own_code(value: Any) -> bool:
    """Return whether users' code runs when stock copies a value."""
    if isinstance(value, Field):
        return runs_own_code(value)
    cls = type(value)
    if cls in CONTAINERS:
        return any(map(copies_by_own_code, value.values() if cls is dict else value))
    if value is None or isinstance(value, (*_ATOMIC, *IMMUTABLE)) or copies_as_django(cls):
        return False
    return not is_copied_by_attributes(cls) or any(map(copies_by_own_code, vars(value).values()))


def copies_as_django(cls: type) -> bool:
    """Return whether a class of querysets copies its objects as Django's does."""
    names = ("__init__", "__new__", "__deepcopy__", "all", "_chain", "_clone", "__setattr__")
    return issubclass(cls, QuerySet) and all(
        getattr(cls, name) is getattr(QuerySet, name) for name in names
    )


def is_copied_by_attributes(cls: Any) -> bool:
    """Return whether ``copy.deepcopy`` copies the ``__dict__`` of an object, and no more."""
    names = ("__reduce_ex__", "__reduce__", "__getstate__")
    return (
        all(getattr(cls, name) is getattr(object, name) for name in names)
        and not any(map(partial(hasattr, cls), _COPYING))
        and all(base.__flags__ & _HEAP_TYPE for base in cls.__mro__[:-1])
        and not any(vars(base).get("__slots__") for base in cls.__mro__)
    )


_DECIDING = ("choices", "get_limit_choices_to", "has_default", "validators")


def is_mapped_by_own_code(field: models.Field[Any, Any] | Any) -> bool:
    """Return whether users' code runs when stock makes the field of a model's field."""
    if not isinstance(field, models.Field):
        return False
    if any(
        name in vars(base)
        for base in type(field).__mro__[:-1]
        if not base.__module__.startswith("django.")
        for name in _DECIDING
    ):
        return True
    remote = field.remote_field
    limit = getattr(remote, "limit_choices_to", None)
    if limit and (callable(limit) or type(remote.model._default_manager) is not models.Manager):
        return True
    if type(field.model._default_manager) is not models.Manager and any(
        getattr(constraint, "condition", None) is not None
        for constraint in field.model._meta.constraints
    ):
        return True  # a UniqueValidator may get a queryset of it
    inner = getattr(field, "base_field", None)  # of an array
    are_computed = bool(field.choices) and type(field.choices) not in (list, tuple)
    return are_computed or (inner is not None and is_mapped_by_own_code(inner))


def is_stock_serializer(serializer: Any) -> bool:
    """Return whether a serializer represents as stock does, be it installed or not."""
    return (
        isinstance(serializer, Serializer)
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
    """Return the same for a list serializer."""
    return overridden(serializer, _OF_LISTS) is None
