"""MessagePack with the values of JSON: by ormsgpack, or by msgpack where that is missing (PyPy)."""

from __future__ import annotations

import importlib
from math import isfinite
from typing import Any

from fastschema.runtime import standard_json as json


class MessagePackError(ValueError):
    """A value that MessagePack cannot hold: an integer of more than 64 bits, half a character."""


def _library(*names: str) -> Any:
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    raise ModuleNotFoundError(
        f"MessagePack needs {' or '.join(names)}, which is not installed: pip install {names[0]}",
        name=names[0],
    )


def unpacked(content: bytes, *, is_strict: bool = True) -> Any:
    """Return the value of a message, by msgpack: ormsgpack ignores what follows a message.

    :param is_strict: whether to refuse floats that JSON does not have (NaN, the infinities)
    :raises ValueError: for what is no such message, or has another value or key than JSON has
    """
    msgpack = _library("msgpack")
    try:
        value = msgpack.unpackb(content, ext_hook=_refuse_extension)
    except ValueError as error:
        raise ValueError(str(error) or "it is no MessagePack") from error
    _refuse_others(value, msgpack.Timestamp, is_strict)
    return value


def _refuse_extension(code: int, content: bytes) -> Any:
    raise ValueError(f"extension type {code} is not a value of JSON")


def _refuse_others(value: Any, timestamp: type, is_strict: bool) -> None:
    cls = type(value)
    if cls is bytes:
        raise ValueError(f"binary data is not a value of JSON: {_shown(value)}")
    if cls is timestamp:
        _refuse_extension(-1, b"")
    if cls is float and is_strict and not isfinite(value):
        raise ValueError(f"{value} is not a value of JSON")
    inner: Any = value if cls is list else ()
    if cls is dict:
        for key in value:
            if type(key) is not str:
                raise ValueError(f"binary data is not a key of JSON: {_shown(key)}")
        inner = value.values()
    for member in inner:
        _refuse_others(member, timestamp, is_strict)


def packed(text: bytes, name: str) -> bytes:
    """Return the message with the value of a JSON text, which was dumped by what has that name."""
    library = _library("ormsgpack", "msgpack")
    value = json.loads(text)
    try:
        return _packed_by(library, value)
    except _REFUSALS as error:
        raise _error(library, value, error, name) from None


_REFUSALS = (TypeError, ValueError, OverflowError)
"""What the libraries raise for a value that MessagePack cannot hold."""


def _packed_by(library: Any, value: Any) -> bytes:
    message: bytes = library.packb(value)
    return message


def _error(
    library: Any, value: Any, error: Exception, name: str, path: str = ""
) -> MessagePackError:
    """Return the error for a value, or for the value inside of it that cannot be packed."""
    inner: Any = ()
    if type(value) is dict:
        inner = value.items()
    elif type(value) is list:
        inner = enumerate(value)
    for key, member in inner:
        try:
            _packed_by(library, member)
        except _REFUSALS as cause:
            return _error(library, member, cause, name, f"{path}.{key}" if path else str(key))
    place = f", field {path!r}" if path else ""
    return MessagePackError(f"{name}{place}: MessagePack cannot hold {_shown(value)} ({error})")


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
