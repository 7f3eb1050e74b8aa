"""The Django REST framework front end, and the app that installs it.

``"fastschema.contrib.django"`` in ``INSTALLED_APPS`` is all it takes. Nothing of DRF is imported
before Django's settings are ready.
"""

from __future__ import annotations

__all__ = ["install", "uninstall"]


def install() -> None:
    """Make all DRF serializers use programs, defined before or after; single and ``many=True``.

    Installing again does nothing.
    """
    from fastschema.contrib.django.installation import install

    install()


def uninstall() -> None:
    """Give the serializer classes their own methods back."""
    from fastschema.contrib.django.installation import uninstall

    uninstall()
