"""A renderer and a parser of DRF for MessagePack."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer

from fastschema.contrib.django.parsers import content_of
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.message_pack.packing import MessagePackError, packed, unpacked


class FastMessagePackRenderer(BaseRenderer):
    """MessagePack (``application/vnd.msgpack``), with the values of ``FastJSONRenderer``'s JSON.

    It needs msgpack: ``pip install msgpack ormsgpack``.
    """

    media_type = "application/vnd.msgpack"
    format = "msgpack"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: dict[str, Any] | None = None,
    ) -> bytes:
        """Return ``data`` as one message; nothing for None.

        :raises ValueError: for an integer of more than 64 bits or a lone
            surrogate; it names the serializer and the field
        :raises TypeError, ValueError: what ``JSONRenderer.render`` raises
        """
        if data is None:
            return b""
        name = _name_of(data)
        try:
            return packed(FastJSONRenderer().render(data), name)
        except UnicodeEncodeError as error:
            raise MessagePackError(f"{name}: {error}") from error


class FastMessagePackParser(BaseParser):
    """MessagePack (``application/vnd.msgpack``) with values that JSON has.

    It needs msgpack: ``pip install msgpack``.
    """

    media_type = "application/vnd.msgpack"
    strict: bool = JSONParser.strict
    """Whether to refuse NaN and the infinities, as in ``JSONParser``: the setting STRICT_JSON."""

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: dict[str, Any] | None = None,
    ) -> Any:
        """Return the value of a message.

        :raises ParseError: for what is no message, and for values and keys that JSON does not have
        """
        try:
            return unpacked(content_of(stream), is_strict=self.strict)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"MessagePack parse error - {error}") from None


def _name_of(data: Any) -> str:
    """Return what data were dumped by, for error messages."""
    serializer = getattr(data, "serializer", None)
    serializer = getattr(serializer, "child", serializer)
    return "data" if serializer is None else type(serializer).__name__
