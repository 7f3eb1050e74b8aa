"""The rows of a queryset in blocks, as they are read, and what serializers make of them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any

from fastschema.compiler.nodes import Form, NotRowReadableError
from fastschema.contrib.django.front_end.bound_serializer import (
    bound_serializer_of,
    nested_dumper_of,
)
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    closing_results,
    fetch_mode_of,
    tracks_peers,
)
from fastschema.contrib.django.lists.list_plan import ListDumper
from fastschema.contrib.django.lists.prefetch_plan import Lookups
from fastschema.contrib.django.lists.prefetching import prefetch
from fastschema.contrib.django.lists.query_plan import QueryPlan, plan_of
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList
from fastschema.runtime.bound_program import Dispatch


def fetch_in_blocks(queryset: Any, chunk_size: int) -> Generator[FetchedRows] | None:
    """Return the rows of a queryset in blocks, as they are read. Its query runs with the first.

    The cursor is closed at the end, at an error, and when the generator is closed.

    :returns: None if it is no queryset, or code of users could notice that they are no instances
    """
    try:
        plan = plan_of(queryset)
    except NotRowReadableError:
        return None
    if tracks_peers(fetch_mode_of(queryset)) or not plan.selection.converts_as_stock:
        return None
    return _blocks(queryset, chunk_size, plan)


def _blocks(queryset: Any, chunk_size: int, plan: QueryPlan) -> Generator[FetchedRows]:
    query, lookups = CompiledQuery(queryset, is_run=True), Lookups(queryset)
    with closing_results(query.execute(chunk_size)) as results:
        plan.selection.check(query)
        for some in results:
            block = FetchedRows(query, [some], plan.selection)
            prefetch(block, plan, lookups)
            yield block


def dump_in_blocks(
    blocks: Generator[FetchedRows], serializer: Any, form: Form, chunk_size: int
) -> Generator[list[Any]]:
    """Yield what a serializer makes of some rows at a time; closing it closes the blocks.

    :param serializer: a stock serializer; its fields are not looked at before there is a row
    """
    by_stock = nested_dumper_of(serializer, form)
    dispatch: Dispatch | None = None
    with closing(blocks):
        for nth, block in enumerate(blocks):
            if nth == 0:
                bound = bound_serializer_of(serializer)
                dispatch = None if bound is None else bound.dispatch(form)
            dumper = None if dispatch is None else ListDumper(dispatch, LazyInstanceList(block))
            for start in range(0, len(block), chunk_size):
                numbers = range(start, min(start + chunk_size, len(block)))
                rows = LazyInstanceList(block, numbers)
                yield by_stock.all_rows(list(rows)) if dumper is None else dumper.all_rows(rows)
