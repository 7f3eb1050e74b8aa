"""Programs that read the rows of a select instead of objects."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

from fastschema.compiler.nodes import FieldNode, Form, ObjectNode, Read
from fastschema.contrib.sqlalchemy.reading import NOT_READ, FieldRead, Reads, dispatch_of
from fastschema.runtime.dispatch import Dispatch, Dump, Link, UniformDispatch
from fastschema.runtime.json_engine import PLAIN_CLASSES

_ROW = "row"
_UNNOTICED = PLAIN_CLASSES | {
    float,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    decimal.Decimal,
    uuid.UUID,
}
"""Classes whose values nobody sees being converted."""


def by_row(dispatch: Dispatch, reads: Reads) -> Dispatch:
    """What dumps rows of a select as a dispatch dumps the objects that would be made of them.

    Where there is no object, the row is None.

    :param reads: how the fields of the dispatch's program are read
    """
    program = dispatch.program.derived(("by row", reads), partial(_row_node, reads))
    return Dispatch(program, dispatch.form, dispatch.subject)


def _row_node(reads: Reads, node: ObjectNode) -> ObjectNode:
    slots = {slot.name: slot for slot in node.slots}
    for field, read in zip(node.fields, reads, strict=True):
        if read.position is None:
            slot = slots[str(field.kind.link)]
            resolve = partial(_related_link, slot.resolve, read, field.key)
            slots[slot.name] = replace(slot, resolve=resolve)
    return replace(
        node,
        fields=tuple(map(_row_field, node.fields, reads)),
        slots=tuple(slots.values()),
        access=partial(_access, node.access),
    )


def _access(access: Callable[[type], str], cls: type) -> str:
    return access(cls) if cls is type(None) else _ROW


def _row_field(field: FieldNode, read: FieldRead) -> FieldNode:
    """The same field, which can be read from a row as well."""
    if read is NOT_READ:
        return field
    expression = "obj" if read.position is None else f"obj[{read.position}]"
    is_nested = read.position is None
    for nth, key in reversed(list(enumerate(read.keys, 1))):
        # As stock finds no attribute of None.
        nothing = "None" if is_nested and nth == len(read.keys) else "missing"
        expression = f"{nothing} if {key.null_condition('obj')} else {expression}"
    source = field.source
    return replace(field, source=replace(source, reads={**source.reads, _ROW: Read(expression)}))


def _related_link(
    resolve: Callable[..., Link], read: FieldRead, key: str, subject: Any, cls: type, form: Form
) -> Link:
    link = resolve(subject, cls, form)

    def find() -> UniformDispatch:
        dispatch = by_row(dispatch_of(link, key), read.nested)
        dump = _once_for_each(dispatch, read) if read.is_repeatable else _each(dispatch)
        return UniformDispatch(dump)

    return Link(find)


def _each(dispatch: Dispatch) -> Dump:
    return lambda row: dispatch[type(row)](row)


def _once_for_each(dispatch: Dispatch, read: FieldRead) -> Dump:
    """What dumps each related object once, though many rows have it.

    Objects with values whose conversion may call code of users are dumped for each row.
    """
    key = read.keys[-1]
    key_of = key.getter()
    # The key twice: an itemgetter of one position gives no tuple.
    values_of = itemgetter(*key.positions, *key.positions, *_positions(read.nested))
    dumped: dict[Any, Any] = {}

    def dump(row: Any) -> Any:
        found = key_of(row)
        if found in dumped:
            return dumped[found]
        result = dispatch[type(row)](row)
        if _UNNOTICED.issuperset(map(type, values_of(row))):
            dumped[found] = result
        return result

    return dump


def _positions(reads: Reads) -> list[int]:
    own = [read.position for read in reads if read.position is not None and read is not NOT_READ]
    return own + [position for read in reads for position in _positions(read.nested)]
