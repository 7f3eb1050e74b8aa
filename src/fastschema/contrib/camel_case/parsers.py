"""``CamelCaseJSONParser`` by orjson."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from djangorestframework_camel_case.parser import CamelCaseJSONParser
from rest_framework.exceptions import ParseError

from fastschema.contrib.camel_case.keys import underscored
from fastschema.runtime import standard_json as json
from fastschema.runtime.switch import is_disabled


class FastCamelCaseJSONParser(CamelCaseJSONParser):
    """``CamelCaseJSONParser``, with the same values, errors and settings."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """Return the value of a JSON text, as ``CamelCaseJSONParser.parse`` gives it.

        :raises ParseError: as ``CamelCaseJSONParser.parse`` does
        """
        if is_disabled():
            return super().parse(stream, media_type, parser_context)
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            return underscored(json.loads(stream.read().decode(encoding)), self.json_underscoreize)
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
