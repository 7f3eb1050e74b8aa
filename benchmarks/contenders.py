"""Contenders in processes of their own, which take turns, and what comes of it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyperf
from rich.console import Console
from rich.progress import Progress

ENOUGH = 1.5
ENOUGH_HELP = "a measure that takes so long has no further round, once it had two"
MIN_TIME = 0.05
"""The seconds that one value takes at least, in what ``make bench`` runs."""


@dataclass(frozen=True)
class Measure:
    """What is measured.

    :param name: as the workers know it
    :param title: as people do
    :param rows: how many rows one run handles
    """

    name: str
    title: str
    rows: int


@dataclass(frozen=True)
class Figure:
    """One measure of one contender.

    :param seconds: for one run, the best of the rounds
    :param spread: how far the median of the rounds is above that, as a part of it
    :param rows_per_second: rows in a second
    :param peak_megabytes: memory allocated at the peak, beyond the rows themselves; None if it was
        not measured
    :param ratio: the first contender's seconds divided by these
    """

    measure: str
    contender: str
    seconds: float
    spread: float
    rows_per_second: float
    peak_megabytes: float | None
    ratio: float


@dataclass(frozen=True)
class Failure:
    """A measure that a peer has no figure for.

    :param measure: None for all of them
    :param outcome: "cannot" or "not equal"
    :param reason: what it raised, or where its result differs
    """

    measure: str | None
    contender: str
    outcome: str
    reason: str


class ContenderError(Exception):
    """A contender has no result, or not the right one.

    :param outcome: "cannot" or "not equal"
    :param reason: why, in a line
    :param details: the traceback of the worker, if there is one
    """

    def __init__(self, outcome: str, reason: str, details: str = "") -> None:
        super().__init__(f"{outcome}: {reason}")
        self.outcome = outcome
        self.reason = reason
        self.details = details


class Contender:
    """A worker process.

    :param name: the contender's name
    :param command: what starts its worker
    :param environment: variables that it has besides this process's own
    :param is_peer: it may fail, or return something else than stock; its bytes may differ where the
        JSON value is the same
    :ivar hello: what the worker said of itself when it was ready
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
        self.versions: dict[str, str] = {}
        self.measures: frozenset[str] | None = None
        self.hello: dict[str, Any] = {}
        self._loops: dict[Measure, int] = {}
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Contender:
        with suppress(ContenderError):  # its first measure will say so
            self.hello = self._answer()
            self.versions = self.hello["versions"]
            self.measures = frozenset(self.hello["measures"])
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def takes_part(self, measure: Measure) -> bool:
        """Whether it knows a measure. One that has not started takes part in all, and fails."""
        return self.measures is None or measure.name in self.measures

    def run(self, measure: Measure, what: str, **how: Any) -> dict[str, Any]:
        """Run a measure for its "seconds", for its "memory" with digests, or for its "result".

        :raises ContenderError: if it cannot
        """
        return self.ask({"measure": measure.name, "what": what, **how})

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Return the worker's answer to an order.

        :raises ContenderError: if it fails
        """
        with suppress(BrokenPipeError):  # no answer follows
            print(json.dumps(order), file=self._process.stdin, flush=True)
        return self._answer()

    def run_alone(self, measure: Measure) -> None:
        """Leave out pyperf's calibration of what takes long enough alone."""
        self._loops[measure] = 1

    def time(self, measure: Measure, min_time: float) -> pyperf.Benchmark:
        """One more value of a measure; the first time, pyperf finds how many loops that takes.

        :param min_time: the seconds that a value is to take at least
        :raises ContenderError: if it cannot
        """
        how = {"values": 1, "min_time": min_time}
        if measure not in self._loops:
            calibrated = self.run(measure, "seconds", loops=0, **how)
            self._loops[measure] = calibrated["loops"]
        answer = self.run(measure, "seconds", loops=self._loops[measure], **how)
        return pyperf.Benchmark.loads(answer["benchmark"])

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            raise ContenderError("cannot", "its process has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ContenderError("cannot", answer["error"], answer["traceback"])
        return answer


@dataclass
class Comparison:
    """What came of a benchmark.

    :param timings: by contender, what pyperf has measured
    """

    measures: Sequence[Measure]
    contenders: Sequence[Contender]
    figures: list[Figure] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    timings: dict[str, list[pyperf.Benchmark]] = field(default_factory=dict)

    def fail(self, measure: Measure, contender: Contender, error: ContenderError) -> None:
        """Note that a peer failed.

        :raises SystemExit: if it is not a peer, but stock or fastschema
        """
        if not contender.is_peer:
            raise SystemExit(f"{error.details}{measure.title}: {contender.name} {error}")
        self.failures.append(Failure(measure.name, contender.name, error.outcome, error.reason))

    def note(self, measure: Measure, peaks: dict[str, int | None], found: dict[str, Any]) -> None:
        """Note the figures of a measure: memory and timings by contender."""
        best = {name: min(timing.get_values()) for name, timing in found.items()}
        for name, timing in found.items():
            seconds, peak = best[name], peaks[name]
            self.timings.setdefault(name, []).append(timing)
            self.figures.append(
                Figure(
                    measure.name,
                    name,
                    seconds,
                    timing.median() / seconds - 1,
                    measure.rows / seconds,
                    None if peak is None else peak / 1e6,
                    best[self.contenders[0].name] / seconds,
                )
            )


def compare(
    measures: Sequence[Measure],
    contenders: Sequence[Contender],
    rounds: int,
    console: Console,
    *,
    min_time: float = 0.1,
    enough: float = math.inf,
    with_memory: bool = True,
) -> Comparison:
    """Run all measures of all contenders in turns; the first contender is the one to beat.

    :param min_time: the seconds that pyperf times together at least, for runs too short to time
        alone
    :param enough: the seconds after which a measure has no further round, once it had two
    :param with_memory: whether the peak memory is measured, which takes as long as some rounds
    :raises SystemExit: if a contender that is no peer fails, or differs from the first one
    """
    comparison = Comparison(measures, contenders)
    with ExitStack() as stack, Progress(console=console, transient=True) as progress:
        steps = len(measures) * (rounds + 1)
        task = progress.add_task("starting the contenders", total=steps)
        for contender in contenders:
            stack.enter_context(contender)
        for measure in measures:
            progress.update(task, description=f"{measure.title}: memory, and equal output")
            peaks: dict[str, int | None] = {}
            timings: dict[str, pyperf.Benchmark] = {}
            reference: dict[str, Any] = {}
            running = [each for each in contenders if each.takes_part(measure)]
            for contender in list(running):
                try:
                    answer = check(
                        measure, contender, contenders[0], reference, with_memory=with_memory
                    )
                except ContenderError as error:
                    comparison.fail(measure, contender, error)
                    running.remove(contender)
                else:
                    peaks[contender.name] = answer["peak"]
                    if answer["seconds"] > (10 if with_memory else 2) * min_time:
                        contender.run_alone(measure)
            progress.advance(task)
            start = time.monotonic()
            for number in range(rounds):
                if number >= 2 and time.monotonic() - start > enough:
                    progress.advance(task, rounds - number)
                    break
                progress.update(task, description=f"{measure.title}: round {number + 1}")
                for contender in list(running):
                    try:
                        timing = contender.time(measure, min_time)
                    except ContenderError as error:
                        comparison.fail(measure, contender, error)
                        running.remove(contender)
                        timings.pop(contender.name, None)
                        continue
                    if contender.name in timings:
                        timings[contender.name].add_runs(timing)
                    else:
                        timings[contender.name] = timing
                progress.advance(task)
            comparison.note(measure, peaks, timings)
    return comparison


def check(
    measure: Measure,
    contender: Contender,
    first: Contender,
    reference: dict[str, Any],
    *,
    with_memory: bool = True,
) -> dict[str, Any]:
    """Run a measure once, and return what is known of it: its "peak" memory, its "seconds".

    :param reference: what is known of the first contender's result; filled as needed
    :raises ContenderError: if it cannot, or if its result is not the first contender's
    """
    answer = contender.run(measure, "memory", trace=with_memory)
    if contender is first:
        reference.update(answer)
    if answer["digest"] != reference["digest"]:
        if "result" not in reference:
            reference["result"] = first.run(measure, "result")["result"]
        result = contender.run(measure, "result")["result"]
        reason = difference(result, reference["result"])
        if not (reason or contender.is_peer or reference["is_text"]):
            reason = "its bytes differ, its value does not"
        if reason:
            raise ContenderError("not equal", reason)
    return answer


def difference(value: Any, other: Any, where: str = "") -> str | None:
    """The first place at which a JSON value differs from stock's."""
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


def positive(text: str) -> int:
    """A positive whole number, for argparse."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number
