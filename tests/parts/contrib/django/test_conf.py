"""The setting FASTSCHEMA: checked with clear messages, and followed when a test overrides it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from rest_framework.serializers import Serializer

from fastschema.contrib.django import conf
from fastschema.contrib.django.front_end.customization import STOCK_TO_REPRESENTATION

PROJECT = Path(__file__).resolve().parents[4] / "example_project"


def is_installed():
    return Serializer.to_representation is not STOCK_TO_REPRESENTATION


def test_without_the_setting_the_defaults_hold():
    assert conf.settings() == conf.Settings(
        install=True, stream_chunk_size=500, check_serializers=False
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (True, "FASTSCHEMA must be a dictionary, such as {'INSTALL': True}, not True."),
        (
            {"INSTAL": True},
            "FASTSCHEMA['INSTAL'] is not a setting. Did you mean FASTSCHEMA['INSTALL']?",
        ),
        (
            {1: True},
            "FASTSCHEMA[1] is not a setting. The settings are FASTSCHEMA['INSTALL'], "
            "FASTSCHEMA['ROWS'], FASTSCHEMA['FILTERS'], "
            "FASTSCHEMA['LOAD_RELATIONS'], FASTSCHEMA['STREAM_CHUNK_SIZE'], "
            "FASTSCHEMA['BULK_INPUT'], FASTSCHEMA['CHECK_SERIALIZERS'], FASTSCHEMA['SHADOW'], "
            "FASTSCHEMA['SHADOW_VALUES'].",
        ),
        ({"INSTALL": "yes"}, "FASTSCHEMA['INSTALL'] must be of type bool, not 'yes'."),
        (
            {"STREAM_CHUNK_SIZE": True},
            "FASTSCHEMA['STREAM_CHUNK_SIZE'] must be of type int, not True.",
        ),
        ({"STREAM_CHUNK_SIZE": 0}, "FASTSCHEMA['STREAM_CHUNK_SIZE'] must be at least 1, not 0."),
        (
            {"SHADOW": True},
            "FASTSCHEMA['SHADOW'] must be a number from 0 to 1, such as 0.1, not True.",
        ),
        ({"SHADOW": 5}, "FASTSCHEMA['SHADOW'] must be a number from 0 to 1, such as 0.1, not 5."),
        (
            {"SHADOW": float("nan")},
            "FASTSCHEMA['SHADOW'] must be a number from 0 to 1, such as 0.1, not nan.",
        ),
    ],
)
def test_a_setting_that_is_none_is_a_clear_error(value, message):
    with pytest.raises(ImproperlyConfigured) as raised:
        conf.checked(value)
    assert str(raised.value) == message


def test_the_package_itself_is_no_app():
    with pytest.raises(ImproperlyConfigured, match=r"Write 'fastschema.contrib.django' instead"):
        AppConfig.create("fastschema")


def test_a_setting_that_is_none_stops_django_when_it_starts(tmp_path):
    (tmp_path / "wrong_settings.py").write_text(
        "from config.settings import *\nFASTSCHEMA = {'INSTALLED': True}\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        cwd=PROJECT,
        env={
            **os.environ,
            "PYTHONPATH": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "wrong_settings",
            "FASTSCHEMA": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert (
        "ImproperlyConfigured: FASTSCHEMA['INSTALLED'] is not a setting. "
        "Did you mean FASTSCHEMA['INSTALL']?" in finished.stderr
    )


def test_an_overridden_setting_is_followed_and_then_forgotten():
    with override_settings(FASTSCHEMA={"STREAM_CHUNK_SIZE": 7}):
        assert conf.settings().stream_chunk_size == 7
    assert conf.settings().stream_chunk_size == 500


def test_an_overridden_install_is_followed():
    assert is_installed()
    with override_settings(FASTSCHEMA={"INSTALL": False}):
        assert not is_installed()
    assert is_installed()


def test_an_override_that_is_wrong_is_an_error_and_leaves_everything_as_it_was():
    with (
        pytest.raises(ImproperlyConfigured, match="must be of type bool"),
        override_settings(FASTSCHEMA={"INSTALL": 1}),
    ):
        pytest.fail("the override was taken")
    assert is_installed()
    assert conf.settings().install is True


def test_another_setting_changes_nothing():
    before = conf.settings()
    with override_settings(DEBUG=True):
        assert conf.settings() is before
