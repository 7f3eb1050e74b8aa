"""``CamelCaseJSONRenderer`` by orjson."""

from __future__ import annotations

from typing import Any

from djangorestframework_camel_case.render import CamelCaseJSONRenderer

from fastschema.contrib.camel_case.keys import camelized
from fastschema.contrib.django.renderers import FAST_RENDERS, FastJSONRenderer
from fastschema.runtime.switch import is_disabled


class FastCamelCaseJSONRenderer(CamelCaseJSONRenderer, FastJSONRenderer):
    """``CamelCaseJSONRenderer``, with the same bytes and settings.

    Where ``RENDERER_CLASS`` names another renderer than DRF's, that one writes.
    """

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        """Return ``data`` as JSON, as ``CamelCaseJSONRenderer.render`` gives it.

        :raises TypeError, ValueError: what ``CamelCaseJSONRenderer.render`` raises
        """
        rendered: bytes
        if is_disabled():
            rendered = super().render(data, *args, **kwargs)
        else:
            data = camelized(data, self.json_underscoreize)
            rendered = super(CamelCaseJSONRenderer, self).render(data, *args, **kwargs)
        return rendered


FAST_RENDERS.add(FastCamelCaseJSONRenderer.render)
