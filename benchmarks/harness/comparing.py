"""Contenders, which take turns, and what comes of it."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from harness.measuring import Contender


@dataclass(frozen=True)
class Measure:
    """What is measured.

    :param name: as the contenders know it
    :param title: as people do
    :param rows: how many rows one run handles
    """

    name: str
    title: str
    rows: int = 1


SINGLE_RUNS = 30
"""fastschema compiles a class when it has handled 24 objects."""


class ContenderError(Exception):
    """A contender has no result, or not the right one.

    :param outcome: "cannot" or "not equal"
    :param details: the traceback of its process, if there is one
    """

    def __init__(self, outcome: str, reason: str, details: str = "") -> None:
        super().__init__(f"{outcome}: {reason}")
        self.outcome = outcome
        self.reason = reason
        self.details = details


class Process:
    """A contender in a process of its own.

    :param command: what starts it; it serves
    :param environment: variables that it has besides this process's own
    :param is_peer: it may fail, or return something else than stock; its bytes may differ where the
        JSON value is the same
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        environment: dict[str, str] | None = None,
        *,
        is_peer: bool = False,
    ) -> None:
        self.name = name
        self.is_peer = is_peer
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @cached_property
    def hello(self) -> dict[str, Any]:
        """What it said of itself when it was ready; empty if it did not start."""
        with suppress(ContenderError):  # its first measure will say so
            return self._answer()
        return {}

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    @property
    def versions(self) -> dict[str, str]:
        return dict(self.hello.get("versions", {}))

    @property
    def measures(self) -> list[str] | None:
        """What it can measure; None if it did not start: it takes part in all, and fails."""
        return self.hello.get("measures")

    def ask(self, what: str, measure: str, **how: Any) -> dict[str, Any]:
        """Return what it answers.

        :raises ContenderError: if it fails
        """
        self.hello  # noqa: B018  # it comes before all answers
        with suppress(BrokenPipeError):  # no answer follows
            order = json.dumps({"what": what, "measure": measure, **how})
            print(order, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            raise ContenderError("cannot", "its process has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ContenderError("cannot", answer["error"], answer["traceback"])
        return answer


@dataclass(frozen=True)
class Turn:
    """The seconds of processor time that a run took, the mean of one turn.

    :param database: of the processes of the database server
    """

    process: float
    database: float

    @property
    def total(self) -> float:
        return self.process + self.database


@dataclass
class Comparison:
    """What came of a benchmark.

    :param turns: by measure, those of each contender
    :param failures: of peers: measure (None: all), contender, outcome and reason
    """

    measures: Sequence[Measure]
    contenders: Sequence[Contender | Process]
    turns: dict[str, dict[str, list[Turn]]] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Comparison) -> None:
        for measure, turns in other.turns.items():
            for name, more in turns.items():
                self.turns[measure][name] += more

    def fail(self, measure: Measure, contender: Any, error: ContenderError) -> None:
        """Note that a peer failed.

        :raises SystemExit: if it is not a peer, but stock or fastschema
        """
        if not contender.is_peer:
            raise SystemExit(f"{error.details}{measure.title}: {contender.name} {error}")
        self.failures.append(failure(contender.name, error.outcome, error.reason, measure.name))

    def figures(self) -> list[dict[str, Any]]:
        """Return the figures of all measures; a ratio is by the best turns."""
        return [
            figure
            for measure in self.measures
            for turns in [self.turns.get(measure.name, {})]
            for name in turns
            for figure in [figure_of(turns, name, measure)]
        ]


def failure(
    contender: str, outcome: str, reason: str, measure: str | None = None
) -> dict[str, Any]:
    line = reason.partition("\n")[0][:160]
    return {"measure": measure, "contender": contender, "outcome": outcome, "reason": line}


def figure_of(turns: dict[str, list[Turn]], name: str, measure: Measure) -> dict[str, Any]:
    """A figure of one contender; the first one is the one to beat."""
    best, first = (
        min(turns[each], key=lambda turn: turn.total) for each in (name, next(iter(turns)))
    )
    median = statistics.median(turn.total for turn in turns[name])
    return {
        "measure": measure.name,
        "contender": name,
        "rows": measure.rows,
        "seconds": best.total,
        "database": best.database,
        "spread": median / best.total - 1,
        "ratio": first.total / best.total,
    }


def compare(
    measures: Sequence[Measure],
    contenders: Sequence[Contender | Process],
    *,
    rounds: int = 5,
    batch: float = 0.05,
    enough: float = math.inf,
    keep: bool = False,
) -> Comparison:
    """Measure everything in turns; the first contender is the one to beat.

    :param keep: let the processes run, to ask them more
    :param batch: the seconds that a turn takes at least
    :param enough: the seconds after which a measure has no further round, once it had two
    :raises SystemExit: if a contender that is no peer fails, or differs from the first one
    """
    comparison = Comparison(measures, contenders)
    with ExitStack() as stack:
        for contender in contenders:
            if isinstance(contender, Process) and not keep:
                stack.enter_context(contender)
        console = Console(stderr=True)
        for measure in track(measures, "measuring", console=console, transient=True):
            take_turns(comparison, measure, rounds, batch, enough)
    return comparison


def take_turns(
    comparison: Comparison, measure: Measure, rounds: int, batch: float, enough: float
) -> None:
    """Compare the results of all that take part, measure them, and compare once more."""
    running = [
        each
        for each in comparison.contenders
        if each.measures is None or measure.name in each.measures
    ]
    if not running:
        return
    first, reference = running[0], dict[str, Any]()
    turns: dict[str, list[Turn]] = {each.name: [] for each in running}
    loops: dict[str, int] = {}

    def each_of(act: Any) -> None:
        for contender in list(running):
            try:
                act(contender)
            except ContenderError as error:
                comparison.fail(measure, contender, error)
                running.remove(contender)
                del turns[contender.name]

    def check(contender: Any) -> None:
        # The first run of a list compiles, the second one uses what was kept.
        warm = SINGLE_RUNS if measure.rows == 1 else 2
        answer = contender.ask("digest", measure.name, runs=1 if turns[contender.name] else warm)
        if not reference:
            reference.update(answer)
        if answer["digest"] != reference["digest"]:
            if "result" not in reference:
                reference.update(first.ask("result", measure.name))
            result = contender.ask("result", measure.name)["result"]
            reason = difference(result, reference["result"])
            if not (reason or contender.is_peer or reference["is_text"]):
                reason = "its bytes differ, its value does not"
            if reason:
                raise ContenderError("not equal", reason)

    def take(contender: Any) -> None:
        how = {"loops": loops.get(contender.name, 0), "batch": batch}
        answer = contender.ask("time", measure.name, **how)
        loops[contender.name] = answer["loops"]
        turns[contender.name].append(Turn(answer["process"], answer["database"]))

    each_of(check)
    for number in range(rounds):
        if (
            number >= 2
            and sum(each[-1].total * loops[name] for name, each in turns.items()) > enough
        ):
            break
        each_of(take)
        running.reverse()
    each_of(check)
    comparison.turns[measure.name] = turns


def difference(value: Any, other: Any, where: str = "") -> str | None:
    if isinstance(value, dict) and isinstance(other, dict) and list(value) == list(other):
        places = list(value)
    elif isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
        places = list(range(len(value)))
    elif (text := json.dumps(value)) == (stock := json.dumps(other)):
        return None
    else:
        same = next((i for i, (a, b) in enumerate(zip(text, stock, strict=False)) if a != b), 0)
        start = max(0, same - 20)
        return f"{where or 'result'} is {text[start:]:.60}, not {stock[start:]:.60}"
    found = (difference(value[place], other[place], f"{where}[{place!r}]") for place in places)
    return next((each for each in found if each), None)
