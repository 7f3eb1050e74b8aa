"""A real dump with the clock read between its fields."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter as clock
from typing import Any

from fastschema.compiler.nodes import Form
from fastschema.profiling.profile import FieldTime, Profile
from fastschema.profiling.recording import Recording
from fastschema.runtime.dispatch import Dispatch
from fastschema.runtime.front_end import CompiledSchema, Hooks
from fastschema.runtime.json_text import dumped_data
from fastschema.switch import is_disabled

_NO_HOOKS = Hooks("", lambda obj: obj, "", lambda result, obj: result)


def profile(schema: CompiledSchema, obj: Any, many: bool | None) -> Profile:
    """Dump once, and tell where the time went; what was dumped is thrown away.

    :param obj: the object, or a collection of objects
    :param many: whether it is a collection; None: as the schema says
    :raises Exception: what stock's dump raises
    """
    with _collector_waiting():
        return _profile(schema, obj, None if many is None else bool(many))  # asked once


def _profile(schema: CompiledSchema, obj: Any, many: bool | None) -> Profile:
    if is_disabled():
        return _profile_of_stock(schema, obj, many, "fastschema is disabled")
    hooks = schema.hooks(many)
    if hooks is not None and schema.program() is not None:
        return _profile_between(hooks, schema, obj, many, lambda: schema.dispatch(Form.PYTHON))
    dispatch = None if hooks is not None else schema.row_dumper(Form.PYTHON, None)
    if not isinstance(dispatch, Dispatch):
        return _profile_of_stock(schema, obj, many)
    return _profile_between(_NO_HOOKS, schema, obj, many, lambda: dispatch)


def _profile_between(
    hooks: Hooks,
    schema: CompiledSchema,
    obj: Any,
    many: bool | None,
    find: Callable[[], Dispatch],
) -> Profile:
    """The profile of a dump by generated code, between hooks.

    :param find: finds what dumps the rows, once the hooks before have run
    """
    processed, before = _timed(partial(hooks.before, obj))
    dispatch = find()
    recording = Recording(dispatch.program.node)
    by_field = recording.timed(dispatch)
    if schema.is_collection(processed, many):
        result, seconds = _timed(lambda: by_field.many(schema.rows(processed)))
        rows = len(result)
    else:
        result, seconds = _timed(lambda: by_field[type(processed)](processed))
        rows = 1
    dispatch.count(rows)
    _, after = _timed(partial(hooks.after, result, obj))
    times = recording.field_times(partial(_why_stock, schema))
    between = max(
        seconds - recording.preparing,
        sum(field.seconds for field in times if field.depth == 0),
    )
    if hooks.names_before:
        times.insert(0, _by_users("(pre_dump)", hooks.names_before, before, "a hook"))
    if hooks.names_after:
        times.append(_by_users("(post_dump)", hooks.names_after, after, "a hook"))
    name = dispatch.program.node.name
    return Profile(name, rows, before + between + after, times)


def _profile_of_stock(
    schema: CompiledSchema, obj: Any, many: bool | None, why: str | None = None
) -> Profile:
    """The profile of a dump by a schema that runs as stock, as a whole.

    :param why: why it does; None: as it says itself
    """
    is_collection = schema.is_collection(obj, many)
    result, seconds = _timed(lambda: dumped_data(schema, obj, many))
    report = schema.explain()
    rows = len(result) if is_collection and hasattr(result, "__len__") else 1
    whole = _by_users(report.schema, "", seconds, report.why if why is None else why)
    return Profile(report.schema, rows, seconds, [whole])


def _by_users(key: str, source: str, seconds: float, why: str) -> FieldTime:
    """A line for what is all code of users or stock's."""
    return FieldTime(key, source, compiled=False, seconds=seconds, user_seconds=seconds, why=why)


def _why_stock(schema: CompiledSchema, key: str) -> str:
    """Why a nested schema runs as stock."""
    why = next((field.why for field in schema.explain() if field.key == key), "")
    return why or "code of its own runs around each dump of its schema"


@contextmanager
def _collector_waiting() -> Iterator[None]:
    """Switch the garbage collector off meanwhile, as timeit does.

    It runs when many objects were made, in a field that need not be to blame for them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a function returns, and how many seconds it took."""
    start = clock()
    result = call()
    return result, clock() - start
