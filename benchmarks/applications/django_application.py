"""Applications that use Django and Django REST framework."""

from __future__ import annotations

import abc
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar
from wsgiref.types import WSGIApplication

from applications.application import WITH_ORJSON, Application
from harness.queries import django_statements

SETTINGS = "APPLICATION_SETTINGS"
"""The environment variable that names the application's own settings."""


class DjangoApplication(Application):
    """One that Django runs.

    :cvar settings: its settings' module
    """

    settings: ClassVar[str]

    def environment(self, directory: Path) -> dict[str, str]:
        return {}

    def choose_settings(self, directory: Path, *, fast: bool) -> None:
        """Set the environment variables that say which settings Django is to use."""
        os.environ |= self.environment(directory)
        os.environ[SETTINGS] = self.settings
        is_stock = not fast and WITH_ORJSON not in os.environ
        os.environ["DJANGO_SETTINGS_MODULE"] = (
            self.settings if is_stock else "applications.django_settings"
        )

    def start(self, directory: Path, *, fast: bool) -> WSGIApplication:
        self.choose_settings(directory, fast=fast)
        from django.core import signals
        from django.core.wsgi import get_wsgi_application
        from django.db import close_old_connections

        wsgi: WSGIApplication = get_wsgi_application()
        # One connection for all requests, also for those that are rolled back.
        signals.request_started.disconnect(close_old_connections)
        signals.request_finished.disconnect(close_old_connections)
        return wsgi

    def fill(self) -> None:
        from django.db import transaction

        self.migrate()
        with transaction.atomic():
            self.add()

    def migrate(self) -> None:
        """Make the tables."""
        from django.core.management import call_command

        call_command("migrate", verbosity=0)

    @abc.abstractmethod
    def add(self) -> None:
        """Fill the tables, in a transaction."""

    @contextmanager
    def rolled_back(self) -> Iterator[None]:
        from django.db import transaction

        with transaction.atomic():
            yield
            transaction.set_rollback(True)

    def recorded(self) -> AbstractContextManager[list[str]]:
        return django_statements()

    def backends(self) -> list[int]:
        from django.db import connections

        return [
            each.connection.info.backend_pid
            for each in connections.all(initialized_only=True)
            if each.vendor == "postgresql" and each.connection is not None
        ]

    def test_plugins(self, directory: Path, fast: bool) -> list[Any]:
        self.choose_settings(directory, fast=fast)
        os.environ["PYTEST_ADDOPTS"] = "--reuse-db"  # whoever comes second finds the tables
        return []
