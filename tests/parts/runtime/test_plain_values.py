"""Values of users are compared without code of theirs."""

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
