"""What is known of one serializer object, from row to row."""

from __future__ import annotations

import weakref
from typing import Any

from rest_framework.serializers import BaseSerializer, Serializer

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.class_state import (
    Reading,
    class_state,
    follows_its_class,
    has_made_fields,
    pending,
)
from fastschema.contrib.django.schema_reader import readable_fields
from fastschema.contrib.django.subjects import Subject, pending_subject
from fastschema.runtime import policy
from fastschema.runtime.binding import Binding
from fastschema.runtime.guard import ATTRIBUTE, State, readings

# So that a serializer of which nothing is known says so at the price of any attribute.
setattr(Serializer, ATTRIBUTE, None)

_MOST_MISSES = 2
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
        "_fields",
        "_is_first",
        "_misses",
        "_reading",
        "_size",
        "_url_name",
        "binding",
        "find",
        "generation",
        "is_single",
        "runs_as_stock",
        "was_bound",
    )

    def __init__(self, serializer: Any, *, is_first: bool) -> None:
        self.find = weakref.ref(serializer)
        self.generation = readings.current
        self.binding: Binding | None = None
        self.is_single = False
        """Whether it is bound for rows that come one by one."""
        self.was_bound = False
        """Whether it was bound, for a list or a row at least."""
        self.runs_as_stock = False
        """Whether rows that come one by one are not worth another look."""
        self._is_first = is_first
        self._misses = self._size = 0
        self._url_name: str | None = None
        self._reading: Reading | None = None
        """What its fields were like; None if there were none."""

    def bind(self, serializer: Any, objects: int, *, is_single: bool) -> Binding | None:
        """What represents objects by the serializer; None if stock must.

        :param is_single: whether its rows come one by one
        """
        self.binding, self.is_single = None, is_single
        if self._misses > _MOST_MISSES:
            self.runs_as_stock = is_single
            return None
        known = pending(serializer)
        if known is not None:
            own = serializer.__dict__
            self._reading, self._size, self._url_name = None, len(own), own.get("url_field_name")
            self.binding = Binding(known.program, pending_subject(known, self.find, objects))
        else:
            self._bind_made(serializer, objects)
        self.was_bound |= self.binding is not None
        return self.binding

    def _bind_made(self, serializer: Any, objects: int) -> None:
        """The same for a serializer that has made its fields, or must."""
        if self.is_single and hasattr(type(type(serializer).fields), "__set__"):
            self.runs_as_stock = True  # a property: its fields are asked for by each row
            return
        self._fields: list[Any] = readable_fields(serializer)
        is_first, self._is_first = self._is_first, False
        if self.is_single and not _are_worth_comparing(self._fields, is_first=is_first):
            class_state(type(serializer)).spares_first_objects |= is_first
            self.runs_as_stock = not is_first
            return
        try:
            reading = class_state(type(serializer)).reading(serializer, self._fields, objects)
        except UnreadableError:
            self._misses = _MOST_MISSES + 1
            return
        subject = Subject(
            self.find, self._fields, self._fields, rows=objects, is_by_row=self.is_single
        )
        self.binding, self._reading = Binding(reading.program, subject), reading

    def holds(self, serializer: Any) -> bool:
        """Whether the serializer is as it was when it was bound."""
        own = serializer.__dict__
        if self.generation is not readings.current or self.find() is not serializer:
            return False
        reading = self._reading
        if reading is None:
            is_other = len(own) != self._size or has_made_fields(serializer)
            if is_other or own.get("url_field_name") is not self._url_name:
                if has_made_fields(serializer) or not follows_its_class(serializer):
                    return False
                self._size, self._url_name = len(own), own.get("url_field_name")
            return True
        fields = self._fields
        if readable_fields(serializer) == fields and reading.snapshot.is_like(fields):
            return True
        self._misses += 1
        return False


def _are_worth_comparing(fields: list[Any], *, is_first: bool) -> bool:
    """Whether fields are worth comparing and binding for an object, of which more may come.

    :param is_first: whether it is the first object of its serializer
    """
    least = policy.fields_worth_binding if is_first else policy.fields_worth_comparing
    return len(fields) >= least or any(isinstance(field, BaseSerializer) for field in fields)


def find_binding(serializer: Any, rows: int) -> Binding | None:
    """What represents a list of objects by a stock serializer, if that pays; None if stock must.

    :param rows: how many rows are to be represented
    """
    return _find_binding(serializer, rows, is_single=False)


def find_binding_for_row(serializer: Any) -> Binding | None:
    """The same for one row, of which more may come one by one."""
    state = serializer.__dict__.get(ATTRIBUTE)
    # This first, as it is asked for each row.
    if type(state) is SerializerState and state.is_single and state.holds(serializer):
        return state.binding
    return _find_binding(serializer, 1, is_single=True)


def _find_binding(serializer: Any, objects: int, *, is_single: bool) -> Binding | None:
    own = serializer.__dict__
    state = own.get(ATTRIBUTE)
    # A copy of a serializer has the state of the original.
    if (
        type(state) is SerializerState
        and state.find() is serializer
        and state.generation is readings.current
    ):
        if state.binding is not None and state.is_single is is_single and state.holds(serializer):
            return state.binding
        return state.bind(serializer, objects, is_single=is_single)
    known = class_state(type(serializer))
    if not known.is_in_use(objects):
        return None
    # More rows come of the child of a list.
    is_first = state is None and serializer.parent is None
    is_spared = is_first and is_single and known.spares_first_objects
    if is_spared and (has_made_fields(serializer) or known.pending() is None):
        own[ATTRIBUTE] = False
        return None
    state = own[ATTRIBUTE] = SerializerState(serializer, is_first=is_first)
    return state.bind(serializer, objects, is_single=is_single)
