"""What a serializer object runs, from one row or list to the next.

What hangs on a serializer, on its class and on its fields, is

- ``_fastschema``: None until the serializer has represented something; then :data:`COMPILED` or
  :data:`RUNS_AS_STOCK`, or, from the second object or list on, a :class:`PendingState`. If its
  fields are made, a :class:`FewRows`, and a :class:`MadeState` after those.
- ``_fastschema_fields``, ``_fastschema_seen``: fields that nobody has looked at (``made_fields``).
- ``_fastschema_compared``: its made fields were compared for an object (``input.validation``).
- ``_fastschema_class``, on the class: a ``SerializerClassState`` (``class_state``).
- ``_fastschema_validators``, on a field: validators that nobody has read (``field_cloner``).

.. code-block:: text

    SerializerClassState of a class
        FieldCloner          clones fields for its serializers
        pending(direction)   what its serializers run that have made no fields: a CompiledState
        of_made(direction)   those that have: one for each set of names and options
    BoundProgram         the program of a CompiledState, with the serializer's own fields
    ReusedBoundProgram   the same for serializers without fields, which take turns
"""

from __future__ import annotations

import weakref
from typing import Any

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.bound_serializer import BoundSerializer, bound_pending
from fastschema.contrib.django.front_end.class_state import (
    DUMPING,
    CompiledState,
    SerializerClassState,
    class_state,
    is_still_pending,
    state_of_pending,
)
from fastschema.contrib.django.front_end.made_fields import UNSEEN, MadeFields
from fastschema.contrib.django.front_end.schema_reader import readable_fields
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import (
    MOST_IDLE,
    NOT_FOUND,
    BoundProgram,
    CallDumper,
    Dispatch,
)
from fastschema.runtime.guard import STATE_KEY, State, generations
from fastschema.runtime.statistics import recorder

_MOST_CHANGES = 4
"""A serializer whose fields have changed so often from row to row runs as stock."""
COMPILED, RUNS_AS_STOCK = State(), State()
"""Hang on a serializer that has represented by generated code, and on one whose rows, if they come
one by one, are left to stock."""


class FewRows(State):
    """Hangs on a serializer whose rows are left to stock until there are half as many more.

    :param is_nested: whether nothing else is done for each row
    """

    __slots__ = ("_again", "_counted", "rows")

    def __init__(self, rows: int, *, is_nested: bool) -> None:
        self.rows = self._counted = rows
        self._again = rows + (max(1, rows // 2) if is_nested else 1)

    def leaves_next_row(self) -> bool:
        """Return whether the next row is left to stock without another look, and count it then."""
        if self.rows + 1 >= self._again:
            return False
        self.rows += 1
        return True

    @property
    def uncounted(self) -> int:
        return self.rows - self._counted


class BoundState(State):
    """What represents one row after the other by a serializer, which keeps it.

    (It is nested in one that runs as stock, say, or its own list serializer asks it for each row.)
    """

    __slots__ = ("_find", "_generation", "bound_program")

    def __init__(self, serializer: Any, bound_program: BoundProgram) -> None:
        self._find = weakref.ref(serializer)
        self._generation = generations.current
        self.bound_program = bound_program

    def is_current(self, serializer: Any) -> bool:
        """Return whether the serializer is as it was when it was bound, and no copy of that."""
        return self._generation is generations.current and self._find() is serializer


class PendingState(BoundState):
    """That of a serializer that has made no fields, from its second object or list on."""

    __slots__ = ("_size",)

    def __init__(self, serializer: Any, known: CompiledState) -> None:
        bound = bound_pending(known, weakref.ref(serializer))
        super().__init__(serializer, BoundProgram(known.program, bound))
        self._size = len(serializer.__dict__)

    def is_current(self, serializer: Any) -> bool:
        """Return whether nobody has looked at its fields, either."""
        if not super().is_current(serializer):
            return False
        attributes = serializer.__dict__
        if len(attributes) != self._size or "fields" in attributes:
            self._size = len(attributes)
            return is_still_pending(serializer)
        return True


class MadeState(BoundState):
    """That of a serializer that has made its fields, and how often they changed between rows."""

    __slots__ = ("_fields", "changes")

    def __init__(
        self, serializer: Any, bound_program: BoundProgram, fields: MadeFields, changes: int
    ) -> None:
        super().__init__(serializer, bound_program)
        self._fields = fields
        self.changes = changes

    def is_current(self, serializer: Any) -> bool:
        """Return whether its fields are what they were, too."""
        return super().is_current(serializer) and self._fields.are_current()


class ReusedBoundProgram(BoundProgram):
    """A program bound to one pending serializer after the other, to each for a row or a list.

    To bind a program takes about as long as to represent an object of a few fields, and serializers
    that nobody has looked at are all alike: so the next one takes over what the one before was
    bound to, and so it is with what is nested in them. In between it holds nothing of a serializer.
    """

    __slots__ = ("_serializer", "_waiting")
    bound_schema: BoundSerializer

    def __init__(self, known: CompiledState, idle: list[ReusedBoundProgram]) -> None:
        super().__init__(known.program, bound_pending(known, lambda: self._serializer))
        self._waiting = idle
        self._serializer: Any = None

    @classmethod
    def to(
        cls, known: CompiledState, idle: list[ReusedBoundProgram], serializer: Any
    ) -> ReusedBoundProgram:
        """Return one that nobody uses, bound to a serializer."""
        try:
            bound_program = idle.pop()
        except IndexError:
            bound_program = cls(known, idle)
        bound_program._serializer = serializer
        return bound_program

    def begin(self, form: Form) -> Dispatch:
        """Return a dispatch for a row or a list; another serializer may have had it before."""
        idle = self._idle(form)
        if idle and not idle[-1].refresh():
            dispatch = idle.pop()
            recorder.program_used()
        else:  # functions may have found what was bound before another zone was active
            idle.clear()
            dispatch = self.new_dispatch(form)
        dispatch.owner = self
        return dispatch

    def checkout(self) -> Dispatch:
        return self.begin(Form.PYTHON)

    def take_back(self, dispatch: Dispatch) -> None:
        """Keep a dispatch after a row or a list: another serializer may have the next one."""
        _release(dispatch)
        super().take_back(dispatch)
        self._serializer = None
        if len(self._waiting) < MOST_IDLE:
            self._waiting.append(self)


def _release(dispatch: Dispatch) -> bool:
    """Forget the serializer of a dispatch, and those nested in it; return whether it is kept.

    What is nested is dropped if not all of it is plain, at any depth, and with it the functions of
    the dispatches around it, which have found it.
    """
    dispatch.bound_schema.fields.clear()
    for nested in dispatch.nested:
        dumper = nested.found
        if type(dumper) is CallDumper and dumper.inner is not None:
            dumper = dumper.inner.found
        is_kept = type(dumper) is Dispatch and dumper.bound_schema.is_shared and _release(dumper)
        if not is_kept and dumper is not NOT_FOUND:
            dispatch.drop_nested()
            return False
    return True


def mark_compiled(serializer: Any) -> None:
    attributes = serializer.__dict__
    if not isinstance(attributes.get(STATE_KEY), BoundState):
        attributes[STATE_KEY] = COMPILED


def find_bound_program(serializer: Any, rows: int | None) -> BoundProgram | None:
    """Count objects, and return what represents them; None if stock must, or takes less time.

    :param rows: how many objects are to be represented; None: one, and perhaps many more
    """
    attributes = serializer.__dict__
    state = attributes.get(STATE_KEY)
    # This first, as it is asked for each row of many that come one by one.
    if type(state) is PendingState and state.is_current(serializer):
        return state.bound_program
    if type(state) is MadeState and rows == 1 and state.is_current(serializer):
        return state.bound_program
    of_class = class_state(type(serializer))
    if of_class.has_unreadable_fields:
        attributes[STATE_KEY] = RUNS_AS_STOCK
        return None
    objects = 1 if rows is None else rows
    before, uncounted = (state.rows, state.uncounted) if type(state) is FewRows else (0, 0)
    is_list = rows != 1 and (serializer.parent is None or serializer.parent.parent is None)
    of_class.count_by(serializer, objects + uncounted, is_list=is_list)
    objects += before
    compiled = state_of_pending(serializer) if of_class.is_in_use else None
    if compiled is None:
        is_known = rows is None or type(state) is MadeState
        is_worth_comparing = is_known or objects >= thresholds.rows_worth_comparing
        if not (of_class.is_worth_reading(objects) and is_worth_comparing):
            attributes[STATE_KEY] = FewRows(objects, is_nested=serializer.parent is not None)
            return None
        return _find_made(serializer, of_class, rows)
    # There may be no other object. What it has made already, its like have not.
    if state is None and compiled.idle is not None and UNSEEN not in attributes:
        attributes[STATE_KEY] = COMPILED
        return ReusedBoundProgram.to(compiled, compiled.idle, serializer)
    attributes[STATE_KEY] = state = PendingState(serializer, compiled)
    return state.bound_program


def _find_made(
    serializer: Any, of_class: SerializerClassState, rows: int | None
) -> BoundProgram | None:
    """Return the same for a serializer that has made its fields, or must."""
    attributes = serializer.__dict__
    before = attributes.get(STATE_KEY)
    changes = before.changes + 1 if type(before) is MadeState else 0
    attributes[STATE_KEY] = RUNS_AS_STOCK
    if changes > _MOST_CHANGES:
        return None
    try:
        fields = readable_fields(serializer)
    except UnreadableError:
        of_class.has_unreadable_fields = True
        return None
    compiled = of_class.of_made(DUMPING, serializer, fields, is_worth_reading=True)
    if compiled is None:
        return None
    is_alone = not of_class.is_in_use
    bound = BoundSerializer(
        lambda: serializer, fields, fields, compiled=compiled, is_alone=is_alone
    )
    bound_program = BoundProgram(compiled.program, bound)
    attributes[STATE_KEY] = COMPILED
    if rows == 1:  # there will be more
        try:
            made_fields = MadeFields(serializer, fields, compiled.snapshot)
        except UnreadableError:
            attributes[STATE_KEY] = RUNS_AS_STOCK  # to compare all fields for each takes longer
            return None
        attributes[STATE_KEY] = MadeState(serializer, bound_program, made_fields, changes)
    return bound_program
