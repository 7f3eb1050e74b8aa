"""Bindings: a program bound to one schema object, for one dump after the other."""

from __future__ import annotations

from typing import Any

from fastschema.compiler.nodes import Form
from fastschema.runtime.dispatch import MOST_IDLE, Dispatch
from fastschema.runtime.programs import DumpProgram
from fastschema.statistics import recorder

_JSON = Form.JSON  # a lookup on an enum takes as long as all the rest


class Binding:
    """A program bound to one schema object.

    A dispatch serves one dump at a time, so that threads, and dumps within dumps, do not meet. When
    the dump is over it waits for the next one.

    :param program: the program
    :param subject: what the slots of its node resolve from
    """

    __slots__ = ("_idle_json", "_idle_python", "program", "subject")

    def __init__(self, program: DumpProgram, subject: Any) -> None:
        self.program = program
        self.subject = subject
        self._idle_python: list[Dispatch] = []
        self._idle_json: list[Dispatch] = []

    def begin(self, form: Form) -> Dispatch:
        """A dispatch for one dump; call :meth:`end` (or its own) when the dump is over."""
        dispatch = self._take(form)
        dispatch.begin_again()
        return dispatch

    def end(self, dispatch: Dispatch) -> None:
        """A dump is over."""
        dispatch.end()

    def resume(self) -> Dispatch | None:
        """The same for one row of many: what is nested in it stays what it was.

        Call :meth:`pause` when the row is over. None if something that does not belong to the
        schema has changed since the row before.
        """
        try:
            dispatch = self._idle_python.pop()
        except IndexError:
            dispatch = Dispatch(self.program, Form.PYTHON, self.subject)
        return None if dispatch.look_again() else dispatch

    def pause(self, dispatch: Dispatch) -> None:
        """A row is over, of which more may come: let go of classes only if they are many."""
        dispatch.keep_few_classes()
        if len(self._idle_python) < MOST_IDLE:
            self._idle_python.append(dispatch)

    def _take(self, form: Form) -> Dispatch:
        idle = self._idle_json if form is _JSON else self._idle_python
        try:
            dispatch = idle.pop()
        except IndexError:
            dispatch = Dispatch(self.program, form, self.subject)
            dispatch.idle = idle
            return dispatch
        dispatch.idle = idle
        self.program.last_used = recorder.plan_used()
        return dispatch

    def new_dispatch(self, form: Form) -> Dispatch:
        """A dispatch that belongs to the caller."""
        return Dispatch(self.program, form, self.subject)
