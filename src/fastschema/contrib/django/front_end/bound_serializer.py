"""Serializers bound to the programs that they run, with what is nested in them.

Which of the serializers that represent rows or lists run a program at all is decided in
:mod:`.states`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.front_end.access import rows
from fastschema.contrib.django.front_end.customization import (
    STOCK_TO_REPRESENTATION,
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.json_encoding import json_value
from fastschema.contrib.django.front_end.makers import MakerMethod, represented
from fastschema.contrib.django.front_end.pending import (
    has_made_fields,
    made_fields,
    needed_field,
    reading_of_pending,
)
from fastschema.contrib.django.front_end.record import DUMP, Reading, SharedProgram, class_record
from fastschema.contrib.django.front_end.schema_reader import readable_fields
from fastschema.runtime.bound_program import (
    CallDumper,
    Dispatch,
    Dispatcher,
    NestedDumper,
)
from fastschema.runtime.registration import Registered


class BoundSerializer:
    """What the slots of a program resolve from: one serializer and its fields.

    :param compiled: what it runs
    :param find: gives the serializer
    :param exemplar_fields: the exemplar's, of which only options are read; its own if it made them
    :param fields: its own fields, or what makes them when one of them is needed
    :param outer: the one that it is nested in, by the field that ``name`` is the name of
    """

    __slots__ = ("_nested", "compiled", "exemplar_fields", "fields", "find", "name", "outer")

    def __init__(
        self,
        compiled: SharedProgram,
        find: Callable[[], Any],
        exemplar_fields: list[Any],
        fields: Any,
        outer: BoundSerializer | None = None,
        name: str = "",
    ) -> None:
        self.compiled = compiled
        self.find = find
        self.exemplar_fields = exemplar_fields
        self.fields = fields
        self.outer = outer
        self.name = name
        self._nested: dict[int, BoundSerializer | None] = {}

    def for_one_list(self) -> BoundSerializer:
        """Return this serializer, bound once more: nested serializers are found anew."""
        fields = self.exemplar_fields, self.fields
        return BoundSerializer(self.compiled, self.find, *fields, self.outer, self.name)

    def nested(self, number: int) -> BoundSerializer | None:
        """Return what a nested serializer runs, the same for a whole list.

        None if it runs as stock; or if its fields are still to be made, and code of users takes
        part in that: stock makes them when there is an object.
        """
        if number not in self._nested:
            like = _row_serializer(self.exemplar_fields[number])
            find = partial(_nested_serializer, self.fields, number)
            self._nested[number] = (
                None if like is None else bound_serializer_of(like, find, self, may_make=False)
            )
        return self._nested[number]

    def nested_dispatch(self, number: int, form: Form) -> Dispatch | None:
        nested = self.nested(number)
        return None if nested is None else nested.dispatch(form)

    def dispatch(self, form: Form) -> Dispatch:
        return Dispatch(self.compiled.program, form, self)

    @property
    def serializer(self) -> Any:
        return self.find()

    def existing_nested(self, name: str) -> Any:
        """Return the serializer that is nested by a field; None if it is still to be made."""
        outer = self.outer
        serializer = self.serializer if outer is None else outer.existing_nested(self.name)
        field = None if serializer is None else made_fields(serializer).get(name)
        return getattr(field, "child", field)

    @property
    def context(self) -> Any:
        """What ``Field.context`` gives in this serializer and in all that is nested in it."""
        if self.outer is not None:
            return self.outer.context
        root = self.serializer
        while root.parent is not None:
            root = root.parent
        return getattr(root, "_context", {})

    def maker_method(self, registered: Registered) -> MakerMethod:
        """Return what represents values by what a maker makes for their field."""
        return MakerMethod(registered, "to_representation", represented)

    def nested_dumper(self, get: Callable[[Any], Any], form: Form) -> NestedDumper:
        """Return what dumps the values of the nested field that ``get`` finds among fields."""
        return NestedDumper(partial(_nested_dispatcher, self, get, form))


class FieldsByNumber(dict[int, Any]):
    """The fields of a serializer that has not made them, by number: made when one is needed."""

    __slots__ = ("_find", "_like")

    def __init__(self, find: Callable[[], Any], like: list[Any]) -> None:
        self._find = find
        self._like = like

    def __missing__(self, number: int) -> Any:
        field = self[number] = needed_field(self._find(), self._like[number].field_name)
        return field


def bound_serializer_of(
    like: Any,
    find: Callable[[], Any] | None = None,
    outer: BoundSerializer | None = None,
    *,
    may_make: bool = True,
) -> BoundSerializer | None:
    """Return a serializer bound to what it runs, with what is nested in it; None if stock must.

    :param like: the serializer, which represents as stock does, or one like it; ``find`` gives the
        serializer itself
    :param outer: the one that it is nested in
    :param may_make: whether its fields may be made, for there is an object to represent
    """
    if find is None:
        find = partial(_itself, like)
    name, existing = "", None
    if outer is not None:
        name = like.field_name or like.parent.field_name
        existing = outer.existing_nested(name)
    is_made = existing is not None and has_made_fields(existing)
    compiled = None if is_made else _compiled_of_pending(like, outer)
    if compiled is not None:
        return bound_pending(compiled, find, outer, name)
    is_made = is_made or has_made_fields(like)
    if not (is_made or may_make):
        return None
    try:
        reading_and_bound = bound_made(find(), outer, name)
    except UnreadableError:
        return None
    return reading_and_bound and reading_and_bound[1]


def _itself(serializer: Any) -> Any:
    return serializer


def _compiled_of_pending(like: Any, outer: BoundSerializer | None) -> SharedProgram | None:
    """Return what a pending serializer runs; what is nested in an exemplar is looked at once."""
    nested = None if outer is None else outer.compiled.nested
    if nested is not None and id(like) in nested:
        return nested[id(like)]
    reading = reading_of_pending(like)
    compiled: SharedProgram | None = reading and reading.compiled
    if nested is not None and outer is not None and outer.compiled.fields and compiled is not None:
        nested[id(like)] = compiled
    return compiled


def bound_pending(
    compiled: SharedProgram,
    find: Callable[[], Any],
    outer: BoundSerializer | None = None,
    name: str = "",
) -> BoundSerializer:
    fields = compiled.fields
    return BoundSerializer(compiled, find, fields, FieldsByNumber(find, fields), outer, name)


def bound_made(
    serializer: Any, outer: BoundSerializer | None = None, name: str = ""
) -> tuple[Reading, BoundSerializer] | None:
    """Return a serializer bound to its own fields; stock, or code of users, makes them now.

    :raises UnreadableError: if code of users would see a look at its fields
    """
    fields = readable_fields(serializer)
    record = class_record(type(serializer))
    reading = record.of_made(DUMP, serializer, fields, is_worth_reading=True)
    if reading is None:
        return None
    find = partial(_itself, serializer)
    return reading, BoundSerializer(reading.compiled, find, fields, fields, outer, name)


def bound_now(serializer: Any) -> BoundSerializer:
    """Return a serializer bound to its fields as they are now, which are compared with no others.

    :raises UnreadableError: if it cannot be compiled
    """
    fields = readable_fields(serializer)
    compiled = DUMP.read(serializer, fields, [])
    return BoundSerializer(compiled, partial(_itself, serializer), fields, fields)


# What dumps what is nested


def _nested_dispatcher(outer: BoundSerializer, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """Return what dumps by a nested serializer, single or many."""
    field = get(outer.exemplar_fields)
    if not isinstance(field, ListSerializer):
        return _dispatcher(field, form, lambda: get(outer.fields), outer)
    if id(field.child) in outer.compiled.nested or dumps_each(field):
        find = partial(_dispatcher, field.child, form, lambda: get(outer.fields).child, outer)
        return CallDumper.of_each(NestedDumper(find), rows)
    return _by(get(outer.fields).to_representation, form)


def nested_dumper_of(serializer: Any, form: Form) -> NestedDumper:
    """Return what dumps by a serializer, whose fields it looks at when there is a first row."""
    return NestedDumper(partial(_dispatcher, serializer, form, partial(_itself, serializer)))


def _dispatcher(
    like: Any, form: Form, find: Callable[[], Any], outer: BoundSerializer | None = None
) -> Dispatcher:
    """Return what dumps by a serializer: generated code, or else its own method."""
    if not is_stock_serializer(like):
        return _by(find().to_representation, form, _OwnDumper)
    bound = bound_serializer_of(like, find, outer)
    if bound is not None:
        return bound.dispatch(form)
    return _by(partial(STOCK_TO_REPRESENTATION, find()), form)


def dumps_each(field: Any) -> bool:
    """Return whether a field is a list serializer that dumps each object, and sees no queryset."""
    return (
        isinstance(field, ListSerializer)
        and is_stock_list(field)
        and is_stock_serializer(field.child)
    )


def _row_serializer(field: Any) -> Any:
    """Return what dumps each object of a nested field; None if code of users does, or sees all."""
    if isinstance(field, ListSerializer):
        return field.child if dumps_each(field) else None
    return field if is_stock_serializer(field) else None


def _nested_serializer(fields: Any, number: int) -> Any:
    field = fields[number]
    return getattr(field, "child", field)


def _by(
    represent_value: Callable[[Any], Any], form: Form, dumper: type[CallDumper] = CallDumper
) -> Dispatcher:
    return dumper(represent_value, convert=json_value if form is Form.JSON else None)


class _OwnDumper(CallDumper):
    """Represents objects by a method of users'."""

    __slots__ = ()

    def count(self, rows: int) -> None:
        """Count nothing: what the method calls by ``super()`` has counted."""
