"""What takes longest where a form is made after all: labels, and choices of nothing."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from django.db.models import QuerySet
from django.utils import translation
from django.utils.functional import Promise
from django_filters import filters, utils

from fastschema.runtime.guard import readings
from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_LABEL_FOR_FILTER = stock_method(utils, "label_for_filter")
STOCK_FILTER_BY_CHOICES = stock_method(filters.MultipleChoiceFilter, "filter")
_MOST_LABELS = 4096
_labels: WeakKeyDictionary[type, tuple[object, dict[Any, str]]] = WeakKeyDictionary()
"""By model: the labels, by what they are made of."""


def label_for_filter(model: Any, field_name: Any, lookup_expr: Any, exclude: Any = False) -> Any:
    """``django_filters.utils.label_for_filter``, once in each language."""
    if type(field_name) is not str or type(lookup_expr) is not str or is_disabled():
        return STOCK_LABEL_FOR_FILTER(model, field_name, lookup_expr, exclude)
    generation, known = _labels.get(model, (None, {}))
    if generation is not readings.current or len(known) >= _MOST_LABELS:
        _, known = _labels[model] = readings.current, {}
    key = field_name, lookup_expr, bool(exclude), translation.get_language()
    label = known.get(key)
    if label is None:
        label = STOCK_LABEL_FOR_FILTER(model, field_name, lookup_expr, exclude)
        fields = utils.get_field_parts(model, field_name) or ()
        if all(_depends_on_language(getattr(field, "verbose_name", "")) for field in fields):
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
    return STOCK_FILTER_BY_CHOICES(self, qs, value)


def _is_nothing(queryset: Any) -> bool:
    """Return whether a queryset is known to be empty, as that of ``QuerySet.none()``."""
    cls, query = type(queryset), queryset.query
    return (
        queryset._result_cache is None
        and cls.__bool__ is QuerySet.__bool__
        and cls._fetch_all is QuerySet._fetch_all
        and not query.combinator
        and bool(query.is_empty())
    )
