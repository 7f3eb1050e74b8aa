"""Dump the rows of a list: as the database gave them if that will do, else as instances.

A :class:`ListPlan` says how a serializer reads the rows of one selection: by which program, or why
it is given instances. It is kept with what the serializer runs.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from fastschema.compiler.nodes import Form
from fastschema.contrib.django.before_rows import (
    before_dispatch,
    loads_more,
    loads_relations_of,
)
from fastschema.contrib.django.front_end.bound_serializer import BoundSerializer
from fastschema.contrib.django.front_end.states import find_bound_program
from fastschema.contrib.django.lists.columns import (
    calls_user_code,
    computes_default,
    fields_read,
    may_fail,
)
from fastschema.contrib.django.lists.prefetching import fetch_rows
from fastschema.contrib.django.lists.query_plan import QueryPlan, keep
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList
from fastschema.contrib.django.lists.row_layout import RowLayout
from fastschema.contrib.django.lists.row_programs import by_row, with_kept_relations
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.programs import DumpProgram

_MOST_PLANS = 16
"""How many plans are kept for serializers that run the same."""


class ListPlan(NamedTuple):
    """How a serializer reads the rows of a list.

    :param by_row: what dumps them as the database gave them; None if it is given instances
    :param why: why it is
    :param keeps_rows: whether the instances keep their rows, from which relations are read
    :param loads_more: whether relations are to be loaded for the instances
    """

    by_row: DumpProgram | None
    why: str | None
    by_instance: DumpProgram
    keeps_rows: bool = False
    calls_user_code: bool = False
    loads_more: bool = False


def list_plan(dispatch: Dispatch, rows: FetchedRows) -> ListPlan:
    """Return how a serializer reads rows, kept if another request may read rows like them."""
    plans: dict[Any, ListPlan] = dispatch.bound_schema.compiled.list_plans
    loads = loads_relations_of(dispatch)
    key = rows.selection, _key(dispatch.bound_schema), bool(loads)
    plan = plans.get(key)
    if plan is None:
        plan = _new_plan(dispatch, rows.layout, may_keep_rows=rows.makes_instances)
        if loads and plan.by_row is None:
            plan = plan._replace(loads_more=loads_more(dispatch, rows.query))
        keep(plans, key, plan, _MOST_PLANS)
    return plan


def why_instances(dispatch: Dispatch, plan: QueryPlan) -> str | None:
    """Return why a serializer is given instances of the rows of a plan; None if it is not."""
    return _new_plan(dispatch, plan.selection.layout, may_keep_rows=False).why


def _key(bound: BoundSerializer) -> Hashable:
    """Return all that a plan depends on: what runs, and what is nested in it."""
    nested = [
        bound.nested(number)
        for number, field in enumerate(bound.compiled.program.node.fields)
        if field.kind.nested_slot is not None
    ]
    own_fields = bound.exemplar_fields
    if own_fields is bound.compiled.fields:
        own_fields = []  # they are always the same
    return (
        bound.compiled,
        # Programs ask for defaults, so serializers of one program may have others.
        tuple([number for number, field in enumerate(own_fields) if computes_default(field)]),
        tuple([None if inner is None else _key(inner) for inner in nested]),
    )


def _new_plan(dispatch: Dispatch, layout: RowLayout, *, may_keep_rows: bool) -> ListPlan:
    program = dispatch.program
    fields = fields_read(dispatch, layout)
    columns = tuple([field for field in fields if not isinstance(field, str)])
    why = next((field for field in fields if isinstance(field, str)), None)
    runs_user_code = calls_user_code(columns)
    # What code of users raises is raised as it reads the rows: it must not run twice.
    if why is None and runs_user_code and may_fail(columns):
        why = "a source follows a relation that may be null"
    if why is None:
        return ListPlan(by_row(program, columns), None, program, calls_user_code=runs_user_code)
    kept = with_kept_relations(dispatch, fields, layout) if may_keep_rows else None
    return ListPlan(None, why, kept or program, keeps_rows=kept is not None)


class ListDumper:
    """Dumps the rows of a list; making one may let instances that are not there yet keep rows."""

    def __init__(self, dispatch: Dispatch, rows: list[Any]) -> None:
        program, form = dispatch.program, dispatch.form
        bound = dispatch.bound_schema.for_one_list()
        fetched = rows.fetched if type(rows) is LazyInstanceList else None
        plan = ListPlan(None, None, program, loads_more=True)
        if fetched is not None:
            plan = list_plan(Dispatch(program, form, bound), fetched)
            if plan.keeps_rows:
                fetched.keep_rows()
        self._by_row = None if plan.by_row is None else Dispatch(plan.by_row, form, bound)
        self._by_instance = Dispatch(plan.by_instance, form, bound)
        self._calls_user_code = plan.calls_user_code
        self._loads_more = plan.loads_more

    def all_rows(self, rows: LazyInstanceList) -> list[Any]:
        """Dump rows as they are; if that fails and no code of users has run, as instances."""
        if self._by_row is not None:
            try:
                return self._by_row.all_rows(rows.rows())
            except Exception:
                if self._calls_user_code:
                    raise  # none of it runs twice
        instances = list(rows)
        loaded = before_dispatch(self._by_instance, instances) if self._loads_more else None
        if loaded is None:
            return self._by_instance.all_rows(instances)
        with loaded:
            return self._by_instance.all_rows(instances)


def dump_rows(
    serializer: Any, data: Any, dispatch: Dispatch | None = None
) -> tuple[list[Any] | None, Any]:
    """Return what a serializer makes of each row, and the rows.

    The former is None if they do not come from the database; or if stock represents them, as the
    rows tell then: they are a :class:`LazyInstanceList`.

    :param data: anything that is iterated over; a queryset has its rows afterwards, as in stock
    :param dispatch: what dumps objects; None: the serializer as it is now
    """
    data = fetch_rows(data)
    if type(data) is not LazyInstanceList:
        return None, data
    if dispatch is None:
        bound_program = find_bound_program(serializer, len(data))
        if bound_program is None:
            return None, data
        dispatch = bound_program.new_dispatch(Form.PYTHON)
    return ListDumper(dispatch, data).all_rows(data), data
