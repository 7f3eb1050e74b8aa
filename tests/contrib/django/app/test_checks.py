"""The system checks of settings."""

import pytest
from django.conf import settings
from django.test import override_settings
from rest_framework.settings import api_settings

from fastschema.contrib.django.app.checks import RENDERER, check_names, check_renderer

STOCK = "rest_framework.renderers.JSONRenderer"


def with_renderer(path):
    return override_settings(
        REST_FRAMEWORK={**settings.REST_FRAMEWORK, "DEFAULT_RENDERER_CLASSES": [path]}
    )


def test_the_app_without_the_renderer_is_a_warning():
    with with_renderer(STOCK):
        (warning,) = check_renderer()

    assert warning.id == "fastschema.W002"
    assert RENDERER in warning.hint


@pytest.mark.parametrize(
    ("path", "value"), [(RENDERER, {}), (STOCK, {"INSTALL": False})], ids=["both", "not installed"]
)
def test_nothing_is_missing(path, value):
    with with_renderer(path), override_settings(FASTSCHEMA=value):
        assert check_renderer() == []
    assert api_settings.DEFAULT_RENDERER_CLASSES


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("FASTSCHEMA_LOAD_RELATIONS", True, "Write FASTSCHEMA = {'LOAD_RELATIONS': True}."),
        ("FASTSCHEMA_DISABLED", "1", "Set FASTSCHEMA_DISABLED in the environment of the process."),
        ("FASTSCHEMA_TYPO", 1, "fastschema's settings stand in the dictionary FASTSCHEMA."),
    ],
)
def test_a_setting_beside_the_dictionary_is_a_warning(name, value, hint):
    with override_settings(**{name: value}):
        (warning,) = check_names()

    assert (warning.id, warning.hint) == ("fastschema.W003", hint)
    assert name in warning.msg


def test_the_dictionary_alone_is_no_warning():
    with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
        assert check_names() == []
