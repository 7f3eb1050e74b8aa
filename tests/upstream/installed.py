"""A pytest plugin that runs a test suite with fastschema installed.

For Django REST framework once the suite's own conftest has set Django up, else for marshmallow.
With FASTSCHEMA_TEST_RENDERER=1, FastJSONRenderer is DRF's default renderer too. It fails the run if
nothing was dumped by generated code, or rendered: then the suite has proven nothing.
"""

import os
import sys

import pytest

import fastschema
from fastschema.runtime import thresholds

WITH_RENDERER = os.environ.get("FASTSCHEMA_TEST_RENDERER") == "1"
rendered = 0


def make_the_renderer_the_default() -> None:
    """What the settings of a project do, before DRF's views are imported."""
    from django.conf import settings
    from rest_framework.settings import api_settings

    from fastschema.contrib.django.renderers import FastJSONRenderer

    render = FastJSONRenderer.render

    def counted(*args: object, **kwargs: object) -> bytes:
        global rendered
        rendered += 1
        return render(*args, **kwargs)

    FastJSONRenderer.render = counted
    path = f"{FastJSONRenderer.__module__}.{FastJSONRenderer.__qualname__}"
    browsable = "rest_framework.renderers.BrowsableAPIRenderer"
    settings.REST_FRAMEWORK = {"DEFAULT_RENDERER_CLASSES": [path, browsable]}
    api_settings.reload()


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    # From the first row on: most tests have no more than one.
    thresholds.rows_worth_reading = thresholds.rows_worth_reading_at_once = 1
    thresholds.few_for_marshmallow, thresholds.few_for_django = 0, 2
    thresholds.uses_worth_an_exemplar = 1
    if "django" in sys.modules:
        if WITH_RENDERER:
            make_the_renderer_the_default()
        from fastschema.contrib.django import install

        install()
    else:
        fastschema.install()


def pytest_sessionfinish(session: pytest.Session) -> None:
    proves_nothing = fastschema.stats().compiled_rows == 0 or (WITH_RENDERER and not rendered)
    if not session.config.option.collectonly and proves_nothing:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    statistics = fastschema.stats()
    terminalreporter.write_line(
        f"fastschema: {statistics.programs} programs, {statistics.compiled_rows} rows compiled, "
        f"{statistics.stock_rows} stock, {rendered} rendered"
    )
