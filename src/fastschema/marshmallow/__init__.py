"""The marshmallow front end."""

from fastschema.runtime.versions import require

require("fastschema", marshmallow=(3, 26))

from fastschema.marshmallow.installation import install, uninstall  # noqa: E402  # only if it fits

__all__ = ["install", "uninstall"]
