"""Labels and choices in less time, where django-filter makes filters and form after all."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils import translation
from django.utils.functional import Promise
from django_filters import filters, utils

from fastschema.contrib.django.front_end.class_state import ClassCache
from fastschema.contrib.django.internals.queries import evaluates_as_stock, is_combined, results_of
from fastschema.runtime.patching import stock_method
from fastschema.switch import is_disabled

_STOCK_LABEL_FOR_FILTER = stock_method(utils, "label_for_filter")
_STOCK_FILTER_BY_CHOICES = stock_method(filters.MultipleChoiceFilter, "filter")
_MOST_LABELS = 4096


def label_for_filter(model: Any, field_name: Any, lookup_expr: Any, exclude: Any = False) -> Any:
    """``django_filters.utils.label_for_filter``, once in each language."""
    are_names = type(field_name) is str and type(lookup_expr) is str
    if not are_names or not isinstance(model, type) or is_disabled():
        return _STOCK_LABEL_FOR_FILTER(model, field_name, lookup_expr, exclude)
    known = ClassCache.of(model).known
    key = field_name, lookup_expr, bool(exclude), translation.get_language()
    label = known.get(key)
    if label is None:
        label = _STOCK_LABEL_FOR_FILTER(model, field_name, lookup_expr, exclude)
        fields = utils.get_field_parts(model, field_name) or ()
        if len(known) < _MOST_LABELS and all(
            _depends_on_language(getattr(field, "verbose_name", "")) for field in fields
        ):
            known[key] = label
    return label


def _depends_on_language(name: Any) -> bool:
    """Return whether a text is the same whenever the language is the same."""
    if isinstance(name, Promise):
        function = name.__reduce__()[1][0]
        return function is translation.gettext
    return type(name) is str


def filter_by_choices(self: Any, qs: Any, value: Any) -> Any:
    """``MultipleChoiceFilter.filter``, which need not ask whether no objects are any."""
    if isinstance(value, QuerySet) and _is_nothing(value) and not is_disabled():
        return qs
    return _STOCK_FILTER_BY_CHOICES(self, qs, value)


def _is_nothing(queryset: Any) -> bool:
    """Return whether a queryset is known to be empty, as that of ``QuerySet.none()``."""
    cls, query = type(queryset), queryset.query
    return (
        results_of(queryset) is None
        and cls.__bool__ is QuerySet.__bool__
        and evaluates_as_stock(cls)
        and not is_combined(queryset)
        and bool(query.is_empty())
    )


REPLACEMENTS = [
    (filters, "label_for_filter", _STOCK_LABEL_FOR_FILTER, label_for_filter),
    (filters.MultipleChoiceFilter, "filter", _STOCK_FILTER_BY_CHOICES, filter_by_choices),
]
