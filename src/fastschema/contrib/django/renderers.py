"""Renderers that write JSON by orjson."""

from __future__ import annotations

import logging
import sys
from functools import cache
from typing import Any

from django.apps import apps
from rest_framework.renderers import JSONRenderer

from fastschema.contrib.django.front_end.json_encoding import encode, encodes_as_stock
from fastschema.runtime.json_engine import orjson, to_ascii
from fastschema.runtime.patching import stock_method
from fastschema.runtime.switch import is_disabled

logger = logging.getLogger("fastschema")
_APP = "fastschema.contrib.django"

_STOCK = {name: stock_method(JSONRenderer, name) for name in ("render", "get_indent")}


@cache
def _warn_without_app() -> None:
    """Log once if nothing makes serializers fast, of which responses are written here."""
    if not apps.is_installed(_APP) and f"{_APP}.installation" not in sys.modules:
        logger.warning(
            "FastJSONRenderer writes responses, but serializers run as stock: add %r to "
            "INSTALLED_APPS, or call fastschema.contrib.django.install().",
            _APP,
        )


class FastJSONRenderer(JSONRenderer):
    """``JSONRenderer``, with the same bytes, written by orjson.

    What orjson would write otherwise (indented or spaced JSON, some floats) or cannot write
    (classes that only DRF's encoder knows, huge integers) is written by ``JSONRenderer``, and so is
    everything by an own ``encoder_class``.

    To let it write for a renderer with a ``render`` of its own, list it after that one.

    :raises TypeError: where a class is defined whose other base would render no more
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        following = cls.__mro__[cls.__mro__.index(FastJSONRenderer) + 1 :]
        for base in following[: following.index(JSONRenderer)]:
            if "render" in vars(base):
                raise TypeError(
                    f"{cls.__name__}: list {base.__name__} before FastJSONRenderer, so that its "
                    "render is called, and writes by FastJSONRenderer"
                )

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: dict[str, Any] | None = None,
    ) -> bytes:
        """Return ``data`` as JSON, as ``JSONRenderer.render`` gives it.

        :raises TypeError, ValueError: what ``JSONRenderer.render`` raises
        """
        _warn_without_app()
        if data is not None and self.is_fast(accepted_media_type, renderer_context):
            try:
                text = encode(data)
                return to_ascii(text) if self.ensure_ascii else text
            except (TypeError, RecursionError):
                pass  # stock writes what orjson does not, or raises its own error
        rendered: bytes = super().render(data, accepted_media_type, renderer_context)
        return rendered

    def is_fast(
        self, accepted_media_type: str | None, renderer_context: dict[str, Any] | None
    ) -> bool:
        """Return whether the settings are those that orjson writes by."""
        return (
            orjson is not None
            and self.compact
            and encodes_as_stock(self.encoder_class)
            and type(self).get_indent is _STOCK["get_indent"]
            and JSONRenderer.render is _STOCK["render"]
            and self.get_indent(accepted_media_type, renderer_context or {}) is None
            and not is_disabled()
        )


FAST_RENDERS = {FastJSONRenderer.render}
"""What writes by orjson. Plugins add what theirs do."""


def writes_fast(renderer: Any, media_type: Any, context: Any) -> bool:
    """Return whether a renderer writes by orjson, and no code of users in between."""
    return (
        isinstance(renderer, FastJSONRenderer)
        and type(renderer).render in FAST_RENDERS
        and "render" not in vars(renderer)
        and renderer.strict == JSONRenderer.strict
        and renderer.is_fast(media_type, context)
    )


class NDJSONRenderer(FastJSONRenderer):
    """Newline-delimited JSON (``application/x-ndjson``): a line for each row of a list.

    A line holds what :class:`FastJSONRenderer` writes for the row, never indented; it ends with a
    newline. Data that are no list, such as an error, become one line.
    """

    media_type = "application/x-ndjson"
    format = "ndjson"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: dict[str, Any] | None = None,
    ) -> bytes:
        """Return ``data`` as lines of JSON; nothing for None or for an empty list.

        :raises TypeError, ValueError: what ``JSONRenderer.render`` raises
        """
        if data is None:
            return b""
        rows = data if isinstance(data, (list, tuple)) else [data]
        write = super().render  # without what would indent it
        return b"".join([(write(row) or b"null") + b"\n" for row in rows])
