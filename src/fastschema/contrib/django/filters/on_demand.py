"""Filter sets that make their filters and their form when somebody looks at them."""

from __future__ import annotations

from collections import OrderedDict
from copy import deepcopy
from functools import partial
from types import SimpleNamespace
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django_filters.filterset import BaseFilterSet

from fastschema.contrib.django.filters.plans import (
    KNOWN_FORMS,
    STOCK_FORM,
    Plan,
    Step,
    bind,
    filter_set_state,
)
from fastschema.contrib.django.filters.stock_speedups import Copied
from fastschema.runtime.guard import ATTRIBUTE, State
from fastschema.runtime.patching import stock_method
from fastschema.switch import is_disabled

STOCK_INIT = stock_method(BaseFilterSet, "__init__")
STOCK_IS_VALID = stock_method(BaseFilterSet, "is_valid")
STOCK_QS = stock_method(BaseFilterSet, "qs")
STOCK_FILTER_QUERYSET = stock_method(BaseFilterSet, "filter_queryset")
_LOOKED_AT = frozenset(["filters", "_form", "_meta", "get_form_class"])
"""Attributes that a filter set has after somebody has looked, or has changed it."""


class Demand(State):
    """What one filter set has to do.

    :param plan: what its class does with each parameter
    """

    __slots__ = ("answers", "is_known", "plan", "steps")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.is_known = False
        self.steps: list[tuple[Step, Any, Any]] | None = None
        """For each filter whose parameters were sent what filters, and with which value."""
        self.answers: dict[str, Any] = {}
        """What the database was asked for, by the names of filters: a value, or an error."""

    def clean(self, filter_set: Any) -> None:
        """Clean the parameters that were sent. If one is wrong, the form has to word the error."""
        self.is_known = True
        data, prefix = filter_set.data, filter_set.form_prefix
        if not filter_set.is_bound or type(data) not in (QueryDict, MultiValueDict, dict):
            return
        prefix = f"{prefix}-" if prefix else ""
        steps = self.plan.sent(data, prefix)
        values: dict[str, Any] = {}
        for step in steps:
            kept = self.answers if step.asks else values
            try:
                given = step.field.widget.value_from_datadict(data, {}, prefix + step.name)
                kept[step.name] = step.field.clean(given)
            except Exception as error:
                kept[step.name] = error
                return
        values |= self.answers
        self.steps = [(step, step.bound(filter_set), values[step.name]) for step in steps]


def demanded(filter_set: Any) -> list[tuple[Step, Any, Any]] | None:
    """Return what a filter set has to do; None if stock must do it."""
    own = vars(filter_set)
    demand = own.get(ATTRIBUTE)
    if type(demand) is not Demand or not own.keys().isdisjoint(_LOOKED_AT):
        return None
    if not demand.is_known:
        demand.clean(filter_set)
    return demand.steps


def init(
    self: Any, data: Any = None, queryset: Any = None, *, request: Any = None, prefix: Any = None
) -> None:
    """``BaseFilterSet.__init__``, without filters if nobody needs them."""
    own, cls = vars(self), type(self)
    base = None if is_disabled() or "filters" in own else self.base_filters
    if type(base) not in (dict, OrderedDict):
        STOCK_INIT(self, data, queryset, request=request, prefix=prefix)
        return
    is_own = "base_filters" in own
    model = getattr(queryset, "model", None) or cls._meta.model
    plan = None if is_own else filter_set_state(cls).plan(model)
    own["base_filters"] = Copied(base) if plan is None else {}
    try:
        STOCK_INIT(self, data, queryset, request=request, prefix=prefix)
    finally:
        del own["base_filters"]
    if is_own:
        own["base_filters"] = base
    if plan is not None:
        del own["filters"]
        own[ATTRIBUTE] = Demand(plan)


class FiltersOnDemand:
    """The filters of a filter set that has made none: whoever looks gets those of stock."""

    def __get__(self, filter_set: Any, cls: Any) -> Any:
        own = {} if filter_set is None else vars(filter_set)
        demand = own.get(ATTRIBUTE)
        if ATTRIBUTE in own and demand is None:  # a deep copy, or a pickle
            made = own["filters"] = deepcopy(cls.base_filters)
            bind(made, filter_set, filter_set.queryset.model)
            return made
        if type(demand) is not Demand:
            which = f"{'type' if filter_set is None else cls.__name__!r} object"
            raise AttributeError(f"{which} has no attribute 'filters'")
        made = demand.plan.copies(filter_set)
        own["filters"] = made
        if demand.steps is not None:  # stock had made and cleaned its form by now
            _make_form(filter_set, demand)
            for step, bound, _ in demand.steps:
                made[step.name].lookup_expr = bound.lookup_expr  # a range leaves this behind
        return made


def _form(self: Any) -> Any:
    """``BaseFilterSet.form``."""
    own = vars(self)
    demand = own.get(ATTRIBUTE)
    if type(demand) is Demand and "_form" not in own and demand.is_known:
        if "filters" not in own:
            _ = self.filters  # makes the form if nothing was wrong
        if "_form" not in own and demand.answers:
            _make_form(self, demand)
    return STOCK_FORM.fget(self)


def _make_form(filter_set: Any, demand: Demand) -> None:
    """Make and clean the form, without asking the database again."""
    made = STOCK_FORM.fget(filter_set)
    for name, answer in demand.answers.items():
        made.fields[name].clean = partial(_repeat, answer)
    try:
        _ = made.errors
    finally:
        for name in demand.answers:
            del made.fields[name].clean


def _repeat(answer: Any, value: Any) -> Any:
    if isinstance(answer, Exception):
        raise answer
    return answer


def is_valid(self: Any) -> bool:
    """``BaseFilterSet.is_valid``, without a form if all that was sent is right."""
    return demanded(self) is not None or STOCK_IS_VALID(self)


def _qs(self: Any) -> Any:
    """``BaseFilterSet.qs``."""
    if "_qs" not in vars(self) and demanded(self) is not None:
        self._qs = self.filter_queryset(self.queryset.all())
    return STOCK_QS.fget(self)


def filter_queryset(self: Any, queryset: Any) -> Any:
    """``BaseFilterSet.filter_queryset`` by the filters whose parameters were sent."""
    steps = demanded(self)
    if steps is None:
        return STOCK_FILTER_QUERYSET(self, queryset)
    last = None
    for step, bound, value in steps:
        if "filters" in vars(self):
            break
        queryset, last = _filtered(self, step.name, bound, queryset, value), step.name
    if last is None or "filters" not in vars(self):
        return queryset
    # A method of the filter set has looked, and may have changed what comes next.
    cleaned = list(self.form.cleaned_data.items())
    rest = cleaned[[name for name, _ in cleaned].index(last) + 1 :]
    for name, value in rest:
        queryset = _filtered(self, name, self.filters[name], queryset, value)
    return queryset


def _filtered(filter_set: Any, name: str, filter_: Any, queryset: Any, value: Any) -> Any:
    """Return what a filter makes of a queryset; stock says so if that is no queryset."""
    found = filter_.filter(queryset, value)
    if isinstance(found, QuerySet):
        return found
    stand_in = type(type(filter_set).__name__, (), {})()
    stand_in.form = SimpleNamespace(cleaned_data={name: value})
    stand_in.filters = {name: SimpleNamespace(filter=lambda queryset, value: found)}
    return STOCK_FILTER_QUERYSET(stand_in, queryset)


form = property(_form)
qs = property(_qs)
KNOWN_FORMS.append(form)
