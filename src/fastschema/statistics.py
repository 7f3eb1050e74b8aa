"""What happened in this process, so that nobody has to guess whether the fast path was taken."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fastschema.runtime.json_engine import engine
from fastschema.runtime.locks import Locked


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
    :param json: what reads and writes JSON: ``"orjson"``, or ``"json"``, the standard library's,
        where that is missing

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
    json: str = engine().name


_SINGLE_ROWS = 1000


class FieldCounts(Protocol):
    """A program, and how many fields of each of its rows generated code dumps, and stock."""

    counts: tuple[int, int]


class Recorder(Locked):
    """Counts from many threads."""

    def __init__(self) -> None:
        super().__init__()
        # Uses are counted without a lock, which one object would notice.
        self._clock = itertools.count(1)
        self.program_used: Callable[[], int] = self._clock.__next__
        """Count that a program is used, be it new or not."""
        self._stock_clock = itertools.count(1)
        self.stock_row: Callable[[], int] = self._stock_clock.__next__
        """Stock dumped a single row."""
        self._single_rows: list[tuple[int, int]] = []
        self._begin_at(next(self._clock), next(self._stock_clock))

    def _begin_at(self, use: int, stock_row: int) -> None:
        """Begin again at zero, after the uses and rows that were counted so far."""
        self._schemas: Counter[str] = Counter()
        self._before, self._stock_before = use, stock_row
        self._compiled_rows = self._stock_rows = 0
        self._compiled_fields = self._stock_fields = 0

    def compiled_row(self, program: FieldCounts) -> None:
        """Count a single row that generated code dumped."""
        rows = self._single_rows
        rows.append(program.counts)  # without a lock, which one object would notice
        if len(rows) >= _SINGLE_ROWS:
            with self.lock:
                self._add_single_rows()

    def _add_single_rows(self) -> None:
        """Add the rows that were counted one by one to the others."""
        rows = self._single_rows
        count = len(rows)
        for compiled_fields, stock_fields in rows[:count]:
            self._compiled_fields += compiled_fields
            self._stock_fields += stock_fields
        self._compiled_rows += count
        del rows[:count]  # and not those that came meanwhile

    def program_made(self, name: str) -> None:
        """Count a program that was made for the schema of that name."""
        with self.lock:
            self._schemas[name] += 1

    def compiled(self, rows: int, compiled_fields: int, stock_fields: int) -> None:
        """Count rows that generated code dumped, each with so many fields of either sort."""
        with self.lock:
            self._compiled_rows += rows
            self._compiled_fields += rows * compiled_fields
            self._stock_fields += rows * stock_fields

    def stock(self, rows: int) -> None:
        """Stock dumped so many rows."""
        with self.lock:
            self._stock_rows += rows

    def statistics(self, *, reset: bool = False) -> Statistics:
        """Return the counts so far.

        :param reset: whether to begin again at zero; nothing is counted in between
        """
        with self.lock:
            self._add_single_rows()
            use, stock_row = next(self._clock), next(self._stock_clock)
            hits = use - self._before - 1 - self._schemas.total()
            # A program that has just been made is used in a moment.
            unused = -min(hits, 0)
            statistics = Statistics(
                plans=self._schemas.total(),
                schemas=dict(self._schemas),
                cache_hits=hits + unused,
                compiled_rows=self._compiled_rows,
                stock_rows=self._stock_rows + stock_row - self._stock_before - 1,
                compiled_fields=self._compiled_fields,
                stock_fields=self._stock_fields,
            )
            if reset:
                self._begin_at(use + unused, stock_row)
            else:  # to ask is no use
                self._before += 1
                self._stock_before += 1
            return statistics


recorder = Recorder()
stock_row = recorder.stock_row


def stats(*, reset: bool = False) -> Statistics:
    """Return what happened in this process so far.

    :param reset: whether to begin again at zero; what other threads count meanwhile is in these
        statistics or in the next ones
    """
    return recorder.statistics(reset=reset)
