"""A parser that reads JSON by orjson."""

from __future__ import annotations

import codecs
import io
from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from fastschema.runtime.json_engine import orjson
from fastschema.runtime.standard_json import may_hold_huge_integers
from fastschema.runtime.switch import is_disabled


class FastJSONParser(JSONParser):
    """``JSONParser``, with the same values and the same errors, by orjson.

    What orjson refuses or would read otherwise (NaN and infinities, huge integers, lone surrogates,
    other charsets than UTF-8, and all that is no JSON) is read by ``JSONParser``, whose error is
    the answer. Only JSON that is nested too deeply for it becomes a ``ParseError`` (400) in place
    of a ``RecursionError`` (500).
    """

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: dict[str, Any] | None = None,
    ) -> Any:
        """Return the value of a JSON text, as ``JSONParser.parse`` gives it.

        :raises ParseError: as ``JSONParser.parse`` does, and for JSON that is nested too deeply
        """
        if is_disabled():
            return super().parse(stream, media_type, parser_context)
        if orjson is not None and _is_utf8(parser_context):
            try:
                content = content_of(stream)
            except ValueError as error:  # stock's way to say it, be it the stream or its content
                raise ParseError(f"JSON parse error - {error}") from None
            if not may_hold_huge_integers(content):
                try:
                    return orjson.loads(content)
                except (ValueError, RecursionError):
                    pass  # stock reads what orjson does not, or raises its own error
            stream = io.BytesIO(content)
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None


def content_of(stream: Any) -> bytes:
    """Return all of a stream, read until it has no more, as ``codecs.StreamReader`` does."""
    return b"".join(iter(stream.read, b""))


def _is_utf8(parser_context: dict[str, Any] | None) -> bool:
    """Return whether the request is in UTF-8, as it says or as the settings say."""
    encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except (LookupError, TypeError):
        return False
