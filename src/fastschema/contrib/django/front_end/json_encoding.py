"""JSON as DRF's ``JSONRenderer`` writes it, by orjson."""

from __future__ import annotations

import decimal
import json
import math
import uuid
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

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
    to_ascii,
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


def _default_options() -> dict[str, Any]:
    allow_nan = not JSONRenderer.strict
    return {"ensure_ascii": False, "allow_nan": allow_nan, "separators": _SEPARATORS}


class _JsonFormEncoder(JSONEncoder):
    """DRF's encoder, for data in JSON form."""

    def default(self, obj: Any) -> Any:
        return stock_value(obj) if type(obj) in _JSON_FORM_CLASSES else super().default(obj)


def stock_encode(data: Any, encoder: type[json.JSONEncoder] = JSONEncoder, **options: Any) -> bytes:
    """Return what ``JSONRenderer.render`` writes with its default settings, or other options."""
    text = json.dumps(data, cls=encoder, **_default_options() | options)
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


def _msgspec_dumps(data: Any) -> bytes:
    """Return data in python form as bytes; what msgspec would write otherwise, stock writes."""
    try:
        return encode(data)
    except (TypeError, RecursionError):
        return stock_encode(data)


if orjson is not None:
    ENGINE = Engine("orjson", Form.JSON, _orjson_dumps)
elif json_engine.write is not None:
    ENGINE = Engine("msgspec", Form.PYTHON, _msgspec_dumps)
else:
    ENGINE = Engine("json", Form.PYTHON, stock_encode)
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
    others = () if orjson is None else _BY_DEFAULT
    return json_engine.matches_stdlib(data, _DICTIONARIES, _LISTS, others)


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
    text = json_engine.msgspec_write(data) if orjson is None else orjson.dumps(data, _default)
    return escape_separators(text)


_ENCODING = {
    name: stock_method(json.JSONEncoder, name) for name in ("__init__", "encode", "iterencode")
}
_DEFAULT = stock_method(JSONEncoder, "default")


def overrides_default(encoder: type[json.JSONEncoder]) -> bool:
    """Return whether a class of encoders has a ``default`` of its own."""
    return encoder is not JSONEncoder or JSONEncoder.default is not _DEFAULT


def encodes_as_stock(encoder: type[json.JSONEncoder]) -> bool:
    """Return whether a class of encoders has nothing of its own but perhaps a ``default``."""
    return overridden(encoder, _ENCODING) is None


def encode_by(encoder: type[json.JSONEncoder], data: Any, **options: Any) -> bytes:
    """Return what ``JSONRenderer`` writes by an encoder with a ``default`` of its own."""
    asked = _AskedOnce(encoder(**_default_options() | options).default)
    try:
        text = asked.encode(data)
    except (TypeError, RecursionError):  # stock writes it, or raises its own error
        return stock_encode(data, encoder, default=asked.again, **options)
    return to_ascii(text) if options.get("ensure_ascii") else text


class _AskedOnce:
    """Lets orjson ask a ``default`` of users', and stock go on with its answers.

    So it is called as often as by stock, and in the same order, if orjson cannot write the data.
    """

    def __init__(self, default: Callable[[Any], Any]) -> None:
        self._default = default
        self._answers: deque[Any] = deque()
        self._asked_for = _AskedFor()

    def encode(self, data: Any) -> bytes:
        """Return data as stock's encoder writes them; raise TypeError if it must write them."""
        if type(data) in _LISTS:
            return JsonArray(data, list, self._encode).join()
        if type(data) in _DICTIONARIES:
            return self._encode(data)
        raise TypeError("a value by itself is left to JSONRenderer")

    def _encode(self, data: Any) -> bytes:
        self._check(data)
        options = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
        return escape_separators(orjson.dumps(data, self._ask, options))

    def _ask(self, value: Any) -> Any:
        try:
            answer = self._default(value)
        except BaseException as error:
            self._answers.append(_Raised(error))
            raise
        self._answers.append(answer)
        if type(answer) not in PLAIN_CLASSES:
            self._check([answer])
        return answer

    def _check(self, data: Any) -> None:
        """Raise ``TypeError`` if orjson would write something otherwise than stock."""
        if not json_engine.matches_stdlib(data, _DICTIONARIES, _LISTS, self._asked_for):
            raise TypeError("orjson would write this otherwise than JSONRenderer")

    def again(self, value: Any) -> Any:
        """Return or raise what came of asking for the next value."""
        if not self._answers:
            return self._default(value)
        answer = self._answers.popleft()
        if type(answer) is _Raised:
            raise answer.error
        return answer


class _Raised(NamedTuple):
    error: BaseException


class _AskedFor(dict[type, bool]):
    """The classes of which orjson and the standard library ask ``default`` for a value."""

    def __missing__(self, cls: type) -> bool:
        asked = self[cls] = cls is Hyperlink or not issubclass(cls, _NOT_ASKED_FOR)
        return asked

    def __contains__(self, cls: Any) -> bool:
        return self[cls]


_NOT_ASKED_FOR = (str, int, float, list, tuple, dict, Enum, uuid.UUID)
"""The standard library writes these itself, or orjson does."""
