"""What is known of the rows of a queryset before its query is run: found once for each shape.

A :class:`QueryPlan` says which column each position of a row belongs to, what ``prefetch_related``
adds, or why the rows are not read. It hangs on the class of the model. It holds no queryset, no
value and no connection: those are the next request's own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from django.conf import settings
from django.db import router as routers
from django.db.models import Model
from django.db.models.signals import post_init, pre_init

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django import conf
from fastschema.contrib.django.front_end.bypassed import ROWS
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    iterates_as_django,
    prefetch_lookups,
    results_of,
)
from fastschema.contrib.django.internals.shapes import check_compiled_by_django, shape_of
from fastschema.contrib.django.lists.prefetch_plan import PrefetchStep, steps_of
from fastschema.contrib.django.lists.row_layout import Selection
from fastschema.runtime.guard import ClassCache, ClassSnapshot

_PLANS = "query plans"
_MOST_PLANS = 32
"""For how many shapes of querysets a model keeps plans."""


class QueryPlan:
    """What is known of the rows of all querysets of one shape; threads may share it."""

    def __init__(self, queryset: Any, query: CompiledQuery) -> None:
        self.why: str | None = None
        """Why their rows are not read; None if they are."""
        self.steps: Sequence[PrefetchStep] = ()
        """The queries that ``prefetch_related`` makes for them."""
        self._uses_zones = settings.USE_TZ
        self._models: set[Any] = set()
        self._classes = ClassSnapshot()
        try:
            for source in _with_given(queryset):
                self._watch(type(source))
            self.selection = Selection.of(query, self._watch_model)
            if prefetch_lookups(queryset):
                self.steps = steps_of(queryset, self.selection, self._watch_model)
        except NotRowReadableError as error:
            self.why = str(error)

    def _watch_model(self, model: Any) -> None:
        """Notice from now on if a model changes, or a manager of it."""
        self._models.add(model)
        for cls in (model, type(model), type(model._base_manager), type(model._default_manager)):
            self._watch(cls)

    def _watch(self, cls: type) -> None:
        for base in cls.__mro__[:-1]:
            if base is Model or not base.__module__.startswith("django.db."):
                self._classes.add(base)

    def is_current(self) -> bool:
        """Return whether all that it was made of is what it was."""
        return self._uses_zones == settings.USE_TZ and self._classes.is_current()

    def check(self) -> None:
        """Raise NotRowReadableError if rows are not read, or receivers see each new instance."""
        if self.why is not None:
            raise NotRowReadableError(self.why)
        if not (pre_init.receivers or post_init.receivers):
            return
        for model in self._models:
            if pre_init.has_listeners(model) or post_init.has_listeners(model):
                raise NotRowReadableError(
                    f"pre_init or post_init of {model.__name__} has receivers"
                )


def check_readable(queryset: Any) -> None:
    """Raise NotRowReadableError if the query of a queryset cannot be run in its place."""
    if not conf.settings().rows:
        raise NotRowReadableError('the setting FASTSCHEMA["ROWS"] is False')
    if not ROWS.are_stock():
        raise NotRowReadableError(str(ROWS.reason()))
    if not iterates_as_django(queryset):
        raise NotRowReadableError(f"{type(queryset).__name__} is not a plain QuerySet")
    if results_of(queryset) is not None:
        raise NotRowReadableError("the queryset has been evaluated")
    if routers.routers:
        raise NotRowReadableError("DATABASE_ROUTERS may be asked about instances")


def kept_plan(model: Any, shape: Hashable) -> QueryPlan | None:
    """Return a model's plan for a shape, if any; raise NotRowReadableError if rows are not read."""
    plan = _plans(model).get(shape)
    if plan is None or not plan.is_current():
        return None
    plan.check()
    return plan


def new_plan(queryset: Any, shape: Hashable, query: CompiledQuery) -> QueryPlan:
    """Return a new plan, which its model keeps; raise NotRowReadableError if rows are not read."""
    plan = QueryPlan(queryset, query)
    keep(_plans(queryset.model), shape, plan, _MOST_PLANS)
    plan.check()
    return plan


def plan_of(queryset: Any) -> QueryPlan:
    """Return the plan of a queryset; raise NotRowReadableError if its rows are not read."""
    check_readable(queryset)
    shape = shape_of(queryset)
    plan = kept_plan(queryset.model, shape)
    if plan is not None:
        return plan
    check_compiled_by_django(queryset)  # which is compiled once more when it is run
    try:
        return new_plan(queryset, shape, CompiledQuery(queryset, is_run=False))
    except NotRowReadableError:
        raise
    except Exception as error:  # which Django raises in its turn
        raise NotRowReadableError(f"{type(error).__name__}: {error}") from error


def _plans(model: Any) -> dict[Hashable, QueryPlan]:
    plans: dict[Hashable, QueryPlan] = ClassCache.of(model).known.setdefault(_PLANS, {})
    return plans


def keep(plans: dict[Any, Any], key: Hashable, plan: Any, most: int) -> None:
    """Keep a plan; where there are too many, the oldest goes."""
    if len(plans) >= most:
        plans.pop(next(iter(plans)), None)
    plans[key] = plan


def _with_given(queryset: Any) -> Iterator[Any]:
    """Yield a queryset, and those that are given for what it prefetches."""
    yield queryset
    for lookup in prefetch_lookups(queryset):
        inner = getattr(lookup, "queryset", None)  # a string has none
        if inner is not None:
            yield from _with_given(inner)
