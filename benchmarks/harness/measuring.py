"""One contender: in this process, or serving another one, line by line."""

from __future__ import annotations

import cProfile
import gc
import hashlib
import importlib.metadata
import json
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

Run = Callable[[], Any]
"""Does once what is measured, and returns what contenders must agree on."""


@dataclass(frozen=True)
class Fresh:
    """Something whose every run needs something new, made while the clock stands still.

    :param shown: from the result to what contenders must agree on
    """

    make: Callable[[], Any]
    run: Callable[[Any], Any]
    shown: Callable[[Any], Any] = lambda result: result

    def __call__(self) -> Any:
        return self.shown(self.run(self.make()))


TRIES = 5


class Contender:
    """What stock, fastschema or a peer measures in this process.

    :param measures: the names of what it can measure
    :param prepare: from such a name to what is run; what was prepared before is dropped
    :param within: makes this process be that contender
    :param is_alone: no other contender is in this process
    :param backends: finds the processes of a database server that serve this one
    """

    is_peer = False

    def __init__(
        self,
        name: str,
        measures: Iterable[str],
        prepare: Callable[[str], Run],
        versions: dict[str, str] | None = None,
        *,
        within: Callable[[], AbstractContextManager[Any]] = nullcontext,
        is_alone: bool = True,
        backends: Callable[[], Sequence[int]] = list,
    ) -> None:
        self.name = name
        self.measures = list(measures)
        self.versions = versions or {}
        self._prepare = prepare
        self._within = within
        self._is_alone = is_alone
        self._backends_of = backends
        self._measure: str | None = None
        self._run: Run = list

    def hello(self) -> dict[str, Any]:
        return {"measures": self.measures, "versions": self.versions}

    def ask(self, what: str, measure: str, **how: Any) -> dict[str, Any]:
        with self._within():
            if measure != self._measure:
                self._measure, self._run = None, list
                gc.unfreeze()
                self._run = self._prepare(measure)
                self._measure = measure
                gc.collect()
                gc.freeze()  # what is there now is not looked at again and again
            answer: dict[str, Any] = getattr(self, f"_{what}")(**how)
            return answer

    def _observed(self) -> Any:
        """Run once, and return what contenders must agree on."""
        return self._run()

    def _digest(self, runs: int = 1) -> dict[str, Any]:
        for _ in range(runs):
            value = self._observed()
        digest = hashlib.sha256(body(value)).hexdigest()
        return {"digest": digest, "is_text": isinstance(value, str)}

    def _result(self) -> dict[str, Any]:
        return {"result": json.loads(body(self._observed()))}

    def _calls(self) -> dict[str, Any]:
        profiler = cProfile.Profile()
        profiler.runcall(self._run)
        return {"calls": sum(entry.callcount for entry in profiler.getstats())}

    def _time(self, loops: int = 0, batch: float = 0.05) -> dict[str, Any]:
        """The seconds of processor time that a run takes, here and in the database server.

        :param loops: how many runs; 0: as many as take about ``batch`` seconds
        """
        if loops == 0:
            loops = 1
            while (spent := sum(self._spent(loops))) < batch / 4:
                loops *= 2
            loops = max(1, round(batch * loops / spent))
        elif not self._is_alone and loops > 1:
            self._spent(loops // 4 + 1)  # the interpreter learns anew what is called
        process, database = self._spent(loops)
        return {"process": process / loops, "database": database / loops, "loops": loops}

    def _spent(self, loops: int) -> tuple[float, float]:
        for _ in range(TRIES):
            gc.collect()  # no turn pays for the garbage of those before it
            backends = self._backends_of()
            with suppress(FileNotFoundError):  # the pool closed one: what it took is lost
                server = server_time(backends)
                process = seconds(self._run, loops)
                return process, server_time(backends) - server
        raise RuntimeError(f"connections to the database were closed in each of {TRIES} tries")


def seconds(run: Run, loops: int) -> float:
    if not isinstance(run, Fresh):
        start = time.process_time()
        for _ in range(loops):
            run()
        return time.process_time() - start
    total = 0.0
    for _ in range(loops):
        new = run.make()
        start = time.process_time()
        run.run(new)
        total += time.process_time() - start
        del new
    return total


def server_time(processes: Sequence[int]) -> float:
    """The seconds of processor time that processes have had, to the nanosecond."""
    spent = [Path(f"/proc/{each}/schedstat").read_text().split()[0] for each in processes]
    return sum(map(int, spent)) / 1e9


def body(value: Any) -> bytes:
    """Bytes as they are, a JSON text's value, or the value that JSON would carry."""
    if isinstance(value, str):
        value = json.loads(value)
    return value if isinstance(value, bytes) else json.dumps(value, default=spelled).encode()


def spelled(value: Any) -> list[Any]:
    """The class of a value that JSON cannot carry, and its attributes or its text."""
    if isinstance(value, bytes):
        return ["bytes", value.decode("latin-1")]
    return [type(value).__name__, vars(value) if is_dataclass(value) else str(value)]


def serve(contender: Contender, output: Any = None) -> None:
    """Say what can be measured here, then do what standard input asks for, until it ends."""
    output = output or sys.stdout
    print(json.dumps(contender.hello()), file=output, flush=True)
    for line in sys.stdin:
        try:
            answer = contender.ask(**json.loads(line))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            answer = {"error": reason, "traceback": traceback.format_exc()}
        print(json.dumps(answer), file=output, flush=True)


def installed(*packages: str) -> dict[str, str]:
    """The versions of this Python and of the packages that are there."""
    versions = {"Python": platform.python_version()}
    for package in packages:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return versions
