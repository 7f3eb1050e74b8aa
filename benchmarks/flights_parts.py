"""What a whole request for flights is made of, part by part, as measures of their own.

In stock the rows of the database become model instances, those become dictionaries, and those JSON.
With fastschema the rows are converted only, and become dictionaries, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worker import Run

TITLES = {
    "parts.database": "the query and its rows",
    "parts.instances": "the query, then instances or values",
    "parts.serialization": "serialization",
    "parts.rendering": "rendering",
}
PAGE = 20
"""How many rows a usual page has."""


def parts(contender: str, count: int) -> dict[str, Run]:
    """The parts by the names of their measures; each gives how many rows it had to do with.

    The second contains the first. Those of a page have names that end in ``.page``.
    """
    of_page = {f"{name}.page": run for name, run in _parts(contender, min(PAGE, count)).items()}
    return {**_parts(contender, count), **of_page}


def _parts(contender: str, count: int) -> dict[str, Run]:
    from flights.serializers import FlightSerializer
    from flights.views import FLIGHTS

    flights = FLIGHTS[:count]

    def database() -> int:
        compiler = flights.query.get_compiler(using=flights.db)
        return sum(map(len, compiler.execute_sql()))

    read, dump, render = (_of_stock if contender == "stock" else _of_fastschema)(FlightSerializer)
    rows = read(flights.all())
    data = dump(rows)
    return {
        "parts.database": database,
        "parts.instances": lambda: len(read(flights.all())),
        "parts.serialization": lambda: len(dump(rows)),
        "parts.rendering": lambda: len(render(data)),
    }


Parts = tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], bytes]]


def _of_stock(serializer_class: Any) -> Parts:
    from rest_framework.renderers import JSONRenderer

    return list, lambda rows: serializer_class(rows, many=True).data, JSONRenderer().render


def _of_fastschema(serializer_class: Any) -> Parts:
    from fastschema.compiler.nodes import Form
    from fastschema.contrib.django.front_end.bound_serializer import dispatch_for
    from fastschema.contrib.django.internals.queries import CompiledQuery
    from fastschema.contrib.django.lists.columns import columns_of
    from fastschema.contrib.django.lists.query_plan import plan_of
    from fastschema.contrib.django.lists.queryset_rows import FetchedRows
    from fastschema.contrib.django.lists.row_programs import by_row
    from fastschema.contrib.django.renderers import FastJSONRenderer
    from fastschema.runtime.bound_program import Dispatch
    from flights.views import FLIGHTS

    dispatch = dispatch_for(serializer_class(), Form.PYTHON)
    plan = plan_of(FLIGHTS.all())
    program = by_row(dispatch.program, columns_of(dispatch, plan.selection.layout))

    def dump(rows: Any) -> Any:
        return Dispatch(program, Form.PYTHON, dispatch.bound_schema).all_rows(rows)

    def read(queryset: Any) -> Any:
        query = CompiledQuery(queryset, is_run=True)
        results = query.execute(None)
        return FetchedRows(query, results, plan.selection).converted

    return read, dump, FastJSONRenderer().render
