"""What generated code bypasses: methods that stock calls and it does not.

Where one of them was replaced, a field's own methods are called, or the attributes of instances
are read one by one, as in stock.
"""

from __future__ import annotations

from django.db.models import Field, Model, QuerySet, query
from django.db.models.fields.files import FieldFile, FileDescriptor, ImageFileDescriptor
from django.db.models.fields.mixins import FieldCacheMixin
from django.db.models.fields.related_descriptors import (
    ForeignKeyDeferredAttribute,
    ForwardManyToOneDescriptor,
    ForwardOneToOneDescriptor,
    ManyToManyDescriptor,
    ReverseManyToOneDescriptor,
    ReverseOneToOneDescriptor,
)
from django.db.models.manager import BaseManager
from django.db.models.query import ModelIterable
from django.db.models.query_utils import DeferredAttribute
from django.db.models.signals import ModelSignal
from django.db.models.sql.compiler import SQLCompiler
from django.http import HttpRequest
from django.urls import base as django_urls
from django.urls.resolvers import URLResolver
from rest_framework import fields, relations
from rest_framework import reverse as drf_reverse
from rest_framework.versioning import BaseVersioning, URLPathVersioning

from fastschema.contrib.django.front_end.customization import STOCK_CLASSES
from fastschema.runtime.patching import MethodsOfFields, StockMethods

_FIELDS = [cls for cls in STOCK_CLASSES if issubclass(cls, fields.Field)]

_READING = ("get_attribute", "is_simple_callable")
READS = StockMethods(
    [(fields, name) for name in _READING],
    imported=[(relations, name, (fields, name)) for name in _READING],
)
"""What reads a value from an object, and calls it if it is a method."""

DUMPS = MethodsOfFields(
    _FIELDS,
    (
        *("get_attribute", "to_representation"),
        *("quantize", "enforce_timezone", "default_timezone", "_lower_if_str"),
        *("use_pk_only_optimization", "get_url"),
        *("fields", "get_fields", "_readable_fields"),  # of serializers
    ),
    READS.among(StockMethods([(fields.Field, "context")])),
)
"""What represents the values of fields."""

VALIDATES = MethodsOfFields(
    _FIELDS,
    (
        *("run_validation", "validate_empty_values", "get_default", "run_validators"),
        *("to_internal_value", "validate_precision", "quantize", "enforce_timezone"),
        *("default_timezone", "_lower_if_str", "run_child_validation"),
        # Of serializers:
        *("fields", "get_fields", "_writable_fields", "_read_only_defaults", "get_value"),
        *("set_value", "validate", "validators", "get_validators"),
    ),
    StockMethods(()),
)
"""What validates them."""

RELATIONS = StockMethods(
    [
        (ForwardManyToOneDescriptor, "__get__"),
        (ForwardOneToOneDescriptor, "__get__"),
        (ReverseManyToOneDescriptor, "__get__"),
        (ReverseManyToOneDescriptor, "related_manager_cls"),
        (ManyToManyDescriptor, "__get__"),
        (ManyToManyDescriptor, "related_manager_cls"),
        (FieldCacheMixin, "get_cached_value"),
        *[(BaseManager, name) for name in ("__new__", "__init__", "all", "get_queryset")],
        *[(Model, name) for name in ("pk", "_get_pk_val", "serializable_value")],
    ]
)
"""What reads the related objects of a model's instances, and their keys."""

ROWS = RELATIONS.among(
    StockMethods(
        [
            *[(Model, name) for name in ("__new__", "__init__", "__setattr__", "__getattribute__")],
            (Model, "_get_FIELD_display"),
            (Field, "flatchoices"),
            (FieldFile, "url"),
            (ModelSignal, "send"),
            *[(DeferredAttribute, name) for name in ("__get__", "_check_parent_chain")],
            *[(ForeignKeyDeferredAttribute, name) for name in ("__get__", "__set__")],
            *[(FileDescriptor, name) for name in ("__get__", "__set__")],
            *[(ImageFileDescriptor, name) for name in ("__get__", "__set__")],
            *[(ReverseOneToOneDescriptor, name) for name in ("__get__", "is_cached")],
            *[(ForwardManyToOneDescriptor, name) for name in ("__set__", "is_cached")],
            *[
                (FieldCacheMixin, f"{name}_cached{value}")
                for name, value in (("is", ""), ("set", "_value"), ("delete", "_value"))
            ],
            (ModelIterable, "__iter__"),
            *[
                (QuerySet, name)
                for name in (
                    *("__iter__", "__len__", "__getitem__", "_fetch_all"),
                    *("_prefetch_related_objects", "_clone", "_chain"),
                )
            ],
            *[
                (query, name)
                for name in (
                    *("prefetch_related_objects", "prefetch_one_level", "get_prefetcher"),
                    *("get_related_populators", "normalize_prefetch_lookups"),
                )
            ],
            *[(query.RelatedPopulator, name) for name in ("__init__", "populate")],
            *[
                (SQLCompiler, name)
                for name in ("results_iter", "get_converters", "apply_converters")
            ],
        ]
    )
)
"""What makes instances of rows, reads their columns, and prefetches related objects for them."""

ADDRESSES = StockMethods(
    [
        *[(drf_reverse, name) for name in ("reverse", "_reverse", "preserve_builtin_query_params")],
        (URLResolver, "_reverse_with_prefix"),
        *[(HttpRequest, name) for name in ("build_absolute_uri", "_current_scheme_host")],
        (BaseVersioning, "reverse"),
        (URLPathVersioning, "reverse"),
    ],
    imported=[(drf_reverse, "django_reverse", (django_urls, "reverse"))],
)
"""What makes addresses."""


def are_read_as_stock(bound: object = None) -> bool:
    """Return whether Django alone reads the related objects of instances, and their keys."""
    return RELATIONS.are_stock()


def are_linked_as_stock(bound: object) -> tuple[bool, bool]:
    """Return whether related objects are read as in stock, and whether addresses are made so."""
    return RELATIONS.are_stock(), ADDRESSES.are_stock()
