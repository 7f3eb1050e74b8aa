"""Dictionaries are read and written as attributes."""

import keyword

import pytest

from fastschema.as_attributes import AsAttributes, is_attribute


def test_attributes_are_what_the_dictionary_has():
    values = {"a": 1}
    row = AsAttributes(values)
    assert row.a == 1
    row.a, row.b = 2, 3
    assert values == {"a": 2, "b": 3}


def test_another_dictionary_takes_its_place():
    row = AsAttributes({"a": 1})
    row.__dict__ = {"b": 2}
    assert row.b == 2
    assert not hasattr(row, "a")


@pytest.mark.parametrize("key", ["a", "_a", "a1", "type", "dict", "obj"])
def test_identifiers_are_attributes(key):
    assert is_attribute(key)
    row = AsAttributes({key: 1})
    assert eval(f"row.{key}", {"row": row}) == 1


@pytest.mark.parametrize(
    "key", ["", "a b", "1", "\u017f", "\uff41", "a.b", "__class__", "__a", "a\n"]
)
def test_other_keys_are_not(key):
    assert not is_attribute(key)


@pytest.mark.parametrize("key", keyword.kwlist)
def test_keywords_are_not(key):
    assert not is_attribute(key)
