"""MessagePack holds the values of JSON, whichever library packs it."""

import datetime
import json
import sys
import uuid

import msgpack
import pytest

from fastschema.runtime.json_engine import JsonText, StandardEngine, engine
from fastschema.runtime.message_pack import MessagePacker, MessagePackError, array_header, unpacked
from tests.marks import needs_orjson

VALUES = [
    None,
    [1, -1, 2**63, -(2**63), 2**64 - 1, 1.5, -0.0, "é", "", True, {}, []],
    {"a": {"b": [1, {"c": None}]}, "": 1},
    {str(number): "x" * number for number in range(40)},
]


@pytest.fixture(params=["ormsgpack", "msgpack"])
def library(request, monkeypatch):
    """Have only one of the two libraries."""
    if request.param == "msgpack":
        monkeypatch.setitem(sys.modules, "ormsgpack", None)
    return request.param


@pytest.mark.parametrize("value", VALUES, ids=["none", "list", "nested", "long"])
def test_data_are_packed_as_they_are(library, value):
    packed = MessagePacker(engine(), "AnySchema").pack(value)
    assert msgpack.unpackb(packed) == value
    assert unpacked(packed) == value


@needs_orjson
def test_what_orjson_writes_as_text_is_text(library):
    data = {
        "date": datetime.date(2024, 1, 2),
        "moment": datetime.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC),
        "uuid": uuid.UUID(int=7),
        "tiny": JsonText(b"1e-07"),
        "other": JsonText(b'{"1":[2]}'),
    }
    packed = MessagePacker(engine(), "AnySchema").pack(data)
    assert unpacked(packed) == json.loads(engine().encode(data))
    utc = MessagePacker(engine(utc_z=True), "AnySchema").pack(data)
    assert unpacked(utc)["moment"] == "2024-01-02T03:04:05.000006Z"


def test_rows_are_packed_one_after_the_other(library):
    rows = [{"a": number} for number in range(20)]
    packer = MessagePacker(engine(), "AnySchema")
    unpacker = msgpack.Unpacker()
    unpacker.feed(packer.pack_rows(rows))
    assert list(unpacker) == rows
    assert packer.pack_rows(rows) == b"".join([packer.pack(row) for row in rows])


def test_keys_are_texts_as_in_json(library):
    data = {1: "a", None: "b", 2.5: "c"}
    packed = MessagePacker(engine(), "AnySchema").pack(data)
    assert unpacked(packed) == json.loads(json.dumps(data))


@pytest.mark.parametrize(
    ("data", "field", "shown"),
    [
        ({"a": 1, "b": 2**64}, "b", "18446744073709551616"),
        ({"a": [{"b": -(2**63) - 1}]}, "a.0.b", "-9223372036854775809"),
        ({"a": "\ud800"}, "a", r"'\\ud800'"),
        ({"a": {"b": 10**100}}, "a.b", r"10{56}\.\.\."),
    ],
)
def test_what_does_not_fit_is_named(library, data, field, shown):
    packer = MessagePacker(StandardEngine(), "AnySchema")
    message = f"^AnySchema, field '{field}': MessagePack cannot hold {shown} "
    with pytest.raises(MessagePackError, match=message):
        packer.pack(data)
    with pytest.raises(MessagePackError, match=message):
        packer.pack_rows([data])


def test_a_value_alone_has_no_field(library):
    with pytest.raises(MessagePackError, match=r"^AnySchema: MessagePack cannot hold"):
        MessagePacker(StandardEngine(), "AnySchema").pack(2**70)


def test_what_json_cannot_hold_raises_what_json_raises(library):
    with pytest.raises(TypeError, match="Object of type object is not JSON serializable"):
        MessagePacker(engine(), "AnySchema").pack({"a": object()})


@pytest.mark.parametrize("count", [0, 1, 15, 16, 65535, 65536])
def test_a_header_begins_an_array(count):
    assert msgpack.packb([None] * count).startswith(array_header(count))
    assert len(msgpack.packb([None] * count)) == len(array_header(count)) + count


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x81\xa1a",
        b"\xc1",
        msgpack.packb({1: 2}),
        msgpack.packb(msgpack.ExtType(5, b"x")),
        msgpack.packb({"a": datetime.datetime.now(datetime.UTC)}, datetime=True),
        b"\x01\x02",
    ],
    ids=["nothing", "cut off", "never used", "number as key", "extension", "timestamp", "two"],
)
def test_what_is_no_message_with_values_of_json_is_refused(content):
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # each has a message of msgpack's own
        unpacked(content)
    assert str(raised.value)


def test_without_a_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ormsgpack", None)
    monkeypatch.setitem(sys.modules, "msgpack", None)
    with pytest.raises(ModuleNotFoundError, match="pip install ormsgpack"):
        MessagePacker(engine(), "AnySchema")
    with pytest.raises(ModuleNotFoundError):
        unpacked(b"")
