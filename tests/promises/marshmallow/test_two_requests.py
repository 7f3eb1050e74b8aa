"""Schemas whose own code depends on the request, for two requests in turns, on warm caches."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastschema
from tests.promises.marshmallow.differential import outcome
from tests.promises.marshmallow.two_requests import LOG, REQUEST, described, make_class, row_of

pytestmark = pytest.mark.usefixtures("_installed")


class Process:
    """A process that answers requests by one schema class.

    :param schema: the description of the class
    :param by_stock: whether it has no fastschema
    """

    def __init__(self, schema: Any, *, by_stock: bool) -> None:
        self._by_stock = by_stock
        self._is_on = fastschema.disabled if by_stock else fastschema.enabled
        REQUEST["flag"] = False
        with self._is_on():
            self.cls = make_class(schema)
            self.kept = self.cls()

    def answer(self, use: Any, flag: bool) -> Any:
        """Return what comes of a request, and the calls of user code."""
        REQUEST["flag"] = flag
        with self._is_on():
            return outcome(lambda: use(self), LOG)


USES = {
    "dump": lambda process, row: process.cls().dump(row),
    "dump many": lambda process, row: process.cls(many=True).dump([row, row]),
    "dump no rows": lambda process, row: process.cls().dump([], many=True),
    "dump text": lambda process, row: process.cls().dumps([row] * 3, many=True),
    "dump by a kept one": lambda process, row: process.kept.dump(row),
    "dump by a copy": lambda process, row: copy.copy(process.kept).dump(row),
    "dump by a deep copy": lambda process, row: copy.deepcopy(process.kept).dump(row),
    "load": lambda process, row: process.cls().load(row, unknown="exclude"),
    "load many": lambda process, row: process.cls(unknown="exclude").load([row] * 2, many=True),
    "load by a kept one": lambda process, row: process.kept.load(row),
    "load by a copy": lambda process, row: copy.copy(process.kept).load(row),
    "look": lambda process, row: [*process.cls().fields],
}
REQUESTS = st.lists(
    st.tuples(
        st.sampled_from(sorted(USES)), st.booleans(), st.sampled_from([..., ..., ..., None, []])
    ),
    min_size=3,
    max_size=8,
)


def answer_all(schema: Any, requests: Any, rounds: int) -> None:
    """Answer requests by stock and by fastschema, and compare each with the other."""
    stock, fast = (Process(schema, by_stock=by_stock) for by_stock in (True, False))
    for _ in range(rounds):
        for name, flag, empty in requests:

            def use(process, name=name, empty=empty):
                return USES[name](process, row_of(schema, empty))

            assert fast.answer(use, flag) == stock.answer(use, flag), (name, flag, empty)


@given(schema=described(2), requests=REQUESTS)
def test_every_request_is_answered_as_by_stock(schema, requests):
    answer_all(schema, requests, rounds=3)


@pytest.mark.usefixtures("users_thresholds")
@given(schema=described(2), requests=REQUESTS)
def test_every_request_is_answered_as_by_stock_while_a_class_is_compiled(schema, requests):
    answer_all(schema, requests, rounds=10)
