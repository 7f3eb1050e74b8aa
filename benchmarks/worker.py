"""The worker's side of a benchmark: runs its measures when told to, one line of JSON for each."""

from __future__ import annotations

import gc
import hashlib
import importlib.metadata
import json
import platform
import sys
import time
import traceback
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

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


def serve(measures: Mapping[str, Measure], versions: dict[str, str]) -> None:
    """Say what is measured here, then measure what standard input asks for, until it ends."""
    print(json.dumps({"versions": versions}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer = ANSWERS[order["what"]](measures[order["measure"]], order["repeat"])
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            answer = {"error": reason, "traceback": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


def runs(measure: Measure, count: int) -> list[Run]:
    """The runs of a measure, ready to start."""
    if isinstance(measure, Prepared):
        return [partial(measure.measure, measure.prepare()) for _ in range(count)]
    return [measure] * count


def seconds(measure: Measure, repeat: int) -> dict[str, Any]:
    """The seconds that each of ``repeat`` runs took."""
    ready = runs(measure, repeat)
    gc.collect()
    start = time.perf_counter()
    for run in ready:
        run()
    return {"seconds": (time.perf_counter() - start) / repeat}


def memory(measure: Measure, _: int) -> dict[str, Any]:
    """The peak memory of one run in bytes, and a digest of its result, to be compared."""
    (run,) = runs(measure, 1)
    gc.collect()
    tracemalloc.start()
    try:
        value = run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return {"peak": peak, "digest": hashlib.sha256(body(value)).hexdigest()}


def result(measure: Measure, _: int) -> dict[str, Any]:
    """The result of one run as a JSON value, to see where it differs."""
    (run,) = runs(measure, 1)
    return {"result": json.loads(body(run()))}


ANSWERS = {"seconds": seconds, "memory": memory, "result": result}


def body(value: Any) -> bytes:
    """Bytes as they are, a JSON text's value, or the value that JSON would carry."""
    if isinstance(value, str):
        value = json.loads(value)
    return value if isinstance(value, bytes) else json.dumps(value, default=str).encode()


def installed(*packages: str) -> dict[str, str]:
    """The versions of this Python and of the packages that are there."""
    versions = {"Python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
