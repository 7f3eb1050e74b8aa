"""Comparing two texts, and telling of their first difference."""

import json
import logging

import pytest

from fastschema import shadow
from fastschema.shadow import compare, first_difference, json_path
from tests.instruments.core import is_disabled


def compared(written, by_stock, *, has_values=False):
    """What is told of a comparison."""
    told = []
    options = {"schema": "Rows", "view": "list_rows", "has_values": has_values}
    compare(written, by_stock, **options, tell=told.append)
    return told


@pytest.mark.parametrize(
    ("one", "other", "position"),
    [
        (b"", b"", 0),
        (b"ab", b"ac", 1),
        (b"ab", b"abc", 2),
        (b"abc", b"ab", 2),
        (b"x" * 1000 + b"a" + b"y" * 1000, b"x" * 1000 + b"b" + b"z" * 7, 1000),
    ],
)
def test_the_first_difference_is_where_the_texts_part(one, other, position):
    assert first_difference(one, other) == position


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ("", "[]", "$"),
        ("[1,", "2]", "$[1]"),
        ('[{"a": 1}, {"a": ', "2}]", "$[1].a"),
        ('{"results":[{"title":"a","author":{"name":"', 'b"}}]}', "$.results[0].author.name"),
        ('[{"a":1,"', 'b":2}]', "$[0]"),
        ('{"two words":', "2}", '$["two words"]'),
        ('{"a\\"b":[', "2]}", '$["a\\"b"][0]'),
        ('["]},\\"[", ', "2]", "$[1]"),
        ('[[],[],[{},{"a":[', "2]}]]", "$[2][1].a[0]"),
    ],
)
def test_the_path_says_where_a_position_lies(before, after, path):
    json.loads(before + after)
    assert json_path((before + after).encode(), len(before.encode())) == path


@pytest.mark.parametrize("text", ["", "]}", ",,", '{"a', '"', "nothing of JSON: [", "}{\x00"])
def test_a_text_that_is_no_json_has_a_path_too(text):
    assert json_path(text.encode(), len(text)).startswith("$")


def test_a_difference_is_counted_logged_and_told(counter, caplog):
    (difference,) = compared(b'[{"a":"secret"}]', lambda: b'[{"a":"sacred"}]')

    assert (difference.schema, difference.view) == ("Rows", "list_rows")
    assert (difference.position, difference.path) == (8, "$[0].a")
    assert (counter.compared, counter.differed, counter.failed) == (1, 1, 0)
    assert caplog.record_tuples == [
        (
            "fastschema.shadow",
            logging.ERROR,
            "Rows in list_rows differs from stock at byte 8, $[0].a",
        )
    ]


def test_values_are_shown_only_if_that_is_asked_for():
    (difference,) = compared(b'[{"a":"secret"}]', lambda: b'[{"a":"sacred"}]')
    assert (difference.written, difference.expected) == (None, None)
    assert "secret" not in str(difference)

    (difference,) = compared(b'[{"a":"secret"}]', lambda: b'[{"a":"sacred"}]', has_values=True)
    assert (difference.written, difference.expected) == (b'[{"a":"secret"}]', b'[{"a":"sacred"}]')
    assert str(difference) == (
        "Rows in list_rows differs from stock at byte 8, $[0].a: "
        """b'[{"a":"secret"}]', and by stock b'[{"a":"sacred"}]'"""
    )


def test_stock_is_asked_with_fastschema_disabled():
    seen = []

    def by_stock():
        seen.append(is_disabled())
        return b"[]"

    compared(b"[]", by_stock)
    assert seen == [True]
    assert not is_disabled()


def test_an_error_of_stock_is_logged_and_goes_no_further(counter, caplog):
    assert compared(b"[]", lambda: 1 / 0) == []
    assert (counter.compared, counter.differed, counter.failed) == (0, 0, 1)
    (record,) = caplog.records
    assert record.getMessage() == "Rows in list_rows could not be compared with stock"
    assert record.exc_info[0] is ZeroDivisionError


def test_a_share_is_a_probability(monkeypatch):
    drawn = iter([0.0, 0.249, 0.25, 0.9])
    monkeypatch.setattr("fastschema.shadow._random.random", lambda: next(drawn))
    assert [shadow.is_sampled(0.25) for _ in range(4)] == [True, True, False, False]
