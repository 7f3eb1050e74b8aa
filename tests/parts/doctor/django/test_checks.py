"""The system checks of settings."""

import pytest
from django.conf import settings
from django.test import override_settings
from djangorestframework_camel_case.render import CamelCaseJSONRenderer
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.settings import api_settings

from fastschema.contrib.camel_case.renderers import FastCamelCaseJSONRenderer
from fastschema.contrib.django.renderers import FastJSONRenderer, NDJSONRenderer
from fastschema.doctor.django.checks import RENDERER, check_names, check_renderers
from tests.marks import needs_orjson

STOCK = "rest_framework.renderers.JSONRenderer"


def with_renderer(path):
    return override_settings(
        REST_FRAMEWORK={**settings.REST_FRAMEWORK, "DEFAULT_RENDERER_CLASSES": [path]}
    )


@needs_orjson
def test_the_app_without_the_renderer_is_a_warning():
    with with_renderer(STOCK):
        (warning,) = check_renderers()

    assert warning.id == "fastschema.W002"
    assert RENDERER in warning.hint


class OwnRenderer(JSONRenderer):
    pass


class OwnFastRenderer(OwnRenderer, FastJSONRenderer):
    pass


class ChangedRenderer(FastJSONRenderer):
    def render(self, *args, **kwargs):
        return b""


class OtherRenderer(BaseRenderer):
    pass


@needs_orjson
@pytest.mark.parametrize(
    ("cls", "hint"),
    [
        (OwnRenderer, "class FastOwnRenderer(OwnRenderer, FastJSONRenderer)"),
        (CamelCaseJSONRenderer, "Name fastschema.contrib.camel_case.renderers.FastCamelCaseJSON"),
        (ChangedRenderer, "Use FastJSONRenderer as it comes"),
    ],
)
def test_a_renderer_that_nothing_was_done_for_is_a_warning(cls, hint):
    with with_renderer(f"{cls.__module__}.{cls.__qualname__}"):
        (warning,) = check_renderers()

    assert warning.id == "fastschema.W004"
    assert warning.msg.endswith(f"writes for {cls.__name__}.")
    assert hint in warning.hint


@pytest.mark.parametrize(
    "cls", [OwnFastRenderer, NDJSONRenderer, FastCamelCaseJSONRenderer, OtherRenderer]
)
def test_a_renderer_that_writes_by_orjson_or_no_json_is_none(cls):
    with with_renderer(f"{cls.__module__}.{cls.__qualname__}"):
        assert check_renderers() == []


@pytest.mark.parametrize(
    ("path", "value"), [(RENDERER, {}), (STOCK, {"INSTALL": False})], ids=["both", "not installed"]
)
def test_nothing_is_missing(path, value):
    with with_renderer(path), override_settings(FASTSCHEMA=value):
        assert check_renderers() == []
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
