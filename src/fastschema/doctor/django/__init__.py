"""What the Django app offers: settings, checks, what the doctor and the toolbar find.

A plugin: it is installed with :mod:`fastschema.contrib.django`.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.signals import setting_changed


def install() -> None:
    """Warn of lists whose rows ask the database again where ``DEBUG`` is on, now or in a test."""
    _follow_debug(setting="DEBUG")
    setting_changed.connect(_follow_debug, dispatch_uid=__name__)


def uninstall() -> None:
    """Leave ``DEBUG`` alone."""
    setting_changed.disconnect(dispatch_uid=__name__)


def _follow_debug(*, setting: str, **kwargs: Any) -> None:
    if setting == "DEBUG" and settings.DEBUG:
        # Imported here: nothing of it runs in production.
        from fastschema.doctor.django.n_plus_one import watch

        watch()
