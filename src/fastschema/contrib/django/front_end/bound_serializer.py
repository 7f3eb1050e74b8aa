"""Bound serializers: what the program of a serializer needs to run, from row to row.

What hangs on a serializer, on its class and on its fields, is

- ``_fastschema``: None until the serializer has represented something; then :data:`COMPILED` or
  :data:`RUNS_AS_STOCK`, or, from the second object or list on, a :class:`BoundState`. If its fields
  are made, a :class:`FewRows`, and a :class:`MadeState` after those.
- ``_fastschema_fields``, ``_fastschema_seen``: fields that nobody has looked at (``made_fields``).
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
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.access import rows
from fastschema.contrib.django.front_end.class_state import (
    DUMPING,
    CompiledState,
    SerializerClassState,
    class_state,
    is_still_pending,
    state_of_pending,
    unseen_field,
)
from fastschema.contrib.django.front_end.customization import (
    STOCK_TO_REPRESENTATION,
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.json_encoding import json_value
from fastschema.contrib.django.front_end.made_fields import (
    UNSEEN,
    FewRows,
    MadeState,
    has_made_fields,
    made_fields,
)
from fastschema.contrib.django.front_end.schema_reader import read, readable_fields
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import (
    MOST_IDLE,
    NOT_FOUND,
    BoundProgram,
    CallDumper,
    Dispatch,
    Dispatcher,
    NestedDumper,
)
from fastschema.runtime.guard import STATE_KEY, State, generations
from fastschema.runtime.programs import DumpProgram
from fastschema.statistics import recorder

# The default, so that ``serializer._fastschema`` never raises.
setattr(Serializer, STATE_KEY, None)
_MOST_CHANGES = 4
"""A serializer whose fields have changed so often from row to row runs as stock."""
COMPILED, RUNS_AS_STOCK = State(), State()
"""Hang on a serializer that has represented by generated code, and on one whose rows, if they come
one by one, are left to stock."""


class BoundSerializer:
    """What the slots of a program resolve from: one serializer and its fields.

    :param find: gives the serializer; called when it is needed
    :param exemplar_fields: the exemplar's fields, of which only options are read; its own if it has
        made them
    :param fields: its own fields, or what makes them when one of them is needed
    :param outer: the serializer in which this one is nested, bound
    :param compiled: what it runs, if serializers that are alike share that
    :param is_alone: whether its class is not in use; what is nested in it need not be either, then
    """

    __slots__ = ("compiled", "exemplar_fields", "fields", "find", "is_alone", "nested", "outer")

    def __init__(
        self,
        find: Callable[[], Any],
        exemplar_fields: list[Any],
        fields: Any,
        outer: BoundSerializer | None = None,
        compiled: CompiledState | None = None,
        *,
        is_alone: bool = False,
    ) -> None:
        self.compiled = compiled
        self.find = find
        self.exemplar_fields = exemplar_fields
        self.fields = fields
        self.outer = outer
        self.is_alone: bool = is_alone if outer is None else outer.is_alone
        self.nested: dict[int, Dispatch | None] = {}
        """What :meth:`nested_dispatch` has returned, by the numbers of fields."""

    @property
    def is_shared(self) -> bool:
        """Whether what its program is bound to is the same for all serializers that are alike."""
        is_pending = type(self.fields) is FieldsByNumber
        return is_pending and self.compiled is not None and self.compiled.idle is not None

    def for_one_list(self) -> BoundSerializer:
        """Return the same, which finds nested serializers anew."""
        fields = self.exemplar_fields, self.fields
        is_alone = self.is_alone
        return BoundSerializer(self.find, *fields, self.outer, self.compiled, is_alone=is_alone)

    def nested_dispatch(self, number: int, form: Form) -> Dispatch | None:
        """Return what dumps each object of a nested serializer, the same for a whole list.

        :param number: that of its field
        :param form: the form of the list's output
        :returns: None if it runs as stock; or if its fields are still to be made, and code of users
            takes part in that: stock makes them when there is an object
        """
        if number not in self.nested:
            self.nested[number] = _known_nested(self, number, form)
        return self.nested[number]

    @property
    def serializer(self) -> Any:
        """The serializer itself."""
        return self.find()

    @property
    def context(self) -> Any:
        """What ``Field.context`` gives in this serializer and in all that is nested in it."""
        if self.outer is not None:
            return self.outer.context
        root = self.serializer
        while root.parent is not None:
            root = root.parent
        return getattr(root, "_context", {})

    def nested_dumper(self, get: Callable[[Any], Any], form: Form) -> NestedDumper:
        """Return what dumps the values of a nested field.

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


def bound_pending(
    known: CompiledState, find: Callable[[], Any], outer: BoundSerializer | None = None
) -> BoundSerializer:
    """Return a serializer that has not made its fields, bound.

    :param known: what it runs
    :param find: gives the serializer
    """
    return BoundSerializer(find, known.fields, FieldsByNumber(find, known.fields), outer, known)


class ReusedBoundProgram(BoundProgram):
    """A program bound to one pending serializer after the other, to each for a row or a list.

    To bind a program takes about as long as to represent an object of a few fields, and serializers
    that nobody has looked at are all alike: so the next one takes over what the one before was
    bound to, and so it is with what is nested in them. In between it holds nothing of a serializer.

    :param known: what they run; their values are plain data
    :param idle: where it waits for the next one
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
        """Return the same for one row."""
        return self.begin(Form.PYTHON)

    def take_back(self, dispatch: Dispatch) -> None:
        """Keep a dispatch after a row or a list: another serializer may have the next one."""
        _release(dispatch)
        super().take_back(dispatch)
        self._serializer = None
        if len(self._waiting) < MOST_IDLE:
            self._waiting.append(self)


def _release(dispatch: Dispatch) -> bool:
    """Forget the serializer of a dispatch, and those nested in it, for the next ones like them.

    What is nested is dropped if not all of it is plain, at any depth, and with it the functions of
    the dispatches around it, which have found it.

    :returns: whether it is kept
    """
    dispatch.bound_schema.fields.clear()
    for nested in dispatch.nested:
        found = nested.found
        if type(found) is CallDumper and found.inner is not None:
            found = found.inner.found
        is_kept = type(found) is Dispatch and found.bound_schema.is_shared and _release(found)
        if not is_kept and found is not NOT_FOUND:
            dispatch.drop_nested()
            return False
    return True


class BoundState(State):
    """What represents by a serializer that has made no fields, from its second object or list on.

    (It is nested in one that runs as stock, say, or its own ``to_representation`` calls ``super()``
    for each row.)

    :param serializer: the serializer
    :param known: what it runs
    """

    __slots__ = ("_find", "_generation", "_size", "bound_program")

    def __init__(self, serializer: Any, known: CompiledState) -> None:
        self._find = weakref.ref(serializer)
        self._generation = generations.current
        self._size = len(serializer.__dict__)
        self.bound_program = BoundProgram(known.program, bound_pending(known, self._find))

    def is_current(self, serializer: Any) -> bool:
        """Return whether the serializer is as it was when it was bound, and no copy of that."""
        if self._generation is not generations.current or self._find() is not serializer:
            return False
        own = serializer.__dict__
        if len(own) != self._size or "fields" in own:
            self._size = len(own)
            return is_still_pending(serializer)
        return True


def mark_compiled(serializer: Any) -> None:
    """Let a serializer know that generated code represents by it."""
    own = serializer.__dict__
    if type(own.get(STATE_KEY)) not in (BoundState, MadeState):
        own[STATE_KEY] = COMPILED


def find_bound_program(serializer: Any, rows: int | None) -> BoundProgram | None:
    """Count objects, and return what represents them by a stock serializer.

    None if stock must represent them, or takes less time.

    :param rows: how many objects are to be represented; None: one, and perhaps many more
    """
    own = serializer.__dict__
    state = own.get(STATE_KEY)
    # This first, as it is asked for each row of many that come one by one.
    if type(state) is BoundState and state.is_current(serializer):
        return state.bound_program
    if type(state) is MadeState and rows == 1 and state.is_current(serializer):
        return state.bound_program
    of_class = class_state(type(serializer))
    if of_class.has_unreadable_fields:
        own[STATE_KEY] = RUNS_AS_STOCK
        return None
    objects = 1 if rows is None else rows
    before = state if type(state) is FewRows else None
    is_list = rows != 1 and (serializer.parent is None or serializer.parent.parent is None)
    of_class.count_by(serializer, objects + (before.uncounted if before else 0), is_list=is_list)
    objects += before.rows if before else 0
    known = state_of_pending(serializer) if of_class.is_in_use else None
    if known is None:
        is_known = rows is None or type(state) is MadeState
        is_worth_comparing = is_known or objects >= thresholds.rows_worth_comparing
        if not (of_class.is_worth_reading(objects) and is_worth_comparing):
            own[STATE_KEY] = FewRows(objects, is_nested=serializer.parent is not None)
            return None
        return _find_made(serializer, of_class, rows)
    # There may be no other object. What it has made already, its like have not.
    if state is None and known.idle is not None and UNSEEN not in own:
        own[STATE_KEY] = COMPILED
        return ReusedBoundProgram.to(known, known.idle, serializer)
    own[STATE_KEY] = state = BoundState(serializer, known)
    return state.bound_program


def _find_made(
    serializer: Any, of_class: SerializerClassState, rows: int | None
) -> BoundProgram | None:
    """Return the same for a serializer that has made its fields, or must."""
    own = serializer.__dict__
    changes = own[STATE_KEY].changes + 1 if type(own.get(STATE_KEY)) is MadeState else 0
    own[STATE_KEY] = RUNS_AS_STOCK
    if changes > _MOST_CHANGES:
        return None
    try:
        fields = readable_fields(serializer)
    except UnreadableError:
        of_class.has_unreadable_fields = True
        return None
    known = of_class.of_made(DUMPING, serializer, fields, is_worth_reading=True)
    if known is None:
        return None
    is_alone = not of_class.is_in_use
    bound = BoundSerializer(lambda: serializer, fields, fields, compiled=known, is_alone=is_alone)
    bound_program = BoundProgram(known.program, bound)
    own[STATE_KEY] = COMPILED
    if rows == 1:  # there will be more
        with suppress(UnreadableError):
            own[STATE_KEY] = MadeState(serializer, known.snapshot, bound_program, changes)
    return bound_program


def nested_dumper_of(serializer: Any, form: Form) -> NestedDumper:
    """Return what dumps by a serializer, whose fields it looks at when there is a first row."""
    return NestedDumper(partial(_dispatch_like, serializer, form, lambda: serializer))


def dispatch_for(
    like: Any,
    form: Form,
    find: Callable[[], Any] | None = None,
    outer: BoundSerializer | None = None,
    *,
    is_alone: bool = False,
) -> Dispatch:
    """Return the dispatch for one dump of many rows by a serializer.

    :param like: the serializer, or one like it
    :param find: gives the serializer itself
    :param outer: the serializer in which it is nested, bound
    :param is_alone: see :class:`BoundSerializer`
    :raises UnreadableError: if the serializer cannot be compiled
    """
    find = find or (lambda: like)
    dispatch = _dispatch_of_known(like, form, find, outer, is_alone=is_alone)
    if dispatch is not None:
        return dispatch
    serializer = find()
    _ = readable_fields(serializer)  # made, as stock makes them for the first object
    dispatch = _dispatch_of_known(serializer, form, find, outer, is_alone=is_alone)
    if dispatch is None:
        raise UnreadableError("its fields differ from object to object")
    return dispatch


def _dispatch_of_known(
    like: Any,
    form: Form,
    find: Callable[[], Any],
    outer: BoundSerializer | None,
    *,
    is_alone: bool = False,
) -> Dispatch | None:
    """Return the dispatch of a serializer whose fields are made, or are those of its class.

    No code of users runs. None if it must make its fields, or stock must dump; the parameters are
    those of :func:`dispatch_for`.
    """
    is_made = has_made_fields(like) or (outer is not None and _is_nested_made(like, outer))
    is_alone = is_alone if outer is None else outer.is_alone
    needs_own = is_made or (is_alone and not class_state(type(like)).is_in_use)
    known = None if needs_own else state_of_pending(like)
    if known is not None:
        return Dispatch(known.program, form, bound_pending(known, find, outer))
    if not is_made:
        return None
    serializer = find()
    try:
        fields = readable_fields(serializer)
    except UnreadableError:
        return None
    of_class = class_state(type(serializer))
    known = of_class.of_made(DUMPING, serializer, fields, is_worth_reading=True)
    if known is None:
        return None
    bound = BoundSerializer(lambda: serializer, fields, fields, outer, known, is_alone=is_alone)
    return Dispatch(known.program, form, bound)


def _known_nested(outer: BoundSerializer, number: int, form: Form) -> Dispatch | None:
    field = outer.exemplar_fields[number]
    if not isinstance(field, ListSerializer):
        if not is_stock_serializer(field):
            return None
        return _dispatch_of_known(field, form, lambda: outer.fields[number], outer)
    if not dumps_each(field):
        return None
    return _dispatch_of_known(field.child, form, lambda: outer.fields[number].child, outer)


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
    bound = BoundSerializer(lambda: serializer, fields, fields)
    return BoundProgram(program, bound)


def _nested_dispatch(outer: BoundSerializer, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """Return the dispatch of a nested serializer, single or many."""
    field = get(outer.exemplar_fields)
    if not isinstance(field, ListSerializer):
        return _dispatch_like(field, form, lambda: get(outer.fields), outer)
    if dumps_each(field):
        find = partial(_dispatch_like, field.child, form, lambda: get(outer.fields).child, outer)
        return CallDumper.of_each(NestedDumper(find), rows)
    return _by(get(outer.fields).to_representation, form)


def dumps_each(field: Any) -> bool:
    """Return whether a field is a list serializer that dumps each object, and sees no queryset."""
    return (
        isinstance(field, ListSerializer)
        and is_stock_list(field)
        and is_stock_serializer(field.child)
    )


def _dispatch_like(
    like: Any, form: Form, find: Callable[[], Any], outer: BoundSerializer | None = None
) -> Dispatcher:
    """Return what represents by a serializer; the parameters are those of :func:`dispatch_for`."""
    if not is_stock_serializer(like):
        return _by(find().to_representation, form, _OwnDumper)
    try:
        return dispatch_for(like, form, find, outer)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, find()), form)


def _is_nested_made(like: Any, outer: BoundSerializer) -> bool:
    """Return whether a nested serializer has fields already, which somebody may have changed.

    :param like: it, one like it, or the child of a list
    """
    if outer.outer is not None:
        return False  # to find it would be to make it
    made = made_fields(outer.serializer).get(like.field_name or like.parent.field_name)
    return made is not None and has_made_fields(getattr(made, "child", made))


def _by(
    represent_value: Callable[[Any], Any], form: Form, dumper: type[CallDumper] = CallDumper
) -> Dispatcher:
    return dumper(represent_value, convert=json_value if form is Form.JSON else None)


class _OwnDumper(CallDumper):
    """Represents objects by a method of users'."""

    __slots__ = ()

    def count(self, rows: int) -> None:
        """Count nothing: what the method calls by ``super()`` has counted."""
