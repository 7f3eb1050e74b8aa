"""Derive a node from that of a schema: with fields that are read elsewhere, with other slots.

So the program of a schema becomes one that reads rows of a database; see
:meth:`fastschema.runtime.bound_program.Dispatch.derived`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from fastschema.compiler.nodes import FieldNode, Form, ObjectNode, Read, Slot
from fastschema.runtime.bound_program import Dispatcher, NestedDumper

_ROW = "row"
Place = tuple[int, ...]
"""A position in a row, or in a row that stands in it, and so on."""


def at(row: str, place: Place) -> str:
    return row + "".join([f"[{position}]" for position in place])


def row_field(field: FieldNode, value: str, nothing: Iterable[tuple[str, str]]) -> FieldNode:
    """Return a field that is read from a row, by an expression in which ``obj`` is the row.

    :param nothing: conditions, each with the expression for the value if it holds; the first counts
    """
    for condition, other in reversed(list(nothing)):
        value = f"{other} if {condition} else {value}"
    source = replace(field.source, reads={**field.source.reads, _ROW: Read(value)})
    return replace(field, source=source)


class DerivedNode:
    def __init__(self, node: ObjectNode) -> None:
        self.node = node
        self._slots = {slot.name: slot for slot in node.slots}

    def add_slot(self, name: str, resolve: Callable[..., Any], *, per_class: bool = False) -> str:
        """Add a slot, or change what one resolves to; return its name."""
        slot = self._slots.get(name, Slot(name, resolve, per_class=per_class))
        self._slots[name] = replace(slot, resolve=resolve)
        return name

    def nest(self, name: str | None, make: Callable[[Any, NestedDumper, Form], Dispatcher]) -> None:
        """Let what is made when the first value comes dump the objects of a nested schema."""
        slot = self._slots[str(name)]

        def resolve(bound_schema: Any, cls: type, form: Form) -> NestedDumper:
            nested = slot.resolve(bound_schema, cls, form)
            return NestedDumper(lambda: make(bound_schema, nested, form))

        self._slots[slot.name] = replace(slot, resolve=resolve)

    def with_fields(self, fields: Iterable[FieldNode], **changes: Any) -> ObjectNode:
        slots = tuple(self._slots.values())
        return replace(self.node, fields=tuple(fields), slots=slots, **changes)

    def of_rows(self, fields: Iterable[FieldNode]) -> ObjectNode:
        """Return the node with fields that are read from rows; None is read as any object."""
        return self.with_fields(fields, access=partial(_access, self.node.access))


def _access(access: Callable[[type], str], cls: type) -> str:
    return access(cls) if cls is type(None) else _ROW
