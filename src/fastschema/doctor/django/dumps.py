"""What the serializers of one request did, for those who want to see it: the toolbar's panel.

Serializers that are fields of others belong to those, and are not logged on their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter
from typing import Any

from django.db.models import QuerySet
from rest_framework.serializers import ListSerializer

from fastschema.contrib.django.dump import AROUND, Represent
from fastschema.contrib.django.front_end.customization import is_stock_serializer
from fastschema.contrib.django.front_end.states import Runs
from fastschema.contrib.django.internals.queries import results_of
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.contrib.django.unloaded_relations import Unloaded
from fastschema.doctor.django.n_plus_one import Loaded, loaded_with, unloaded_by
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.plugins import plugin
from fastschema.runtime.switch import is_disabled

_relations = plugin("fastschema.contrib.django.relations.on_demand")
_streaming = plugin("fastschema.contrib.django.streaming.responses")
_shadow = plugin("fastschema.shadow")


class Output(StrEnum):
    """What serializers made of which rows."""

    DATA = "data"
    DATA_OF_ROWS = "data, from database rows without instances"
    STREAM = "a stream"


@dataclass(slots=True)
class Dumps:
    """Dumps by serializers of one class, which ran alike.

    :param serializer: the first of them
    :param loaded: what was loaded with the rows of the first of them of which that is known, before
        they were dumped
    :param on_demand: the relations that were loaded when the rows were about to be dumped
    :param rows: their rows; None if those were yet to come
    :param seconds: what they took, with the queries that they ran and the dumps within them
    """

    serializer: Any
    output: Output
    is_compiled: bool
    was_disabled: bool
    loaded: Loaded | None = None
    on_demand: dict[str, None] = field(default_factory=dict)
    times: int = 0
    rows: int | None = None
    seconds: float = 0.0

    @property
    def row_serializer(self) -> Any:
        """What represents a row: the serializer, or the child of a list serializer."""
        return getattr(self.serializer, "child", self.serializer)

    def unloaded(self) -> list[Unloaded]:
        if self.loaded is None:
            return []
        return unloaded_by(self.row_serializer, self.loaded, self.on_demand)


class DumpLog:
    """The dumps of one request, from :meth:`open` to :meth:`close`, in this thread or task."""

    def __init__(self) -> None:
        self._dumps: dict[object, Dumps] = {}
        self._begun: list[Any] = []
        self.on_demand: list[str] = []
        """What was loaded on demand in the innermost dump that is being logged."""

    @property
    def dumps(self) -> list[Dumps]:
        return list(self._dumps.values())

    def open(self) -> None:
        _watch()
        _current.set(self)

    def close(self) -> None:
        if _current.get() is self:
            _current.set(None)

    def add(
        self,
        serializer: Any,
        output: Output,
        loaded: Loaded | None = None,
        *,
        is_compiled: bool,
        rows: int | None = None,
        seconds: float = 0.0,
        on_demand: Iterable[str] = (),
    ) -> None:
        was_disabled = is_disabled()
        row_serializer = getattr(serializer, "child", serializer)
        if rows == 0:  # neither ran
            is_compiled = is_stock_serializer(row_serializer) and not was_disabled
        key = type(serializer), type(row_serializer), output, is_compiled, was_disabled
        if key not in self._dumps:
            self._dumps[key] = Dumps(serializer, output, is_compiled, was_disabled)
        dumps = self._dumps[key]
        dumps.loaded = dumps.loaded or loaded
        dumps.times += 1
        dumps.seconds += seconds
        dumps.on_demand.update(dict.fromkeys(on_demand))
        if rows is not None:
            dumps.rows = rows + (dumps.rows or 0)

    def begins(self, serializer: Any) -> bool:
        """Return whether a dump by a serializer is one that is not being logged yet."""
        return all(serializer is not begun for begun in self._begun)

    def add_stream(self, serializer: Any, *, is_compiled: bool) -> None:
        """Log a stream; its rows come after the view has returned."""
        is_compiled = is_compiled and is_stock_serializer(serializer.child)
        loaded = loaded_with(serializer.instance)
        self.add(serializer, Output.STREAM, loaded, is_compiled=is_compiled)

    def run(self, represent: Represent, serializer: Any, data: Any) -> Any:
        """Represent data, and log that."""
        is_list = isinstance(serializer, ListSerializer)
        loaded = loaded_with(data) if is_list else None
        outside, self.on_demand = self.on_demand, []
        self._begun.append(serializer)
        started = perf_counter()
        try:
            result = represent(serializer, data)
        finally:
            self._begun.remove(serializer)
            on_demand, self.on_demand = self.on_demand, outside
        are_rows = is_list and _are_rows(data)
        self.add(
            serializer,
            Output.DATA_OF_ROWS if are_rows else Output.DATA,
            None if are_rows else loaded,
            is_compiled=are_rows or _was_compiled(serializer),
            rows=len(result) if is_list else 1,
            seconds=perf_counter() - started,
            on_demand=on_demand,
        )
        return result


_current: ContextVar[DumpLog | None] = ContextVar("fastschema_dump_log", default=None)


def current_log() -> DumpLog | None:
    """Return the log that is open in this thread or task, but for what runs in the shadow."""
    is_in_shadow = _shadow is not None and _shadow.in_shadow.get()
    return None if is_in_shadow else _current.get()


def _watch() -> None:
    """Have all logs told what they log, from the first one that is opened in a process on."""
    if _log_dump in AROUND:
        return
    AROUND.append(_log_dump)
    if _streaming is not None:
        _streaming.STREAMED.append(_log_stream)
    if _relations is not None:
        _relations.LOADED.append(_log_loaded)


def _log_dump(represent: Represent, serializer: Any, data: Any) -> Any:
    log = current_log()
    if log is None or not log.begins(serializer):
        return represent(serializer, data)
    return log.run(represent, serializer, data)


def _log_stream(serializer: Any, is_compiled: bool) -> None:
    log = current_log()
    if log is not None:
        log.add_stream(serializer, is_compiled=is_compiled)


def _log_loaded(lookups: Iterable[str]) -> None:
    log = current_log()
    if log is not None:
        log.on_demand += lookups


def _are_rows(data: Any) -> bool:
    """Return whether a queryset or a page has rows, and no instances of them yet."""
    rows = results_of(data) if isinstance(data, QuerySet) else data
    return type(rows) is LazyInstanceList and rows.fetched is not None


def _was_compiled(serializer: Any) -> bool:
    runs: Runs | None = vars(getattr(serializer, "child", serializer)).get(STATE_KEY)
    return runs is not None and runs.bound_program is not None
