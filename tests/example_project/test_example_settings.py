"""The settings of the example project, as the environment has them."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

PROJECT = Path(__file__).resolve().parents[2] / "example_project"
VARIABLES = ("DATABASE_URL", "DEBUG", "FASTSCHEMA")


@pytest.fixture
def settings_with(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """A function from environment variables, the others unset, to the settings they lead to."""

    def settings_with(**environment: str) -> dict[str, Any]:
        for variable in VARIABLES:
            monkeypatch.delenv(variable, raising=False)
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        return runpy.run_path(str(PROJECT / "config" / "settings.py"))

    return settings_with


@pytest.mark.parametrize("environment", [{}, {"FASTSCHEMA": "1"}, {"FASTSCHEMA": ""}])
def test_fastschema_answers_by_default(settings_with, environment):
    settings = settings_with(**environment)
    assert "fastschema.contrib.django" in settings["INSTALLED_APPS"]
    assert settings["REST_FRAMEWORK"]["DEFAULT_RENDERER_CLASSES"] == [
        "fastschema.contrib.django.renderers.FastJSONRenderer",
        "rest_framework.renderers.BrowsableAPIRenderer",
    ]


def test_fastschema_can_be_switched_off(settings_with):
    settings = settings_with(FASTSCHEMA="0")
    assert "fastschema.contrib.django" not in settings["INSTALLED_APPS"]
    assert settings["REST_FRAMEWORK"]["DEFAULT_RENDERER_CLASSES"] == [
        "rest_framework.renderers.JSONRenderer",
        "rest_framework.renderers.BrowsableAPIRenderer",
    ]


def test_debug_is_on_by_default_and_can_be_switched_off(settings_with):
    assert settings_with()["DEBUG"] is True
    assert settings_with(DEBUG="0")["DEBUG"] is False


def test_the_database_is_a_file_next_to_manage_py(settings_with):
    database = settings_with()["DATABASES"]["default"]
    assert database["ENGINE"] == "django.db.backends.sqlite3"
    assert database["NAME"] == PROJECT / "db.sqlite3"


def test_the_database_can_be_another(settings_with):
    url = "postgres://someone:secret@database.example:5433/flights"
    database = settings_with(DATABASE_URL=url)["DATABASES"]["default"]
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["HOST"], database["PORT"]) == ("database.example", 5433)


@pytest.mark.parametrize("url", ["nonsense", "unknown://x", "postgres://host:port/x"])
def test_a_database_url_that_is_none_is_an_error(settings_with, url):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL is not a database URL"):
        settings_with(DATABASE_URL=url)
