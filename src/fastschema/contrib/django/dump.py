"""Dumping by DRF serializers: what stock does around the generated code."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any

from django.db.models.manager import BaseManager
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.construction import (
    Blueprint,
    blueprint_of,
    makes_fields_as_its_class_says,
    with_url_name,
)
from fastschema.contrib.django.json_encoding import json_value
from fastschema.contrib.django.rules import RULES
from fastschema.contrib.django.schema_reader import read, readable_fields
from fastschema.runtime import policy
from fastschema.runtime.binding import Binding
from fastschema.runtime.dispatch import (
    Dispatch,
    Dispatcher,
    Dump,
    DumpRows,
    Link,
    UniformDispatch,
    dump_each,
)
from fastschema.runtime.guard import ATTRIBUTE, Guard, State, readings
from fastschema.runtime.programs import DumpProgram
from fastschema.runtime.stock import stock_method
from fastschema.statistics import recorder
from fastschema.switch import is_disabled

STOCK_TO_REPRESENTATION = stock_method(Serializer, "to_representation")
STOCK_LIST_TO_REPRESENTATION = stock_method(ListSerializer, "to_representation")
KNOWN = {STOCK_TO_REPRESENTATION}
KNOWN_LIST = {STOCK_LIST_TO_REPRESENTATION}
"""The methods as stock has them, and as installed."""
_PYTHON = Form.PYTHON
_MOST_MISSES = 2
"""A serializer whose fields have changed so often since they were read runs as stock."""


class Subject:
    """What the slots of a program resolve from: one serializer and its fields.

    :param find: gives the serializer; called when it is needed
    :param options: fields like its own, of which only options are read
    :param fields: its own fields, or what makes them when one of them is needed
    :param outer: the subject of the serializer in which this one is nested
    :param rows: how many rows are to be represented at least
    """

    __slots__ = ("_outer", "fields", "find", "options", "rows")

    def __init__(
        self,
        find: Callable[[], Any],
        options: list[Any],
        fields: Any,
        outer: Subject | None = None,
        rows: int = 1,
    ) -> None:
        self.find = find
        self.options = options
        self.fields = fields
        self._outer = outer
        self.rows: int = rows if outer is None else outer.rows

    @property
    def serializer(self) -> Any:
        """The serializer itself."""
        return self.find()

    @property
    def context(self) -> Any:
        """What ``Field.context`` gives in this serializer and in all that is nested in it."""
        if self._outer is not None:
            return self._outer.context
        root = self.serializer
        while root.parent is not None:
            root = root.parent
        return getattr(root, "_context", {})

    def link(self, get: Callable[[Any], Any], form: Form) -> Link:
        """The link to the serializer of a nested field.

        :param get: finds the field in a list of fields
        """
        return Link(partial(_nested_dispatch, self, get, form))


class _LaterFields:
    """A serializer's own fields, made when one of them is needed.

    :param find: gives the serializer
    """

    __slots__ = ("_fields", "_find")

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find
        self._fields: list[Any] | None = None

    def __getitem__(self, index: int) -> Any:
        if self._fields is None:
            self._fields = readable_fields(self._find())
        return self._fields[index]


def is_stock_serializer(serializer: Any) -> bool:
    """Whether a serializer's ``to_representation`` is stock's, be it installed or not."""
    return (
        isinstance(serializer, Serializer)
        and type(serializer).to_representation in KNOWN
        and "to_representation" not in vars(serializer)
    )


def is_stock_list(serializer: ListSerializer) -> bool:
    """Whether a list serializer's ``to_representation`` is stock's, be it installed or not."""
    return type(serializer).to_representation in KNOWN_LIST and "to_representation" not in vars(
        serializer
    )


class SerializerState(State):
    """What is known of one serializer object that is used again and again.

    Its fields may be replaced, and their attributes changed, between two uses: by its own
    ``to_representation``, say, before that calls ``super()``. So each use compares them.

    :param serializer: the serializer
    """

    __slots__ = ("_fields", "_guard", "_misses", "binding", "find", "generation", "rows")

    def __init__(self, serializer: Any) -> None:
        self.find = weakref.ref(serializer)
        self.generation = readings.current
        self.rows = 0
        """How many rows were represented before it was read."""
        self.binding: Binding | None = None
        self._fields: list[Any] | None = None
        self._guard: Guard | None = None
        self._misses = 0

    def bind(self, serializer: Any) -> Binding | None:
        """What represents objects by the serializer, if that pays; None if stock must.

        :param serializer: the serializer, whose fields are there
        """
        if self._misses > _MOST_MISSES or not policy.is_worth_reading(self.rows):
            return None
        guard = Guard()
        fields = readable_fields(serializer)
        try:
            program = read(serializer, fields, guard)
        except UnreadableError:
            self._misses = _MOST_MISSES + 1
            return None
        binding = Binding(program, Subject(self.find, fields, fields, rows=self.rows))
        if guard.is_lasting:
            self.binding, self._fields, self._guard = binding, fields, guard
        else:
            self._misses += 1
        return binding

    def bind_blueprint(self, blueprint: Blueprint) -> Binding:
        """What represents objects by the serializer, whose fields are as its class says."""
        find = partial(_named, self.find)
        subject = Subject(find, blueprint.fields, _LaterFields(self.find), rows=self.rows)
        binding = Binding(blueprint.program, subject)
        self.binding, self._fields, self._guard = binding, None, None
        return binding

    def found(self, serializer: Any) -> Binding | None:
        """What was bound before, if the serializer still reads as it did."""
        if self.binding is None:
            return None
        if self._guard is None:
            if makes_fields_as_its_class_says(serializer):
                return self.binding
        elif (
            (fields := readable_fields(serializer)) == self._fields
            and self._guard.objects_hold()
            and self._guard.fields_hold(fields)
        ):
            return self.binding
        if self._guard is not None:
            self._misses += 1
        self.binding = None
        return None


def _named(find: Callable[[], Any]) -> Any:
    return with_url_name(find())


def find_binding(serializer: Any, rows: int) -> Binding | None:
    """What represents objects by a stock serializer, if that pays; None if stock must.

    :param rows: how many rows are to be represented
    """
    own = serializer.__dict__
    state = own.get(ATTRIBUTE)
    # A copy of a serializer has the state of the original.
    if (
        type(state) is not SerializerState
        or state.find() is not serializer
        or state.generation is not readings.current
    ):
        state = own[ATTRIBUTE] = SerializerState(serializer)
    binding = state.found(serializer)
    if binding is not None:
        return binding
    state.rows += rows
    blueprint = blueprint_of(serializer)
    if blueprint is not None:
        return state.bind_blueprint(blueprint)
    return state.bind(serializer)


def represent(serializer: Any, obj: Any) -> Any:
    """What ``Serializer.to_representation`` returns, by generated code where that pays."""
    if not is_disabled():
        binding = find_binding(serializer, 1)
        if binding is not None:
            dispatch = binding.begin(_PYTHON)
            result = dispatch.one_row(obj)
            dispatch.end()
            return result
    result = STOCK_TO_REPRESENTATION(serializer, obj)
    recorder.stock(1)
    return result


def represent_list(serializer: Any, data: Any) -> Any:
    """What ``ListSerializer.to_representation`` returns, compiled where that pays."""
    child = serializer.child
    if is_disabled() or not is_stock_serializer(child):
        return STOCK_LIST_TO_REPRESENTATION(serializer, data)
    return represent_many(child, data)


def represent_many(serializer: Any, data: Any) -> list[Any]:
    """What ``Serializer.to_representation`` returns for each row of a collection, or manager."""
    each_row = rows(data)
    if is_disabled():
        return [represent(serializer, each) for each in each_row]
    if type(each_row) is not list:
        return dump_each(each_row, lambda: _AsRead(serializer))
    if not each_row:
        return []
    binding = find_binding(serializer, len(each_row))
    if binding is None:
        return [_stock_row(serializer, each) for each in each_row]
    dispatch = binding.begin(_PYTHON)
    results = dispatch.all_rows(each_row)
    dispatch.end()
    return results


class _AsRead:
    """Represents rows of which nobody knows how many there are: the first ones may be stock's.

    :param serializer: the serializer
    """

    def __init__(self, serializer: Any) -> None:
        self._serializer = serializer

    def __getitem__(self, cls: type, /) -> Dump:
        return partial(represent, self._serializer)

    def for_rows(self, cls: type, /) -> DumpRows:
        """The function that represents all rows, those of any class."""
        return self._all

    def count(self, rows: int) -> None:
        """Rows are counted as they are represented."""

    def _all(self, each_row: Iterable[Any]) -> list[Any]:
        results: list[Any] = []
        iterator = iter(each_row)
        for row in iterator:
            binding = find_binding(self._serializer, 1)
            if binding is not None:
                every_row = chain(iter((row,)), iterator)
                del row  # as any row, it goes when the next one is there
                return results + binding.new_dispatch(_PYTHON).all_rows(every_row)
            results.append(_stock_row(self._serializer, row))
        return results


def _stock_row(serializer: Any, obj: Any) -> Any:
    recorder.stock(1)
    return STOCK_TO_REPRESENTATION(serializer, obj)


def rows(data: Any) -> Any:
    """What stock iterates over: the rows, or all rows of a manager."""
    return data.all() if isinstance(data, BaseManager) else data


def link_to(serializer: Any, form: Form) -> Link:
    """The link to a serializer: its fields are not looked at before there is a first row."""
    return Link(partial(_serializer_dispatch, serializer, form))


def dispatch_for(serializer: Any, form: Form, make: type[Dispatch] = Dispatch) -> Dispatch:
    """The dispatch for one dump of many rows by a serializer.

    :param make: the class of the dispatch
    :raises UnreadableError: if the serializer cannot be compiled
    """
    blueprint = blueprint_of(serializer)
    if blueprint is not None:
        find = partial(_named, lambda: serializer)
        subject = Subject(find, blueprint.fields, _LaterFields(find), rows=policy.MANY)
        return make(blueprint.program, form, subject)
    program, subject = read_for_plan(serializer)
    return make(program, form, subject)


def read_for_plan(serializer: Any) -> tuple[DumpProgram, Subject]:
    """The program of a serializer, and what its slots resolve from, for a plan.

    :raises UnreadableError: if the serializer cannot be compiled
    """
    fields = readable_fields(serializer)
    program = read(serializer, fields, Guard())
    return program, Subject(lambda: serializer, fields, fields, rows=policy.MANY)


def _nested_dispatch(subject: Subject, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """The dispatch of a nested serializer, single or many."""
    field = get(subject.options)
    if not isinstance(field, ListSerializer):
        return _like_dispatch(field, form, lambda: get(subject.fields), subject)
    if is_stock_list(field) and is_stock_serializer(field.child):
        find = partial(
            _like_dispatch, field.child, form, lambda: get(subject.fields).child, subject
        )
        child = Link(find)
        return UniformDispatch(lambda data: child.many(rows(data)))
    return _by(get(subject.fields).to_representation, form)


def _like_dispatch(
    serializer: Any, form: Form, find: Callable[[], Any], outer: Subject
) -> Dispatcher:
    """The dispatch of a nested serializer.

    :param serializer: one like it
    :param find: gives the serializer itself
    """
    if not is_stock_serializer(serializer):
        return _by(find().to_representation, form)
    blueprint = blueprint_of(serializer)
    if blueprint is None:
        return _own_dispatch(find(), form, outer)
    subject = Subject(partial(_named, find), blueprint.fields, _LaterFields(find), outer)
    return Dispatch(blueprint.program, form, subject)


def _own_dispatch(serializer: Any, form: Form, outer: Subject) -> Dispatcher:
    """The dispatch of a nested serializer whose own fields must be read, if that pays."""
    if not policy.is_worth_reading(outer.rows):
        return _by(partial(represent, serializer), form)
    fields = readable_fields(serializer)
    try:
        program = read(serializer, fields, Guard())
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, serializer), form)
    return Dispatch(program, form, Subject(lambda: serializer, fields, fields, outer))


def _serializer_dispatch(serializer: Any, form: Form) -> Dispatcher:
    if not is_stock_serializer(serializer):
        return _by(serializer.to_representation, form)
    try:
        return dispatch_for(serializer, form)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, serializer), form)


def _by(represent_value: Callable[[Any], Any], form: Form) -> Dispatcher:
    if form is Form.JSON:
        return UniformDispatch(lambda value: json_value(represent_value(value)))
    return UniformDispatch(represent_value)


def register_installed(to_representation: Any, list_to_representation: Any) -> None:
    """Let the methods that :mod:`installation` puts in place count as stock's.

    So that nested serializers are compiled when fastschema is installed, too.
    """
    KNOWN.add(to_representation)
    KNOWN_LIST.add(list_to_representation)
    RULES[to_representation] = RULES[STOCK_TO_REPRESENTATION]
    RULES[list_to_representation] = RULES[STOCK_LIST_TO_REPRESENTATION]
