"""What is known of one serializer object, from row to row."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

from rest_framework.serializers import BaseSerializer, Serializer

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.construction import blueprint_of, makes_fields_as_its_class_says
from fastschema.contrib.django.later_fields import has_made_fields
from fastschema.contrib.django.schema_reader import read, readable_fields
from fastschema.contrib.django.subjects import LaterFields, Subject, named
from fastschema.runtime import policy
from fastschema.runtime.binding import Binding
from fastschema.runtime.guard import ATTRIBUTE, Guard, State, readings

# So that a serializer of which nothing is known says so at the price of any attribute.
setattr(Serializer, ATTRIBUTE, None)

_FIELDS = Serializer.fields
_MOST_MISSES = 2
"""A serializer whose fields have changed so often since they were read runs as stock."""


class SerializerState(State):
    """What is known of one serializer object.

    One that represents rows one by one (its own ``to_representation`` calls ``super()``, say) stays
    bound from row to row. Its fields may be replaced, and their attributes changed, between two
    rows, so they are compared. Classes are looked at when it is bound.

    :param serializer: the serializer
    """

    __slots__ = (
        "_fields",
        "_guard",
        "_misses",
        "_size",
        "_url_name",
        "binding",
        "find",
        "generation",
        "is_single",
        "rows",
        "runs_as_stock",
        "was_bound",
    )

    def __init__(self, serializer: Any) -> None:
        self.find = weakref.ref(serializer)
        self.generation = readings.current
        self.rows = 0
        """How many rows were represented before it was read."""
        self.binding: Binding | None = None
        self.is_single = False
        """Whether it is bound for rows that come one by one."""
        self.was_bound = False
        """Whether it was bound, for a list or a row at least."""
        self._misses = 0
        self.runs_as_stock = False
        """Whether rows that come one by one are not worth another look."""

    def bind(self, serializer: Any, *, is_single: bool) -> Binding | None:
        """What represents objects by the serializer, if that pays; None if stock must.

        :param is_single: whether its rows come one by one
        """
        own = serializer.__dict__
        self.is_single = False
        if is_single and self._misses > _MOST_MISSES:
            self.runs_as_stock = True
            return None
        is_worth = policy.is_worth_reading if is_single else policy.is_list_worth_reading
        is_worth_reading = is_worth(self.rows)
        blueprint = blueprint_of(serializer, is_few=not is_worth_reading)
        if blueprint is not None:
            find = partial(named, self.find)
            later = LaterFields(self.find, blueprint)
            subject = Subject(find, blueprint.fields, later, rows=self.rows)
            self.binding = Binding(blueprint.program, subject)
            self.is_single = is_single
            self._guard: Guard | None = None
            self._size, self._url_name = len(own), own.get("url_field_name")
            blueprint.objects += not is_worth_reading
            self.was_bound = True
            return self.binding
        if self._misses > _MOST_MISSES or not is_worth_reading:
            return None
        if is_single and type(serializer).fields is not _FIELDS:
            self.runs_as_stock = True  # its fields are asked for by each row
            return None
        guard = Guard()
        fields = readable_fields(serializer)
        if is_single and not _are_worth_comparing(fields):
            self.runs_as_stock = True
            return None
        self._fields: list[Any] = fields
        try:
            program = read(serializer, fields, guard)
        except UnreadableError:
            self._misses = _MOST_MISSES + 1
            return None
        subject = Subject(self.find, fields, fields, rows=self.rows, is_by_row=is_single)
        binding = Binding(program, subject)
        self.was_bound = True
        if guard.is_lasting:
            self.binding, self._guard = binding, guard
            self.is_single = is_single
        else:
            self._misses += 1
        return binding

    def holds(self, serializer: Any) -> bool:
        """Whether the serializer still reads as it did when it was bound."""
        own = serializer.__dict__
        if self.generation is not readings.current or self.find() is not serializer:
            return False
        guard = self._guard
        if guard is None:
            is_other = len(own) != self._size or has_made_fields(serializer)
            if is_other or own.get("url_field_name") is not self._url_name:
                if not makes_fields_as_its_class_says(serializer):
                    return False
                self._size, self._url_name = len(own), own.get("url_field_name")
        elif (
            readable_fields(serializer) != self._fields
            or not guard.objects_hold()
            or not guard.fields_hold(self._fields)
        ):
            self._misses += 1
            return False
        return True


def _are_worth_comparing(fields: list[Any]) -> bool:
    return len(fields) >= policy.fields_worth_comparing or any(
        isinstance(field, BaseSerializer) for field in fields
    )


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


def _find_binding(serializer: Any, rows: int, *, is_single: bool) -> Binding | None:
    own = serializer.__dict__
    state = own.get(ATTRIBUTE, 0)
    if type(state) is SerializerState:
        if state.binding is not None and state.is_single is is_single and state.holds(serializer):
            return state.binding
        state.binding = None
    # A copy of a serializer has the state of the original.
    if (
        type(state) is not SerializerState
        or state.find() is not serializer
        or state.generation is not readings.current
    ):
        before = state if type(state) is int else 0
        state = own[ATTRIBUTE] = SerializerState(serializer)
        state.rows = before
    state.rows += rows
    return state.bind(serializer, is_single=is_single)
