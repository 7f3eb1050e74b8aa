"""Keys are converted as djangorestframework-camel-case converts them."""

import collections

import pytest
from django.http import QueryDict
from django.utils.translation import gettext_lazy
from djangorestframework_camel_case.util import camelize, underscoreize
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.relations import Hyperlink
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from fastschema.contrib.camel_case import keys
from tests.promises.camel_case.test_parsers import DATA, NAMES
from tests.promises.django.differential import exactly, outcome

BOTH = {"camelize": (camelize, keys.camelized), "underscoreize": (underscoreize, keys.underscored)}
in_both_directions = pytest.mark.parametrize("direction", BOTH)
IGNORED = st.none() | st.lists(NAMES, max_size=2) | st.just(("a_b", "aB", "a1"))
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "no_underscore_before_number": st.booleans() | st.none(),
        "ignore_fields": IGNORED,
        "ignore_keys": IGNORED,
    },
)


def plain(data):
    """Data with dictionaries that are no ``OrderedDict``, as they are written and compared."""
    if type(data) in (dict, collections.OrderedDict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, ReturnDict):
        items = {key: plain(value) for key, value in data.items()}
        return type(data), items, data.serializer
    return [plain(each) for each in data] if type(data) is list else data


def assert_same(direction, data, options=None):
    by_package, by_us = BOTH[direction]
    options = options or {}
    expected = outcome(lambda: plain(by_package(data, **options)), [])
    actual = outcome(lambda: plain(by_us(data, options)), [])
    assert actual == expected


@in_both_directions
@given(data=DATA, options=OPTIONS)
def test_random_data_have_the_keys_that_the_package_gives_them(direction, data, options):
    assert_same(direction, data, options)


@in_both_directions
@given(keys=st.lists(NAMES, min_size=1, max_size=6), options=OPTIONS)
def test_random_keys_are_converted_alike_at_each_use(direction, keys, options):
    data = {key: dict.fromkeys(keys, 1) for key in keys}
    assert_same(direction, data, options)
    assert_same(direction, data, options)


class Name(str):
    __slots__ = ()


class Items(dict):
    def items(self):
        return [("own_key", {"own_value": 1})]


class Sequence:
    def __getitem__(self, index):
        if index:
            raise IndexError
        return {"a_b": 1}


VALUES = {
    "a ReturnList": ReturnList([{"a_b": 1}], serializer="a serializer"),
    "an OrderedDict": collections.OrderedDict(a_b={"c_d": 1}),
    "a tuple": ({"a_b": 1}, {"aB": 2}),
    "a set": {"a_b"},
    "bytes": b"a_b",
    "own items": Items(a_b=1),
    "a sequence": {"a_b": Sequence()},
    "a lazy translation": {"a_b": gettext_lazy("Yes")},
    "a lazy key": {gettext_lazy("not_a_field"): {"a_b": 1}},
    "a key of another class": {Name("a_b"): {"c_d": 1}},
    "a key that is a number": {1: {"a_b": 1}, "c_d": 2},
    "a hyperlink": {"a_b": Hyperlink("/a_b/", None)},
    "two keys that become one": {"a_b": 1, "c": 2, "aB": 3, "a_B": 4},
    "an object": {"a_b": object},
    "a long key": {"a_b" * 100: {"aB" * 100: 1}},
    "form data": QueryDict("aB=1&aB=2&c_d=3"),
}


@in_both_directions
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("ignored", [None, ("a_b", "c_d"), ("aB",), {"own_key"}], ids=str)
def test_data_of_all_classes_are_converted_alike(direction, value, ignored):
    assert_same(direction, value)
    assert_same(direction, value, {"ignore_fields": ignored})
    assert_same(direction, value, {"ignore_keys": ignored})


@pytest.mark.parametrize("data", [{}, {"a_b": {"c_d": 1}}], ids=str)
def test_data_of_a_serializer_keep_their_serializer(data):
    assert_same("camelize", ReturnDict(data, serializer="a serializer"))


@in_both_directions
def test_data_that_can_be_read_once_are_read_once(direction):
    by_package, by_us = BOTH[direction]
    expected = by_package({"a_b": iter([{"c_d": 1}])})
    assert by_us({"a_b": iter([{"c_d": 1}])}, {}) == expected


@in_both_directions
def test_data_are_left_as_they_are(direction):
    data = {"a_b": [{"cD": ({"e_f": 1},)}]}
    before = exactly(data)
    BOTH[direction][1](data, {})
    assert exactly(data) == before


def test_a_long_key_is_not_kept():
    before = keys._converted.cache_info().currsize
    keys.camelized({"no_name_of_a_field" * 10: 1}, {})
    assert keys._converted.cache_info().currsize == before
