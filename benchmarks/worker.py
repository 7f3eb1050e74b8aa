"""The worker's side of a benchmark: runs its measures when told to, one line of JSON for each.

Times are taken by pyperf, in its worker mode: it finds how often a short run is to be repeated, and
notes what it measured on. Its manager is not used: it runs one program after the other, and our
contenders take turns.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.metadata
import io
import itertools
import json
import platform
import sys
import time
import traceback
import tracemalloc
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, is_dataclass
from functools import cache, partial
from typing import Any

import pyperf

Run = Callable[[], Any]
"""Does once what is measured, and returns what contenders must agree on."""


@dataclass(frozen=True)
class Prepared:
    """A measure whose every run needs something new, made while the clock stands still.

    :param prepare: makes it
    :param measure: does with it what is measured
    """

    prepare: Callable[[], Any]
    measure: Callable[[Any], Any]


Measure = Run | Prepared


def serve(
    measures: Mapping[str, Measure],
    versions: dict[str, str],
    clock: Callable[[], float] = pyperf.perf_counter,
) -> None:
    """Say what can be measured here, then measure what standard input asks for, until it ends.

    :param clock: what times are taken by
    """
    print(json.dumps({"versions": versions, "measures": list(measures)}), flush=True)
    for line in sys.stdin:
        order = {**json.loads(line), "clock": clock}
        try:
            answer = ANSWERS[order["what"]](measures[order["measure"]], order)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            answer = {"error": reason, "traceback": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


def runs(measure: Measure, count: int) -> Iterable[Run]:
    """The runs of a measure, ready to start."""
    if isinstance(measure, Prepared):
        return [partial(measure.measure, measure.prepare()) for _ in range(count)]
    return itertools.repeat(measure, count)


def timed(measure: Measure, clock: Callable[[], float], loops: int) -> float:
    """The seconds that so many runs took together."""
    ready = runs(measure, loops)
    gc.collect()
    start = clock()
    for run in ready:
        run()
    return clock() - start


NUMBERS = itertools.count()
"""pyperf runs each name once."""


@cache
def runner() -> pyperf.Runner:
    """What times; pyperf allows one for each process."""
    made = pyperf.Runner()
    made.parse_args(["--worker", "--quiet", "--loops=1", "--warmups=0", "--values=1"])
    return made


def seconds(measure: Measure, order: Mapping[str, Any]) -> dict[str, Any]:
    """A pyperf benchmark with one run: values for a number of loops, or a calibration of that.

    :param order: "loops", 0 if they are to be found; "values"; "min_time", the seconds that a value
        is to take at least; "clock"
    """
    arguments = runner().args
    arguments.loops, arguments.calibrate_loops = order["loops"], not order["loops"]
    arguments.values, arguments.min_time = order["values"], order["min_time"]
    with redirect_stdout(io.StringIO()):  # pyperf would print the result into our answers
        benchmark = runner().bench_time_func(
            str(next(NUMBERS)), partial(timed, measure, order["clock"])
        )
    [run] = benchmark.get_runs()
    benchmark.update_metadata({"name": order["measure"]})
    dumped = io.StringIO()
    benchmark.dump(dumped)
    return {"benchmark": dumped.getvalue(), "loops": run.get_loops()}


def memory(measure: Measure, order: Mapping[str, Any]) -> dict[str, Any]:
    """The peak memory of one run in bytes, its seconds, and a digest of its result.

    Of a ``str``, a JSON text, only the value counts.

    :param order: "trace", whether memory is traced; then the run takes several times as long
    """
    (run,) = runs(measure, 1)
    gc.collect()
    start = time.perf_counter()
    if order["trace"]:
        tracemalloc.start()
    try:
        value = run()
        peak = tracemalloc.get_traced_memory()[1] if order["trace"] else None
    finally:
        tracemalloc.stop()
    took = time.perf_counter() - start
    digest = hashlib.sha256(body(value)).hexdigest()
    return {"peak": peak, "seconds": took, "digest": digest, "is_text": isinstance(value, str)}


def result(measure: Measure, _: Mapping[str, Any]) -> dict[str, Any]:
    """The result of one run as a JSON value, to see where it differs."""
    (run,) = runs(measure, 1)
    return {"result": json.loads(body(run()))}


ANSWERS = {"seconds": seconds, "memory": memory, "result": result}


def body(value: Any) -> bytes:
    """Bytes as they are, a JSON text's value, or the value that JSON would carry."""
    if isinstance(value, str):
        value = json.loads(value)
    return value if isinstance(value, bytes) else json.dumps(value, default=spelled).encode()


def spelled(value: Any) -> list[Any]:
    """The class of a value that JSON cannot carry, and its attributes or its text."""
    return [type(value).__name__, vars(value) if is_dataclass(value) else str(value)]


def installed(*packages: str) -> dict[str, str]:
    """The versions of this Python and of the packages that are there."""
    versions = {"Python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
