"""Dumping by DRF serializers: what stock does around the generated code."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
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
    runs_as_stock,
    with_url_name,
)
from fastschema.contrib.django.json_encoding import json_value
from fastschema.contrib.django.rules import RULES
from fastschema.contrib.django.schema_reader import field_mapping, read, readable_fields
from fastschema.runtime import policy
from fastschema.runtime.binding import Binding
from fastschema.runtime.dispatch import (
    Ambient,
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
    :param ambient: as for :class:`Dispatch`
    :param is_frozen: whether it belongs to a plan, for which nested serializers stay what they were
    """

    __slots__ = ("_outer", "ambient", "fields", "find", "frozen", "options", "rows")

    def __init__(
        self,
        find: Callable[[], Any],
        options: list[Any],
        fields: Any,
        outer: Subject | None = None,
        rows: int = 1,
        ambient: list[Ambient] | None = None,
        *,
        is_frozen: bool = False,
    ) -> None:
        self.find = find
        self.options = options
        self.fields = fields
        self._outer = outer
        self.rows: int = rows if outer is None else outer.rows
        self.ambient: list[Ambient] | None = ambient if outer is None else outer.ambient
        self.frozen: dict[Any, tuple[DumpProgram, Subject]] | None = {} if is_frozen else None
        """For a plan, what nested serializers read as, by what finds them."""

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
    :param blueprint: what stands in for them
    """

    __slots__ = ("_blueprint", "_fields", "_find")

    def __init__(self, find: Callable[[], Any], blueprint: Blueprint) -> None:
        self._find = find
        self._blueprint = blueprint
        self._fields: list[Any] | None = None

    def __getitem__(self, index: int) -> Any:
        if self._fields is None:
            self._blueprint.made += 1
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
    """What is known of one serializer object.

    One that represents rows one by one (its own ``to_representation`` calls ``super()``, say) stays
    bound from row to row. Its fields may be replaced, and their attributes changed, between two
    rows, so they are compared. Classes, and what is nested, are looked at when it is bound.

    :param serializer: the serializer
    """

    __slots__ = (
        "_all_fields",
        "_ambient",
        "_fields",
        "_guard",
        "_misses",
        "_nested",
        "_size",
        "_url_name",
        "binding",
        "find",
        "generation",
        "rows",
    )

    def __init__(self, serializer: Any) -> None:
        self.find = weakref.ref(serializer)
        self.generation = readings.current
        self.rows = 0
        """How many rows were represented before it was read."""
        self.binding: Binding | None = None
        self._misses = 0

    def bind(self, serializer: Any, *, is_single: bool) -> Binding | None:
        """What represents objects by the serializer, if that pays; None if stock must.

        :param is_single: whether its rows come one by one
        """
        own = serializer.__dict__
        self._ambient: list[Ambient] = []
        is_worth = policy.is_worth_keeping if is_single else policy.is_worth_reading
        is_worth_reading = is_worth(self.rows)
        blueprint = blueprint_of(serializer, is_single=not is_worth_reading)
        if blueprint is not None:
            find = partial(_named, self.find)
            later = _LaterFields(self.find, blueprint)
            subject = Subject(find, blueprint.fields, later, None, self.rows, self._ambient)
            self.binding = Binding(blueprint.program, subject, self._ambient)
            self._guard: Guard | None = None
            self._size, self._url_name = len(own), own.get("url_field_name")
            blueprint.objects += self.rows == 1
            return self.binding
        if self._misses > _MOST_MISSES or not is_worth_reading:
            return None
        guard = Guard()
        fields = readable_fields(serializer)
        self._fields: list[Any] = fields
        self._all_fields: list[Any] = list(field_mapping(serializer).values())
        self._nested: list[_NestedFields] = list(_nested_fields(self._all_fields))
        try:
            program = read(serializer, fields, guard)
        except UnreadableError:
            self._misses = _MOST_MISSES + 1
            return None
        subject = Subject(self.find, fields, fields, None, self.rows, self._ambient)
        binding = Binding(program, subject, self._ambient)
        if guard.is_lasting:
            self.binding, self._guard = binding, guard
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
            if len(own) != self._size or own.get("url_field_name") is not self._url_name:
                if not makes_fields_as_its_class_says(serializer):
                    return False
                self._size, self._url_name = len(own), own.get("url_field_name")
        elif (
            list(field_mapping(serializer).values()) != self._all_fields
            or not guard.objects_hold()
            or not guard.fields_hold(self._fields)
            or not self._nested_hold()
        ):
            self._misses += 1
            return False
        for ambient, subject, seen in self._ambient:  # noqa: SIM110  # slower as a generator
            if ambient(subject) != seen:
                return False
        return True

    def _nested_hold(self) -> bool:
        for own, size, mapping, fields in self._nested:
            if len(own) != size or list(mapping.values()) != fields:
                return False
        return True


_NestedFields = tuple[dict[str, Any], int, Any, list[Any]]


def _nested_fields(fields: list[Any]) -> Iterator[_NestedFields]:
    """The fields of nested serializers that have made them, with what tells whether others did."""
    for field in fields:
        nested = getattr(field, "child", field)
        if not isinstance(nested, Serializer):
            continue
        own = vars(nested)
        mapping = field_mapping(nested) if "fields" in own else {}
        inner = list(mapping.values())
        yield own, len(own), mapping, inner
        yield from _nested_fields(inner)


def _named(find: Callable[[], Any]) -> Any:
    return with_url_name(find())


def find_binding(serializer: Any, rows: int, *, is_single: bool = False) -> Binding | None:
    """What represents objects by a stock serializer, if that pays; None if stock must.

    :param rows: how many rows are to be represented
    :param is_single: whether rows come one by one
    """
    own = serializer.__dict__
    state = own.get(ATTRIBUTE, 0)
    if type(state) is SerializerState:
        if state.binding is not None and state.holds(serializer):
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


def represent(serializer: Any, obj: Any) -> Any:
    """What ``Serializer.to_representation`` returns, by generated code where that pays."""
    own = serializer.__dict__
    seen = own.get(ATTRIBUTE, 0)
    if type(seen) is int and seen < policy.rows_worth_keeping and runs_as_stock(type(serializer)):
        own[ATTRIBUTE] = seen + 1
    elif not is_disabled():
        binding = find_binding(serializer, 1, is_single=True)
        if binding is not None:
            # What may have changed since the last row was compared.
            dispatch = binding.take(_PYTHON)
            result = dispatch.one_row(obj)
            dispatch.put_back()
            return result
    result = STOCK_TO_REPRESENTATION(serializer, obj)
    recorder.stock_row()
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
    recorder.stock_row()
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
        subject = Subject(find, blueprint.fields, _LaterFields(find, blueprint), rows=policy.MANY)
        return make(blueprint.program, form, subject)
    program, fields = read_now(serializer)
    subject = Subject(lambda: serializer, fields, fields, rows=policy.MANY)
    return make(program, form, subject)


def read_now(serializer: Any) -> tuple[DumpProgram, list[Any]]:
    """The program of a serializer as it is now, and its own fields that are dumped.

    :raises UnreadableError: if the serializer cannot be compiled
    """
    fields = readable_fields(serializer)
    return read(serializer, fields, Guard()), fields


def read_for_plan(serializer: Any, outer: Subject | None = None) -> tuple[DumpProgram, Subject]:
    """The program of a serializer, and what its slots resolve from, for a plan.

    :param outer: the subject of the serializer in which it is nested
    :raises UnreadableError: if the serializer cannot be compiled
    """
    program, fields = read_now(serializer)
    # Copies, so that later changes to options pass unseen.
    options = list(map(_copied, fields))
    subject = Subject(lambda: serializer, options, fields, outer, policy.MANY, is_frozen=True)
    return program, subject


def _copied(field: Any) -> Any:
    """A copy of a field's attributes, for which no code of the user's is called."""
    copied = object.__new__(type(field))
    copied.__dict__.update(field.__dict__)
    return copied


def _nested_dispatch(subject: Subject, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """The dispatch of a nested serializer, single or many."""
    field = get(subject.options)
    if not isinstance(field, ListSerializer):
        return _like_dispatch(field, form, get, lambda: get(subject.fields), subject)
    if is_stock_list(field) and is_stock_serializer(field.child):
        find = partial(
            _like_dispatch, field.child, form, get, lambda: get(subject.fields).child, subject
        )
        child = Link(find)
        return UniformDispatch(lambda data: child.many(rows(data)))
    return _by(get(subject.fields).to_representation, form)


def _like_dispatch(
    serializer: Any,
    form: Form,
    get: Callable[[Any], Any],
    find: Callable[[], Any],
    outer: Subject,
) -> Dispatcher:
    """The dispatch of a nested serializer.

    :param serializer: one like it
    :param get: finds its field in a list of fields
    :param find: gives the serializer itself
    """
    if not is_stock_serializer(serializer):
        return _by(find().to_representation, form)
    if outer.frozen is not None:
        return _frozen_dispatch(form, get, find, outer, outer.frozen)
    blueprint = blueprint_of(serializer)
    if blueprint is None:
        return _own_dispatch(find(), form, outer)
    subject = Subject(partial(_named, find), blueprint.fields, _LaterFields(find, blueprint), outer)
    return Dispatch(blueprint.program, form, subject, subject.ambient)


def _frozen_dispatch(
    form: Form,
    get: Callable[[Any], Any],
    find: Callable[[], Any],
    outer: Subject,
    frozen: dict[Any, tuple[DumpProgram, Subject]],
) -> Dispatcher:
    """The same for a plan: the serializer is read when its first value comes, and never again."""
    if get not in frozen:
        try:
            frozen[get] = read_for_plan(find(), outer)
        except UnreadableError:
            return _by(partial(STOCK_TO_REPRESENTATION, find()), form)
    program, subject = frozen[get]
    return Dispatch(program, form, subject)


def _own_dispatch(serializer: Any, form: Form, outer: Subject) -> Dispatcher:
    """The dispatch of a nested serializer whose own fields must be read, if that pays."""
    if not policy.is_worth_reading(outer.rows):
        return _by(partial(represent, serializer), form)
    try:
        program, fields = read_now(serializer)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, serializer), form)
    subject = Subject(lambda: serializer, fields, fields, outer)
    return Dispatch(program, form, subject, subject.ambient)


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
