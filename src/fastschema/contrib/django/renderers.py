"""Renderers that write JSON by orjson."""

from __future__ import annotations

from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from fastschema.contrib.django.encoding import encode
from fastschema.engines import orjson
from fastschema.switch import is_disabled


class FastJSONRenderer(JSONRenderer):
    """``JSONRenderer``, with the same bytes, written by orjson.

    What orjson would write otherwise (indented, ASCII-only or spaced JSON, some floats) or cannot
    write (classes that only DRF's encoder knows, huge integers) is written by ``JSONRenderer``.
    """

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: dict[str, Any] | None = None,
    ) -> bytes:
        """``data`` as JSON, as ``JSONRenderer.render`` gives it.

        :raises TypeError, ValueError: what ``JSONRenderer.render`` raises
        """
        if self._is_fast(accepted_media_type, renderer_context):
            try:
                return encode(data)
            except (TypeError, RecursionError):
                pass  # stock writes what orjson does not, or raises its own error
        rendered: bytes = super().render(data, accepted_media_type, renderer_context)
        return rendered

    def _is_fast(
        self, accepted_media_type: str | None, renderer_context: dict[str, Any] | None
    ) -> bool:
        """Whether the settings are those that orjson writes by."""
        cls = type(self)
        return (
            orjson is not None
            and self.compact
            and not self.ensure_ascii
            and self.encoder_class is JSONEncoder
            and cls.get_indent is JSONRenderer.get_indent
            and "get_indent" not in vars(self)
            and self.get_indent(accepted_media_type, renderer_context or {}) is None
            and not is_disabled()
        )
