"""Filter sets that make their filters and their form when somebody looks at them."""

from __future__ import annotations

import json
from collections import OrderedDict
from functools import partial
from typing import Any, NamedTuple

from django.db.models import Manager, QuerySet
from django.http import QueryDict
from django.utils import translation
from django.utils.datastructures import MultiValueDict
from django.utils.functional import Promise
from django_filters import filters, utils
from django_filters.filterset import BaseFilterSet
from django_filters.rest_framework import DjangoFilterBackend, FilterSet

from fastschema.contrib.django.filters.recipes import (
    ASKING,
    STOCK_FORM,
    FilterSetState,
    Recipe,
    copied_filters,
)
from fastschema.contrib.django.front_end.class_state import ClassCache
from fastschema.contrib.django.front_end.customization import is_stock_queryset_class
from fastschema.contrib.django.internals.queries import evaluates_as_stock, is_combined, results_of
from fastschema.runtime.guard import STATE_KEY, State
from fastschema.runtime.patching import Replacements, stock_method
from fastschema.switch import is_disabled

STOCK_INIT = stock_method(BaseFilterSet, "__init__")
STOCK_IS_VALID = stock_method(BaseFilterSet, "is_valid")
STOCK_QS = stock_method(BaseFilterSet, "qs")
STOCK_FILTER_QUERYSET = stock_method(BaseFilterSet, "filter_queryset")
STOCK_GET_FILTERSET_CLASS = stock_method(DjangoFilterBackend, "get_filterset_class")
_STOCK_GET_FILTERSET = stock_method(DjangoFilterBackend, "get_filterset")
_MOST_CLASSES = 32
_STOCK_LABEL_FOR_FILTER = stock_method(utils, "label_for_filter")
_STOCK_FILTER_BY_CHOICES = stock_method(filters.MultipleChoiceFilter, "filter")
_MOST_LABELS = 4096
_LOOKED_AT = frozenset(["filters", "_form", "_meta", "get_form_class"])
"""Attributes that a filter set has after somebody has looked, or has changed it."""


class BoundStep(NamedTuple):
    """What one filter, whose parameters were sent, does in one filter set.

    :param name: its name
    :param filter: what filters
    :param value: what was sent, cleaned
    :param attributes: those of the filter before it has filtered
    """

    name: str
    filter: Any
    value: Any
    attributes: dict[str, Any]

    def changes(self) -> dict[str, Any]:
        """Return what the filter has set on itself, such as the ``lookup_expr`` of a range."""
        before, now = self.attributes, vars(self.filter)
        return {
            name: value
            for name, value in now.items()
            if name not in before or before[name] is not value
        }


class Demand(State):
    """What one filter set has to do.

    :param recipe: what its class does with each parameter
    """

    __slots__ = ("answers", "data", "is_known", "recipe", "steps")

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.is_known = False
        self.steps: list[BoundStep] | None = None
        """What filters, by those parameters that were sent."""
        self.answers: dict[str, Any] = {}
        """What the database was asked for, by the names of filters: a value, or an error."""

    def clean(self, filter_set: Any) -> None:
        """Clean the parameters that were sent. If one is wrong, the form has to word the error."""
        if not filter_set.is_bound:
            return
        self.is_known = True
        data = self.data = filter_set.data
        if type(data) not in (QueryDict, MultiValueDict, dict) or filter_set.form_prefix:
            return
        steps = self.recipe.sent(data)
        values: dict[str, Any] = {}
        for step in steps:
            kept = self.answers if step.asks else values
            try:
                given = step.field.widget.value_from_datadict(data, {}, step.name)
                kept[step.name] = step.field.clean(given)
            except Exception as error:
                kept[step.name] = error
                return
        values |= self.answers
        bound = [(step.name, step.bound(filter_set)) for step in steps]
        self.steps = [BoundStep(name, each, values[name], dict(vars(each))) for name, each in bound]

    def form(self, filter_set: Any) -> Any:
        """Return stock's form of the data that were cleaned, without asking the database again."""
        data, filter_set.data = filter_set.data, self.data  # which somebody may have changed since
        try:
            made = STOCK_FORM.fget(filter_set)
        finally:
            filter_set.data = data
        asking = {name: each for name, each in made.fields.items() if name in self.answers}
        for name, field in asking.items():
            field.clean = partial(_repeat, self.answers[name])
        try:
            _ = made.errors
        finally:
            for field in asking.values():
                del field.clean
        return made


def _repeat(answer: Any, value: Any) -> Any:
    if isinstance(answer, Exception):
        raise answer
    return answer


def demanded(filter_set: Any) -> list[BoundStep] | None:
    """Return what a filter set has to do; None if stock must do it."""
    own = vars(filter_set)
    demand = own.get(STATE_KEY)
    if type(demand) is not Demand or not own.keys().isdisjoint(_LOOKED_AT):
        return None
    if not demand.is_known:
        demand.clean(filter_set)
    return demand.steps


def init(
    self: Any, data: Any = None, queryset: Any = None, *, request: Any = None, prefix: Any = None
) -> None:
    """``BaseFilterSet.__init__``, without filters if nobody needs them."""
    own, base = vars(self), self.base_filters
    if is_disabled() or type(base) not in (dict, OrderedDict):
        STOCK_INIT(self, data, queryset, request=request, prefix=prefix)
        return
    is_own = "base_filters" in own
    model = getattr(queryset, "model", None) or type(self)._meta.model
    recipe = None if is_own else FilterSetState.of(type(self)).recipe(model)
    own["base_filters"] = {}
    try:
        STOCK_INIT(self, data, queryset, request=request, prefix=prefix)
    finally:
        if is_own:
            own["base_filters"] = base
        else:
            del own["base_filters"]
    if recipe is None:
        self.filters = _filters_of(self)
    else:
        del own["filters"]
        own[STATE_KEY] = Demand(recipe)


def _filters_of(filter_set: Any) -> Any:
    """Return what ``BaseFilterSet.__init__`` makes of the filters of the class."""
    made = copied_filters(filter_set.base_filters)
    for each in made.values():
        each.model = filter_set.queryset.model
        each.parent = filter_set
    return made


class FiltersOnDemand:
    """The filters of a filter set that has made none: whoever looks gets those of stock.

    If the data were cleaned, stock has made its form of the filters by now, and perhaps the filters
    have set something on themselves as they filtered.
    """

    def __get__(self, filter_set: Any, cls: Any) -> Any:
        own = {} if filter_set is None else vars(filter_set)
        if STATE_KEY not in own:
            which = f"{'type' if filter_set is None else cls.__name__!r} object"
            raise AttributeError(f"{which} has no attribute 'filters'")
        made = own["filters"] = _filters_of(filter_set)
        demand = own[STATE_KEY]
        if type(demand) is Demand and demand.is_known and "_form" not in own:
            demand.form(filter_set)
            for step in demand.steps or ():
                vars(made[step.name]).update(step.changes())
        return made


def _form(self: Any) -> Any:
    """``BaseFilterSet.form``, made of the filters as they were when the data were cleaned."""
    own = vars(self)
    demand = own.get(STATE_KEY)
    if "_form" not in own and type(demand) is Demand and demand.is_known:
        assigned = own.pop("filters", None)
        _ = self.filters  # which come with the form
        if assigned is not None:
            own["filters"] = assigned
    return STOCK_FORM.fget(self)


def is_valid(self: Any) -> bool:
    """``BaseFilterSet.is_valid``, without a form if all that was sent is right."""
    return demanded(self) is not None or STOCK_IS_VALID(self)


def _qs(self: Any) -> Any:
    """``BaseFilterSet.qs``."""
    if "_qs" not in vars(self) and demanded(self) is not None:
        self._qs = self.filter_queryset(self.queryset.all())
    return STOCK_QS.fget(self)


def filter_queryset(self: Any, queryset: Any) -> Any:
    """``BaseFilterSet.filter_queryset`` by the filters whose parameters were sent.

    :raises AssertionError: as stock
    """
    steps = demanded(self)
    if steps is None:
        return STOCK_FILTER_QUERYSET(self, queryset)
    for step in steps:
        queryset = step.filter.filter(queryset, step.value)
        _check_queryset(self, step.name, queryset)
        if "filters" in vars(self):  # a method of users' has looked at them, and may change them
            return _filtered_after(self, step.name, queryset)
    return queryset


def _filtered_after(filter_set: Any, name: str, queryset: Any) -> Any:
    """Return a queryset filtered as stock does by the filters after one of them."""
    values = iter(filter_set.form.cleaned_data.items())
    _ = next(each for each, _ in values if each == name)
    for each, value in values:
        queryset = filter_set.filters[each].filter(queryset, value)
        _check_queryset(filter_set, each, queryset)
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
    fields = getattr(view, "filterset_fields", None) if is_stock else None
    if not fields or getattr(view, "filterset_class", None):
        return STOCK_GET_FILTERSET_CLASS(self, view, queryset)
    known = ClassCache.of(type(view)).known  # None for those that may differ each time
    try:
        key = queryset.model, json.dumps(fields)
    except TypeError:  # something else than names
        return STOCK_GET_FILTERSET_CLASS(self, view, queryset)
    made = known.get(key)
    if made is None:
        made = STOCK_GET_FILTERSET_CLASS(self, view, queryset)
        if key not in known and len(known) < _MOST_CLASSES:
            known[key] = made if _is_the_same_next_time(made) else None
    return made


def _is_the_same_next_time(cls: Any) -> bool:
    """Return whether a class made of names has nothing of a request, a user or a tenant in it."""
    model = cls._meta.model
    return all(_selects_the_same(model, made) for made in cls.base_filters.values())


def _selects_the_same(model: Any, made: Any) -> bool:
    """Return whether a filter made of a model's field would get the same related objects again."""
    field = utils.get_model_field(model, made.field_name)
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


# Where django-filter makes filters and a form after all, these make it faster.


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


form = property(_form)
qs = property(_qs)

# It does nothing but for those that were made without filters, be it before uninstalling.
BaseFilterSet.filters = FiltersOnDemand()

_replacements = Replacements(
    [
        (BaseFilterSet, "form", STOCK_FORM, form),
        (BaseFilterSet, "is_valid", STOCK_IS_VALID, is_valid),
        (BaseFilterSet, "qs", STOCK_QS, qs),
        (BaseFilterSet, "filter_queryset", STOCK_FILTER_QUERYSET, filter_queryset),
        (BaseFilterSet, "__init__", STOCK_INIT, init),
        (
            DjangoFilterBackend,
            "get_filterset_class",
            STOCK_GET_FILTERSET_CLASS,
            get_filterset_class,
        ),
        (filters, "label_for_filter", _STOCK_LABEL_FOR_FILTER, label_for_filter),
        (filters.MultipleChoiceFilter, "filter", _STOCK_FILTER_BY_CHOICES, filter_by_choices),
    ]
)
install = _replacements.install
uninstall = _replacements.uninstall
