"""JSON with the values of ``json`` of the standard library, by orjson where that is installed."""

from __future__ import annotations

import json
from typing import Any

from fastschema.runtime.json_engine import matches_stdlib, orjson

_DIGITS_AS_ZEROS = bytes(ord("0") if chr(byte) in "0123456789" else 0 for byte in range(256))
_HUGE_INTEGER = b"0" * 19


def dumps(obj: Any, *args: Any, **kwargs: Any) -> str:
    """``json.dumps``: ``obj`` as JSON text, a ``str``, with the same values.

    With any further argument it is ``json.dumps`` itself.

    :raises TypeError, ValueError, RecursionError: what ``json.dumps`` raises
    """
    if orjson is not None and not args and not kwargs:
        try:
            if matches_stdlib(obj):
                text: bytes = orjson.dumps(obj)
                return text.decode()
        except (TypeError, RecursionError):
            pass  # the standard library writes it, or raises its own error
    return json.dumps(obj, *args, **kwargs)


def loads(s: str | bytes | bytearray, *args: Any, **kwargs: Any) -> Any:
    """``json.loads``: the value of a JSON text.

    With any further argument it is ``json.loads`` itself.

    :raises ValueError: what ``json.loads`` raises (``json.JSONDecodeError``)
    """
    if orjson is not None and not args and not kwargs and type(s) in (str, bytes):
        try:
            text = s.encode() if isinstance(s, str) else s
            if not may_hold_huge_integers(text):
                return orjson.loads(text)
        except (ValueError, RecursionError):
            pass  # the standard library reads it (NaN, say), or raises its own error
    return json.loads(s, *args, **kwargs)


def may_hold_huge_integers(text: bytes | bytearray) -> bool:
    """Return whether there may be integers beyond 64 bits, which orjson would read as floats.

    Looking for a run of digits in this way takes a tenth of what a regular expression does.
    """
    return _HUGE_INTEGER in text.translate(_DIGITS_AS_ZEROS)
