"""What is known of the rows of a queryset before its query is run: found once for each shape.

A :class:`QueryPlan` says which column each position of a row belongs to, what ``prefetch_related``
adds, or why the rows are not read. It hangs on the class of the model. It holds no queryset, no
value and no connection: those are the next request's own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from operator import is_
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Model
from django.db.models.signals import post_init, pre_init

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.front_end.class_state import ClassCache
from fastschema.contrib.django.internals.queries import CompiledQuery, prefetch_lookups
from fastschema.contrib.django.internals.shapes import shape_of
from fastschema.contrib.django.lists.prefetch_plan import PrefetchStep, steps_of
from fastschema.contrib.django.lists.row_layout import QueryLayout, RowLayout
from fastschema.runtime.guard import ClassSnapshot

if TYPE_CHECKING:
    from functools import cached_property
else:  # that of functools has a lock before Python 3.12, one for all objects
    from django.utils.functional import cached_property

_PLANS = "query plans"
_MOST_PLANS = 32
"""For how many shapes of querysets a model keeps plans."""


class Layouts:
    """The layouts of the rows of all queries that a list takes.

    :param queries: of each query, without what stands beside its rows
    :param steps: those that find all but the first
    """

    def __init__(self, queries: Sequence[QueryLayout], steps: Sequence[PrefetchStep]) -> None:
        self.queries = queries
        self.rows = [each.rows.copy() for each in queries]
        """Those with what stands beside the rows; the first is that of the list."""
        widths = [each.column_count for each in queries]
        for layout, step in zip(self.rows[1:], steps, strict=True):
            step.add_to(self.rows[step.owner], layout, widths[step.owner])
            widths[step.owner] += 1


class QueryPlan:
    """What is known of the rows of all querysets of one shape; threads may share it.

    :param queryset: one of them
    :param query: its query, which has been run, or at least compiled
    """

    def __init__(self, queryset: Any, query: CompiledQuery) -> None:
        self.why: str | None = None
        """Why their rows are not read; None if they are."""
        self.steps: Sequence[PrefetchStep] = ()
        """The queries that ``prefetch_related`` makes for them."""
        self._uses_zones = settings.USE_TZ
        self._models: set[Any] = set()
        self._classes = ClassSnapshot()
        try:
            self._read(queryset, query)
        except NotRowReadableError as error:
            self.why = str(error)

    def _read(self, queryset: Any, query: CompiledQuery) -> None:
        for given in _given_querysets(queryset):
            self._watch(type(given))
        own = QueryLayout.of(query, self._watch_model)
        if prefetch_lookups(queryset):
            self.steps = steps_of(queryset, own.rows, self._watch_model)
        self._planned = [own, *[step.layout for step in self.steps]]
        """The layouts of what each query may find."""
        self._queries: list[QueryLayout | None] = [own, *[None for _ in self.steps]]
        """The layout of each query, which for that of a step is known once it has run."""
        self._layouts: Layouts | None = None

    def _watch_model(self, model: Any) -> None:
        """Notice from now on if a model changes, or a manager of it."""
        self._models.add(model)
        for each in (model, type(model), type(model._base_manager), type(model._default_manager)):
            self._watch(each)

    def _watch(self, cls: type) -> None:
        for each in cls.__mro__[:-1]:
            if each is Model or not each.__module__.startswith("django.db."):
                self._classes.add(each)

    @property
    def is_current(self) -> bool:
        """Whether all that it was made of is what it was."""
        return self._uses_zones == settings.USE_TZ and self._classes.is_current()

    @property
    def converts_as_stock(self) -> bool:
        """Whether no code of users makes values of the list's own rows."""
        own = self._planned[0]
        return own.converted is not None and not own.rows.converted_by_users

    def check(self) -> None:
        """Check that the rows are read, and nobody is told of each instance that is made.

        :raises NotRowReadableError: if not
        """
        if self.why is not None:
            raise NotRowReadableError(self.why)
        for model in self._models:
            if pre_init.has_listeners(model) or post_init.has_listeners(model):
                raise NotRowReadableError(
                    f"pre_init or post_init of {model.__name__} has receivers"
                )

    def query_layout(self, number: int, query: CompiledQuery) -> QueryLayout:
        """Return the layout of the rows of a query that has been run.

        It is what it was before if the query selects what it selected before.

        :param number: of the step that runs it; 0: the list's own
        :raises NotRowReadableError: if code of users could notice that no instances are made
        """
        known = self._queries[number]
        if known is not None and known.selected == query.selected():
            return known
        found = QueryLayout.of(query)
        if known is None:
            self._queries[number] = found
        return found

    @property
    def layout(self) -> RowLayout:
        """The layout of the list's rows as planned, with what stands beside them."""
        return Layouts(self._planned, self.steps).rows[0]

    def layouts(self, queries: Sequence[QueryLayout | None]) -> Layouts:
        """Return the layouts of rows with what stands beside them, the same for the same layouts.

        :param queries: that of each query without it; None for a step that found no object to run
            its query for
        """
        now = [
            each or known or planned
            for each, known, planned in zip(queries, self._queries, self._planned, strict=True)
        ]
        layouts = self._layouts
        if layouts is None or not all(map(is_, now, layouts.queries)):
            layouts = self._layouts = Layouts(now, self.steps)
        return layouts


class Plans:
    """The plan of a queryset among those that its model has.

    :param queryset: the queryset
    :raises NotRowReadableError: if its query is of a kind that is too rare to be known
    """

    def __init__(self, queryset: Any) -> None:
        self._shape = shape_of(queryset)
        self._plans: dict[Hashable, QueryPlan] = ClassCache.of(queryset.model).known.setdefault(
            _PLANS, {}
        )

    @cached_property
    def known(self) -> QueryPlan | None:
        """Return the plan, if it is known.

        :raises NotRowReadableError: if rows of that shape are not read
        """
        plan = self._plans.get(self._shape)
        if plan is None or not plan.is_current:
            return None
        plan.check()
        return plan

    def new(self, queryset: Any, query: CompiledQuery) -> QueryPlan:
        """Return a new plan, which is kept.

        :param query: the query of the queryset, which has been run, or at least compiled
        :raises NotRowReadableError: if rows of that shape are not read
        :raises Exception: what Django raises for what the queryset prefetches
        """
        plan = QueryPlan(queryset, query)
        keep(self._plans, self._shape, plan, _MOST_PLANS)
        plan.check()
        return plan


def plan_of(queryset: Any) -> QueryPlan:
    """Return the plan of a queryset that has not been evaluated.

    :raises NotRowReadableError: if its rows are not read
    """
    plans = Plans(queryset)
    try:
        return plans.known or plans.new(queryset, CompiledQuery(queryset, is_run=False))
    except NotRowReadableError:
        raise
    except Exception as error:  # which Django raises in its turn
        raise NotRowReadableError(f"{type(error).__name__}: {error}") from error


def keep(plans: dict[Any, Any], key: Hashable, plan: Any, most: int) -> None:
    """Keep a plan; where there are too many, the oldest goes.

    :param most: how many are kept
    """
    if len(plans) >= most:
        plans.pop(next(iter(plans)), None)
    plans[key] = plan


def _given_querysets(queryset: Any) -> Iterator[Any]:
    """Yield a queryset, and those that are given for what it prefetches."""
    yield queryset
    for lookup in prefetch_lookups(queryset):
        given = getattr(lookup, "queryset", None)  # a string has none
        if given is not None:
            yield from _given_querysets(given)
