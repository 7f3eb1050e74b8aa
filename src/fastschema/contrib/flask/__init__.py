"""The Flask extension: one line, and every marshmallow response is fast."""

try:
    import flask as _flask  # noqa: F401  # only to see whether it is there
    import marshmallow as _marshmallow  # noqa: F401  # only to see whether it is there
except ModuleNotFoundError as error:
    if error.name not in ("flask", "marshmallow"):
        raise
    raise ModuleNotFoundError(
        "fastschema.contrib.flask needs Flask and marshmallow: pip install 'fastschema[flask]'",
        name=error.name,
    ) from None

from fastschema.contrib.flask.extension import FastSchema
from fastschema.contrib.flask.provider import FastJSONProvider

__all__ = ["FastJSONProvider", "FastSchema"]
