"""What hangs on schemas, and how values are compared."""

import copy
import pickle
from decimal import Decimal

import pytest

from fastschema.runtime.guard import ClassSnapshot, ClassState, State
from fastschema.runtime.plain_values import are_same


def test_a_copy_or_pickle_of_a_schema_has_no_state():
    assert copy.deepcopy({"state": State()}) == {"state": None}
    assert pickle.loads(pickle.dumps(State())) is None


def test_what_hangs_on_one_of_several_classes_is_no_change_of_them():
    classes = [type(name, (), {}) for name in ("First", "Second")]
    snapshot = ClassSnapshot(classes)
    ClassState.new(classes[0])
    assert snapshot.is_current()
    ClassState.new(classes[1])
    assert snapshot.is_current()
    classes[0].added = 1
    assert not snapshot.is_current()
    del classes[0].added
    assert snapshot.is_current()


class Incomparable:
    def __eq__(self, other):
        raise AssertionError("it is not to be compared")

    __hash__ = None


SOMETHING = Incomparable()
SAME = [
    (1, 1),
    ("ab", "".join("ab")),
    (Decimal("1.0"), Decimal("1.00")),
    ([1, [SOMETHING]], [1, [SOMETHING]]),
    ((1, SOMETHING), (1, SOMETHING)),
    ({"a": SOMETHING, "b": 1}, {"b": 1, "a": SOMETHING}),
    ({1, 2}, {2, 1}),
]
OTHERS = [
    (1, True),
    (1, 1.0),
    ([1], (1,)),
    ([1, 2], [1]),
    ([SOMETHING], [Incomparable()]),
    ({"a": SOMETHING}, {"a": Incomparable()}),
    ({"a": 1}, {"b": 1}),
    ({SOMETHING.__class__: 1}, {int: 1}),
    ({frozenset()}, {frozenset()}),
    (object(), object()),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_values_that_hold_the_same_are_the_same(one, other):
    assert are_same(one, other)


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_values_of_users_are_not_compared(one, other):
    assert not are_same(one, other)
