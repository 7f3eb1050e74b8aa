"""A text in the making is that of ``json.dumps`` in the end."""

import json

import pytest

from fastschema.marshmallow.dump import StockText

MISSING = object()


def text_of(values):
    text = StockText(MISSING)
    text.add([text.written(value) for value in values])
    return text.finished()


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None, True, False, 0, -1, 10**30, 1.5, -0.0, 1e300, 1e-7, float("nan"), -float("inf")],
        ["", "plain", 'quo"ted', "back\\slash", "\n\t\0\x1f\x7f", "é \u2028 \U0001f600 \ud800"],
        [[1, [2]], {"a": {"b": "\0"}}, (1, 2), {1: 2, None: 3}],
        [{"a": 1}, "text", {"b": 2}],
    ],
)
def test_values_are_written_as_by_the_standard_library(values):
    assert text_of(values) == json.dumps(values)


def test_a_list_is_written_as_it_is_in_the_end():
    text, value = StockText(MISSING), [1]
    text.add([text.written(value)])
    value.append(2)
    assert text.finished() == "[[1, 2]]"


def test_rows_that_are_added_later_follow():
    text = StockText(MISSING)
    text.add(["1", "2"])
    text.add([text.written({}), "3"])
    assert text.finished() == "[1, 2, {}, 3]"


def test_an_array_inside_holds_null_for_none():
    text = StockText(MISSING)
    assert text.array(["1", None]) == "[1, null]"
    assert text.array([]) == "[]"


def test_the_missing_object_stays_but_in_an_array():
    text = StockText(MISSING)
    assert text.written(MISSING) is MISSING
    text.add([text.array([MISSING])])
    with pytest.raises(TypeError, match="Object of type object is not JSON serializable"):
        text.finished()


def test_what_is_refused_raises_at_the_end_and_as_the_standard_library_does():
    values = [{"a": 1}, {"b": [1, {"c": object()}]}, object()]
    rows = [{"value": value} for value in values]
    with pytest.raises(TypeError) as expected:
        json.dumps(rows)
    text = StockText(MISSING)
    text.add([f'{{"value": {text.written(value)}}}' for value in values])
    with pytest.raises(TypeError) as raised:
        text.finished()
    assert str(raised.value) == str(expected.value)


def test_a_circle_is_refused():
    value = []
    value.append(value)
    with pytest.raises(ValueError, match="Circular reference detected"):
        text_of([value])
