"""Walks by stock, in a process of its own that knows nothing of fastschema."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from marshmallow import ValidationError

from tests.outcomes import Outcome, exactly, outcome_of, without_address
from tests.promises.marshmallow.walk.happenings import CALLS, CHANGES, LOOKS
from tests.promises.marshmallow.walk.kinds import KINDS
from tests.promises.marshmallow.walk.notes import LOG, in_order

_ROOT = Path(__file__).parents[4]
HAPPENINGS = {**CALLS, **LOOKS, **CHANGES}


def outcomes(kind: str, steps: Any) -> Iterator[Outcome]:
    """What comes of each step of a walk, with what was called to make its object."""
    with ExitStack() as undo:
        subjects: list[Any] = []
        calls = outcome(lambda: subjects.append(KINDS[kind](undo))).calls
        for step in steps:
            result = outcome(lambda step=step: HAPPENINGS[step](*subjects))
            yield replace(result, calls=calls + result.calls)
            calls = []


def outcome(call: Callable[[], Any]) -> Outcome:
    """Call, and tell what came of it: in texts, which can be compared elsewhere."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = outcome_of(call, LOG, _spelled, _message)
    warned = [("warning", type(one.message).__name__, str(one.message)) for one in caught]
    error = None if result.error is None else (result.error[0].__name__, result.error[1])
    return Outcome(result.value, error, result.calls + warned)  # type: ignore[arg-type]  # a name


def _spelled(value: Any) -> str:
    if type(value) is list:  # of rows, most of which are alike: the first of each run
        runs = [list(run) for _, run in groupby(value, repr)]
        value = [(len(run), run[0]) for run in runs]
    return without_address(repr(exactly(value, repr)))


def _message(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "\n".join(map(_spelled, [in_order(error.messages), error.data, error.valid_data]))
    return without_address(str(error))


class Stock:
    """That process, from the first walk on."""

    _process: Any = None

    def outcomes(self, kind: str, steps: Any) -> list[Outcome]:
        """What comes of a walk by stock."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                cwd=_ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        pickle.dump((kind, list(steps)), self._process.stdin)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)

    def end(self) -> None:
        """Let the process end, if it has begun."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
            self._process = None


def _answer() -> None:
    """Go the walks that another process asks for."""
    answers = sys.stdout.buffer
    while True:
        try:
            kind, steps = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(list(outcomes(kind, steps)), answers)
        answers.flush()


if __name__ == "__main__":
    assert "fastschema" not in sys.modules
    _answer()
