"""The Flask extension: one line, and every marshmallow response is fast."""

from fastschema.runtime.versions import require

require("fastschema.contrib.flask", flask=(2, 2), marshmallow=(3, 26))

from fastschema.contrib.flask.extension import FastSchema  # noqa: E402  # only if they fit
from fastschema.contrib.flask.json_provider import FastJSONProvider  # noqa: E402  # likewise

__all__ = ["FastJSONProvider", "FastSchema"]
