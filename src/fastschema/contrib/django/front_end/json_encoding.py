"""JSON as DRF's ``JSONRenderer`` writes it, by orjson."""

from __future__ import annotations

import decimal
import json
import math
import uuid
from typing import Any

from django.utils.translation import gettext_lazy, pgettext_lazy
from rest_framework.relations import Hyperlink
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from fastschema.compiler.nodes import Form, Missing
from fastschema.compiler.real_classes import REAL
from fastschema.runtime import json_engine
from fastschema.runtime.encode import JsonArray
from fastschema.runtime.json_engine import (
    PLAIN_CLASSES,
    Engine,
    JsonText,
    LeftToStock,
    orjson,
    orjson_default,
    stock_value,
)
from fastschema.runtime.patching import overridden, stock_method

missing = Missing()
"""Stands for a field that is left out (``SkipField``)."""
_ALIKE = PLAIN_CLASSES | {uuid.UUID, REAL.date, Hyperlink}
"""Values of exactly these classes are written by orjson as by DRF's encoder."""
TRANSLATIONS = frozenset([type(gettext_lazy("")), type(pgettext_lazy("", ""))])
"""The classes of translations that are made when they are written, by Django's own code."""
_BY_DEFAULT = frozenset([Hyperlink, decimal.Decimal, *TRANSLATIONS])
"""Values of exactly these classes are written alike with :func:`_default`."""
_DICTIONARIES = (dict, ReturnDict)
_LISTS = (list, ReturnList)
_SEPARATORS = (",", ":")
_JSON_FORM_CLASSES = (JsonText, LeftToStock)


class _JsonFormEncoder(JSONEncoder):
    """DRF's encoder, for data in JSON form."""

    def default(self, obj: Any) -> Any:
        return stock_value(obj) if type(obj) in _JSON_FORM_CLASSES else super().default(obj)


def stock_encode(data: Any, encoder: type[json.JSONEncoder] = JSONEncoder) -> bytes:
    """Return what ``JSONRenderer.render`` writes with its default settings."""
    text = json.dumps(
        data,
        cls=encoder,
        ensure_ascii=False,
        allow_nan=not JSONRenderer.strict,
        separators=_SEPARATORS,
    )
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


def escape_separators(text: bytes) -> bytes:
    """JSON without the two line separators that end a line in JavaScript."""
    if text.isascii():
        return text
    return text.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


def _default(value: Any) -> Any:
    """Return what orjson is to write for a value; raise TypeError if DRF's encoder must write."""
    cls = type(value)
    if cls in TRANSLATIONS:
        return str(value)
    if cls is decimal.Decimal:
        number = float(value)
        if not math.isfinite(number):
            raise TypeError(f"{number} is left to DRF's encoder")
        return json_number(number)
    return orjson_default(value)


def _orjson_dumps(data: Any) -> bytes:
    """Return data in JSON form as bytes; what orjson refuses, the stock encoder writes."""
    try:
        return escape_separators(orjson.dumps(data, _default, orjson.OPT_UTC_Z))
    except TypeError:
        return stock_encode(data, _JsonFormEncoder)


if orjson is None:
    ENGINE = Engine("json", Form.PYTHON, stock_encode)
else:
    ENGINE = Engine("orjson", Form.JSON, _orjson_dumps)
"""The best engine that is installed, with the bytes of ``JSONRenderer``."""


def json_number(value: Any) -> Any:
    """Return a number as orjson must be given it, to write what ``JSONRenderer`` writes; NaN and
    infinities under ``STRICT_JSON`` are left to stock.
    """
    if type(value) is not float or 1e-4 <= abs(value) < 1e16 or value == 0.0:
        return value
    return JsonText.of(value, stock_encode)


# A datetime whose zone is datetime.UTC, as DRF writes it; orjson is several times as fast as
# isoformat with a zone.
if orjson is None:
    UTC_TEMPLATE = "$value.isoformat()[:-6] + 'Z'"
    UTC_NAMES: dict[str, object] = {}
else:
    UTC_TEMPLATE = "dumps($value, None, utc_z)[1:-1].decode()"
    UTC_NAMES = {"dumps": orjson.dumps, "utc_z": orjson.OPT_UTC_Z}


def json_value(value: Any) -> Any:
    """Return any value as orjson must be given it; ``missing`` stays, to be left out."""
    if type(value) in _ALIKE or value is missing:
        return value
    try:
        if matches_stdlib(value):
            return value
    except RecursionError:
        pass  # stock's own comes when everything is written
    return JsonText.of(value, stock_encode)


def matches_stdlib(data: Any) -> bool:
    """Return whether orjson, with ``_default``, writes data as ``JSONRenderer`` or not at all."""
    return json_engine.matches_stdlib(data, _DICTIONARIES, _LISTS, _BY_DEFAULT)


def encode(data: Any) -> bytes:
    """Return data as ``JSONRenderer`` writes them, by orjson; a long list is looked at and written
    piece by piece: what has just been looked at is still in the CPU's cache.

    :raises TypeError: for data that orjson refuses, or that it would write otherwise
    """
    if type(data) in _LISTS:
        return JsonArray(data, list, _encode).join()
    return _encode(data)


def _encode(data: Any) -> bytes:
    if not matches_stdlib(data):
        raise TypeError("orjson would write this otherwise than JSONRenderer")
    return escape_separators(orjson.dumps(data, _default))


_ENCODING = {
    name: stock_method(JSONEncoder, name)
    for name in ("__init__", "default", "encode", "iterencode")
}


def encodes_as_stock(encoder: type[json.JSONEncoder]) -> bool:
    """Return whether a class of encoders is DRF's, as DRF has it."""
    return encoder is JSONEncoder and overridden(encoder, _ENCODING) is None
