"""The text of a value is that of ``json.dumps``."""

import json

import pytest
from marshmallow import missing

from fastschema.marshmallow.fields import array, written


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
    assert array([written(value) for value in values]) == json.dumps(values)


def test_an_array_inside_holds_null_for_none():
    assert array(["1", None]) == "[1, null]"
    assert array([]) == "[]"


def test_the_missing_object_stays_but_in_an_array():
    assert written(missing) is missing
    with pytest.raises(TypeError, match="is not JSON serializable"):
        array([missing])


def test_a_circle_is_refused():
    value = []
    value.append(value)
    with pytest.raises(ValueError, match="Circular reference detected"):
        written(value)
