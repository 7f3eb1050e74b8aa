"""Dumps by programs: what they ask of rows, and what they leave behind."""

import gc
import types
import weakref
from itertools import islice

import pytest
from marshmallow import Schema, fields

import fastschema
from tests.marks import counts_references


class Item(Schema):
    a = fields.Raw()


ROWS = [{"a": 1}, types.SimpleNamespace(a=2), {"a": 3}, {}]


class Unasked:
    """An iterator that says it is a generator, and must not be asked for anything but rows."""

    def __init__(self, rows):
        self.rows = iter(rows)

    @property
    def __class__(self):
        raise AssertionError("asked for its class")

    def __next__(self):
        return next(self.rows)


class Slice(islice):
    """An iterator that is asked for its iterator once."""

    asked = 0

    def __iter__(self):
        Slice.asked += 1
        return super().__iter__()


def test_an_iterator_is_what_its_class_is():
    class Rows:
        def __iter__(self):
            return Unasked(ROWS)

    plan = fastschema.compile(Item)
    assert len(plan.dump(Rows(), many=True)) == len(ROWS)
    assert len(plan.dump(Slice(ROWS, 2), many=True)) == 2
    assert Slice.asked == 1


@counts_references
def test_a_row_goes_when_the_next_is_there():
    class Row:
        def __init__(self, number):
            self.a = number
            events.append(f"made {number}")

        def __del__(self):
            events.append(f"gone {self.a}")

    events = []
    fastschema.compile(Item).dump((Row(number) for number in range(3)), many=True)

    assert events == ["made 0", "made 1", "gone 0", "made 2", "gone 1", "gone 2"]


@counts_references
@pytest.mark.parametrize("many", [False, True])
def test_a_plan_keeps_few_classes_of_rows_alive(many):
    plan, references = fastschema.compile(Item), []
    for _ in range(40):
        cls = type("Row", (), {"a": "a"})
        references.append(weakref.ref(cls))
        plan.dump([cls(), cls()] if many else cls(), many=many)
    del cls
    gc.collect()
    assert sum(reference() is not None for reference in references) <= 10


@counts_references
@pytest.mark.parametrize("rows", [ROWS, iter(ROWS)])
def test_a_finished_dump_leaves_no_reference_cycle(rows):
    plan = fastschema.compile(Item)
    plan.dump(ROWS, many=True)
    while gc.collect():  # what other tests have left behind may leave more behind
        pass
    gc.disable()
    try:
        plan.dump(rows, many=True)
        plan.dump(ROWS[0])

        assert gc.collect() == 0
    finally:
        gc.enable()
