"""What runs: serializers bound to programs, and which of them runs what.

A class is *in use* from the 24th object on that it has represented, by two serializers or in two
lists; or from the 300th. The objects of a list count before the first is represented. A serializer
has its own fields as soon as other code looks at them, which may change them, or if code of users
makes, chooses or changes them: in its class, in the classes of its fields, or in those of nested
serializers. Then it is *made*, and until then *pending*. Stock looks when it validates, generated
code does not.

.. code-block:: text

                                        class not in use     class in use
    pending                             stock                the program of its class, bound to
                                                             clones that are made when needed
    made, fewer than 10 objects         stock                stock
    made, 10 or more at once, or        stock                the program of one that is alike, else
    one after the other                                      compiled (4 for each set of names)

What is nested in a serializer that runs a program runs its own one, be it made or pending, and its
class in use or not. What is nested in one that stock represents takes its own way.

Where objects come one after the other, stock also represents those of fewer than 9 fields of a made
serializer, none of which is a nested serializer: to look for changes takes as long.

A class that changes is compiled anew, 8 times; then it is not in use any more. Stock runs, too,
where code of users would notice a look at its fields, and for the rest of a serializer's life
where, from row to row, its fields changed for the fifth time, or something else that its rows
depend on did: a request, a time zone.

``_fastschema`` of a serializer is None, or a :class:`Runs`: what was found for it, which holds
while it is valid. All that decides is here, in the record of the class (``record``) and in the
serializer's fields (``pending``).
"""

from __future__ import annotations

import weakref
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
    is_pending,
    made_fields,
    needed_field,
    reading_of_pending,
)
from fastschema.contrib.django.front_end.record import DUMP, Reading, SharedProgram, class_record
from fastschema.contrib.django.front_end.schema_reader import readable_fields
from fastschema.contrib.django.front_end.snapshots import MadeFields
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import (
    BoundProgram,
    CallDumper,
    Dispatch,
    Dispatcher,
    NestedDumper,
)
from fastschema.runtime.guard import STATE_KEY, State
from fastschema.runtime.registration import Registered

_MOST_CHANGES = 4


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
                None if like is None else runs_of(like, find, self, may_make=False)
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


def runs_of(
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
        return _bound_pending(compiled, find, outer, name)
    is_made = is_made or has_made_fields(like)
    if not (is_made or may_make):
        return None
    try:
        reading_and_bound = _bound_made(find(), outer, name)
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


def _bound_pending(
    compiled: SharedProgram,
    find: Callable[[], Any],
    outer: BoundSerializer | None = None,
    name: str = "",
) -> BoundSerializer:
    fields = compiled.fields
    return BoundSerializer(compiled, find, fields, FieldsByNumber(find, fields), outer, name)


def _bound_made(
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
    bound = runs_of(like, find, outer)
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


# What a serializer runs for a row or a list


class Runs(State):
    """What a serializer runs, and whether that is still so.

    :param bound_program: its program; None for stock
    :param reading: what the program depends on
    :param fields: the serializer's, if they are made
    :param changes: how often they have changed
    :param left: how many objects that come one by one are left to stock without another look
    """

    __slots__ = ("_find", "_reading", "bound_program", "changes", "fields", "left")

    def __init__(
        self,
        serializer: Any,
        bound_program: BoundProgram | None = None,
        reading: Reading | None = None,
        *,
        fields: MadeFields | None = None,
        changes: int = 0,
        left: int = 0,
    ) -> None:
        self.bound_program = bound_program
        self.changes = changes
        self.left = left
        self._find = weakref.ref(serializer)
        self._reading = reading
        self.fields = fields

    def is_current(self, serializer: Any) -> bool:
        """Return whether a serializer is what it was, and no copy of that."""
        reading = self._reading
        if reading is None or self._find() is not serializer or not reading.is_current():
            return False
        if self.fields is not None:
            return self.fields.is_current()
        return is_pending(serializer)


def find_bound_program(serializer: Any, rows: int | None) -> BoundProgram | None:
    """Count objects, and return what represents them; None if stock must, or takes less time.

    :param rows: how many objects are to be represented; None: one, and perhaps many more
    """
    attributes = serializer.__dict__
    runs: Runs | None = attributes.get(STATE_KEY)
    # This first, as it is asked for each row of many that come one by one.
    if runs is not None and runs.is_current(serializer):
        return runs.bound_program
    record = class_record(type(serializer))
    is_single, left = rows == 1, thresholds.few_for_django - 2
    is_another = is_single and runs is not None
    is_list = not is_single and (serializer.parent is None or serializer.parent.parent is None)
    is_in_use = record.count_by(serializer, left + 1 if is_another else rows or 1, is_list=is_list)
    if is_in_use and not record.has_unreadable_fields:
        reading = record.pending(DUMP) if is_pending(serializer) else None
        if reading is not None:
            bound = _bound_pending(reading.compiled, weakref.ref(serializer))
            bound_program = BoundProgram(reading.compiled.program, bound)
            attributes[STATE_KEY] = Runs(serializer, bound_program, reading)
            return bound_program
        if rows is None or is_another or rows >= thresholds.few_for_django:
            runs = _runs_of_made(serializer, runs, is_single=is_single)
            attributes[STATE_KEY] = runs
            return runs.bound_program
    if is_single:
        attributes[STATE_KEY] = Runs(serializer, left=left)
    return None


def _runs_of_made(serializer: Any, before: Runs | None, *, is_single: bool) -> Runs:
    """Return what a serializer runs that has made its fields, or must.

    :param is_single: whether its objects come one by one, and there will be more
    """
    stock = partial(Runs, serializer, left=thresholds.MANY)
    changes = 0 if before is None or before.fields is None else before.changes + 1
    if changes > _MOST_CHANGES:
        return stock()
    try:
        reading_and_bound = _bound_made(serializer)
    except UnreadableError:
        class_record(type(serializer)).has_unreadable_fields = True
        return stock()
    if reading_and_bound is None:
        return stock()
    reading, bound = reading_and_bound
    bound_program = BoundProgram(reading.compiled.program, bound)
    if not is_single:
        return Runs(serializer, bound_program)
    kinds = [field.kind for field in bound_program.program.node.fields]
    if len(kinds) < thresholds.few_for_django and not any(kind.nested_slot for kind in kinds):
        return stock()
    try:
        fields = MadeFields(serializer, bound.fields, reading.compiled.snapshot)
    except UnreadableError:
        return stock()  # to compare all fields for each object takes longer
    return Runs(serializer, bound_program, reading, fields=fields, changes=changes)
