"""MessagePack with the values of JSON: by ormsgpack, or by msgpack where that is missing (PyPy)."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from itertools import islice
from math import isfinite
from typing import Any

from fastschema.compiler.nodes import Form
from fastschema.runtime.encode import CHUNK_SIZE, dumper_of
from fastschema.runtime.front_end import DumpingSchema
from fastschema.runtime.json_engine import Engine, JsonText


class MessagePackError(ValueError):
    """A value that MessagePack cannot hold: an integer of more than 64 bits, half a character."""


def _library(*names: str) -> tuple[Any, str]:
    """Return the first of some libraries that is installed, and its name.

    :raises ModuleNotFoundError: if none is
    """
    for name in names:
        try:
            return importlib.import_module(name), name
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    raise ModuleNotFoundError(
        f"MessagePack needs {' or '.join(names)}, which is not installed: pip install {names[0]}",
        name=names[0],
    )


def unpacked(content: bytes, *, is_strict: bool = True) -> Any:
    """Return the value of a message, by msgpack: ormsgpack takes no notice of what follows a
    message.

    :param is_strict: whether to refuse floats that JSON does not have (NaN, the infinities)
    :raises ValueError: for what is no such message, or has another value or key than JSON has
    :raises ModuleNotFoundError: if msgpack is not installed
    """
    msgpack, _ = _library("msgpack")
    try:
        value = msgpack.unpackb(content, ext_hook=_refuse_extension)
    except ValueError as error:
        raise ValueError(str(error) or "it is no MessagePack") from error
    _refuse_others(value, msgpack.Timestamp, is_strict)
    return value


def _refuse_extension(code: int, content: bytes) -> Any:
    raise ValueError(f"extension type {code} is not a value of JSON")


def _refuse_others(value: Any, timestamp: type, is_strict: bool) -> None:
    """Refuse what msgpack takes although JSON does not have it.

    :raises ValueError: if there is such a value or key in a value
    """
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
    for each in inner:
        _refuse_others(each, timestamp, is_strict)


class MessagePacker:
    """Packs data in the form that a JSON engine takes, with the values that the engine writes.

    :param engine: the engine
    :param name: what the data were dumped by, for error messages
    :raises ModuleNotFoundError: if no library is installed
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._library, found = _library("ormsgpack", "msgpack")
        self._is_ormsgpack = found == "ormsgpack"
        self._engine = engine
        self._name = name
        self._option = None
        if self._is_ormsgpack and engine.utc_z:
            self._option = self._library.OPT_UTC_Z

    def pack(self, data: Any) -> bytes:
        """One message.

        :raises MessagePackError: for a value that MessagePack cannot hold
        :raises Exception: what the engine raises for data that JSON cannot hold
        """
        packed = self._packed_at_once(data)
        if packed is not None:
            return packed
        try:
            text = self._engine.encode(data)
        except UnicodeEncodeError as error:
            raise MessagePackError(f"{self._name}: {error}") from error
        return self.pack_json(text)

    def pack_json(self, text: bytes) -> bytes:
        """Return the message with the value of a JSON text.

        :raises MessagePackError: for a value that MessagePack cannot hold
        """
        value = json.loads(text)
        try:
            return self._packed(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._error(value, error) from None

    def pack_rows(self, rows: list[Any]) -> bytes:
        """Return the rows of a list, one message after the other."""
        packed = self._packed_at_once(rows)
        if packed is None:
            return b"".join([self.pack(row) for row in rows])
        return packed[len(array_header(len(rows))) :]

    def _packed_at_once(self, data: Any) -> bytes | None:
        """One message; None if the engine must say what a value is in JSON, or raise an error."""
        if not (self._is_ormsgpack and self._engine.form is Form.JSON):
            return None
        try:
            packed: bytes = self._library.packb(data, _value_of_text, self._option)
        except TypeError:
            return None
        return packed

    def _packed(self, value: Any) -> bytes:
        packed: bytes = self._library.packb(value)
        return packed

    def _error(self, value: Any, error: Exception, path: str = "") -> MessagePackError:
        """Return the error for a value, or for the value inside of it that cannot be packed."""
        inner: Any = ()
        if type(value) is dict:
            inner = value.items()
        elif type(value) is list:
            inner = enumerate(value)
        for key, each in inner:
            try:
                self._packed(each)
            except (TypeError, ValueError, OverflowError) as cause:
                return self._error(each, cause, f"{path}.{key}" if path else str(key))
        place = f", field {path!r}" if path else ""
        return MessagePackError(
            f"{self._name}{place}: MessagePack cannot hold {_shown(value)} ({error})"
        )


def _shown(value: Any) -> str:
    """Return a value for a message, cut to a line."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _value_of_text(value: Any) -> Any:
    if type(value) is JsonText:
        return json.loads(value.text)
    raise TypeError(f"{type(value).__name__} is left to the JSON engine")


def array_header(count: int) -> bytes:
    """How MessagePack begins an array of so many members."""
    if count < 16:
        return bytes([0x90 | count])
    if count < 1 << 16:
        return b"\xdc" + count.to_bytes(2, "big")
    return b"\xdd" + count.to_bytes(4, "big")


def packed_objects(
    schema: DumpingSchema, obj: Any, many: bool | None, engine: Engine, name: str
) -> bytes | None:
    """One message with what stock's dump returns, without dictionaries of all rows in between.

    :param obj: the object, or a collection of objects
    :param many: whether it is a collection; None: as the schema says
    :param engine: the JSON engine whose values it holds
    :param name: the schema's name, for error messages
    :returns: None if the schema needs all that stock's dump does
    :raises MessagePackError: for a value that MessagePack cannot hold
    :raises Exception: what stock raises
    """
    is_collection, dumper = dumper_of(schema, obj, many, engine)
    if dumper is None:
        return None
    packer = MessagePacker(engine, name)
    if not is_collection:
        packed = packer.pack(dumper.one_row(obj))
    elif type(obj) is list:
        each_row = iter(obj)
        pieces, count = [], 0
        while dumped := dumper.all_rows(islice(each_row, CHUNK_SIZE)):
            count += len(dumped)
            pieces.append(packer.pack_rows(dumped))
        packed = b"".join([array_header(count), *pieces])
    else:
        dumped = dumper.all_rows(schema.rows(obj))
        packed = array_header(len(dumped)) + packer.pack_rows(dumped)
    dumper.end()
    return packed


def packed_stream(
    schema: DumpingSchema, rows: Any, engine: Engine, name: str, chunk_size: int
) -> Iterator[bytes] | None:
    """Yield a message for each row, in chunks of bytes, packed while the rows are read.

    :returns: None if the schema needs all rows at once
    """
    dumper = schema.row_dumper(engine.form, None)
    if dumper is None:
        return None
    packer = MessagePacker(engine, name)

    def chunks() -> Iterator[bytes]:
        each_row = iter(schema.rows(rows))
        while dumped := dumper.all_rows(islice(each_row, chunk_size)):
            yield packer.pack_rows(dumped)

    return chunks()
