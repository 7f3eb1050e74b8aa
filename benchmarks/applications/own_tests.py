"""An application's own tests, by stock and with the lines of fastschema's README."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from applications.application import Application

PASSED = "passed"


def run(application: Application, directory: Path, *, fast: bool) -> dict[str, str]:
    """Run the tests of an application by pytest; return how each of them ended."""
    import pytest

    report, settings = directory / "report.xml", directory / "pytest.ini"
    settings.write_text("[pytest]\n")
    os.chdir(directory)  # or pytest finds this repository's settings and fixtures
    options = ["-q", "-c", str(settings), f"--junitxml={report}", "--pyargs"]
    pytest.main([*options, *application.tests], plugins=application.test_plugins(directory, fast))
    return outcomes_in(report)


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
