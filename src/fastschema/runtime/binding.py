"""Bindings: a program bound to one schema object, for one dump after the other."""

from __future__ import annotations

from typing import Any

from fastschema.compiler.nodes import Form
from fastschema.runtime.dispatch import Ambient, Dispatch
from fastschema.runtime.programs import DumpProgram
from fastschema.statistics import recorder

_JSON = Form.JSON  # a lookup on an enum takes as long as all the rest


class Binding:
    """A program bound to one schema object.

    A dispatch serves one dump at a time, so that threads, and dumps within dumps, do not meet. When
    the dump is over it waits for the next one.

    :param program: the program
    :param subject: what the slots of its node resolve from
    :param ambient: as for :class:`Dispatch`
    """

    __slots__ = ("_idle_json", "_idle_python", "ambient", "program", "subject")

    def __init__(
        self, program: DumpProgram, subject: Any, ambient: list[Ambient] | None = None
    ) -> None:
        self.ambient = ambient
        self.program = program
        self.subject = subject
        self._idle_python: list[Dispatch] = []
        self._idle_json: list[Dispatch] = []

    def begin(self, form: Form) -> Dispatch:
        """A dispatch for one dump; call its ``end`` when the dump is over."""
        dispatch = self.take(form)
        dispatch.begin_again()
        return dispatch

    def take(self, form: Form) -> Dispatch:
        """A dispatch as the last dump has left it, or a new one.

        :meth:`Dispatch.put_back` returns it.
        """
        idle = self._idle_json if form is _JSON else self._idle_python
        try:
            dispatch = idle.pop()
        except IndexError:
            dispatch = Dispatch(self.program, form, self.subject, self.ambient)
            dispatch.idle = idle
            return dispatch
        self.program.last_used = recorder.plan_used()
        return dispatch

    def new_dispatch(self, form: Form) -> Dispatch:
        """A dispatch that belongs to the caller."""
        return Dispatch(self.program, form, self.subject, self.ambient)
