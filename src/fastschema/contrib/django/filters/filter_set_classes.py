"""The filter set class of a view's ``filterset_fields``, made once.

django-filter makes that class for each request.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

from django.db.models import Manager, QuerySet
from django_filters import filterset
from django_filters.filterset import BaseFilterSet, FilterSetMetaclass, UnknownFieldBehavior
from django_filters.rest_framework import DjangoFilterBackend
from django_filters.rest_framework.filterset import FILTER_FOR_DBFIELD_DEFAULTS
from django_filters.utils import get_model_field

from fastschema.contrib.django.clones import is_stock_queryset_class
from fastschema.contrib.django.filters.plans import ASKING, filter_set_state
from fastschema.runtime.guard import readings
from fastschema.runtime.patching import stock_method
from fastschema.switch import is_disabled

STOCK_GET_FILTERSET_CLASS = stock_method(DjangoFilterBackend, "get_filterset_class")
_STOCK_GET_FILTERSET = stock_method(DjangoFilterBackend, "get_filterset")
_DEFAULTS = (filterset.FILTER_FOR_DBFIELD_DEFAULTS, FILTER_FOR_DBFIELD_DEFAULTS)
_HOOKS = {
    name: stock_method(BaseFilterSet, name).__func__
    for name in (
        *("get_filters", "get_fields", "get_filter_name", "filter_for_field"),
        *("filter_for_lookup", "handle_unrecognized_field", "_csv_filter_class_name"),
    )
}
_MOST_CLASSES = 32
_classes: WeakKeyDictionary[type, tuple[object, dict[Any, Any]]] = WeakKeyDictionary()
"""By view class: the classes, by what they are made of; None for those that differ each time."""


def get_filterset_class(self: Any, view: Any, queryset: Any = None) -> Any:
    """``DjangoFilterBackend.get_filterset_class``, whose classes are used again."""
    cls = type(self)
    is_stock = (
        cls.get_filterset is _STOCK_GET_FILTERSET
        and cls.get_filterset_class is get_filterset_class
        and not is_disabled()
    )
    if queryset is None or not is_stock:
        return STOCK_GET_FILTERSET_CLASS(self, view, queryset)
    # Each of them may be a property.
    named, fields = (getattr(view, f"filterset_{name}", None) for name in ("class", "fields"))
    seen = SimpleNamespace(filterset_class=named, filterset_fields=fields)
    if named or not fields:
        return STOCK_GET_FILTERSET_CLASS(self, seen, queryset)
    try:
        key = self.filterset_base, queryset.model, _frozen(fields)
        known = _known(type(view))
        made = known.get(key)
    except TypeError:  # something else than names
        return STOCK_GET_FILTERSET_CLASS(self, seen, queryset)
    if made is None:
        made = STOCK_GET_FILTERSET_CLASS(self, seen, queryset)
        if key not in known and len(known) < _MOST_CLASSES:
            known[key] = made if _is_the_same_next_time(made) else None
    return made


def _known(view_class: type) -> dict[Any, Any]:
    generation, known = _classes.get(view_class, (None, {}))
    if generation is not readings.current:
        generation, known = _classes[view_class] = readings.current, {}
    return known


def _frozen(fields: Any) -> Any:
    """Return names of fields as a key.

    :raises TypeError: if they are something else
    """
    if type(fields) is dict:
        return dict, tuple([(name, _frozen(lookups)) for name, lookups in fields.items()])
    if type(fields) not in (list, tuple, str):
        raise TypeError
    return type(fields), fields if type(fields) is str else tuple(fields)


def _is_the_same_next_time(cls: Any) -> bool:
    """Return whether a class made of names has nothing of a request, a user or a tenant in it."""
    return (
        type(cls) is FilterSetMetaclass
        and not any("__init_subclass__" in vars(each) for each in cls.__mro__[:-1])
        and any(cls.FILTER_DEFAULTS is each for each in _DEFAULTS)
        and all(getattr(cls, name).__func__ is stock for name, stock in _HOOKS.items())
        and not cls._meta.filter_overrides
        and cls._meta.unknown_field_behavior is UnknownFieldBehavior.RAISE
        and all(
            _selects_the_same(cls._meta.model, made)
            for name, made in cls.base_filters.items()
            if name not in cls.declared_filters
        )
    )


def _selects_the_same(model: Any, made: Any) -> bool:
    """Return whether a filter made of a model's field would get the same related objects again."""
    field = get_model_field(model, made.field_name)
    if callable(getattr(getattr(field, "remote_field", None), "limit_choices_to", None)):
        return False
    if not isinstance(made, ASKING):
        return True
    queryset = type(made.queryset)
    manager = type(made.queryset.model._default_manager)
    return (
        is_stock_queryset_class(queryset)
        and queryset.complex_filter is QuerySet.complex_filter
        and all(getattr(manager, name) is getattr(Manager, name) for name in _OF_MANAGERS)
    )


_OF_MANAGERS = ("get_queryset", "all", "complex_filter", "__getattribute__")


def why_filters_are_made(view: Any) -> str | None:
    """Return why a view makes its filters for each request; None if it does not.

    :param view: made as for a request
    """
    for backend in view.filter_backends:
        if isinstance(backend, type) and issubclass(backend, DjangoFilterBackend):
            queryset = view.get_queryset()
            cls, again = (backend().get_filterset_class(view, queryset) for _ in range(2))
            if cls is not again:
                return "its filter set class may be another one for each request"
            if cls is not None:
                return filter_set_state(cls).why(queryset.model)
    return None
