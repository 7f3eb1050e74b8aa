"""From nodes to functions that dump objects and read the clock between the fields.

As :mod:`fastschema.compiler.dump_code`, with what is marked here in addition::

        def dump_Album_rows(rows, type=type, clock=clock, str=str):
            results = []
            for obj in rows:
                if type(obj) is not known:
                    results.append(dispatch()(obj))
                    continue
                at = clock()                        # here
                # 'title'
                try:
                    title = obj.title
                except AttributeError:
                    title = missing
                at_2 = clock()                      # here: reading is over
                if type(title) is not str and title is not None:
                    ...
                at_3 = clock()                      # and converting
                ...
                spent[0] += at_2 - at               # and once for each row
                spent[1] += at_3 - at_2
                ...
                spent[-1] += 1
                results.append(result)

``spent`` is a slot that whoever runs the code adds to the node: a list for each class of objects;
see :func:`new_spent`.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter as clock
from typing import NamedTuple

from fastschema.compiler.dump_code import DumpFunction, DumpGenerator
from fastschema.compiler.nodes import Form, ObjectNode
from fastschema.compiler.source import Lines

SPENT = "spent"
"""The name of the slot."""


class TimedFunction(NamedTuple):
    """A generated function that reads the clock.

    :param function: the function
    :param together: the numbers of the fields whose texts are written at once
    """

    function: DumpFunction
    together: tuple[int, ...]


def new_spent(node: ObjectNode) -> list[float]:
    """Where a generated function adds up seconds.

    For each field those of reading and of converting; then those of the texts that are written at
    once, and the number of objects.
    """
    return [0.0] * (2 * len(node.fields)) + [0.0, 0]


def generate(node: ObjectNode, form: Form, access: str, many: bool) -> TimedFunction:
    """Return the function that dumps objects; the parameters are those of ``dump_code.generate``.

    :param node: one with the slot ``spent``
    """
    generator = _TimedGenerator(node, form, access, many)
    function = generator.generate()
    return TimedFunction(function, generator.together)


class _TimedGenerator(DumpGenerator):
    commons = ("type", "clock")

    def __init__(self, node: ObjectNode, form: Form, access: str, many: bool) -> None:
        super().__init__(replace(node, names={**node.names, "clock": clock}), form, access, many)
        self._instant = ""
        # What is added to which number of the list, once for each object.
        self._sums: list[tuple[int, str]] = []
        self.together = tuple(
            number for number, variable in enumerate(self._variables) if variable in self._texts
        )

    def mark(self, step: int | None = None) -> Lines:
        """Read the clock; the time since it was read before belongs to a step."""
        instant = self._names.unique("at")
        if step is not None:
            self._sums.append((step, f"{instant} - {self._instant}"))
        self._instant = instant
        return [f"{instant} = clock()"]

    def finish(self) -> Lines:
        """Add up the seconds of all steps, and the objects."""
        sums: Lines = [f"{SPENT}[{step}] += {seconds}" for step, seconds in self._sums]
        return [*sums, f"{SPENT}[-1] += 1"]
