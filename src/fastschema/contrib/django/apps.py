"""The Django app."""

from django.apps import AppConfig


class FastSchemaConfig(AppConfig):
    """Installs fastschema for DRF when Django starts."""

    name = "fastschema.contrib.django"
    label = "fastschema"
    verbose_name = "fastschema"

    def ready(self) -> None:
        """Make all serializers use plans."""
        from fastschema.contrib.django import install

        install()
