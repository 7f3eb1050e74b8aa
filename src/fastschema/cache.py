"""From what a schema reads as to the program compiled from it.

The key is the whole description of the schema: equal schemas share a program, and one that was
changed in any way finds (or makes) another. Nothing in a key or a
program refers to a user's schema class, so throw-away classes die as they would in stock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from fastschema.program import LoadProgram, Program
from fastschema.statistics import recorder

CACHE_SIZE = 1024
"""How many programs are kept at the most."""


AnyProgram = TypeVar("AnyProgram", Program, LoadProgram)


class ProgramCache:
    """A bounded cache; the programs that went unused for longest make room for new ones.

    :param size: how many programs to keep
    """

    def __init__(self, size: int = CACHE_SIZE) -> None:
        self._size = size
        self._programs: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._programs)

    def get(self, description: Hashable, make: Callable[[], AnyProgram]) -> AnyProgram:
        """The program for a description, made if there is none yet.

        :raises TypeError: if the description cannot be hashed
        """
        program: AnyProgram | None = self._programs.get(description)
        if program is None:
            with self._lock:
                program = self._programs.get(description)
                if program is None:
                    program = make()
                    recorder.plan_made(program.node.name)
                    self._make_room()
                    self._programs[description] = program
        self.used(program)
        return program

    def used(self, program: Program | LoadProgram) -> None:
        """A program is used."""
        program.last_used = recorder.plan_used()

    def _make_room(self) -> None:
        if len(self._programs) < self._size:
            return
        oldest = sorted(self._programs, key=lambda key: self._programs[key].last_used)
        for key in oldest[: max(1, self._size // 4)]:
            del self._programs[key]


programs = ProgramCache()
