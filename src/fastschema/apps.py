"""For Django, where ``"fastschema"`` is in ``INSTALLED_APPS`` by mistake."""

from __future__ import annotations

from typing import Any, NoReturn

from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured


class NotTheApp(AppConfig):  # type: ignore[misc]  # Django has no types
    """Refuses to be an app: the one to install is another."""

    name = "fastschema"

    def __init__(self, *args: Any) -> NoReturn:
        raise ImproperlyConfigured(
            "INSTALLED_APPS has 'fastschema', which is not an app: nothing would be compiled. "
            "Write 'fastschema.contrib.django' instead."
        )
