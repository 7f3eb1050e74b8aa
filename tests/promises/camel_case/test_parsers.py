"""FastCamelCaseJSONParser gives the values of CamelCaseJSONParser, or raises what it raises."""

import io
import json

import pytest
from djangorestframework_camel_case.parser import CamelCaseJSONParser
from hypothesis import given
from hypothesis import strategies as st

import fastschema
from fastschema.contrib.camel_case import parsers
from fastschema.contrib.camel_case.parsers import FastCamelCaseJSONParser
from tests.promises.django.differential import outcome

CONTENTS = [
    *(b"", b"null", b"[]", b'"aB"', b'{"aB": {"cD1": [{"e2f": 1}]}}', b'{"aB": 1, "a_b": 2}'),
    *(b'{"aB": 1', b"{'aB': 1}", b"nan", b'{"aB": NaN}', b"[Infinity, -Infinity]", b"1e400"),
    *(b"1" * 30, b'{"aB": 18446744073709551616}', b'{"aB": "\\ud800"}', b'"\xff"'),
    *(b"[" * 900 + b"]" * 900, b"[" * 5000, '{"\u00c9B": 1}'.encode(), b'{"a": 1, "a": 2}'),
    b"\xef\xbb\xbf1",
]

NAMES = st.text("ab_AB19\u00e9\u00c9 .-", max_size=8) | st.text(max_size=5)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=4)
        | st.dictionaries(NAMES | st.integers() | st.none(), inner, max_size=2)
    ),
)


def assert_same(content, stock=CamelCaseJSONParser, fast=FastCamelCaseJSONParser, context=None):
    def parsed(parser):
        return outcome(lambda: parser().parse(io.BytesIO(content), "application/json", context), [])

    assert parsed(fast) == parsed(stock)


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: repr(content[:30]))
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "ascii", "none"])
def test_the_values_are_those_of_the_package(content, encoding):
    assert_same(content, context={"encoding": encoding})
    assert_same(content)


@given(DATA)
def test_random_data_are_read_alike(data):
    assert_same(json.dumps(data).encode())


@given(st.binary())
def test_random_bytes_are_read_alike(content):
    assert_same(content)


@pytest.mark.parametrize(
    "options",
    [{"no_underscore_before_number": True}, {"ignore_fields": ("aB",)}, {"ignore_keys": ("aB",)}],
    ids=str,
)
def test_options_of_a_class_hold(options):
    class Stock(CamelCaseJSONParser):
        json_underscoreize = options

    class Fast(FastCamelCaseJSONParser):
        json_underscoreize = options

    assert_same(b'{"aB": {"cD1": 1}, "v2Counter": [{"aB": 1}]}', Stock, Fast)


def test_the_package_reads_where_fastschema_is_disabled(monkeypatch):
    monkeypatch.setattr(parsers, "underscored", None)
    with fastschema.disabled():
        parsed = FastCamelCaseJSONParser().parse(io.BytesIO(b'{"aB": 1}'))
    assert parsed == {"a_b": 1}
