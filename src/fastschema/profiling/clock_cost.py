"""What reading the clock costs, so that cheap fields are not all clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter as clock
from typing import Any

from fastschema.compiler import dump_code
from fastschema.compiler.nodes import (
    ATTRIBUTE,
    Conversion,
    FieldNode,
    Form,
    Kind,
    ObjectNode,
    Read,
    Slot,
    Source,
)
from fastschema.profiling.timed_code import SPENT, generate, new_spent

_FIELDS = 10
_ROWS: list[None] = [None] * 200
_ROUNDS = 9
_SHAPE = (Form.PYTHON, ATTRIBUTE, True)
_NOTHING = Kind("nothing", python=Conversion(), json=Conversion())


@dataclass(frozen=True, slots=True)
class ClockCost:
    """What generated code costs that reads the clock, in seconds.

    :param empty: the time between two readings with nothing in between
    :param mark: what one reading adds to the whole time of an object: it is kept, too
    """

    empty: float
    mark: float


def measure() -> ClockCost:
    """The cost here and now, measured on generated code whose fields do nothing."""
    fields = tuple([_field(number) for number in range(_FIELDS)])
    spent_slot = Slot(SPENT, lambda subject, cls, form: None)
    node = ObjectNode("Nothing", fields, (spent_slot,), None, lambda cls: ATTRIBUTE)
    timed = generate(node, *_SHAPE)
    plain = dump_code.generate(node, *_SHAPE).bind(type(None), None)
    empty, with_clock, without = [], [], []
    for _ in range(_ROUNDS):
        spent = new_spent(node)
        with_clock.append(_seconds(timed.function.bind(type(None), None, spent)))
        without.append(_seconds(plain))
        empty.append(sum(spent[1 : 2 * _FIELDS : 2]))
    # Whatever else the machine does makes some of them longer, and none shorter.
    mark = (min(with_clock) - min(without)) / (len(_ROWS) * timed.marks)
    return ClockCost(min(empty) / (len(_ROWS) * _FIELDS), max(mark, 0.0))


def _field(number: int) -> FieldNode:
    return FieldNode(
        f"field_{number}", Source("", Read("None")), _NOTHING, "None", never_missing=True
    )


def _seconds(dump_rows: Callable[[Any], Any]) -> float:
    start = clock()
    dump_rows(_ROWS)
    return clock() - start
