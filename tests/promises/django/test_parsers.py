"""FastJSONParser gives the values of JSONParser, or raises what it raises."""

import io
import json
import string
from types import SimpleNamespace

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

import fastschema
from fastschema.contrib.django.parsers import FastJSONParser
from tests.marks import needs_orjson
from tests.promises.django.differential import exactly


def outcome(parser, content, context=None):
    """What a parser makes of a body, with the classes of all its parts, or what it raises."""
    try:
        return exactly(parser.parse(io.BytesIO(content), "application/json", context))
    except Exception as error:
        return type(error), str(error), getattr(error, "status_code", None)


def assert_same(content, context=None, strict=None):
    stock, fast = JSONParser(), FastJSONParser()
    if strict is not None:
        stock.strict = fast.strict = strict
    expected = outcome(stock, content, context)
    assert outcome(fast, content, context) == expected
    return expected


CONTENTS = [
    b"",
    b'{"a": 1, "b": [true, false, null, 1.5, "x"]}',
    b'{"a": 1, "b": 2, "a": 3}',
    b"-0.0",
    b"1E5",
    b"1e400",
    b"0.1000000000000000055511151231257827",
    b"9223372036854775808",
    b"18446744073709551616",
    b"1" * 400,
    b"1" * 5000,  # more digits than int() takes
    b"[1,]",
    b"{'a': 1}",
    b'{1: "a"}',
    b"01",
    b"+1",
    b"0x10",
    b"NaN",
    b'{"a": -Infinity}',
    b"1 2",
    b"1\x00",
    b'"tab\there"',
    b'"\x00"',
    b'"\\ud83d\\ude00"',
    b'"\\ud800"',
    b'"\\udc00\\ud800"',
    '"é \u2028 😀"'.encode(),
    b'"\xff"',
    b'"\xed\xa0\x80"',  # a surrogate, as UTF-8 forbids it
    b'"abc"\xc3',  # a character cut off after the end, which stock does not look at
    b'"abc\xc3',
    b"\xef\xbb\xbf{}",  # a byte order mark
    b"\xff\xfe1\x00",
    b"// no comments\n1",
    b"\xc2\xa01",
]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: repr(content[:30]))
def test_a_body_is_read_as_by_stock(content, strict):
    assert_same(content, strict=strict)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.integers(min_value=2**62, max_value=2**65)
        | st.floats()
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.booleans(),
)
def test_any_value_is_read_as_by_stock(value, ensure_ascii):
    assert_same(json.dumps(value, ensure_ascii=ensure_ascii).encode("utf-8", "surrogatepass"))


@given(st.text(alphabet=string.digits + '-+.eE[]{}:,"\\u ntf\n\x00é\ud800', max_size=12))
def test_any_text_is_read_as_by_stock(text):
    assert_same(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "UTF8", "utf-8-sig", "utf-16", "latin-1", "ascii", "bz2", "nonsense", "idna", None],
)
@pytest.mark.parametrize("content", ['{"a": "é"}', "{}", "1", "nonsense"])
def test_the_charset_of_a_request_is_heeded_as_by_stock(content, encoding):
    for written in ("utf-8", "utf-16", "latin-1"):
        assert_same(content.encode(written), {"encoding": encoding})


@override_settings(DEFAULT_CHARSET="latin-1")
def test_the_charset_of_the_settings_is_heeded_as_by_stock():
    assert assert_same(b'"\xe9"') == "é"


def test_a_stream_that_gives_little_at_a_time_is_read_to_its_end_as_by_stock():
    def read_by(parser):
        pieces = [b'{"a": ', b"1", b"}", b"", b"never read"]
        stream = SimpleNamespace(read=lambda *args: pieces.pop(0))
        return parser.parse(stream), pieces

    assert read_by(FastJSONParser()) == read_by(JSONParser()) == ({"a": 1}, [b"never read"])


def test_a_stream_that_cannot_be_read_raises_its_own_error():
    class Stream:
        def read(self, *args):
            raise OSError("the client has gone")

    with pytest.raises(OSError, match="the client has gone"):
        FastJSONParser().parse(Stream())


@pytest.mark.parametrize("pieces", [[], [b'{"a"']])
def test_a_stream_that_is_closed_meanwhile_is_treated_as_by_stock(pieces):
    class Stream:
        def __init__(self):
            self.pieces = list(pieces)

        def read(self, *args):
            if not self.pieces:
                raise ValueError("I/O operation on closed file.")
            return self.pieces.pop()

    def of(parser):
        with pytest.raises(ParseError) as raised:
            parser.parse(Stream())
        return str(raised.value)

    assert of(FastJSONParser()) == of(JSONParser())


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_json_nested_far_too_deeply_is_the_clients_error(opening):
    with pytest.raises(ParseError, match="JSON parse error - nested too deeply"):
        FastJSONParser().parse(io.BytesIO(opening * 200_000))


def test_json_nested_deeply_is_read():
    value = FastJSONParser().parse(io.BytesIO(b"[" * 500 + b"]" * 500))
    depth = 0
    while value:
        [value] = value
        depth += 1
    assert depth == 499


@needs_orjson
def test_usual_json_is_read_by_orjson(monkeypatch):
    monkeypatch.setattr(JSONParser, "parse", lambda *args: pytest.fail("stock was called"))
    assert FastJSONParser().parse(io.BytesIO(b'{"a": 1}')) == {"a": 1}


def test_stock_reads_while_fastschema_is_disabled(monkeypatch):
    monkeypatch.setattr(JSONParser, "parse", lambda *args: "stock")
    with fastschema.disabled():
        assert FastJSONParser().parse(io.BytesIO(b"1")) == "stock"
