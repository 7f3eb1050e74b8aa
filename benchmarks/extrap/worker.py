"""One contender: Extra-P's own schemas, loading and dumping its experiments.

PYTHONPATH=benchmarks python benchmarks/extrap/worker.py CONTENDER FOLDER SIZE [SIZE ...]

Each time by a new schema, as Extra-P does; reading and writing JSON is left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

from experiments import CALLPATHS, write_json
from extrap.entities.experiment import ExperimentSchema

import fastschema
from harness.measuring import Contender, Fresh, Run, installed, serve

_DEPTHS = 8


def _deeper(call: Callable[[Any], Any], levels: int) -> Callable[[Any], Any]:
    """Return the same call, so many levels deeper on Python's stack.

    CPython 3.11 makes its stack of small pieces. Where a loop calls across the end of one, each
    call makes the next piece, which may add half to all the time. Whom that hits is chance.
    """
    for _ in range(10 * levels):
        call = _one_deeper(call)
    return call


def _one_deeper(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda argument: call(argument)


class Experiments(Contender):
    """Experiments in a folder, made if they are not there."""

    def __init__(self, name: str, folder: Path, sizes: list[str]) -> None:
        self._texts = {}
        for size in sizes:
            path = folder / f"{size.replace(' ', '-')}.json"
            write_json(path, CALLPATHS[size])
            self._texts[size] = path.read_text()
        if name != "stock":
            fastschema.install()
        if name == "makers":
            import makers  # noqa: F401  # registers them
        self._is_fast = name != "stock"
        self._rounds = cycle(range(_DEPTHS))
        names = [f"{size} {what}" for size in sizes for what in ("load", "dump")]
        packages = ("extrap", "marshmallow", *["fastschema"] * self._is_fast)
        super().__init__(name, names, self._prepared, installed(*packages))

    def _prepared(self, measure: str) -> Run:
        size, _, what = measure.rpartition(" ")
        text = self._texts[size]
        if what == "load":
            return Fresh(lambda: json.loads(text), self._load)
        experiment = ExperimentSchema().load(json.loads(text))
        return lambda: self._dump(experiment)

    def _load(self, data: Any) -> Any:
        return _deeper(ExperimentSchema().load, next(self._rounds))(data)

    def _dump(self, experiment: Any) -> Any:
        return _deeper(ExperimentSchema().dump, next(self._rounds))(experiment)

    def _digest(self, runs: int = 1) -> dict[str, Any]:
        if not isinstance(self._run, Fresh):
            return super()._digest(runs)
        loaded = self._run()
        fastschema.uninstall()
        dumped, run = ExperimentSchema().dump(loaded), self._run
        if self._is_fast:
            fastschema.install()
        self._run = lambda: dumped
        try:
            return super()._digest()
        finally:
            self._run = run


if __name__ == "__main__":
    contender, directory, *sizes = sys.argv[1:]
    serve(Experiments(contender, Path(directory), sizes))
