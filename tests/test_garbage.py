"""Whoever keeps things is told before garbage is collected."""

import gc

import pytest

from fastschema import garbage


@pytest.fixture
def told(monkeypatch):
    """What listeners were told."""
    monkeypatch.setattr(garbage, "_listeners", [])
    calls = []
    gc.disable()
    garbage.tell(calls.append)
    yield calls
    gc.enable()


def test_a_full_collection_is_told_as_one(told):
    gc.collect()
    assert told == [True]


def test_a_collection_of_younger_objects_is_told_as_none(told):
    gc.collect(1)
    assert told == [False]


def test_collections_of_the_youngest_are_not_told(told):
    gc.collect(0)
    assert told == []


def test_a_listener_is_told_once(told):
    garbage.tell(told.append)
    gc.collect()
    assert told == [True]
