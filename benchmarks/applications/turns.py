"""Stock and fastschema, a process each, which answer the same requests in turns."""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from applications.tables import SMALL_APPLICATIONS
from contenders import Contender, ContenderError, difference

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent.parent / ".venv" / "applications"
CONTENDERS = ("stock", "fastschema")
SLOWER = 0.97
"""A ratio below this is plainly slower."""


@dataclass(frozen=True)
class Turn:
    """The seconds of processor time that a request took, the mean of one turn.

    :param process: of the application
    :param database: of the processes of the database server that serve it
    """

    process: float
    database: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.process + self.database


@dataclass
class Measured:
    """What came of a request.

    :param rows: how many are in the list that is the answer; None if it is no list
    :param queries: how many statements were executed, by contender
    :param calls: how many functions were called, by contender
    :param defects: what is not as stock, in a line each
    :param turns: by contender
    :param samples: by contender, where the time goes
    """

    title: str
    rows: int | None
    size: int
    queries: dict[str, int]
    calls: dict[str, int]
    defects: list[str]
    turns: dict[str, list[Turn]]
    samples: dict[str, dict[str, Any]]

    def best(self, contender: str) -> Turn:
        """Return the turn that took the least time."""
        return min(self.turns[contender], key=lambda turn: turn.total)

    def median(self, contender: str) -> float:
        """Return the median of the turns' seconds."""
        return statistics.median(turn.total for turn in self.turns[contender])

    @property
    def ratio(self) -> float:
        """How many times as fast as stock fastschema is, by the best turns."""
        return self.best("stock").total / self.best("fastschema").total

    @property
    def median_ratio(self) -> float:
        """The same by medians."""
        return self.median("stock") / self.median("fastschema")

    def figures(self) -> list[dict[str, Any]]:
        """Return the figures of both contenders, in the form of the other benchmarks."""
        return [
            {
                "measure": self.title,
                "contender": contender,
                "seconds": self.best(contender).total,
                "database": self.best(contender).database,
                "median": self.median(contender),
                "spread": self.median(contender) / self.best(contender).total - 1,
                "ratio": self.ratio if contender == "fastschema" else 1.0,
                "median_ratio": self.median_ratio if contender == "fastschema" else 1.0,
                "queries": self.queries[contender],
                "calls": self.calls[contender],
                "rows": self.rows,
                "bytes": self.size,
                "sample": self.samples.get(contender),
            }
            for contender in CONTENDERS
        ]


def compare(
    answers: dict[str, dict[str, Any]], masked: Collection[str], *, may_ask_less: bool = False
) -> list[str]:
    """Return in what fastschema's answer is not stock's, in a line each.

    :param masked: keys of JSON whose values are not compared
    :param may_ask_less: whether other queries are no difference, if they are no more
    """
    stock, fast = answers["stock"], answers["fastschema"]
    found = []
    if stock["status"] != fast["status"]:
        found.append(f"the status is {fast['status']}, not {stock['status']}")
    if where := different_body(stock["body"], fast["body"], masked):
        found.append(f"the body differs: {where}")
    ours, theirs = (headers(each, WRITTEN if masked else ()) for each in (fast, stock))
    found += [
        f"the header {name} is {ours.get(name)!r}, not {theirs.get(name)!r}"
        for name in sorted({*ours, *theirs})
        if ours.get(name) != theirs.get(name)
    ]
    asked, stock_asked = fast["statements"], stock["statements"]
    if not may_ask_less or len(asked) > len(stock_asked):
        found += different_queries(stock_asked, asked)
    new = [each for each in fast["warnings"] if each not in stock["warnings"]]
    return found + [f"a warning: {each}" for each in new]


def different_queries(stock: list[str], fast: list[str]) -> list[str]:
    """Return in what fastschema's queries are not stock's, in a line; nothing if they are alike."""
    ours, theirs = (Counter(map(steady, each)) for each in (fast, stock))
    if ours == theirs:
        return []
    is_other_number = len(fast) != len(stock)
    changed = [f"{len(fast)} queries, not {len(stock)}" if is_other_number else "other queries"]
    changed += [f"+ {each:.200}" for each in ours - theirs]
    changed += [f"- {each:.200}" for each in theirs - ours]
    return ["; ".join(changed)]


def steady(statement: str) -> str:
    """Return a statement without the names of savepoints, which differ each time."""
    return re.sub(r'"s\d+_x\d+"', '"..."', statement)


UNSTEADY = ("x-request-id", "date", "set-cookie")
"""Headers that differ each time."""
WRITTEN = ("content-length", "etag", "location")
"""Those that differ where the body is compared without some of its values."""


def headers(answer: dict[str, Any], left_out: Collection[str]) -> dict[str, str]:
    """Return the headers of an answer by name, without some, and those that differ each time."""
    named = {name.lower(): value for name, value in answer["headers"]}
    return {key: value for key, value in named.items() if key not in (*UNSTEADY, *left_out)}


def different_body(stock: str, fast: str, masked: Collection[str]) -> str | None:
    """Return where two bodies differ; None if they do not."""
    if stock == fast:
        return None
    if masked:
        try:
            values = [without(json.loads(each), masked) for each in (stock, fast)]
        except ValueError:
            pass
        else:
            return difference(values[1], values[0])
    start = next((i for i, (a, b) in enumerate(zip(stock, fast, strict=False)) if a != b), 0)
    start = max(0, start - 40)
    return f"{fast[start:]:.100}, not {stock[start:]:.100}"


def without(value: Any, masked: Collection[str]) -> Any:
    """Return a JSON value in which the values of some keys are left out."""
    if isinstance(value, dict):
        return {
            key: "..." if key in masked else without(each, masked) for key, each in value.items()
        }
    if isinstance(value, list):
        return [without(each, masked) for each in value]
    return value


def rows_of(body: str) -> int | None:
    """Return how many rows a list in JSON has, as it is or as a page; None if it is no list."""
    try:
        value = json.loads(body)
    except ValueError:
        return None
    if isinstance(value, dict):
        value = value.get("results", value.get("data"))
    return len(value) if isinstance(value, list) else None


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    :param turns: of each contender
    :param seconds: of stock's processor time in a turn, about
    :param samples: of each contender, for requests that are sampled
    """

    turns: int
    seconds: float
    samples: int


class Pair:
    """Both contenders of an application.

    :param may_ask_less: whether fewer queries are no difference
    """

    def __init__(
        self, contenders: dict[str, Contender], hello: dict[str, Any], *, may_ask_less: bool
    ) -> None:
        self._contenders = contenders
        self._masked = hello["masked"]
        self._may_ask_less = may_ask_less

    def measure(self, number: int, request: dict[str, Any], effort: Effort) -> Measured:
        """Compare the answers to a request, then measure it in turns.

        :raises ContenderError: if a contender cannot answer
        """
        answers = {name: self._twice(name, number) for name in CONTENDERS}
        stock = answers["stock"]
        if stock["status"] >= 400:
            reason = f"status {stock['status']}: {stock['body']:.300} {stock['warnings']}"
            raise ContenderError("cannot", reason)
        masked = () if request["method"] == "GET" else self._masked
        defects = compare(answers, masked, may_ask_less=self._may_ask_less)
        turns: dict[str, list[Turn]] = {name: [] for name in CONTENDERS}
        warm = {name: self._turn(name, number, 3) for name in CONTENDERS}
        count = max(1, round(effort.seconds / warm["stock"].process))
        for turn in range(effort.turns):
            for name in CONTENDERS if turn % 2 == 0 else reversed(CONTENDERS):
                turns[name].append(self._turn(name, number, count))
        again = {name: self._ask(name, number, "send") for name in CONTENDERS}
        later = compare(again, masked, may_ask_less=self._may_ask_less)
        defects += [each for each in later if each not in defects]
        calls = {name: self._ask(name, number, "count")["calls"] for name in CONTENDERS}
        samples = {}
        if request["sampled"]:
            for name in CONTENDERS:
                samples[name] = self._ask(name, number, "sample", samples=effort.samples)
        return Measured(
            request["title"],
            rows_of(stock["body"]),
            len(stock["body"]),
            {name: len(answer["statements"]) for name, answer in answers.items()},
            calls,
            defects,
            turns,
            samples,
        )

    def _twice(self, name: str, number: int) -> dict[str, Any]:
        """Return the second answer, with the warnings of both: the first one fills caches."""
        first = self._ask(name, number, "send")
        second = self._ask(name, number, "send")
        return {**second, "warnings": first["warnings"] + second["warnings"]}

    def _turn(self, name: str, number: int, count: int) -> Turn:
        return Turn(**self._ask(name, number, "time", count=count))

    def _ask(self, name: str, number: int, what: str, **how: Any) -> dict[str, Any]:
        return self._contenders[name].ask({"request": number, "what": what, **how})


def command(name: str, what: str, directory: Path) -> list[str]:
    """Return what starts a worker."""
    is_small = name in SMALL_APPLICATIONS
    python = sys.executable if is_small else ENVIRONMENTS / name / "bin" / "python"
    return [str(python), "-m", "applications.worker", name, what, str(directory)]
