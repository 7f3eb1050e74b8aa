"""The system checks of settings."""

import pytest
from django.conf import settings
from django.test import override_settings
from rest_framework.settings import api_settings

from fastschema.contrib.django.app.checks import RENDERER, check_renderer

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
