"""The marshmallow front end."""

from fastschema.marshmallow.install import install, uninstall

__all__ = ["install", "uninstall"]
