"""Plans of filter sets: which filters a request needs, and which may be left out."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from types import FunctionType, NoneType
from typing import Any

from django import forms
from django.core import validators
from django.http import QueryDict
from django_filters import fields, filters, widgets
from django_filters.constants import EMPTY_VALUES
from django_filters.filterset import BaseFilterSet
from django_filters.rest_framework import filters as rest_filters
from django_filters.rest_framework.filterset import FilterSet as RestFilterSet

from fastschema.contrib.django.front_end.customization import (
    are_plain_choices,
    copies_as_django,
    is_known,
    is_translation,
)
from fastschema.runtime import thresholds
from fastschema.runtime.guard import ClassSnapshot, ClassState
from fastschema.runtime.patching import stock_method, stock_of
from fastschema.runtime.plain_values import (
    CONTAINERS,
    are_same,
    has_plain_attributes,
    is_a,
    members,
)

ASKING = filters.QuerySetRequestMixin
"""The class of filters that ask the database when they clean a value."""
_ALL_VALUES = (filters.AllValuesFilter, filters.AllValuesMultipleFilter)
_FILTERS = {getattr(filters, name) for name in filters.__all__} | {
    rest_filters.BooleanFilter,
    ASKING,
    object,
}
_SHARED = {
    getattr(filters, f"{name}Filter")
    for name in (
        *("Char", "Boolean", "Choice", "MultipleChoice", "Number", "UUID"),
        *("Date", "DateTime", "IsoDateTime", "Time", "Duration", "BaseCSV", "BaseIn"),
    )
} | {filters.Filter, rest_filters.BooleanFilter, object}
"""Classes of filters whose objects do not change, nor ask their filter set for anything."""
_FIELDS = {
    value
    for module in (forms.fields, forms.models, fields)
    for value in vars(module).values()
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
    "__slotnames__",  # which copying sets
}
_NO_METHODS = {"filter", "field_class"}
"""Attributes that django-filter sets on filters, and that can be called."""
_MODULES_OF_COERCE = {int.__module__, forms.TypedChoiceField.__module__}
_CHECKED_APART = ("extra", "choices")
_TEXTS = ("_label", "label", "help_text", "empty_label", "null_label")
"""Arguments that may be translations, which are not read before a form is shown."""


def why_filter(name: str, base: Any) -> str | None:
    """Return why a filter may do something where its parameter is not sent; None if it cannot."""
    if not issubclass(type(base), filters.Filter):
        return f"the filter {name} has code of its own"
    if is_a(base, *_ALL_VALUES):
        return f"the choices of the filter {name} are asked for in any case"
    names = vars(base).keys() - _NO_METHODS
    is_patched = any(callable(getattr(type(base), attribute, None)) for attribute in names)
    if is_patched or not _is_plain(type(base), _FILTERS):
        return f"the filter {name} has code of its own"
    is_own = "filter" in vars(base) and type(base.filter) is not filters.FilterMethod
    if is_own or type(base.method) not in (str, FunctionType, NoneType):
        return f"the method of the filter {name} is neither a function nor a name"
    if is_a(base, ASKING) and not copies_as_django(type(base.queryset)):
        return f"the queryset of the filter {name} is made for each request"
    if not are_plain_choices(base.extra.get("choices")):
        return f"the choices of the filter {name} may be others for each request"
    arguments = {key: vars(base)[key] for key in names} | base.extra
    if any(_is_lazy_argument(key, value) for key, value in arguments.items()):
        return f"an argument of the filter {name} may be lazy"
    if not (is_a(base.field_class, type) and _is_plain(base.field_class, _FIELDS)):
        return f"the form field of the filter {name} has code of its own"
    return None


def _is_lazy_argument(name: str, value: Any) -> bool:
    if name == "validators":  # whose classes are looked at in the form field
        return type(value) not in (list, tuple, NoneType)
    if name in _CHECKED_APART or (name in _TEXTS and is_translation(type(value))):
        return False
    return is_translation(type(value)) or _may_be_lazy(value)


def _may_be_lazy(value: Any) -> bool:
    """Return whether a look at an argument may run code of users."""
    cls = type(value)
    if cls in CONTAINERS:
        return any(map(_may_be_lazy, members(value)))
    is_of_form = issubclass(cls, (forms.Field, forms.Widget)) and has_plain_attributes(cls)
    return not (is_of_form or is_known(value) or is_translation(cls) or copies_as_django(cls))


def why_field(name: str, made: Any) -> str | None:
    """Return why the form field of a filter's copy may do something without its parameter."""
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
    return [name, f"{name}[]"] if is_a(widget, widgets.QueryArrayWidget) else [name]


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
        and all(type(validator).__module__ == validators.__name__ for validator in field.validators)
        and getattr(field, "coerce", int).__module__ in _MODULES_OF_COERCE
        and all(map(_is_plain_field, getattr(field, "fields", ())))
    )


def _is_plain_widget(widget: Any) -> bool:
    """Return whether it is known which parameters a widget reads."""
    if type(widget) in _SUFFIXED:
        return all(_is_plain(type(inner), _WIDGETS) for inner in widget.widgets)
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


STOCK_ERRORS = stock_method(BaseFilterSet, "errors")
STOCK_FORM = stock_method(BaseFilterSet, "form")
_FORMS = (STOCK_FORM, stock_method(RestFilterSet, "form"))
"""The properties that make a form as django-filter does."""
_STOCK = {
    "errors": STOCK_ERRORS,
    "get_form_class": stock_method(BaseFilterSet, "get_form_class"),
    **{name: getattr(object, name) for name in ("__setattr__", "__getattribute__")},
}
_MOST_CHANGES = 8
_MOST_MODELS = 32


class FilterPlan:
    """Which filters of a class are needed for which parameters.

    :param why: why all filters must be made for each request; None if not all must
    :param reasons: by the name of a filter: why this one must be made for each request
    :param shared: the filters that one request after the other uses, which no code of users sees
    """

    def __init__(self, cls: Any, model: Any) -> None:
        self.why = _why_class(cls)
        self.reasons: dict[str, str] = {}
        self.shared: dict[str, Any] = {}
        self._by_parameter: dict[str, list[str]] = {}
        if self.why is None:
            self._classes = ClassSnapshot(own_classes(cls))
            self._base = dict(cls.base_filters)
            self._values = _values_of(self._base)
            for name, base in cls.base_filters.items():
                why = why_filter(name, base) or self._add(name, base, model)
                if why is not None:
                    self.reasons[name] = why

    def _add(self, name: str, base: Any, model: Any) -> str | None:
        """Add a filter that is made for its parameters only; return why that cannot be done."""
        try:
            filter_ = copy.deepcopy(base)
            filter_.model = model
            why = why_field(name, filter_)
            if why is None:
                for parameter in parameters(name, filter_.field):
                    self._by_parameter.setdefault(parameter, []).append(name)
                if filter_.method is None and _is_plain(type(filter_), _SHARED):
                    self.shared[name] = filter_
        except Exception as error:
            return f"the filter {name} cannot be made: {type(error).__name__}: {error}"
        return why

    def is_current(self, cls: Any) -> bool:
        """Return whether the class and its filters are as they were."""
        return self._classes.is_current() and are_same(self._values, _values_of(cls.base_filters))

    def needed(self, parameters: Iterable[Any]) -> list[str]:
        """Return the names of the filters that do something if some parameters were sent."""
        names = {name for parameter in parameters for name in self._by_parameter.get(parameter, ())}
        names.update(self.reasons)
        return [name for name in self._base if name in names]


def _values_of(base_filters: dict[str, Any]) -> list[Any]:
    """Return filters, their attributes and what they give their form fields, to notice changes.

    They are in one list, since two such lists that have the same objects are compared at once.
    """
    values = [*base_filters, *base_filters.values()]
    for base in base_filters.values():
        attributes, extra = vars(base), base.extra
        values += [*attributes, *attributes.values(), *extra]
        for value in extra.values():
            values.append(value)
            if type(value) is list:  # of choices, which may change in place
                values += value
    return values


def own_classes(cls: type) -> list[type]:
    return [base for base in cls.__mro__[:-1] if not base.__module__.startswith("django_filters.")]


def _why_class(cls: Any) -> str | None:
    """Return why a class needs its filters for each request, whatever they are."""
    for name, stock in _STOCK.items():
        if stock_of(getattr(cls, name)) is not stock:
            return f"{name} is overridden"
    if stock_of(cls.form) not in _FORMS or hasattr(cls, "__getattr__") or hasattr(cls, "filters"):
        return "form, filters or __getattr__ is overridden"
    if getattr(getattr(cls, "_meta", None), "form", None) is not forms.Form:
        return "its Meta has a form of its own"
    return None


class FilterSetRecord(ClassState):
    """What is known of a filter set class."""

    __slots__ = ("_changes", "_plans", "_uses")

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self._plans: dict[Any, FilterPlan] = {}
        self._uses = 0
        self._changes = 0

    def why(self, model: Any) -> str | None:
        """Return why filters are made for each request; None if they are made on demand."""
        plan = FilterPlan(self.owner(), model)
        return plan.why or " and ".join(plan.reasons.values()) or None

    def plan(self, model: Any) -> FilterPlan | None:
        """Return what filters querysets of a model; None if stock must."""
        cls = self.owner()
        plan = self._plans.get(model)
        if plan is None:
            self._uses += 1
            if self._uses < thresholds.uses_worth_an_exemplar or len(self._plans) >= _MOST_MODELS:
                return None
            plan = self._plans[model] = FilterPlan(cls, model)
        if plan.why is not None:
            return None
        if not plan.is_current(cls):
            self._changes += 1
            if self._changes < _MOST_CHANGES:
                self._plans.pop(model, None)
            return None
        return plan
