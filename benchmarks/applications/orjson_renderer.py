"""What the documentation of many a project has: a renderer of DRF that calls orjson."""

from typing import Any

import orjson
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

OPTIONS = (
    orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
)


class ORJSONRenderer(JSONRenderer):
    def render(self, data: Any, *arguments: Any, **options: Any) -> bytes:
        if data is None:
            return b""
        return orjson.dumps(data, default=encoded, option=OPTIONS)


def encoded(value: Any) -> Any:
    """Subclasses of what JSON has, and what DRF's encoder knows."""
    if isinstance(value, dict):
        return dict(value)
    for kind in (str, list, int):
        if isinstance(value, kind):
            return kind(value)
    return JSONEncoder().default(value)
