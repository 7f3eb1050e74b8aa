"""Filter sets that make their filters and their form when they are used."""

from __future__ import annotations

import copy
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Manager, QuerySet
from django.forms import Form
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django_filters import filters, utils
from django_filters.filterset import BaseFilterSet
from django_filters.rest_framework import DjangoFilterBackend, FilterSet

from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.front_end.customization import copies_as_django, is_plain_condition
from fastschema.contrib.django.internals.queries import (
    evaluates_as_stock,
    is_combined,
    is_nothing,
    results_of,
)
from fastschema.contrib.django_filter.filter_plan import (
    ASKING,
    STOCK_ERRORS,
    STOCK_FORM,
    FilterPlan,
    FilterSetRecord,
)
from fastschema.runtime.guard import STATE_KEY, ClassCache, State
from fastschema.runtime.patching import Replacements, stock_method
from fastschema.runtime.plain_values import is_a, is_plain
from fastschema.runtime.switch import is_disabled

STOCK_INIT = stock_method(BaseFilterSet, "__init__")
STOCK_IS_VALID = stock_method(BaseFilterSet, "is_valid")
STOCK_FILTER_QUERYSET = stock_method(BaseFilterSet, "filter_queryset")
STOCK_GET_FILTERSET_CLASS = stock_method(DjangoFilterBackend, "get_filterset_class")
_STOCK_FILTER_BY_CHOICES = stock_method(filters.MultipleChoiceFilter, "filter")
_STOCK_GET_FILTERSET = stock_method(DjangoFilterBackend, "get_filterset")
_MOST_CLASSES = 32
_LOOKED_AT = frozenset(["filters", "_form", "_meta", "get_form_class"])
"""Attributes that a filter set has once its filters or its form were read, or it was changed."""


class LazyFilters(State):
    """The filters and the form that a filter set has made; the plan says which it needs."""

    __slots__ = ("_memo", "filters", "form", "needed", "plan")

    def __init__(self, plan: FilterPlan) -> None:
        self.plan = plan
        self.filters: dict[str, Any] = {}
        """The filters that are made so far."""
        self.needed: dict[str, Any] = {}
        """The filters whose parameters were sent, those that all requests share among them."""
        self.form: Any = None
        """The form, with fields for the filters that are needed until code asks for it."""
        self._memo: dict[int, Any] = {}

    def make_filters(self, filter_set: Any, names: Iterable[str]) -> None:
        """Make filters that are not made yet, as ``BaseFilterSet.__init__`` does."""
        base = filter_set.base_filters
        missing = {name: base[name] for name in names if name not in self.filters}
        filters = copy.deepcopy(missing, self._memo)
        self.filters |= filters
        _bind(filter_set, filters)

    def all_filters(self, filter_set: Any) -> Any:
        base = filter_set.base_filters
        self.make_filters(filter_set, base)
        return type(base)((name, self.filters[name]) for name in base)

    def make_form(self, filter_set: Any) -> None:
        """Make the form of those filters that the data need."""
        data = filter_set.data
        if type(data) not in (QueryDict, MultiValueDict, dict) or filter_set.form_prefix:
            return
        names, shared = self.plan.needed(data), self.plan.shared
        self.make_filters(filter_set, [name for name in names if name not in shared])
        self.needed = {name: shared.get(name) or self.filters[name] for name in names}
        fields = {name: filter_.field for name, filter_ in self.needed.items()}
        form = Form(data)
        form.base_fields = {name: field for name, field in fields.items() if name not in shared}
        form.fields = fields | copy.deepcopy(form.base_fields)
        self.form = form

    def complete_form(self, filter_set: Any) -> None:
        """Give the form the class that stock gives it, with the fields of all filters.

        Those that all requests share get fields of this form's own. Nothing was sent for those that
        were not needed, and they say that this is right.
        """
        form = filter_set._form = self.form
        fields, cleaned = vars(form).pop("base_fields"), form.fields
        filters = self.all_filters(filter_set)
        base = {name: fields[name] if name in fields else filters[name].field for name in filters}
        form.__class__ = type(f"{type(filter_set).__name__}Form", (Form,), dict(base))
        form.fields = {
            name: cleaned[name] if name in fields else copy.deepcopy(field)
            for name, field in base.items()
        }
        for name in cleaned.keys() - fields.keys():
            form._bound_fields_cache.pop(name, None)
        if hasattr(form, "cleaned_data"):
            form.cleaned_data = dict(self._values(form, cleaned))

    @staticmethod
    def _values(form: Any, cleaned: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Give the values of a form in the order of its fields."""
        values, nothing = form.cleaned_data, type(form.data)()
        for name, field in form.fields.items():
            if name not in cleaned:
                yield name, field.clean(field.widget.value_from_datadict(nothing, {}, name))
            elif name in values:
                yield name, values[name]


def needed_form(filter_set: Any) -> Any:
    """Return the form of those filters that are needed; None if stock must make its form."""
    attributes = vars(filter_set)
    lazy = attributes.get(STATE_KEY)
    if type(lazy) is not LazyFilters or not attributes.keys().isdisjoint(_LOOKED_AT):
        return None
    if not filter_set.is_bound:
        return None
    if lazy.form is None:
        lazy.make_form(filter_set)
    return None if "filters" in attributes else lazy.form


def init(
    self: Any, data: Any = None, queryset: Any = None, *, request: Any = None, prefix: Any = None
) -> None:
    """``BaseFilterSet.__init__``, without filters if they can be made later."""
    attributes, base = vars(self), self.base_filters
    plan = None
    has_model = queryset is None or is_a(queryset, QuerySet)
    is_plain_set = "base_filters" not in attributes and type(base) in (dict, OrderedDict)
    if has_model and is_plain_set and not is_disabled():
        model = type(self)._meta.model if queryset is None else queryset.model
        plan = FilterSetRecord.of(type(self)).plan(model)
    if plan is None:
        STOCK_INIT(self, data, queryset, request=request, prefix=prefix)
        return
    attributes["base_filters"] = {}
    try:
        STOCK_INIT(self, data, queryset, request=request, prefix=prefix)
    finally:
        del attributes["base_filters"]
    del attributes["filters"]
    lazy = attributes[STATE_KEY] = LazyFilters(plan)
    lazy.make_filters(self, plan.reasons)


def _filters_of(filter_set: Any) -> Any:
    """Return what ``BaseFilterSet.__init__`` makes of the filters of the class."""
    filters = copy.deepcopy(filter_set.base_filters)
    _bind(filter_set, filters)
    return filters


def _bind(filter_set: Any, made: dict[str, Any]) -> None:
    for filter_ in made.values():
        filter_.model = filter_set.queryset.model
        filter_.parent = filter_set


class FiltersOnDemand:
    """The filters of a filter set that has not made all: whoever looks gets those of stock.

    If the data were cleaned, stock has made its form of the filters by now.
    """

    def __get__(self, filter_set: Any, cls: Any) -> Any:
        attributes = {} if filter_set is None else vars(filter_set)
        if STATE_KEY not in attributes:
            which = f"{'type' if filter_set is None else cls.__name__!r} object"
            raise AttributeError(f"{which} has no attribute 'filters'")
        lazy = attributes[STATE_KEY]
        if type(lazy) is not LazyFilters:  # of a copy
            filters = attributes["filters"] = _filters_of(filter_set)
            return filters
        filters = attributes["filters"] = lazy.all_filters(filter_set)
        if lazy.form is not None and "_form" not in attributes:
            lazy.complete_form(filter_set)
        return filters


def _form(self: Any) -> Any:
    """``BaseFilterSet.form``, made of the filters as they were when the data were cleaned."""
    attributes = vars(self)
    lazy = attributes.get(STATE_KEY)
    if "_form" not in attributes and type(lazy) is LazyFilters and lazy.form is not None:
        lazy.complete_form(self)
    return STOCK_FORM.fget(self)


def is_valid(self: Any) -> bool:
    """``BaseFilterSet.is_valid``, by the form of those filters that are needed."""
    needed = needed_form(self)
    return STOCK_IS_VALID(self) if needed is None else bool(needed.is_valid())


def _errors(self: Any) -> Any:
    """``BaseFilterSet.errors``, which the other filters have none of."""
    needed = needed_form(self)
    return STOCK_ERRORS.fget(self) if needed is None else needed.errors


def filter_queryset(self: Any, queryset: Any) -> Any:
    """``BaseFilterSet.filter_queryset`` by those filters that are needed."""
    needed = needed_form(self)
    if needed is None or not hasattr(needed, "cleaned_data"):
        return STOCK_FILTER_QUERYSET(self, queryset)
    needed_filters = vars(self)[STATE_KEY].needed
    for name, value in needed.cleaned_data.items():
        queryset = needed_filters[name].filter(queryset, value)
        _check_queryset(self, name, queryset)
        if not vars(self).keys().isdisjoint(_LOOKED_AT):  # code of users may have changed them
            return _filtered_after(self, name, queryset)
    return queryset


def _filtered_after(filter_set: Any, name: str, queryset: Any) -> Any:
    """Return a queryset filtered as stock does by the filters after one of them."""
    values = iter(filter_set.form.cleaned_data.items())
    _ = next(filter_name for filter_name, _ in values if filter_name == name)
    for filter_name, value in values:
        queryset = filter_set.filters[filter_name].filter(queryset, value)
        _check_queryset(filter_set, filter_name, queryset)
    return queryset


def _check_queryset(filter_set: Any, name: str, queryset: Any) -> None:
    assert isinstance(queryset, QuerySet), (
        f"Expected '{type(filter_set).__name__}.{name}' to return a QuerySet, "
        f"but got a {type(queryset).__name__} instead."
    )


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
    fields = _names_of_fields(view) if is_stock and is_a(queryset, QuerySet) else None
    if not fields:
        return STOCK_GET_FILTERSET_CLASS(self, view, queryset)
    classes = ClassCache.of(type(view)).known  # None for those that may differ each time
    key = queryset.model, json.dumps(fields)
    filterset_class = classes.get(key)
    if filterset_class is None:
        filterset_class = STOCK_GET_FILTERSET_CLASS(self, view, queryset)
        if key not in classes and len(classes) < _MOST_CLASSES:
            classes[key] = filterset_class if _is_the_same_next_time(filterset_class) else None
    return filterset_class


def _names_of_fields(view: Any) -> Any:
    """Return the fields that a view filters by, if they are plain, and all that it says of it."""
    fields, cls = (_attribute(view, name) for name in ("filterset_fields", "filterset_class"))
    is_known = cls is None and type(fields) in (list, tuple, dict, str) and is_plain(fields)
    return fields if is_known else None


def _attribute(obj: Any, name: str) -> Any:
    """Return an attribute of an object as it is, be it a property."""
    attributes = vars(obj)
    return attributes[name] if name in attributes else on_class(type(obj), name)


def _is_the_same_next_time(cls: Any) -> bool:
    """Return whether a class made of names has nothing of a request, a user or a tenant in it."""
    model = cls._meta.model
    return all(_selects_the_same(model, filter_) for filter_ in cls.base_filters.values())


def _selects_the_same(model: Any, made: Any) -> bool:
    """Return whether a filter made of a model's field would get the same related objects again."""
    field = utils.get_model_field(model, made.field_name)
    limit = getattr(getattr(field, "remote_field", None), "limit_choices_to", None)
    if not is_plain_condition(limit):
        return False
    if not is_a(made, ASKING):
        return True
    queryset = type(made.queryset)
    manager = type(made.queryset.model._default_manager)
    return (
        copies_as_django(queryset)
        and queryset.complex_filter is QuerySet.complex_filter
        and all(getattr(manager, name) is getattr(Manager, name) for name in _OF_MANAGERS)
    )


_OF_MANAGERS = ("get_queryset", "all", "complex_filter", "__getattribute__")


def why_filters_are_made(view: Any) -> str | None:
    """Return why a view, made as for a request, makes its filters for each; None if it does not."""
    for backend in view.filter_backends:
        if is_a(backend, type) and issubclass(backend, DjangoFilterBackend):
            queryset = view.get_queryset()
            cls, again = (backend().get_filterset_class(view, queryset) for _ in range(2))
            if cls is not again:
                return "its filter set class may be another one for each request"
            if cls is not None:
                return FilterSetRecord.of(cls).why(queryset.model)
    return None


def filter_by_choices(self: Any, qs: Any, value: Any) -> Any:
    """``MultipleChoiceFilter.filter``, which need not ask whether there are objects in none."""
    if _is_none(value) and not is_disabled():
        return qs
    return _STOCK_FILTER_BY_CHOICES(self, qs, value)


def _is_none(value: Any) -> bool:
    """Return whether a value is a queryset of ``none()``, as where nothing was chosen."""
    cls = type(value)
    return (
        issubclass(cls, QuerySet)
        and cls.__bool__ is QuerySet.__bool__
        and evaluates_as_stock(cls)
        and results_of(value) is None
        and not is_combined(value)
        and is_nothing(value)
    )


form = property(_form)
errors = property(_errors)

# It does nothing but for those that were made without filters, be it before uninstalling.
BaseFilterSet.filters = FiltersOnDemand()

_replacements = Replacements(
    [
        (BaseFilterSet, "form", STOCK_FORM, form),
        (BaseFilterSet, "is_valid", STOCK_IS_VALID, is_valid),
        (BaseFilterSet, "errors", STOCK_ERRORS, errors),
        (BaseFilterSet, "filter_queryset", STOCK_FILTER_QUERYSET, filter_queryset),
        (BaseFilterSet, "__init__", STOCK_INIT, init),
        (
            DjangoFilterBackend,
            "get_filterset_class",
            STOCK_GET_FILTERSET_CLASS,
            get_filterset_class,
        ),
        (filters.MultipleChoiceFilter, "filter", _STOCK_FILTER_BY_CHOICES, filter_by_choices),
    ]
)
install = _replacements.install
uninstall = _replacements.uninstall
