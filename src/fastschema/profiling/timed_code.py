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
from fastschema.compiler.nodes import FieldNode, Form, ObjectNode, Read

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
    """The function that dumps objects; the parameters are those of ``dump_code.generate``.

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

    def _mark(self, number: int | None = None) -> None:
        """Read the clock; the time since it was read before belongs to a number of the list."""
        instant = self._names.unique("at")
        self._writer.line(f"{instant} = clock()")
        if number is not None:
            self._sums.append((number, f"{instant} - {self._instant}"))
        self._instant = instant

    def _write_body(self) -> None:
        self._mark()
        super()._write_body()

    def _write_field(self, variable: str, field: FieldNode, on_missing: str) -> None:
        if self._node.dict_class is not None:
            self._mark()  # what came before put the last value into the dictionary
        super()._write_field(variable, field, on_missing)
        self._mark(2 * self._variables.index(variable) + 1)

    def _write_read(self, variable: str, read: Read) -> None:
        super()._write_read(variable, read)
        self._mark(2 * self._variables.index(variable))

    def _write_row(self, *, may_be_missing: bool) -> None:
        if self.together:
            self._mark(-2)
        super()._write_row(may_be_missing=may_be_missing)

    def _write_result(self, expression: str) -> None:
        for number, seconds in self._sums:
            self._writer.line(f"{SPENT}[{number}] += {seconds}")
        if self._instant:  # the result of another function is none of this one's
            self._writer.line(f"{SPENT}[-1] += 1")
        super()._write_result(expression)
