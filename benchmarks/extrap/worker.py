"""One contender in a process of its own: prints how long it takes, and what came of it.

python benchmarks/extrap/worker.py CONTENDER FILE ROUNDS
"""

from __future__ import annotations

import gc
import hashlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extrap.entities.experiment import ExperimentSchema

import fastschema


def timed(call: Callable[[Any], Any], argument: Any) -> tuple[float, Any]:
    """How many seconds of this process a call takes, and what it gives."""
    gc.collect()
    begin = time.process_time()
    result = call(argument)
    return time.process_time() - begin, result


def main() -> None:
    """Load and dump some rounds, each time by a new schema, as Extra-P does."""
    contender, path, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    if contender != "stock":
        fastschema.install()
    if contender == "makers":
        import makers  # noqa: F401  # registers them
    text = path.read_text()
    loads, dumps = [], []
    for _ in range(rounds):
        seconds, experiment = timed(lambda data: ExperimentSchema().load(data), json.loads(text))
        loads.append(seconds)
        seconds, dumped = timed(lambda obj: ExperimentSchema().dump(obj), experiment)
        dumps.append(seconds)
    fastschema.uninstall()
    results = [dumped, ExperimentSchema().dump(experiment)]
    digests = [hashlib.sha256(json.dumps(each).encode()).hexdigest() for each in results]
    print(json.dumps({"load": min(loads), "dump": min(dumps), "results": digests}))


if __name__ == "__main__":
    main()
