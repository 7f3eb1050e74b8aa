"""What is known of a filter set class: what each parameter does. It hangs on the class."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple

from django import forms
from django_filters.filters import FilterMethod
from django_filters.filterset import BaseFilterSet
from django_filters.rest_framework.filterset import FilterSet as RestFilterSet

from fastschema.contrib.django.filters.copies import copied_filter, copied_filters
from fastschema.contrib.django.filters.stock_filters import ASKING, parameters, why_filter
from fastschema.runtime import policy
from fastschema.runtime.guard import CLASS_ATTRIBUTE, readings
from fastschema.runtime.stock import stock_method

STOCK_FORM = stock_method(BaseFilterSet, "form")
KNOWN_FORMS = [STOCK_FORM, stock_method(RestFilterSet, "form")]
"""The properties that make a form as django-filter does."""
_STOCK = {
    **{name: stock_method(BaseFilterSet, name) for name in ("errors", "get_form_class")},
    **{name: getattr(object, name) for name in ("__setattr__", "__getattribute__")},
}
_watched = attrgetter("base_filters", "form", "_meta.form", *_STOCK)
_MOST_CHANGES = 8
_MOST_MODELS = 32


class Step(NamedTuple):
    """A filter whose parameters were sent.

    :param name: its name
    :param filter: what filters
    :param field: what cleans
    """

    name: str
    filter: Any
    field: Any

    @property
    def asks(self) -> bool:
        """Return whether it asks the database when it cleans."""
        return isinstance(self.filter, ASKING)

    def bound(self, filter_set: Any) -> Any:
        """Return a filter like it for a filter set."""
        made = object.__new__(type(self.filter))
        own = vars(made)
        own.update(vars(self.filter))
        if "filter" in own:  # it calls a method of the filter set
            own["parent"] = filter_set
            own["filter"] = FilterMethod(made)
        return made


class Plan:
    """What the filters of a class do with each parameter.

    :param cls: the class
    :param model: the model of the querysets
    :param why: why the filters must be made for each request; None if nobody needs them
    """

    def __init__(self, cls: Any, model: Any) -> None:
        self.why = _why_class(cls)
        self._model = model
        self._base: Any = {}
        self._steps: list[Step] = []
        self._by_parameter: dict[str, list[int]] = {}
        if self.why is None:
            self._base = copy.copy(cls.base_filters)
            self._seen = (self._base, *_watched(cls)[1:])
            self._attributes = [_attributes_of(each) for each in self._base.values()]
            for name, base in self._base.items():
                self.why = self.why or self._add(name, base)

    def _add(self, name: str, base: Any) -> str | None:
        """Add a filter; return why that cannot be done."""
        try:
            made = copied_filter(base, {})
            made.model = self._model
            why = why_filter(name, made)
            if why is None:
                for parameter in parameters(name, made.field):
                    self._by_parameter.setdefault(parameter, []).append(len(self._steps))
                self._steps.append(Step(name, made, made.field))
        except Exception as error:
            return f"the filter {name} cannot be made: {type(error).__name__}: {error}"
        return why

    def holds(self, cls: Any) -> bool:
        """Return whether the class is as it was."""
        return bool(_watched(cls) == self._seen) and all(
            vars(base) == attributes and base.extra == extra
            for base, (attributes, extra) in zip(self._base.values(), self._attributes, strict=True)
        )

    def sent(self, names: Iterable[Any], prefix: str) -> list[Step]:
        """Return what has to be done, in the order of the filters.

        :param names: those of the parameters
        :param prefix: that of the form
        """
        numbers: set[int] = set()
        for name in names:
            if not prefix:
                numbers.update(self._by_parameter.get(name, ()))
            elif isinstance(name, str) and name.startswith(prefix):
                numbers.update(self._by_parameter.get(name[len(prefix) :], ()))
        return [self._steps[number] for number in sorted(numbers)]

    def copies(self, parent: Any) -> Any:
        """Return the filters that ``BaseFilterSet.__init__`` makes for a filter set."""
        made = copied_filters(self._base, {})
        bind(made, parent, self._model)
        return made


def bind(filters: Any, parent: Any, model: Any) -> None:
    """Tell filters of their filter set, and of the model of its querysets."""
    for each in filters.values():
        each.model = model
        each.parent = parent


def _attributes_of(base: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the attributes of a filter and what it gives its form field, to notice changes."""
    extra = {name: list(each) if type(each) is list else each for name, each in base.extra.items()}
    return dict(vars(base)), extra


def _why_class(cls: Any) -> str | None:
    """Return why a class needs its filters for each request, whatever they are."""
    for name, stock in _STOCK.items():
        if getattr(cls, name) is not stock:
            return f"{name} is overridden"
    if cls.form not in KNOWN_FORMS or hasattr(cls, "__getattr__") or hasattr(cls, "filters"):
        return "form, filters or __getattr__ is overridden"
    if getattr(getattr(cls, "_meta", None), "form", None) is not forms.Form:
        return "its Meta has a form of its own"
    return None


class FilterSetState:
    """What is known of a filter set class.

    :param cls: the class
    """

    __slots__ = ("__weakref__", "_changes", "_generation", "_owner", "_plans", "_uses")

    def __init__(self, cls: type) -> None:
        self._owner = weakref.ref(cls)
        self._generation = readings.current
        self._plans: dict[Any, Plan] = {}
        self._uses = 0
        self._changes = 0

    def __reduce__(self) -> Any:
        # Of a class that is pickled by value nothing is known elsewhere.
        return type(None), ()

    def belongs_to(self, cls: type) -> bool:
        """Return whether it is that of a class: one may be made of the attributes of another."""
        return self._owner() is cls and self._generation is readings.current

    def why(self, model: Any) -> str | None:
        """Return why filters are made for each request; None if they are made on demand."""
        return Plan(self._owner(), model).why

    def plan(self, model: Any) -> Plan | None:
        """Return what filters querysets of a model; None if stock must."""
        cls = self._owner()
        plan = self._plans.get(model)
        if plan is None:
            self._uses += 1
            if self._uses < policy.uses_worth_planning or len(self._plans) >= _MOST_MODELS:
                return None
            plan = self._plans[model] = Plan(cls, model)
        if plan.why is not None:
            return None
        if not plan.holds(cls):
            self._changes += 1
            if self._changes < _MOST_CHANGES:
                self._plans.pop(model, None)
            return None
        return plan


def filter_set_state(cls: type) -> FilterSetState:
    """Return what is known of a filter set class."""
    state = vars(cls).get(CLASS_ATTRIBUTE)
    if type(state) is not FilterSetState or not state.belongs_to(cls):
        state = FilterSetState(cls)
        type.__setattr__(cls, CLASS_ATTRIBUTE, state)
    return state
