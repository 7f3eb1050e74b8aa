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

from collections.abc import Iterable

from fastschema.compiler.nodes import Conversion
from fastschema.compiler.source import Lines, branches

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

    def beginning(self) -> Lines:
        """Return what comes before the fields of a row."""
        return ["given = 0"] if self._bits else []

    def field(self, variable: str, otherwise: Lines) -> Lines:
        """Return what leaves the value of a field as it is.

        :param otherwise: what converts any other value
        """
        conversion = self._conversions[variable]
        given: Lines = [f"given |= {self._bits[variable]}"]
        others: Lines = [*given, *otherwise]
        if not conversion.together:
            is_other = f"type({variable}) is not {conversion.common} and {variable} is not None"
            return branches((is_other, others))
        together = conversion.together.format(value=variable)
        written = branches((f"not ({together})", [*given, self._assignment(variable)]))
        is_common = f"type({variable}) is {conversion.common}"
        return branches((is_common, written), (f"{variable} is not None", others))

    def end(self) -> Lines:
        """Return what comes after the fields of a row."""
        if not self._bits:
            return []
        names = ", ".join(self._bits)
        single = [line for variable in self._bits for line in self._single(variable)]
        return branches(("not given", [f"{names} = {self._written(names)}"]), (None, single))

    def _written(self, names: str) -> str:
        return f"loads(dumps(({names})))"

    def _single(self, variable: str) -> Lines:
        is_left = f"{variable} is not None and not given & {self._bits[variable]}"
        return branches((is_left, [self._assignment(variable)]))

    def _assignment(self, variable: str) -> str:
        inline = self._conversions[variable].inline
        assert inline is not None
        return f"{variable} = {inline.format(value=variable)}"


class JsonTexts(Texts):
    """The same for rows that become JSON text, in which None is a text, too."""

    def _written(self, names: str) -> str:
        return f'dumps(({names}))[1:-1].decode().split(",")'

    def _single(self, variable: str) -> Lines:
        return branches(
            (f"{variable} is None", [f'{variable} = "null"']),
            (f"not given & {self._bits[variable]}", [self._assignment(variable)]),
        )
