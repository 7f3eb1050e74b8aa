"""Find the columns of each field, and turn programs into ones that read the rows of a select.

It does what ``contrib/django/lists/columns.py`` and ``row_programs.py`` do, and shares what derives
nodes with them. A row is flat here: a nested schema is given the whole row, and there are no lists
of related objects, nor objects that keep their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from fastschema.compiler.nodes import FieldNode, Form, NotRowReadableError, ObjectNode
from fastschema.contrib.sqlalchemy.row_layout import EntityLayout, Key
from fastschema.marshmallow.sqlalchemy import MAPPED, key_finder
from fastschema.runtime.bound_program import CallDumper, Dispatch, Dump, NestedDumper
from fastschema.runtime.derived_node import DerivedNode, row_field


class UnloadedError(NotRowReadableError):
    """A schema reads what the statement does not load."""


class FieldColumns(NamedTuple):
    """How one field is read. It holds no class: programs are made of it, and live longer.

    :param position: where the value stands in a row; None for a nested schema, which is given the
        row itself
    :param keys: the primary keys of the related objects on the way to it
    """

    position: int | None
    keys: tuple[Key, ...] = ()
    nested: tuple[FieldColumns, ...] = ()


NOT_READ = FieldColumns(-1)
"""A field that reads nothing of the object: a constant."""
Columns = tuple[FieldColumns, ...]
FindKey = Callable[[str], object]


def columns_of(dispatch: Dispatch, layout: EntityLayout) -> Columns:
    """How the fields that a dispatch dumps are read from rows."""
    node = dispatch.program.node
    if node.access(layout.cls) != MAPPED:
        raise NotRowReadableError(f"objects of {layout.cls.__name__} are read by code of their own")
    find = key_finder(layout.cls)
    return tuple([_field(field, dispatch, layout, find) for field in node.fields])


def _field(
    field: FieldNode, dispatch: Dispatch, layout: EntityLayout, find: FindKey
) -> FieldColumns:
    path = field.source.path
    if path == ():
        return NOT_READ
    if path is None:
        raise NotRowReadableError(f"{field.key} runs code of yours on each object")
    if field.kind.nested_slot is not None:
        if field.default is not None:
            raise NotRowReadableError(f"{field.key} has a dump_default, which is no row")
        keys, related, _ = _follow(path, field, layout, find)
        return FieldColumns(None, keys, columns_of(nested_dispatch(field, dispatch), related))
    *relations, name = path
    keys, layout, find = _follow(relations, field, layout, find)
    if name not in layout.columns or find(name) != name:
        raise _not_loaded(field, layout, name)
    return FieldColumns(layout.columns[name], keys)


def _follow(
    relations: Iterable[str], field: FieldNode, layout: EntityLayout, find: FindKey
) -> tuple[tuple[Key, ...], EntityLayout, FindKey]:
    """Return the keys of the objects on the way along some relations, and the layout at its end."""
    keys = []
    for name in relations:
        if name not in layout.relations or find(name) != name:
            raise _not_loaded(field, layout, name)
        layout = layout.relations[name]
        find = key_finder(layout.cls)
        keys.append(layout.key)
    return tuple(keys), layout, find


def _not_loaded(field: FieldNode, layout: EntityLayout, name: str) -> NotRowReadableError:
    attribute = f"{layout.cls.__name__}.{name}"
    if name in layout.lazy:
        advice = f"add options(joinedload({attribute}))"
        return UnloadedError(f"{field.key} reads {attribute}, which is not loaded: {advice}")
    if name in layout.deferred:
        return UnloadedError(f"{field.key} reads {attribute}, a column that is not loaded")
    return NotRowReadableError(f"{field.key} reads {attribute}, which is not a column of the rows")


def nested_dispatch(field: FieldNode, dispatch: Dispatch) -> Dispatch:
    (slot,) = [slot for slot in dispatch.program.node.slots if slot.name == field.kind.nested_slot]
    dumper = slot.resolve(dispatch.bound_schema, object, dispatch.form)
    return dispatch_of(dumper, field.key)


def dispatch_of(dumper: NestedDumper, key: str) -> Dispatch:
    try:
        dispatch = dumper.dispatch
    except Exception as error:  # stock raises it when it comes to the first value
        raise NotRowReadableError(f"the schema of {key} is not found: {error}") from error
    if not isinstance(dispatch, Dispatch):
        raise NotRowReadableError(f"{key} is dumped by code of its own")
    return dispatch


_MOST_DUMPED = 10_000
"""How many related objects are kept dumped, for the rows that have them, too."""


def by_row(dispatch: Dispatch, reads: Columns) -> Dispatch:
    """Return what dumps rows of a select as a dispatch dumps the objects that were made of them.

    Where there is no object, the row is None.
    """
    program = dispatch.program.derived(("by row", reads), partial(_row_node, reads))
    return Dispatch(program, dispatch.form, dispatch.bound_schema)


def _row_node(reads: Columns, node: ObjectNode) -> ObjectNode:
    derived = DerivedNode(node)
    for field, read in zip(node.fields, reads, strict=True):
        if read.position is None:
            derived.nest(field.kind.nested_slot, partial(_related_dumper, read, field.key))
    return derived.of_rows(map(_row_field, node.fields, reads))


def _row_field(field: FieldNode, read: FieldColumns) -> FieldNode:
    if read is NOT_READ:
        return field
    is_nested = read.position is None
    value = "obj" if is_nested else f"obj[{read.position}]"
    # Stock finds no attribute of None.
    nothing = [(key.null_condition("obj"), "missing") for key in read.keys]
    if is_nested:
        nothing[-1] = (nothing[-1][0], "None")
    return row_field(field, value, nothing)


def _related_dumper(
    read: FieldColumns, key: str, bound_schema: Any, dumper: NestedDumper, form: Form
) -> CallDumper:
    return CallDumper(_once_for_each(by_row(dispatch_of(dumper, key), read.nested), read.keys[-1]))


def _once_for_each(dispatch: Dispatch, key: Key) -> Dump:
    """Return what dumps each related object once, though many rows have it."""
    key_of = key.getter()
    dumped: dict[Any, Any] = {}

    def dump(row: Any) -> Any:
        identity = key_of(row)
        if identity not in dumped:
            if len(dumped) >= _MOST_DUMPED:  # a stream may have any number of them
                dumped.clear()
            dumped[identity] = dispatch[type(row)](row)
        return dumped[identity]

    return dump
