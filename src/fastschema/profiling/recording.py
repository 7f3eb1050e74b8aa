"""What a dump with the clock read between its fields has spent on each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter as clock
from typing import Any, NamedTuple

from fastschema.compiler.dump_code import DumpFunction
from fastschema.compiler.nodes import FieldNode, Form, ObjectNode, Slot
from fastschema.profiling import user_code
from fastschema.profiling.profile import FieldTime
from fastschema.profiling.timed_code import SPENT, generate, new_spent
from fastschema.runtime.dispatch import Dispatch, Dispatcher, Link, UniformDispatch
from fastschema.runtime.programs import Program


class Recording:
    """The times of the fields of one schema, at its place in a dump.

    What is done once for a dump and not for its rows (finding nested schemas, generating the code
    that reads the clock) is recorded apart, and belongs to no field.

    :param node: the schema's node
    """

    def __init__(self, node: ObjectNode) -> None:
        self._node = node
        self._spent: dict[type, list[float]] = {}
        self._inner: dict[int, Recording] = {}
        self._by_stock: set[int] = set()
        self._finding = [0.0] * len(node.fields)
        self._generating = 0.0
        self._together: tuple[int, ...] = ()

    def timed(self, dispatch: Dispatch) -> Dispatch:
        """What dumps as a dispatch of the node's program does, and records its times here."""
        links = {
            link: number
            for number, field in enumerate(self._node.fields)
            for link in (field.kind.link, field.kind.item_link)
        }
        slots = [
            replace(slot, resolve=partial(self._link, links[slot.name], slot.resolve))
            if slot.name in links
            else slot
            for slot in self._node.slots
        ]
        slots.append(Slot(SPENT, self._spent_on, by_class=True))
        program = Program(replace(self._node, slots=tuple(slots)), self._generate)
        return Dispatch(program, dispatch.form, dispatch.subject)

    def _generate(self, node: ObjectNode, form: Form, access: str, many: bool) -> DumpFunction:
        start = clock()
        function, self._together = generate(node, form, access, many)
        self._generating += clock() - start
        return function

    def _spent_on(self, subject: Any, cls: type, form: Form) -> list[float]:
        return self._spent.setdefault(cls, new_spent(self._node))

    def _link(
        self, number: int, resolve: Callable[..., Link], subject: Any, cls: type, form: Form
    ) -> Link:
        link = resolve(subject, cls, form)
        link.change(partial(self._find, number))
        return link

    def _find(self, number: int, find: Callable[[], Dispatcher]) -> Dispatcher:
        """What dumps the nested objects of a field, and records the times of their fields."""
        start = clock()
        found = self._changed(number, find())
        self._finding[number] += clock() - start
        return found

    def _changed(self, number: int, found: Dispatcher) -> Dispatcher:
        if isinstance(found, Dispatch):
            return self._timed_inside(number, found)
        if isinstance(found, UniformDispatch):
            if found.inner is not None:
                found.inner.change(partial(self._find, number))
            elif found.each is not None:
                return UniformDispatch(self._timed_inside(number, found.each).many)
            elif found.is_stock:
                self._by_stock.add(number)
        return found

    def _timed_inside(self, number: int, dispatch: Dispatch) -> Dispatch:
        inner = self._inner[number] = Recording(dispatch.program.node)
        return inner.timed(dispatch)

    @property
    def objects(self) -> float:
        """How many objects were dumped."""
        return sum(spent[-1] for spent in self._spent.values())

    @property
    def preparing(self) -> float:
        """Return the seconds that went into preparing the profile, not into the dump."""
        inner = sum(inner.preparing for inner in self._inner.values())
        return self._generating + sum(self._finding) + inner

    def field_times(
        self, why_stock: Callable[[str], str], above: str = "", depth: int = 0
    ) -> list[FieldTime]:
        """The times of the fields in output order, each followed by those nested in it.

        :param why_stock: from the dotted key of a nested schema that ran as stock to the reason
        :param above: what the keys begin with
        :param depth: how deep the schema is nested
        """
        times = []
        for number, field in enumerate(self._node.fields):
            key = f"{above}{field.key}"
            inner = self._inner.get(number)
            nested: list[FieldTime] = []
            if inner is not None and inner.objects:
                nested = inner.field_times(why_stock, f"{key}.", depth + 1)
            times.append(self._field_time(number, key, nested, why_stock, depth))
            times += nested
        return times

    def _field_time(
        self,
        number: int,
        key: str,
        nested: list[FieldTime],
        why_stock: Callable[[str], str],
        depth: int,
    ) -> FieldTime:
        field = self._node.fields[number]
        parts = self._parts(number, field)
        inside = [each for each in nested if each.depth == depth + 1]
        inside_seconds = sum(each.seconds for each in inside)
        own = max(parts.converting - self._preparing_inside(number) - inside_seconds, 0.0)
        is_stock = number in self._by_stock
        user_seconds = parts.read_by_users + sum(each.user_seconds for each in inside)
        if parts.is_converted_by_users or is_stock:
            user_seconds += own
        return FieldTime(
            key,
            field.source.label,
            compiled=field.reason is None and not is_stock,
            seconds=parts.reading + own + inside_seconds,
            user_seconds=user_seconds,
            why=why_stock(key) if is_stock else parts.why,
            depth=depth,
        )

    def _preparing_inside(self, number: int) -> float:
        inner = self._inner.get(number)
        return self._finding[number] + (0.0 if inner is None else inner.preparing)

    def _parts(self, number: int, field: FieldNode) -> _Parts:
        """What was spent on a field, over objects of all classes."""
        reading = converting = read_by_users = 0.0
        is_converted_by_users = False
        why = field.reason or ""
        for cls, spent in self._spent.items():
            code = user_code.of_field(field, cls, self._node.access(cls))
            read = spent[2 * number]
            reading += read
            converting += spent[2 * number + 1]
            if number in self._together:
                converting += spent[-2] / len(self._together)
            if code.reads:
                read_by_users += read
            is_converted_by_users |= code.converts
            why = why or code.why
        return _Parts(reading, converting, read_by_users, is_converted_by_users, why)


class _Parts(NamedTuple):
    """What was spent on one field, in seconds."""

    reading: float
    converting: float
    read_by_users: float
    is_converted_by_users: bool
    why: str
