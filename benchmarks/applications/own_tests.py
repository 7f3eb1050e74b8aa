"""An application's own tests, by stock and with the lines of fastschema's README.

    python -m applications.own_tests NAME stock|fastschema DIRECTORY

Runs them and writes their outcomes to DIRECTORY, as JSON, by the names of the tests.
"""

from __future__ import annotations

import importlib
import json
import sys
import unittest
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

PASSED = "passed"


class Outcomes(unittest.TextTestResult):
    """A result of unittest that notes how each test ended."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.outcomes: dict[str, str] = {}

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802  # unittest's name
        super().addSuccess(test)
        self.outcomes.setdefault(test.id(), PASSED)  # unless a subtest has failed

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802  # unittest's name
        super().addFailure(test, err)
        self.outcomes[test.id()] = f"failed: {reason(err[1])}"

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802  # unittest's name
        super().addError(test, err)
        self.outcomes[test.id()] = f"failed: {reason(err[1])}"

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802  # unittest's name
        super().addSkip(test, reason)
        self.outcomes[test.id()] = "skipped"

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802  # unittest's name
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.outcomes[test.id()] = f"failed: {reason(err[1])}"


def reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def outcomes_in(report: Path) -> dict[str, str]:
    """Return the outcomes of the tests in a report in the form of JUnit."""
    result = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        kind = next((each for each in case if each.tag in ("failure", "error", "skipped")), None)
        if kind is None:
            result[name] = PASSED
        elif kind.tag == "skipped":
            result[name] = "skipped"
        else:
            result[name] = f"failed: {(kind.get('message') or '').splitlines()[0]:.200}"
    return result


def differences(stock: dict[str, str], fast: dict[str, str]) -> list[str]:
    """Return which tests end in another way with fastschema, in a line each."""
    return [
        f"{name}: {fast.get(name, 'not run')}, by stock {stock.get(name, 'not run')}"
        for name in sorted({*stock, *fast})
        if stock.get(name) != fast.get(name)
    ]


def summary(outcomes: dict[str, str]) -> str:
    counts = Counter(each.partition(":")[0] for each in outcomes.values())
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(counts.items()))


def main() -> None:
    name, contender, directory = sys.argv[1:]
    del sys.argv[1:]  # FlexMeasures takes "flexmeasures" and a command's name for a command
    application = importlib.import_module(f"applications.{name}").APPLICATION
    folder = Path(directory)
    outcomes = application.run_tests(folder, fast=contender == "fastschema")
    (folder / f"{contender}.json").write_text(json.dumps(outcomes))


if __name__ == "__main__":
    main()
