"""Bound serializers: what the slots of a program resolve from, and what dumps what is nested."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.access import rows
from fastschema.contrib.django.front_end.class_state import (
    DUMPING,
    CompiledState,
    class_state,
    state_of_pending,
    unseen_field,
)
from fastschema.contrib.django.front_end.customization import (
    STOCK_TO_REPRESENTATION,
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.json_encoding import json_value
from fastschema.contrib.django.front_end.made_fields import has_made_fields, made_fields
from fastschema.contrib.django.front_end.makers import Made, represented
from fastschema.contrib.django.front_end.schema_reader import read, readable_fields
from fastschema.runtime.bound_program import (
    BoundProgram,
    CallDumper,
    Dispatch,
    Dispatcher,
    NestedDumper,
)
from fastschema.runtime.programs import DumpProgram
from fastschema.runtime.registration import Registered


class BoundSerializer:
    """What the slots of a program resolve from: one serializer and its fields.

    :param exemplar_fields: the exemplar's, of which only options are read; its own if it made them
    :param fields: its own fields, or what makes them when one of them is needed
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

        None if it runs as stock; or if its fields are still to be made, and code of users takes
        part in that: stock makes them when there is an object.
        """
        if number not in self.nested:
            self.nested[number] = _known_nested(self, number, form)
        return self.nested[number]

    @property
    def serializer(self) -> Any:
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

    def made(self, registered: Registered) -> Made:
        """Return what represents values by what a maker makes for their field."""
        return Made(registered, "to_representation", represented)

    def nested_dumper(self, get: Callable[[Any], Any], form: Form) -> NestedDumper:
        """Return what dumps the values of the nested field that ``get`` finds among fields."""
        return NestedDumper(partial(_nested_dispatch, self, get, form))


class FieldsByNumber(dict[int, Any]):
    """The fields of a serializer that has not made them, by number: made when one is needed."""

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
    """Return a serializer that has not made its fields, bound; ``known`` is what it runs."""
    return BoundSerializer(find, known.fields, FieldsByNumber(find, known.fields), outer, known)


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

    :param like: the serializer, or one like it; ``find`` gives the serializer itself
    :raises UnreadableError: if it cannot be compiled
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

    No code of users runs. None if it must make its fields, or stock must dump.
    """
    is_made = has_made_fields(like) or (outer is not None and _is_nested_made(like, outer))
    is_alone = is_alone if outer is None else outer.is_alone
    needs_own = is_made or (is_alone and not class_state(type(like)).is_in_use)
    compiled = None if needs_own else state_of_pending(like)
    if compiled is not None:
        return Dispatch(compiled.program, form, bound_pending(compiled, find, outer))
    if not is_made:
        return None
    serializer = find()
    try:
        fields = readable_fields(serializer)
    except UnreadableError:
        return None
    of_class = class_state(type(serializer))
    compiled = of_class.of_made(DUMPING, serializer, fields, is_worth_reading=True)
    if compiled is None:
        return None
    bound = BoundSerializer(lambda: serializer, fields, fields, outer, compiled, is_alone=is_alone)
    return Dispatch(compiled.program, form, bound)


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
    """Return the program of a serializer as it is now, and its own fields that are dumped."""
    fields = readable_fields(serializer)
    return read(serializer, fields), fields


def bound_now(serializer: Any) -> BoundProgram:
    """Return what represents rows by a serializer as it is now."""
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
    if not is_stock_serializer(like):
        return _by(find().to_representation, form, _OwnDumper)
    try:
        return dispatch_for(like, form, find, outer)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, find()), form)


def _is_nested_made(like: Any, outer: BoundSerializer) -> bool:
    """Return whether a nested serializer has fields already, which somebody may have changed."""
    if outer.outer is not None:
        return False  # to find it would be to make it
    field = made_fields(outer.serializer).get(like.field_name or like.parent.field_name)
    return field is not None and has_made_fields(getattr(field, "child", field))


def _by(
    represent_value: Callable[[Any], Any], form: Form, dumper: type[CallDumper] = CallDumper
) -> Dispatcher:
    return dumper(represent_value, convert=json_value if form is Form.JSON else None)


class _OwnDumper(CallDumper):
    """Represents objects by a method of users'."""

    __slots__ = ()

    def count(self, rows: int) -> None:
        """Count nothing: what the method calls by ``super()`` has counted."""
