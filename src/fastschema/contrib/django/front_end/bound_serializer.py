"""Bound serializers: what the program of a serializer needs to run, from row to row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.access import rows
from fastschema.contrib.django.front_end.class_state import (
    CompiledState,
    class_state,
    has_made_fields,
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
from fastschema.runtime.programs import DumpProgram


class BoundSerializer:
    """What the slots of a program resolve from: one serializer and its fields.

    :param find: gives the serializer; called when it is needed
    :param options: fields like its own, of which only options are read
    :param fields: its own fields, or what makes them when one of them is needed
    :param outer: the serializer in which this one is nested, bound
    :param rows: how many rows are to be represented at least
    :param is_one_at_a_time: whether nested serializers represent by themselves: they may change
        between two rows
    """

    __slots__ = ("captured", "fields", "find", "is_one_at_a_time", "options", "outer", "rows")

    def __init__(
        self,
        find: Callable[[], Any],
        options: list[Any],
        fields: Any,
        outer: BoundSerializer | None = None,
        rows: int = 1,
        *,
        is_one_at_a_time: bool = False,
    ) -> None:
        self.find = find
        self.options = options
        self.fields = fields
        self.outer = outer
        self.rows: int = rows if outer is None else outer.rows
        self.is_one_at_a_time = is_one_at_a_time
        self.captured: Any = None
        """What keeps values for whoever asks for data later; see ``lists.captured_values``."""

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


def bound_pending(
    known: CompiledState, find: Callable[[], Any], rows: int, outer: BoundSerializer | None = None
) -> BoundSerializer:
    """Return a serializer that has not made its fields, bound.

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

    __slots__ = ("_current", "_idle")
    bound_schema: BoundSerializer

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
        binding.bound_schema.rows = rows
        return binding

    def checkout(self) -> Dispatch:
        """Return a dispatch for one row; another serializer may have had it before."""
        return self.begin(Form.PYTHON)

    def end(self, dispatch: Dispatch) -> None:
        """End a row or a list: another serializer may have the binding."""
        dispatch.let_go()
        dispatch.end()
        self._current.serializer = None
        self.bound_schema.fields.clear()
        if len(self._idle) < MOST_IDLE:
            self._idle.append(self)


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
    :param outer: the serializer in which it is nested, bound
    :raises UnreadableError: if the serializer cannot be compiled
    """
    find = find or (lambda: like)
    rows = thresholds.MANY if outer is None else outer.rows
    is_made = outer is not None and _is_nested_made(like, outer)
    known = None if is_made else state_of_pending(like)
    if known is not None:
        return Dispatch(known.program, form, bound_pending(known, find, rows, outer))
    serializer = find()
    fields = readable_fields(serializer)
    known = class_state(type(serializer)).compiled(serializer, fields, rows)
    if known is None:
        raise UnreadableError("its fields differ from object to object")
    bound = BoundSerializer(lambda: serializer, fields, fields, outer, rows)
    return Dispatch(known.program, form, bound)


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
    bound = BoundSerializer(lambda: serializer, fields, fields, rows=thresholds.MANY)
    return BoundProgram(program, bound)


def _nested_dispatch(outer: BoundSerializer, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """Return the dispatch of a nested serializer, single or many."""
    if outer.is_one_at_a_time:
        return _by(lambda value: get(outer.fields).to_representation(value), form)
    field = get(outer.options)
    if not isinstance(field, ListSerializer):
        return _dispatch_like(field, form, lambda: get(outer.fields), outer)
    if dumps_each(field):
        find = partial(_dispatch_like, field.child, form, lambda: get(outer.fields).child, outer)
        child = NestedDumper(find)
        return CallDumper(lambda data: child.many(rows(data)), child, is_stock=False)
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
        return _by(find().to_representation, form)
    try:
        return dispatch_for(like, form, find, outer)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, find()), form)


def _is_nested_made(like: Any, outer: BoundSerializer) -> bool:
    """Return whether a nested serializer has fields already, which somebody may have changed.

    :param like: it, one like it, or the child of a list
    """
    if outer.options is outer.fields:
        return has_made_fields(like)
    if outer.outer is not None:
        return False
    made = made_fields(outer.serializer).get(like.field_name or like.parent.field_name)
    return made is not None and has_made_fields(getattr(made, "child", made))


def _by(represent_value: Callable[[Any], Any], form: Form) -> Dispatcher:
    return CallDumper(represent_value, convert=json_value if form is Form.JSON else None)
