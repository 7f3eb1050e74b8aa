"""Filters, form fields and widgets in which no code of users' takes part."""

from __future__ import annotations

from enum import EnumMeta
from types import FunctionType
from typing import Any

from django import forms
from django.core import validators
from django.http import QueryDict
from django_filters import fields, filters, widgets
from django_filters.constants import EMPTY_VALUES
from django_filters.rest_framework import filters as rest_filters

from fastschema.contrib.django.clones import is_stock_queryset_class
from fastschema.contrib.django.filters.forms import filter_by_choices
from fastschema.runtime.stock import stock_method

ASKING = filters.QuerySetRequestMixin
"""The class of filters that ask the database when they clean a value."""
_ALL_VALUES = (filters.AllValuesFilter, filters.AllValuesMultipleFilter)
_FILTERS = {getattr(filters, name) for name in filters.__all__} | {
    rest_filters.BooleanFilter,
    ASKING,
    object,
}
_FIELDS = {
    getattr(forms, name)
    for name in (
        *("Field", "CharField", "DecimalField", "IntegerField", "FloatField", "NullBooleanField"),
        *("DateField", "DateTimeField", "TimeField", "DurationField", "UUIDField"),
        *("TypedChoiceField", "TypedMultipleChoiceField"),
    )
} | {
    value
    for value in vars(fields).values()
    if isinstance(value, type) and issubclass(value, forms.Field)
}
_SUFFIXED = {widgets.RangeWidget, widgets.DateRangeWidget, widgets.LookupChoiceWidget}
"""Widgets that read parameters with suffixes."""
_WIDGETS = {
    getattr(forms, name)
    for name in (
        *("TextInput", "NumberInput", "DateInput", "DateTimeInput", "TimeInput", "HiddenInput"),
        *("Textarea", "Select", "SelectMultiple", "RadioSelect", "CheckboxSelectMultiple"),
        "NullBooleanSelect",
    )
} | {
    widgets.BooleanWidget,
    widgets.BaseCSVWidget,
    widgets.CSVWidget,
    widgets.QueryArrayWidget,
}
"""Widgets that read the one parameter that has the name of the filter."""
_MADE_WITH_CLASSES = {
    *("__module__", "__qualname__", "__doc__", "__firstlineno__", "__static_attributes__"),
    "media",
}
_ATTRIBUTES = {
    *("field_name", "lookup_expr", "_label", "_method", "distinct", "exclude", "extra", "filter"),
    *("creation_counter", "null_value", "conjoined", "always_filter", "queryset", "field_class"),
    *("lookup_choices", "empty_label", "param_map", "choices", "filters", "_field"),
}
"""What django-filter sets on filters."""
_MODULES_OF_COERCE = {int.__module__, forms.TypedChoiceField.__module__}
_CHOICES = (list, tuple, dict, type(None))
_METHODS = [
    (owner, name, [stock_method(owner, name), filter_by_choices])
    for owner in (filters.Filter, filters.ChoiceFilter, filters.MultipleChoiceFilter, ASKING)
    for name in ("field", "filter")
    if name in vars(owner)
]


def why_filter(name: str, made: Any) -> str | None:
    """Return why a filter may do something that nobody asked for; None if it cannot.

    :param name: its name
    :param made: a copy of it, whose form field may be made
    """
    if isinstance(made, _ALL_VALUES):
        return f"the choices of the filter {name} are asked for in any case"
    if not _is_plain(type(made), _FILTERS) or not vars(made).keys() <= _ATTRIBUTES | {"model"}:
        return f"the filter {name} has code of its own"
    if any(getattr(owner, method) not in known for owner, method, known in _METHODS):
        return "methods of django-filter are replaced"
    is_own = "filter" in vars(made) and type(made.filter) is not filters.FilterMethod
    if is_own or not isinstance(made.method, (str, FunctionType, type(None))):
        return f"the method of the filter {name} is no function and no name"
    if isinstance(made, ASKING) and not is_stock_queryset_class(type(made.queryset)):
        return f"the queryset of the filter {name} is made for each request"
    choices = made.extra.get("choices")
    if type(choices) not in _CHOICES and not isinstance(choices, EnumMeta):
        return f"the choices of the filter {name} may be others for each request"
    if made.field.required or made.field.disabled:
        return f"the filter {name} is required, or disabled"
    if not _is_plain_field(made.field):
        return f"the form field of the filter {name} has code of its own"
    if not _is_plain_widget(made.field.widget):
        return f"the widget of the filter {name} is not one that reads one parameter"
    if not _does_nothing(name, made):
        return f"the filter {name} filters without a parameter"
    return None


def parameters(name: str, field: Any) -> list[str]:
    """Return the names of the parameters that the form field of a filter reads."""
    widget = field.widget
    if type(widget) in _SUFFIXED:
        return [f"{name}_{suffix}" if suffix else name for suffix in widget.suffixes]
    return [name, f"{name}[]"] if isinstance(widget, widgets.QueryArrayWidget) else [name]


def _is_plain(cls: type, known: set[Any]) -> bool:
    """Return whether a class is known, or combines such classes and adds nothing."""
    return cls in known or (
        vars(cls).keys() <= _MADE_WITH_CLASSES
        and all(_is_plain(base, known) for base in cls.__bases__)
    )


def _is_plain_field(field: Any) -> bool:
    """Return whether Django's and django-filter's code alone cleans the values of a form field."""
    return (
        _is_plain(type(field), _FIELDS)
        and all(type(each).__module__ == validators.__name__ for each in field.validators)
        and getattr(field, "coerce", int).__module__ in _MODULES_OF_COERCE
        and all(map(_is_plain_field, getattr(field, "fields", ())))
    )


def _is_plain_widget(widget: Any) -> bool:
    """Return whether it is known which parameters a widget reads."""
    if type(widget) in _SUFFIXED:
        return all(_is_plain(type(each), _WIDGETS) for each in widget.widgets)
    return _is_plain(type(widget), _WIDGETS)


def _does_nothing(name: str, made: Any) -> bool:
    """Return whether a filter leaves a queryset alone if no parameter was sent."""
    queryset = object()
    nothing: tuple[Any, ...] = (QueryDict(), {})
    for data in nothing:
        value = made.field.clean(made.field.widget.value_from_datadict(data, {}, name))
        if made.method is not None:
            if value not in EMPTY_VALUES:
                return False
        elif not _leaves_alone(made, queryset, value):
            return False
    return True


def _leaves_alone(made: Any, queryset: object, value: Any) -> bool:
    try:
        return made.filter(queryset, value) is queryset
    except AttributeError:  # it calls a method of the queryset
        return False
