"""The filter set class of a view's ``filterset_fields``, made once.

django-filter makes that class for each request.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Manager, QuerySet
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from django_filters.utils import get_model_field

from fastschema.contrib.django.class_state import StateOfClass
from fastschema.contrib.django.clones import is_stock_queryset_class
from fastschema.contrib.django.filters.plans import ASKING, FilterSetState
from fastschema.runtime.patching import stock_method
from fastschema.switch import is_disabled

STOCK_GET_FILTERSET_CLASS = stock_method(DjangoFilterBackend, "get_filterset_class")
_STOCK_GET_FILTERSET = stock_method(DjangoFilterBackend, "get_filterset")
_MOST_CLASSES = 32


class FilterSetClasses(StateOfClass):
    """The filter set classes of a class of views."""

    __slots__ = ("known",)

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self.known: dict[Any, Any] = {}
        """By what they are made of; None for those that may differ each time."""


def get_filterset_class(self: Any, view: Any, queryset: Any = None) -> Any:
    """``DjangoFilterBackend.get_filterset_class``, whose classes are used again."""
    cls = type(self)
    is_stock = (
        queryset is not None
        and cls.get_filterset is _STOCK_GET_FILTERSET
        and cls.get_filterset_class is get_filterset_class
        and self.filterset_base is FilterSet
        and not is_disabled()
    )
    fields = getattr(view, "filterset_fields", None) if is_stock else None
    if not fields or getattr(view, "filterset_class", None):
        return STOCK_GET_FILTERSET_CLASS(self, view, queryset)
    known = FilterSetClasses.of(type(view)).known
    try:
        key = queryset.model, _frozen(fields)
        made = known.get(key)
    except TypeError:  # something else than names
        return STOCK_GET_FILTERSET_CLASS(self, view, queryset)
    if made is None:
        made = STOCK_GET_FILTERSET_CLASS(self, view, queryset)
        if key not in known and len(known) < _MOST_CLASSES:
            known[key] = made if _is_the_same_next_time(made) else None
    return made


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
    model = cls._meta.model
    return all(_selects_the_same(model, made) for made in cls.base_filters.values())


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
                return FilterSetState.of(cls).why(queryset.model)
    return None
