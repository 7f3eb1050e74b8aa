"""Using what was made for one dump (or load) for the next, where that would make the same.

Before its first value a dump looks things up: how objects of a class are read, and what slots are.
For a single object that takes longer than the dump. For a schema that is kept
(:class:`~fastschema.recognition.Kept`) a check is written down for each of these, which says
whether another dump would find the same. If all agree, what was made is used again, by one dump at
a time. Nested schemas have a dispatch of their own, which is checked when the first value needs it,
as it would be looked up then.
"""

from __future__ import annotations

from typing import Any

from fastschema.class_versions import join
from fastschema.dumping import DumpFunction
from fastschema.load_nodes import LoadSlot
from fastschema.nodes import Check, Checks, ClassCheck, Form, Slot
from fastschema.program import NOT_FOUND, Dispatch, Link, Program
from fastschema.recognition import Kept
from fastschema.unchanged import Unchanged
from fastschema.writes import writes

_MOST_CHECKS = 64
_MOST_WAITING = 4


class Uses:
    """What something depends on that was made for one dump or load.

    :param kept: what is kept of the schema
    """

    __slots__ = ("_checks", "_count", "_ids", "_stays", "_unchanged", "_usage")

    def __init__(self, kept: Kept) -> None:
        # There was none to use again, or all of them were in use at once.
        del kept.waiting[:-_MOST_WAITING]
        self._usage = kept.usage
        self._ids = kept.ids
        self._stays = kept.stays
        self._checks: list[Check] = []
        if kept.unchanged.are_told:
            self._unchanged = Unchanged(kept.unchanged)
        else:
            self._unchanged = Unchanged()
            self._checks.append(kept.unchanged.hold)
        self._count = 0

    def is_of(self, kept: Kept | None) -> bool:
        """Whether this is what it depends on first of all."""
        return kept is not None and self._stays is kept.stays

    def are_noticed(self, target: object) -> bool:
        """Whether writes to an object end this."""
        is_watched = id(target) in self._ids and self._ids is writes.watched
        return is_watched and writes.are_noticed([target])

    def check(self, checks: Checks) -> None:
        """It depends on what checks say."""
        for check in checks:
            self._count += 1
            if self._count >= _MOST_CHECKS:
                self._ids = set()  # it would take longer than making it anew
            elif not isinstance(check, ClassCheck):
                self._checks.append(check)
            elif check.own is None:
                self._unchanged.add(check.holds, of_classes=[(check.cls, check.attributes)])
            else:
                self._unchanged.add(
                    check.holds,
                    of_objects=[(check.cls, check.attributes)],
                    dictionaries=[check.own],
                )

    def slot(self, slot: Slot | LoadSlot, subject: Any, value: Any, *resolved_from: Any) -> None:
        """It depends on the value of a slot.

        :param subject: what the slot resolves from, which must not refer to what depends on it
        :param resolved_from: what else it resolves from
        """
        if slot.checks is None:
            resolve, given = slot.resolve, (subject, *resolved_from)
            self.check([lambda: resolve(*given) is value])
        else:
            self.check(slot.checks(subject, value))

    def hold(self) -> bool:
        """Whether the same would be made now."""
        if self._ids is not writes.watched or not self._stays():
            return False
        unchanged = self._unchanged
        if join(unchanged.versions) != unchanged.seen and not unchanged.ask():
            return False
        for check in self._checks:  # a generator would take longer than the checks
            if not check():
                return False
        self._usage.gains += 1
        return True


class ReusedDispatch(Dispatch):
    """A dispatch for dumps by a schema that is kept; it writes down what it depends on.

    :param kept: what is kept of the schema
    """

    __slots__ = ("_links", "uses")

    def __init__(self, program: Program, form: Form, subject: Any, kept: Kept) -> None:
        super().__init__(program, form, subject)
        self.uses = Uses(kept)
        self._links: list[Link] = []

    def bound(self, cls: type, access: str, function: DumpFunction, values: list[Any]) -> None:
        """Write down how to check that objects of the class are still dumped so."""
        node, subject, uses = self.program.node, self.subject, self.uses
        if node.check_access is None:
            uses.check([lambda: node.access(cls) == access])
        else:
            uses.check(node.check_access(cls, access))
        for slot, value in zip(function.slots, values, strict=True):
            uses.slot(slot, subject, value, cls, self.form)
        self._links += [value for value in values if type(value) is Link]

    def begin_again(self) -> None:
        """Dump once more: what nested schemas are will be found when it is needed."""
        for link in self._links:
            link.found = NOT_FOUND


class LentDispatch:
    """A dispatch that waits again when a dump by it is over.

    :param dispatch: the dispatch
    :param kept: what is kept of its schema
    """

    __slots__ = ("_dispatch", "_kept", "all_rows", "chunk_dumper", "one_row")

    def __init__(self, dispatch: Dispatch, kept: Kept) -> None:
        self._dispatch = dispatch
        self._kept = kept
        self.one_row = dispatch.one_row
        self.all_rows = dispatch.all_rows
        self.chunk_dumper = dispatch.chunk_dumper

    def end(self) -> None:
        """The dump is over."""
        self._kept.waiting.append(self._dispatch)
