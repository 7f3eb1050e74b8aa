"""A pytest plugin that runs a test suite with fastschema installed.

For Django REST framework once the suite's own conftest has set Django up, else for marshmallow.
It fails the run if nothing was dumped by generated code: then the suite has proven nothing.
"""

import sys

import pytest

import fastschema


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    if "django" in sys.modules:
        from fastschema.contrib.django import install

        install()
    else:
        fastschema.install()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not session.config.option.collectonly and fastschema.stats().compiled_rows == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    statistics = fastschema.stats()
    terminalreporter.write_line(
        f"fastschema: {statistics.plans} plans, {statistics.compiled_rows} rows compiled, "
        f"{statistics.stock_rows} stock"
    )
