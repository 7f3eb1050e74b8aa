"""Bound serializers: what the program of a serializer needs to run, from row to row."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.access import rows
from fastschema.contrib.django.front_end.class_state import (
    CompiledState,
    class_state,
    has_made_fields,
    is_still_pending,
    made_fields,
    state_of_pending,
    unseen_field,
)
from fastschema.contrib.django.front_end.customization import (
    STOCK_TO_REPRESENTATION,
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.json_encoding import json_value
from fastschema.contrib.django.front_end.schema_reader import read, readable_fields
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import (
    MOST_IDLE,
    BoundProgram,
    CallDumper,
    Dispatch,
    Dispatcher,
    NestedDumper,
)
from fastschema.runtime.guard import ATTRIBUTE, State, readings
from fastschema.runtime.programs import DumpProgram


class BoundSerializer:
    """What the slots of a program resolve from: one serializer and its fields.

    :param find: gives the serializer; called when it is needed
    :param options: fields like its own, of which only options are read
    :param fields: its own fields, or what makes them when one of them is needed
    :param outer: the subject of the serializer in which this one is nested
    :param rows: how many rows are to be represented at least
    :param is_by_row: whether nested serializers represent by themselves: they may change between
        two rows
    """

    __slots__ = ("_outer", "captured", "fields", "find", "is_by_row", "options", "rows")

    def __init__(
        self,
        find: Callable[[], Any],
        options: list[Any],
        fields: Any,
        outer: BoundSerializer | None = None,
        rows: int = 1,
        *,
        is_by_row: bool = False,
    ) -> None:
        self.find = find
        self.options = options
        self.fields = fields
        self._outer = outer
        self.rows: int = rows if outer is None else outer.rows
        self.is_by_row = is_by_row
        self.captured: Any = None
        """What keeps values for whoever asks for data later; see ``lists.captured_values``."""

    @property
    def serializer(self) -> Any:
        """The serializer itself."""
        return self.find()

    @property
    def is_nested(self) -> bool:
        """Whether the serializer is nested in another one that is dumped."""
        return self._outer is not None

    @property
    def context(self) -> Any:
        """What ``Field.context`` gives in this serializer and in all that is nested in it."""
        if self._outer is not None:
            return self._outer.context
        root = self.serializer
        while root.parent is not None:
            root = root.parent
        return getattr(root, "_context", {})

    def link(self, get: Callable[[Any], Any], form: Form) -> NestedDumper:
        """Return the link to the serializer of a nested field.

        :param get: finds the field in a list of fields
        """
        return NestedDumper(partial(_nested_dispatch, self, get, form))


class FieldsByNumber(dict[int, Any]):
    """The fields of a serializer that has not made them, by their numbers: made when one is needed.

    :param find: gives the serializer
    :param like: the exemplar's fields
    :raises RuntimeError: as stock, if a field is not there any more
    """

    __slots__ = ("_find", "_like")

    def __init__(self, find: Callable[[], Any], like: list[Any]) -> None:
        self._find = find
        self._like = like

    def __missing__(self, number: int) -> Any:
        field = self[number] = unseen_field(self._find(), self._like[number].field_name)
        return field


def pending_subject(
    known: CompiledState, find: Callable[[], Any], rows: int, outer: BoundSerializer | None = None
) -> BoundSerializer:
    """Return the subject of a serializer that has not made its fields.

    :param known: what it runs
    :param find: gives the serializer
    """
    return BoundSerializer(find, known.fields, FieldsByNumber(find, known.fields), outer, rows)


class ReusedBoundProgram(BoundProgram):
    """A program bound to one pending serializer after the other, to each for a row or a list.

    To bind a program takes about as long as to represent an object of a few fields, and serializers
    that nobody has looked at are all alike: so the next one takes over what the one before was
    bound to. In between it holds nothing of a serializer.

    :param known: what they run; their values are plain data
    :param idle: where it waits for the next one
    """

    __slots__ = ("_current", "_idle", "subject")
    subject: BoundSerializer

    def __init__(self, known: CompiledState, idle: list[ReusedBoundProgram]) -> None:
        self._current = _CurrentSerializer()
        fields = FieldsByNumber(self._current, known.fields)
        super().__init__(known.program, BoundSerializer(self._current, known.fields, fields))
        self._idle = idle

    @classmethod
    def to(
        cls, known: CompiledState, idle: list[ReusedBoundProgram], serializer: Any, rows: int
    ) -> ReusedBoundProgram:
        """Return one that nobody uses, bound to a serializer for so many rows."""
        try:
            binding = idle.pop()
        except IndexError:
            binding = cls(known, idle)
        binding._current.serializer = serializer
        binding.subject.rows = rows
        return binding

    def checkout(self) -> Dispatch:
        """Return a dispatch for one row; another serializer may have had it before."""
        return self.begin(Form.PYTHON)

    def end(self, dispatch: Dispatch) -> None:
        """End a row or a list: another serializer may have the binding."""
        dispatch.let_go()
        dispatch.end()
        self._current.serializer = None
        self.subject.fields.clear()
        if len(self._idle) < MOST_IDLE:
            self._idle.append(self)

    checkin = end


class _CurrentSerializer:
    """Gives the serializer by which a :class:`ReusedBoundProgram` represents just now."""

    __slots__ = ("serializer",)

    def __init__(self) -> None:
        self.serializer: Any = None

    def __call__(self) -> Any:
        return self.serializer


def link_to(serializer: Any, form: Form) -> NestedDumper:
    """Return the link to a serializer: its fields are not looked at before there is a first row."""
    return NestedDumper(partial(_dispatch_like, serializer, form, lambda: serializer))


def dispatch_for(
    like: Any,
    form: Form,
    find: Callable[[], Any] | None = None,
    outer: BoundSerializer | None = None,
) -> Dispatch:
    """Return the dispatch for one dump of many rows by a serializer.

    :param like: the serializer, or one like it
    :param find: gives the serializer itself
    :param outer: the subject of the serializer in which it is nested
    :raises UnreadableError: if the serializer cannot be compiled
    """
    find = find or (lambda: like)
    rows = thresholds.MANY if outer is None else outer.rows
    is_made = outer is not None and _is_nested_made(like, outer)
    known = None if is_made else state_of_pending(like)
    if known is not None:
        return Dispatch(known.program, form, pending_subject(known, find, rows, outer))
    serializer = find()
    fields = readable_fields(serializer)
    reading = class_state(type(serializer)).reading(serializer, fields, rows)
    if reading is None:
        raise UnreadableError("its fields differ from object to object")
    subject = BoundSerializer(lambda: serializer, fields, fields, outer, rows)
    return Dispatch(reading.program, form, subject)


def read_now(serializer: Any) -> tuple[DumpProgram, list[Any]]:
    """Return the program of a serializer as it is now, and its own fields that are dumped.

    :raises UnreadableError: if the serializer cannot be compiled
    """
    fields = readable_fields(serializer)
    return read(serializer, fields), fields


def bound_now(serializer: Any) -> BoundProgram:
    """Return what represents rows by a serializer as it is now.

    :raises UnreadableError: if the serializer cannot be compiled
    """
    program, fields = read_now(serializer)
    subject = BoundSerializer(lambda: serializer, fields, fields, rows=thresholds.MANY)
    return BoundProgram(program, subject)


def _nested_dispatch(subject: BoundSerializer, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """Return the dispatch of a nested serializer, single or many."""
    if subject.is_by_row:
        return _by(lambda value: get(subject.fields).to_representation(value), form)
    field = get(subject.options)
    if not isinstance(field, ListSerializer):
        return _dispatch_like(field, form, lambda: get(subject.fields), subject)
    if is_stock_list(field) and is_stock_serializer(field.child):
        find = partial(
            _dispatch_like, field.child, form, lambda: get(subject.fields).child, subject
        )
        child = NestedDumper(find)
        return CallDumper(lambda data: child.many(rows(data)), child, is_stock=False)
    return _by(get(subject.fields).to_representation, form)


def _dispatch_like(
    like: Any, form: Form, find: Callable[[], Any], outer: BoundSerializer | None = None
) -> Dispatcher:
    """Return what represents by a serializer; the parameters are those of :func:`dispatch_for`."""
    if not is_stock_serializer(like):
        return _by(find().to_representation, form)
    try:
        return dispatch_for(like, form, find, outer)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, find()), form)


def _is_nested_made(like: Any, outer: BoundSerializer) -> bool:
    """Whether a nested serializer is there already, with fields that somebody may have changed.

    :param like: it, one like it, or the child of a list
    """
    if outer.options is outer.fields:
        return has_made_fields(like)
    if outer.is_nested:
        return False
    made = made_fields(outer.serializer).get(like.field_name or like.parent.field_name)
    return made is not None and has_made_fields(getattr(made, "child", made))


def _by(represent_value: Callable[[Any], Any], form: Form) -> Dispatcher:
    return CallDumper(represent_value, convert=json_value if form is Form.JSON else None)


# So that a serializer of which nothing is known says so at the price of any attribute.
setattr(Serializer, ATTRIBUTE, None)
FIRST_BY_STOCK = State()
"""Hangs on a serializer of which stock represented the first object: there may be no other."""

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
        "_fields",
        "_is_first",
        "_misses",
        "_reading",
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
        self.generation = readings.current
        self.binding: BoundProgram | None = None
        self.is_single = False
        """Whether it is bound for rows that come one by one."""
        self.was_bound = False
        """Whether it was bound, for a list or a row at least."""
        self.runs_as_stock = False
        """Whether rows that come one by one are not worth another look."""
        self._is_first = is_first
        self._misses = self._size = 0
        self._reading: CompiledState | None = None
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
            self._reading, self._size = None, len(serializer.__dict__)
            self.binding = BoundProgram(known.program, pending_subject(known, self.find, objects))
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
        reading = class_state(type(serializer)).reading(serializer, self._fields, objects)
        if reading is None:
            self._misses = _MOST_CHANGES + 1
            return
        subject = BoundSerializer(
            self.find, self._fields, self._fields, rows=objects, is_by_row=self.is_single
        )
        self.binding, self._reading = BoundProgram(reading.program, subject), reading

    def is_current(self, serializer: Any) -> bool:
        """Whether the serializer is as it was when it was bound."""
        own = serializer.__dict__
        if self.generation is not readings.current or self.find() is not serializer:
            return False
        reading = self._reading
        if reading is None:
            if len(own) != self._size or has_made_fields(serializer):
                if not is_still_pending(serializer):
                    return False
                self._size = len(own)
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
        and state.generation is readings.current
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
        own[ATTRIBUTE] = known
        return ReusedBoundProgram.to(known, known.idle, serializer, objects)
    # More rows come of the child of a list.
    is_first = state is None and serializer.parent is None
    if is_first and is_single and of_class.spares_first_objects and known is None:
        own[ATTRIBUTE] = FIRST_BY_STOCK
        return None
    state = own[ATTRIBUTE] = SerializerState(serializer, is_first=is_first)
    return state.bind(serializer, known, objects, is_single=is_single)
