"""The JSON writers behind one interface: orjson, or else the standard library.

Both write the same JSON values. The engine says which form of output it wants: orjson writes dates
and UUIDs itself (the JSON form), the standard library gets exactly what stock returns (the python
form).
"""

from __future__ import annotations

import codecs
import json
import uuid
from collections.abc import Callable, Container, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from fastschema.compiler.kinds import orjson as orjson
from fastschema.compiler.nodes import Form
from fastschema.compiler.real_classes import REAL

PLAIN_CLASSES = frozenset([str, int, bool, type(None)])
"""Values of exactly these classes are written alike by both engines."""
_ESCAPE = "fastschema.json"

_WITHOUT_ORJSON = (
    "orjson is not installed, so the standard library reads and writes JSON: it takes longer. See "
    '"Without orjson" in docs/compatibility.md.'
)
_notes = () if orjson is not None else (_WITHOUT_ORJSON,)


class JsonText:
    """A finished piece of JSON among data in JSON form, and its value, for other engines."""

    __slots__ = ("text", "value")

    def __init__(self, text: bytes, value: Any = None) -> None:
        self.text = text
        self.value = value

    @classmethod
    def of(cls, value: Any, dumps: Callable[[Any], bytes]) -> JsonText | LeftToStock:
        """Return a value written by stock's encoder, or left to it."""
        try:
            return cls(dumps(value), value)
        except UnicodeEncodeError:
            return LeftToStock(value)
        except Exception as error:
            return LeftToStock(value, error)


class LeftToStock:
    """A value that stock's encoder must write, or refuse, together with all others.

    :param error: what the encoder has raised for it; stock encodes when everything is dumped, so
        its exception waits until then. None for a lone surrogate: stock finds that one out when its
        whole text is encoded.
    """

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: Exception | None = None) -> None:
        self.value = value
        self.error = error


def orjson_default(value: Any) -> Any:
    """Return what orjson is to write for a value that it does not know."""
    if type(value) is JsonText:
        return orjson.Fragment(value.text)
    raise TypeError(f"{type(value).__name__} is not for orjson")


def stock_value(value: Any) -> Any:
    """Return what stock's encoder is given for a value that is only found in data in JSON form."""
    if type(value) is JsonText:
        return json.loads(value.text)
    if type(value) is LeftToStock:
        if value.error is not None:
            raise value.error
        return value.value
    raise TypeError(f"Object of type {value.__class__.__name__} is not JSON serializable")


class Engine(NamedTuple):
    """Writes JSON: data in one form of output as UTF-8. It raises what ``json.dumps`` raises."""

    name: str
    form: Form
    encode: Callable[[Any], bytes]


def standard_dumps(data: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """``json.dumps`` as compact UTF-8; lone surrogates, which UTF-8 has not, are escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=default)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"), default=default).encode()


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return a run of characters beyond ASCII as ``json.dumps`` escapes it, and where it ends."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    run = error.object[error.start : error.end]
    return encode_basestring_ascii(run)[1:-1], error.end


codecs.register_error(_ESCAPE, _escaped)


def to_ascii(text: bytes) -> bytes:
    """Escape JSON (UTF-8, whose strings alone have other characters) as ``ensure_ascii`` does."""
    if not text.isascii():
        text = text.decode().encode("ascii", _ESCAPE)
    return text.replace(b"\x7f", b"\\u007f") if b"\x7f" in text else text


def _orjson_dumps(data: Any) -> bytes:
    """Write data in JSON form by orjson.

    It refuses integers over 64 bits, keys that are no strings, lone surrogates and deep nesting;
    what it refuses is written by the standard library from the same data.
    """
    try:
        return orjson.dumps(data, orjson_default)
    except TypeError:
        return standard_dumps(data, default=_python_value)


def _python_value(value: Any) -> Any:
    """Return what stock would have given for a value that the JSON form leaves to orjson."""
    written = text_of(value)
    return stock_value(value) if written is None else written


def text_of(value: Any) -> str | None:
    """Return the text of a value that the JSON form leaves to orjson; None for any other."""
    if isinstance(value, (REAL.date, REAL.time)):
        return value.isoformat()
    return str(value) if isinstance(value, uuid.UUID) else None


STANDARD = Engine("json", Form.PYTHON, standard_dumps)
"""The standard library's ``json``."""
ORJSON = Engine("orjson", Form.JSON, _orjson_dumps)
"""orjson, and the standard library for the few values that orjson cannot write."""
ENGINE = STANDARD if orjson is None else ORJSON
"""The best engine that is installed."""


def notes() -> Sequence[str]:
    return _notes


def json_number(value: Any) -> Any:
    """Return a number as orjson must be given it, to write what ``json.dumps`` writes."""
    if type(value) is not float or 1e-4 <= abs(value) < 1e16 or value == 0.0:
        return value
    return JsonText(json.dumps(value).encode(), value)


def json_value(value: Any) -> Any:
    """Return any value likewise; what ``json.dumps`` cannot write is left to stock."""
    if type(value) in PLAIN_CLASSES:
        return value
    return JsonText.of(value, standard_dumps)


def matches_stdlib(
    data: Any,
    mappings: tuple[type, ...] = (dict,),
    lists: tuple[type, ...] = (list,),
    others: Container[type] = (),
) -> bool:
    """Return whether orjson writes ``data`` as the standard library does, or refuses it.

    True for dictionaries and lists of plain values: no floats that the two spell differently, no
    classes that only one of them knows.

    :param mappings: the classes that are written as ``dict`` is
    :param lists: the classes that are written as ``list`` is
    :param others: further classes whose values the caller knows to be written alike
    :raises RecursionError: for data that are nested too deeply, or in themselves
    """
    cls = type(data)
    if cls is dict or cls in mappings:
        values = data.values()
    elif cls in lists:
        values = data
    else:
        return cls in others
    for value in values:
        cls = type(value)
        if cls is str or cls is int or value is None or cls is bool:
            continue
        if cls is float:
            if not (1e-4 <= abs(value) < 1e16 or value == 0.0):
                return False
        elif not matches_stdlib(value, mappings, lists, others):
            return False
    return True
