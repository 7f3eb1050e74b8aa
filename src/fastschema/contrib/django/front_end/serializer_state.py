"""What is known of one serializer object, and what it represents by.

What hangs on a serializer, on its class and on its fields, is

- ``_fastschema``: None until the serializer has represented something; then :data:`FIRST_COMPILED`
  or :data:`FIRST_BY_STOCK`; from the second time on, or for a list, a :class:`SerializerState`.
- ``_fastschema_fields``: the fields that it needed before anybody looked at them (``class_state``).
- ``_fastschema_class``, on the class: a ``ClassState`` (``class_state``).
- ``_fastschema_validators``, on a field: validators that nobody has read (``clones``).

.. code-block:: text

    ClassState           of a class
        Exemplar             clones fields for its serializers
        CompiledByNames      what its serializers run, to dump (``dumping``) and to validate
            pending()            those that have made no fields: a CompiledState
            made()               those that have: one for each set of names and options
    SerializerState      of one serializer
        BoundProgram         the program of a CompiledState, with the serializer's own fields
    ReusedBoundProgram   the same for serializers without fields, which take turns
"""

from __future__ import annotations

import weakref
from typing import Any

from rest_framework.serializers import BaseSerializer, Serializer

from fastschema.contrib.django.front_end.bound_serializer import (
    BoundSerializer,
    ReusedBoundProgram,
    bound_pending,
)
from fastschema.contrib.django.front_end.class_state import (
    CompiledState,
    class_state,
    has_made_fields,
    is_still_pending,
    state_of_pending,
)
from fastschema.contrib.django.front_end.schema_reader import readable_fields
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import BoundProgram
from fastschema.runtime.guard import ATTRIBUTE, State, generations

# So that a serializer of which nothing is known says so at the price of any attribute.
setattr(Serializer, ATTRIBUTE, None)
FIRST_COMPILED, FIRST_BY_STOCK = State(), State()
"""Hang on a serializer that has represented one object or list: there may be no other."""

_MOST_CHANGES = 2
"""A serializer whose fields have changed so often since they were read runs as stock."""


class SerializerState(State):
    """What is known of one serializer object.

    One that represents rows one by one (its own ``to_representation`` calls ``super()``, say) stays
    bound from row to row. Its fields may be replaced, and their attributes changed, between two
    rows, so they are compared. Classes are looked at when it is bound.

    :param serializer: the serializer
    :param is_first: whether it is to represent its first object
    """

    __slots__ = (
        "_compiled",
        "_fields",
        "_is_first",
        "_misses",
        "_size",
        "binding",
        "find",
        "generation",
        "is_single",
        "runs_as_stock",
        "was_bound",
    )

    def __init__(self, serializer: Any, *, is_first: bool) -> None:
        self.find = weakref.ref(serializer)
        self.generation = generations.current
        self.binding: BoundProgram | None = None
        self.is_single = False
        """Whether it is bound for rows that come one by one."""
        self.was_bound = False
        """Whether it was bound, for a list or a row at least."""
        self.runs_as_stock = False
        """Whether rows that come one by one are not worth another look."""
        self._is_first = is_first
        self._misses = self._size = 0
        self._compiled: CompiledState | None = None
        """What its fields were like; None if there were none."""

    def bind(
        self, serializer: Any, known: CompiledState | None, objects: int, *, is_single: bool
    ) -> BoundProgram | None:
        """Return what represents objects by the serializer; None if stock must.

        :param known: what it runs without fields
        :param is_single: whether its rows come one by one
        """
        self.binding, self.is_single = None, is_single
        if self._misses > _MOST_CHANGES:
            self.runs_as_stock = is_single
            return None
        if known is not None:
            self._compiled, self._size = None, len(serializer.__dict__)
            self.binding = BoundProgram(known.program, bound_pending(known, self.find, objects))
        else:
            self._bind_made(serializer, objects)
        self.was_bound |= self.binding is not None
        return self.binding

    def _bind_made(self, serializer: Any, objects: int) -> None:
        """Do the same for a serializer that has made its fields, or must."""
        if self.is_single and hasattr(type(type(serializer).fields), "__set__"):
            self.runs_as_stock = True  # a property: its fields are asked for by each row
            return
        self._fields: list[Any] = readable_fields(serializer)
        is_first, self._is_first = self._is_first, False
        if self.is_single and not _are_worth_comparing(self._fields, is_first=is_first):
            class_state(type(serializer)).spares_first_objects |= is_first
            self.runs_as_stock = not is_first
            return
        known = class_state(type(serializer)).compiled(serializer, self._fields, objects)
        if known is None:
            self._misses = _MOST_CHANGES + 1
            return
        bound = BoundSerializer(
            self.find, self._fields, self._fields, rows=objects, is_one_at_a_time=self.is_single
        )
        self.binding, self._compiled = BoundProgram(known.program, bound), known

    def is_current(self, serializer: Any) -> bool:
        """Return whether the serializer is as it was when it was bound."""
        own = serializer.__dict__
        if self.generation is not generations.current or self.find() is not serializer:
            return False
        compiled = self._compiled
        if compiled is None:
            if len(own) != self._size or has_made_fields(serializer):
                if not is_still_pending(serializer):
                    return False
                self._size = len(own)
            return True
        fields = self._fields
        if readable_fields(serializer) == fields and compiled.snapshot.is_like(fields):
            return True
        self._misses += 1
        return False


def _are_worth_comparing(fields: list[Any], *, is_first: bool) -> bool:
    """Return whether fields are worth comparing and binding for an object, of which more may come.

    :param is_first: whether it is the first object of its serializer
    """
    few = thresholds.fields_worth_binding if is_first else thresholds.values_worth_comparing["dump"]
    return len(fields) >= few or any(isinstance(field, BaseSerializer) for field in fields)


def find_binding(serializer: Any, rows: int) -> BoundProgram | None:
    """Return what represents a list of objects by a stock serializer, if that pays; None if stock
    must.

    :param rows: how many rows are to be represented
    """
    return _find_binding(serializer, rows, is_single=False)


def find_binding_for_row(serializer: Any) -> BoundProgram | None:
    """Return the same for one row, of which more may come one by one."""
    state = serializer.__dict__.get(ATTRIBUTE)
    # This first, as it is asked for each row.
    if type(state) is SerializerState and state.is_single and state.is_current(serializer):
        return state.binding
    return _find_binding(serializer, 1, is_single=True)


def _find_binding(serializer: Any, objects: int, *, is_single: bool) -> BoundProgram | None:
    own = serializer.__dict__
    state = own.get(ATTRIBUTE)
    # A copy of a serializer has the state of the original.
    if (
        type(state) is SerializerState
        and state.find() is serializer
        and state.generation is generations.current
    ):
        if (
            state.binding is not None
            and state.is_single is is_single
            and state.is_current(serializer)
        ):
            return state.binding
        return state.bind(serializer, state_of_pending(serializer), objects, is_single=is_single)
    of_class = class_state(type(serializer))
    if not of_class.is_in_use(objects):
        return None
    known = state_of_pending(serializer)
    if state is None and known is not None and known.idle is not None:
        own[ATTRIBUTE] = FIRST_COMPILED
        return ReusedBoundProgram.to(known, known.idle, serializer, objects)
    # More rows come of the child of a list.
    is_first = state is None and serializer.parent is None
    if is_first and is_single and of_class.spares_first_objects and known is None:
        own[ATTRIBUTE] = FIRST_BY_STOCK
        return None
    state = own[ATTRIBUTE] = SerializerState(serializer, is_first=is_first)
    return state.bind(serializer, known, objects, is_single=is_single)
