"""The Django app."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.core import checks
from django.core.signals import setting_changed

from fastschema.contrib.django import conf
from fastschema.runtime.plugins import plugin
from fastschema.runtime.versions import require


class FastSchemaConfig(AppConfig):
    """Installs fastschema for DRF when Django starts, if the settings do not say otherwise."""

    name = "fastschema.contrib.django"
    label = "fastschema"
    verbose_name = "fastschema"

    def ready(self) -> None:
        """Do what ``FASTSCHEMA`` says, now and whenever a test overrides it."""
        require("fastschema.contrib.django", django=(5, 2), djangorestframework=(3, 16))
        _follow_settings()
        setting_changed.connect(_follow_changed_setting, dispatch_uid=self.name)
        doctor = plugin("fastschema.doctor.django.checks")
        for check in () if doctor is None else doctor.CHECKS:
            checks.register(check, doctor.TAG)


def _follow_settings() -> None:
    from fastschema.contrib.django import install, uninstall

    if conf.settings().install:
        install()
    else:
        uninstall()


def _follow_changed_setting(*, setting: str, **kwargs: Any) -> None:
    if setting == conf.NAME:
        _follow_settings()
