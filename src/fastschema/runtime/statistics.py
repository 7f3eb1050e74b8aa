"""What happened in this process: whether the fast path was taken."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Protocol

from fastschema.runtime.json_engine import ENGINE


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts since the process started, or since they were last reset.

    :param programs: how many programs were made
    :param schemas: how many of them from which schema, by name
    :param cache_hits: how often a program that was there already was used; that of a nested schema
        is not counted where all is as it was for an earlier use
    :param compiled_rows: rows dumped by generated code
    :param stock_rows: rows that stock dumped although fastschema was asked: by whole schemas
        that cannot be compiled, by those for which it takes less time, and everything while
        fastschema is disabled
    :param compiled_fields: fields of the compiled rows that were dumped by generated code
    :param stock_fields: fields of the compiled rows that their own stock methods dumped
    :param json: what reads and writes JSON: ``"orjson"``; where that is missing, ``"json"``,
        the standard library's

    Rows and fields are those of the schema that was dumped or loaded. What generated code dumps of
    a nested schema belongs to its row; what stock or code of users dumps meanwhile (in a method
    field, say) counts as rows of its own.
    """

    programs: int
    schemas: dict[str, int]
    cache_hits: int
    compiled_rows: int
    stock_rows: int
    compiled_fields: int
    stock_fields: int
    json: str = ENGINE.name


class CountedProgram(Protocol):
    counts: tuple[int, int]
    """How many fields of each of its rows generated code dumps, and how many stock."""


class Recorder:
    """Counts without locks: where threads count at once, some counts may miss a step."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._programs: Counter[str] = Counter()
        self._uses = 0
        self._stock_rows = 0
        self._compiled_rows: defaultdict[tuple[int, int], int] = defaultdict(int)
        """How many rows generated code dumped, by the counts of their program."""

    def program_made(self, name: str) -> None:
        self._programs[name] += 1

    def program_used(self) -> None:
        self._uses += 1

    def compiled(self, program: CountedProgram, rows: int = 1) -> None:
        """Count rows that generated code dumped."""
        self._compiled_rows[program.counts] += rows

    def stock(self, rows: int = 1) -> None:
        """Count rows that stock dumped."""
        self._stock_rows += rows

    def statistics(self, *, reset: bool = False) -> Statistics:
        programs = self._programs.total()
        compiled = dict(self._compiled_rows)
        statistics = Statistics(
            programs=programs,
            schemas=dict(self._programs),
            cache_hits=max(0, self._uses - programs),
            compiled_rows=sum(compiled.values()),
            stock_rows=self._stock_rows,
            compiled_fields=sum(rows * fields for (fields, _), rows in compiled.items()),
            stock_fields=sum(rows * fields for (_, fields), rows in compiled.items()),
        )
        if reset:
            self._reset()
        return statistics


recorder = Recorder()


def stats(*, reset: bool = False) -> Statistics:
    """Return what happened in this process so far.

    :param reset: whether to begin again at zero
    """
    return recorder.statistics(reset=reset)
