"""Values of users are compared without code of theirs."""

from decimal import Decimal

import pytest

from fastschema.runtime.plain_values import are_same


class Equal:
    """Says that it equals everything, and hears of the question."""

    def __init__(self, asked):
        self._asked = asked

    def __eq__(self, other):
        self._asked.append(other)
        return True

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "hold",
    [
        lambda value: value,
        lambda value: [value],
        lambda value: (1, value),
        lambda value: {"a": value},
        lambda value: {value: 1},
    ],
    ids=["itself", "list", "tuple", "dict", "key"],
)
def test_objects_with_an_own_eq_are_the_same_only_if_they_are_one(hold):
    asked = []
    one, other = Equal(asked), Equal(asked)
    assert are_same(hold(one), hold(one))
    assert not are_same(hold(one), hold(other))
    assert asked == []


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
