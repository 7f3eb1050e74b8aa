"""Making django-filter's filter sets make on demand what they need."""

from __future__ import annotations

from django_filters import filters
from django_filters.filterset import BaseFilterSet
from django_filters.rest_framework import DjangoFilterBackend

from fastschema.contrib.django.filters import on_demand, stock_speedups
from fastschema.contrib.django.filters.filter_set_classes import (
    STOCK_GET_FILTERSET_CLASS,
    get_filterset_class,
)
from fastschema.contrib.django.filters.plans import STOCK_FORM
from fastschema.runtime.patching import Replacements

# It does nothing but for those that were made without filters, be it before uninstalling.
BaseFilterSet.filters = on_demand.FiltersOnDemand()

_replacements = Replacements(
    [
        (BaseFilterSet, "form", STOCK_FORM, on_demand.form),
        (BaseFilterSet, "is_valid", on_demand.STOCK_IS_VALID, on_demand.is_valid),
        (BaseFilterSet, "qs", on_demand.STOCK_QS, on_demand.qs),
        (
            BaseFilterSet,
            "filter_queryset",
            on_demand.STOCK_FILTER_QUERYSET,
            on_demand.filter_queryset,
        ),
        (BaseFilterSet, "__init__", on_demand.STOCK_INIT, on_demand.init),
        (
            DjangoFilterBackend,
            "get_filterset_class",
            STOCK_GET_FILTERSET_CLASS,
            get_filterset_class,
        ),
        (
            filters,
            "label_for_filter",
            stock_speedups.STOCK_LABEL_FOR_FILTER,
            stock_speedups.label_for_filter,
        ),
        (
            filters.MultipleChoiceFilter,
            "filter",
            stock_speedups.STOCK_FILTER_BY_CHOICES,
            stock_speedups.filter_by_choices,
        ),
    ]
)
install = _replacements.install
uninstall = _replacements.uninstall
