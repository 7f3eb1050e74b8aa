"""The worker's side of a benchmark: runs its measures when told to, one line of JSON for each."""

from __future__ import annotations

import gc
import hashlib
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

Measure = Callable[[], Any]
"""Does once what is measured, and returns what contenders must agree on."""


def serve(measures: dict[str, Measure]) -> None:
    """Say what can be measured, then measure what standard input asks for, until it ends."""
    print(json.dumps({"measures": list(measures)}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        answer = run(measures[order["measure"]], order["repeat"], with_memory=order["memory"])
        print(json.dumps(answer), flush=True)


def run(measure: Measure, repeat: int, *, with_memory: bool) -> dict[str, Any]:
    """Run a measure: the seconds that each of ``repeat`` runs took, or the peak memory in bytes.

    With memory the result is digested too, so that it can be compared.
    """
    gc.collect()
    if with_memory:
        tracemalloc.start()
        result = measure()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return {"peak": peak, "digest": digest(result)}
    start = time.perf_counter()
    for _ in range(repeat):
        measure()
    return {"seconds": (time.perf_counter() - start) / repeat}


def digest(result: Any) -> str:
    """A digest of bytes, of a JSON text's value, or of the value that JSON would carry."""
    if isinstance(result, str):
        result = json.loads(result)
    body = result if isinstance(result, bytes) else json.dumps(result, default=str).encode()
    return hashlib.sha256(body).hexdigest()
