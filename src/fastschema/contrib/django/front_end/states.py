"""What runs: which serializers run the programs of their classes, and which stock represents.

A class is *in use* from the 24th object on that it has represented, by two serializers or in two
lists; or from the 120th. The objects of a list count before the first is represented. A serializer
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
class in use or not (see :mod:`.bound_serializer`). What is nested in one that stock represents
takes its own way.

Where objects come one after the other, stock also represents those of a made serializer of fewer
than 10 fields, none of which is a nested serializer: to look for changes takes as long.

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
from functools import partial
from typing import Any

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.bound_serializer import bound_made, bound_pending
from fastschema.contrib.django.front_end.pending import is_pending
from fastschema.contrib.django.front_end.record import DUMP, Reading, class_record
from fastschema.contrib.django.front_end.snapshots import MadeFields
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import BoundProgram
from fastschema.runtime.guard import STATE_KEY, State

_MOST_CHANGES = 4


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
            bound = bound_pending(reading.compiled, weakref.ref(serializer))
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
        reading_and_bound = bound_made(serializer)
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
