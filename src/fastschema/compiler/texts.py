"""Texts that the JSON engine writes all at once, in generated code.

Where a row has several dates, times or UUIDs, most of the time that each takes is that of a call
and of cutting its text out of what was written. So those values are left as they are until all
fields were read, and written together, if nothing else was among them::

    given = 0
    ...
    if type(uid) is not UUID and uid is not None:
        given |= 1
        uid = fields[0]._serialize(uid, 'uid', obj)
    ...
    if not given:
        uid, due = loads(dumps((uid, due)))
    else:
        if uid is not None and not given & 1:
            uid = dumps(uid)[1:-1].decode()
        ...

``given`` tells which values are what they are to be already. Where a row becomes JSON text, the
values stay text: ``uid, due = dumps((uid, due))[1:-1].decode().split(",")``, as none has a comma.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from fastschema.compiler.nodes import Conversion
from fastschema.compiler.source import SourceWriter

_FEWEST = 2


class Texts:
    """The values of a row whose texts are written at once.

    :param conversions: their variables and conversions; if there are too few, none are
    """

    def __init__(self, conversions: Iterable[tuple[str, Conversion]]) -> None:
        found = dict(conversions)
        self._conversions = found if len(found) >= _FEWEST else {}
        self._bits = {variable: 1 << number for number, variable in enumerate(self._conversions)}

    def __contains__(self, variable: str) -> bool:
        return variable in self._bits

    def write_beginning(self, writer: SourceWriter) -> None:
        """What comes before the fields of a row."""
        if self._bits:
            writer.line("given = 0")

    @contextmanager
    def write_field(self, writer: SourceWriter, variable: str) -> Iterator[None]:
        """What leaves the value of a field; inside the ``with`` any other is converted."""
        conversion = self._conversions[variable]
        is_common = f"type({variable}) is {conversion.common}"
        opening = f"if {is_common.replace(' is ', ' is not ')} and {variable} is not None:"
        if conversion.together:
            with writer.block(f"if {is_common}:"):
                writer.line(f"if not ({conversion.together.format(value=variable)}):")
                writer.line(f"    given |= {self._bits[variable]}")
                writer.line(f"    {self._assignment(variable)}")
            opening = f"elif {variable} is not None:"
        with writer.block(opening):
            writer.line(f"given |= {self._bits[variable]}")
            yield

    def write_end(self, writer: SourceWriter) -> None:
        """What comes after the fields of a row."""
        if not self._bits:
            return
        names = ", ".join(self._bits)
        with writer.block("if not given:"):
            writer.line(f"{names} = {self._written(names)}")
        with writer.block("else:"):
            for variable, bit in self._bits.items():
                self._write_single(writer, variable, bit)

    def _written(self, names: str) -> str:
        return f"loads(dumps(({names})))"

    def _write_single(self, writer: SourceWriter, variable: str, bit: int) -> None:
        writer.line(f"if {variable} is not None and not given & {bit}:")
        writer.line(f"    {self._assignment(variable)}")

    def _assignment(self, variable: str) -> str:
        inline = self._conversions[variable].inline
        assert inline is not None
        return f"{variable} = {inline.format(value=variable)}"


class JsonTexts(Texts):
    """The same for rows that become JSON text, in which None is a text, too."""

    def _written(self, names: str) -> str:
        return f'dumps(({names}))[1:-1].decode().split(",")'

    def _write_single(self, writer: SourceWriter, variable: str, bit: int) -> None:
        with writer.block(f"if {variable} is None:"):
            writer.line(f'{variable} = "null"')
        with writer.block(f"elif not given & {bit}:"):
            writer.line(self._assignment(variable))
