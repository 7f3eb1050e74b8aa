"""Whether dictionaries are as they were, by CPython's own numbers."""

import gc
import random
import sys
from collections import OrderedDict, defaultdict

import pytest

from fastschema import class_versions, dictionary_versions
from fastschema.class_versions import join
from fastschema.dictionary_versions import dictionary_versions as versions
from fastschema.dictionary_versions import reads_plainly
from tests.versions import dictionaries_told


class Plain:
    """An object with attributes."""


def store(target, value):
    target.attribute = value


def delete(target):
    del target.attribute


CHANGES = [
    lambda target: store(target, object()),
    lambda target: setattr(target, "attribute", object()),
    lambda target: object.__setattr__(target, "attribute", object()),
    lambda target: setattr(target, f"new_{random.random()}", None),
    lambda target: vars(target).update(attribute=object()),
    lambda target: vars(target).update({str(random.random()): None}),
    lambda target: vars(target).__setitem__("attribute", object()),
    lambda target: vars(target).setdefault(str(random.random()), None),
    lambda target: vars(target).__ior__({"attribute": object()}),
    lambda target: vars(target).__init__(attribute=object()),
    lambda target: vars(target).pop("attribute"),
    lambda target: vars(target).popitem(),
    lambda target: delete(target),
    lambda target: delattr(target, "attribute"),
    lambda target: vars(target).clear(),
    lambda target: exec("attribute = object()", vars(target)),
]


@dictionaries_told
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("times_before", [0, 1, 300])
def test_each_change_gives_a_dictionary_another_number(change, times_before):
    for _ in range(times_before):
        store(Plain(), None)  # so that CPython specializes it for objects without a dictionary
    target = Plain()
    store(target, None)
    numbers = versions([vars(target)])
    seen = {join(numbers)}
    for count in range(2, 300):
        change(target)
        seen.add(join(numbers))
        assert len(seen) == count
        if not hasattr(target, "attribute"):
            store(target, None)
            seen = {join(numbers)}
            break


@dictionaries_told
def test_any_changes_in_any_order_give_other_numbers():
    numbers = random.Random(3)
    for _ in range(200):
        target = Plain()
        store(target, None)
        [version] = versions([vars(target)])
        before = version.tobytes()
        for _ in range(20):
            numbers.choice(CHANGES)(target)
            assert version.tobytes() != before
            store(target, object())
            before = version.tobytes()


@dictionaries_told
def test_looking_at_a_dictionary_leaves_its_number():
    target = Plain()
    target.attribute = 1
    numbers = versions([vars(target)])
    before = join(numbers)

    assert target.attribute == vars(target).get("attribute")
    assert [*vars(target).items()] == [*vars(target).copy().items()]
    assert not hasattr(target, "other")
    gc.collect()

    assert join(numbers) == before


@dictionaries_told
def test_equal_dictionaries_have_different_numbers():
    first, second = versions([{"a": 1}, {"a": 1}])

    assert first.tobytes() != second.tobytes()


@pytest.mark.parametrize("dictionary", [OrderedDict(), defaultdict(list), None, []])
def test_what_is_no_plain_dictionary_has_no_number(dictionary):
    assert versions([dictionary]) is None
    assert versions([{}, dictionary]) is None


def test_of_no_dictionaries_there_are_no_numbers(monkeypatch):
    monkeypatch.setattr(dictionary_versions, "_OFFSET", None)

    assert versions([]) == []
    assert versions([{}]) is None


@dictionaries_told
def test_memory_that_cannot_be_read_has_no_number(monkeypatch):
    monkeypatch.setattr(class_versions, "ctypes", None)

    assert versions([{}]) is None
    assert dictionary_versions._offset() is None


class WithGet(Plain):
    def __getattribute__(self, name):
        return super().__getattribute__(name)


class WithDictionary(Plain):
    __dict__ = property(lambda self: {})


class Slotted:
    __slots__ = ("attribute",)


class SlottedDictionary:
    __slots__ = ("__dict__",)


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (Plain, True),
        (SlottedDictionary, True),
        (WithGet, False),
        (WithDictionary, False),
        (Slotted, False),
    ],
)
def test_objects_with_a_say_in_their_attributes_are_known(cls, expected):
    assert reads_plainly(cls) is expected


@dictionaries_told
def test_the_place_of_the_number_is_found():
    assert dictionary_versions._offset() == dictionary_versions._OFFSET is not None


@pytest.mark.parametrize("version", [(3, 10, 0), (3, 13, 0), (3, 14, 0)])
def test_where_attributes_change_without_a_number_the_place_is_not_looked_for(version, monkeypatch):
    monkeypatch.setattr(sys, "version_info", version)

    assert dictionary_versions._offset() is None


@pytest.mark.parametrize("found", [True, False], ids=["several places", "none"])
def test_without_a_single_place_there_is_none(found, monkeypatch):
    monkeypatch.setattr(dictionary_versions, "_is_place_of_a_number", lambda place: found)

    assert dictionary_versions._offset() is None
