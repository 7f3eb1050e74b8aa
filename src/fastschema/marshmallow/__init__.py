"""The marshmallow front end."""

from fastschema.marshmallow.installation import install, uninstall

__all__ = ["install", "uninstall"]
