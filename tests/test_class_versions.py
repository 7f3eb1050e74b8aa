"""Whether classes are as they were, by CPython's own numbers."""

import gc
import sys
import weakref
from abc import ABCMeta

import pytest

from fastschema import class_versions
from fastschema.class_versions import Findings, gives_the_same, is_plain, versions
from tests.versions import CHANGES, NAMES, Asked, family, looked_up, told


def found(findings, *instances):
    return [findings.of(instance) for instance in instances]


def test_classes_that_nobody_can_change_have_no_number():
    assert not versions([int, object])


class Answer:
    """A descriptor that gives what a test wants."""

    value = 1

    def __get__(self, instance, owner):
        return self.value


def test_where_numbers_are_not_told_a_finding_is_found_each_time(monkeypatch):
    monkeypatch.setattr(class_versions, "_OFFSET", None)
    (cls,) = looked_up(family()[0])
    asked = Asked()
    findings = Findings(asked, NAMES)

    assert found(findings, cls(), cls(), cls()) == [True] * 3
    assert asked.count == 3


@told
@pytest.mark.parametrize("name", [name for name in CHANGES if name != "a base has another base"])
def test_a_finding_is_found_anew_after_a_change(name):
    classes = family()
    instance = classes[0]()
    looked_up(classes[0])
    asked = Asked()
    findings = Findings(asked, NAMES)
    assert found(findings, *[instance] * 4) == [True] * 4
    assert asked.count == 2

    CHANGES[name](*classes)

    asked.answer = False
    assert not findings.of(instance)
    assert asked.count == 3


@told
def test_findings_keep_no_class_alive_and_are_not_those_of_a_class_in_its_place():
    findings = Findings(lambda instance: instance.attribute, ("attribute",))
    places = set()
    was_reused = False
    for number in range(2000):
        cls = type("Cls", (), {"attribute": number})
        looked_up(cls)
        assert found(findings, cls(), cls(), cls()) == [number] * 3
        was_reused = was_reused or id(cls) in places
        places.add(id(cls))
        died = weakref.ref(cls)
        del cls
        gc.collect(0)
        assert died() is None
    assert was_reused
    assert len(findings._known) <= 1024


@pytest.mark.parametrize("value", [property(lambda self: 1), Answer()], ids=["property", "other"])
def test_what_an_instance_may_answer_differently_is_found_each_time(value):
    cls = type("Cls", (), {"attribute": value})
    looked_up(cls)
    asked = Asked()
    findings = Findings(asked, ("attribute",))

    found(findings, cls(), cls(), cls(), cls())
    assert asked.count == 4


def set_another_metaclass(cls):
    # Past what would give the class another number.
    vars(object)["__class__"].__set__(cls, Meta)


def change_the_metaclass(cls):
    ABCMeta.of_a_test = 1
    del ABCMeta.of_a_test


@told
@pytest.mark.parametrize("change", [set_another_metaclass, change_the_metaclass])
def test_a_finding_is_found_anew_when_the_metaclass_is_another(change):
    cls = ABCMeta("Cls", (), {"attribute": 1})
    looked_up(cls, ABCMeta)
    asked = Asked()
    findings = Findings(asked, ("attribute",))
    instance = cls()
    assert found(findings, *[instance] * 3) == [True] * 3
    assert asked.count == 2

    change(cls)

    asked.answer = False
    assert not findings.of(instance)


class Meta(type):
    """A metaclass of somebody's own."""


def test_classes_of_a_metaclass_of_ones_own_are_not_plain():
    cls = Meta("Cls", (), {})
    asked = Asked()
    findings = Findings(asked, NAMES)

    assert not is_plain(cls)
    assert not is_plain(cls())
    assert is_plain(type("Plain", (), {}))
    assert is_plain(ABCMeta("Abstract", (), {}))
    assert found(findings, cls(), cls(), cls()) == [True] * 3
    assert asked.count == 3


@told
def test_the_place_of_the_number_is_found():
    assert class_versions._offset() == class_versions._OFFSET is not None


@pytest.mark.parametrize("version", [(3, 10, 0), (9, 1, 0)])
def test_on_an_unknown_python_the_place_is_not_looked_for(version, monkeypatch):
    monkeypatch.setattr(sys, "version_info", version)

    assert class_versions._offset() is None


def test_without_a_single_place_there_is_none(monkeypatch):
    monkeypatch.setattr(class_versions, "_places_of_a_number", lambda places: {0, 4})

    assert class_versions._offset() is None


def test_what_a_class_has_is_not_asked_for_the_hash_of_its_class():
    class Unhashable(type):
        def __hash__(cls):
            raise AssertionError("asked")

    class Kind(metaclass=Unhashable):
        pass

    class Some:
        attribute = Kind()

    assert not gives_the_same(Some, ["attribute"], ())
