"""The Flask extension: one line, and every marshmallow response is fast."""

from fastschema.requirements import require

require("fastschema.contrib.flask", "flask", flask=(3, 0), marshmallow=(3, 26))

# Only if they fit:
from fastschema.contrib.flask.extension import FastSchema  # noqa: E402
from fastschema.contrib.flask.provider import FastJSONProvider  # noqa: E402

__all__ = ["FastJSONProvider", "FastSchema"]
