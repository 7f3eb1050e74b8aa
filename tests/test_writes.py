"""Noticing writes, for objects of no framework."""

import pytest

from fastschema.writes import Writes


class Told:
    def __setattr__(self, name, value):
        super().__setattr__(name, value)

    def __delattr__(self, name):
        super().__delattr__(name)


class Plain:
    pass


class Silent(Told):
    def __setattr__(self, name, value):
        super().__setattr__(name, value)


class Keeping(Told):
    def __delattr__(self, name):
        super().__delattr__(name)


class Computed(Told):
    def __getattribute__(self, name):
        return super().__getattribute__(name)


class Substituting(Told):
    def __getattr__(self, name):
        return name


class OtherDict(dict):
    pass


def with_other_dict():
    told = Told()
    told.__dict__ = OtherDict()
    return told


@pytest.fixture
def writes():
    found = Writes()
    found.begin(Told.__setattr__, Told.__delattr__)
    return found


def test_writes_to_an_object_of_such_a_class_are_noticed(writes):
    assert writes.are_noticed([Told()])
    assert writes.are_noticed([Told(), type("Inherited", (Told,), {})()])


@pytest.mark.parametrize("make", [Plain, Silent, Keeping, Computed, Substituting, with_other_dict])
def test_writes_to_other_objects_are_not_noticed(writes, make):
    assert not writes.are_noticed([Told(), make()])


def test_after_the_end_nothing_is_noticed(writes):
    writes.end()

    assert not writes.are_noticed([Told()])
