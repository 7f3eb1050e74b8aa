"""What happened in this process, so that nobody has to guess whether the fast path was taken."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts since the process started, or since they were last reset.

    :param plans: how many plans were made
    :param schemas: how many of them from which schema, by name
    :param cache_hits: how often a plan that was there already was used; that of a nested schema is
        not counted where all is as it was for an earlier use
    :param compiled_rows: rows dumped by generated code
    :param stock_rows: rows that stock dumped although fastschema was asked: whole schemas that
        cannot be compiled, and everything while fastschema is disabled
    :param compiled_fields: fields of the compiled rows that were dumped by generated code
    :param stock_fields: fields of the compiled rows that their own stock methods dumped

    Rows and fields are those of the schema that was dumped; the rows of a nested schema are not
    counted again.
    """

    plans: int
    schemas: dict[str, int]
    cache_hits: int
    compiled_rows: int
    stock_rows: int
    compiled_fields: int
    stock_fields: int


_SINGLE_ROWS = 1000


class FieldCounts(Protocol):
    """A program, and how many fields of each of its rows generated code dumps, or stock."""

    compiled_fields: int
    stock_fields: int


class Recorder:
    """Counts from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Uses are counted without a lock, which one object would notice.
        self._clock = itertools.count(1)
        self.plan_used: Callable[[], int] = self._clock.__next__
        """A plan is used, be it new or not; it returns a number that is higher each time."""
        self._stock_clock = itertools.count(1)
        self.stock_row: Callable[[], int] = self._stock_clock.__next__
        """Stock dumped a single row."""
        self.reset()

    def reset(self) -> None:
        """Begin again at zero."""
        with self._lock:
            self._schemas: Counter[str] = Counter()
            self._before = next(self._clock)
            self._stock_before = next(self._stock_clock)
            self._compiled_rows = self._stock_rows = 0
            self._compiled_fields = self._stock_fields = 0
            self._single_rows: list[FieldCounts] = []

    def compiled_row(self, program: FieldCounts) -> None:
        """Generated code dumped a single row."""
        rows = self._single_rows
        rows.append(program)  # without a lock, which one object would notice
        if len(rows) >= _SINGLE_ROWS:
            with self._lock:
                self._add_single_rows()

    def _add_single_rows(self) -> None:
        """Add the rows that were counted one by one to the others."""
        rows = self._single_rows
        count = len(rows)
        for program in rows[:count]:
            self._compiled_fields += program.compiled_fields
            self._stock_fields += program.stock_fields
        self._compiled_rows += count
        del rows[:count]  # and not those that came meanwhile

    def plan_made(self, name: str) -> None:
        """A plan was made from the schema of that name."""
        with self._lock:
            self._schemas[name] += 1

    def compiled(self, rows: int, compiled_fields: int, stock_fields: int) -> None:
        """Generated code dumped so many rows, each with so many fields of either sort."""
        with self._lock:
            self._compiled_rows += rows
            self._compiled_fields += rows * compiled_fields
            self._stock_fields += rows * stock_fields

    def stock(self, rows: int) -> None:
        """Stock dumped so many rows."""
        with self._lock:
            self._stock_rows += rows

    def statistics(self) -> Statistics:
        """The counts so far."""
        with self._lock:
            self._add_single_rows()
            uses = next(self._clock) - self._before - 1
            self._before += 1
            single_stock_rows = next(self._stock_clock) - self._stock_before - 1
            self._stock_before += 1
            return Statistics(
                plans=self._schemas.total(),
                schemas=dict(self._schemas),
                cache_hits=uses - self._schemas.total(),
                compiled_rows=self._compiled_rows,
                stock_rows=self._stock_rows + single_stock_rows,
                compiled_fields=self._compiled_fields,
                stock_fields=self._stock_fields,
            )


recorder = Recorder()
stock_row = recorder.stock_row


def stats() -> Statistics:
    """What happened in this process so far."""
    return recorder.statistics()
