"""The marshmallow front end."""

from fastschema.requirements import require

require("fastschema", "marshmallow", marshmallow=(3, 26))

# Only if it fits:
from fastschema.marshmallow.installation import install, uninstall  # noqa: E402

__all__ = ["install", "uninstall"]
