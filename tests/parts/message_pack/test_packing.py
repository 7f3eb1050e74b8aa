"""MessagePack holds the values of JSON, whichever library packs it."""

import datetime
import json
import sys

import msgpack
import pytest

from fastschema.message_pack.packing import MessagePackError, packed, unpacked

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
    message = packed(json.dumps(value).encode(), "AnySchema")
    assert msgpack.unpackb(message) == value
    assert unpacked(message) == value


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
    message = f"^AnySchema, field '{field}': MessagePack cannot hold {shown} "
    with pytest.raises(MessagePackError, match=message):
        packed(json.dumps(data).encode(), "AnySchema")


def test_a_value_alone_has_no_field(library):
    with pytest.raises(MessagePackError, match=r"^AnySchema: MessagePack cannot hold"):
        packed(str(2**70).encode(), "AnySchema")


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
        packed(b"1", "AnySchema")
    with pytest.raises(ModuleNotFoundError):
        unpacked(b"")
