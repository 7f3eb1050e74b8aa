"""Dump instances whose related objects nobody has seen: the rows that are kept in their place.

A serializer with a method field, say, is given instances, for code of users sees them. Columns are
read from the instance as ever, so what that code has changed is seen. What lies behind it is in a
:class:`~fastschema.contrib.django.lazy_caches.LazyCache`. As long as a row is there, nobody has
seen the related object, so nobody can have changed it, and the row is dumped in its place. Else the
field is read as from any instance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from fastschema.compiler.kinds import STRING, unchanged
from fastschema.compiler.nodes import (
    Conversion,
    FieldNode,
    Form,
    ObjectNode,
    Read,
    Slot,
    UnreadableError,
    literal,
)
from fastschema.contrib.django.access import MODEL, relation_to_many
from fastschema.contrib.django.lazy_caches import RelatedRows, related_row, related_rows
from fastschema.contrib.django.lists.columns import (
    ColumnAccess,
    Columns,
    FieldColumns,
    check_errors,
    field_columns,
    nested_row_dispatch,
    value_in_row,
)
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.contrib.django.lists.row_layout import (
    NotRowReadableError,
    RowLayout,
    cache_name,
    single_relation,
)
from fastschema.runtime.bound_program import CallDumper, Dispatch, NestedDumper

_COLLECTIONS = (ColumnAccess.NESTED_LIST, ColumnAccess.VALUES)
_OF_ROW = unchanged("value of a related object", STRING)
_NAMES = {"related_row": related_row, "related_rows": related_rows, "RelatedRows": RelatedRows}


class KeptRelation(NamedTuple):
    """How a field is read from what an instance keeps.

    :param name: the name under which the instance keeps it
    :param read: how it is read from there
    """

    name: str
    read: FieldColumns


def with_kept_relations(dispatch: Dispatch, rows: list[Any]) -> Dispatch:
    """Return what dumps instances as a dispatch does, but reads relations from rows they keep.

    :param rows: the instances; if they are not made yet, and a field can be read from rows, they
        will keep them
    """
    fetched = rows.fetched if type(rows) is LazyInstanceList else None
    if fetched is None or not fetched.may_keep_rows:
        return dispatch
    pairs = zip(dispatch.subject.options, dispatch.program.node.fields, strict=True)
    kept = tuple([_kept_relation(field, node, fetched.table) for field, node in pairs])
    if not any(kept):
        return dispatch
    fetched.keep_rows()
    program = dispatch.program.derived(("kept relations", kept), partial(_node, kept))
    return Dispatch(program, dispatch.form, dispatch.subject)


def _kept_relation(field: Any, node: FieldNode, table: RowLayout) -> KeptRelation | None:
    """Return how a field is read from what an instance keeps; None if it is read from itself."""
    try:
        read = field_columns(field, node, table)
        check_errors(read.nested)
    except (NotRowReadableError, UnreadableError):
        return None
    first = (node.source.path or [""])[0]
    if read.way in _COLLECTIONS and not read.steps:
        many = relation_to_many(table.model, first)
        return None if many is None else KeptRelation(many[0], read)
    if not read.steps or read.way is ColumnAccess.NESTED_LIST:
        return None
    return KeptRelation(cache_name(*single_relation(table.model, first)), read)


def _node(kept: tuple[KeptRelation | None, ...], node: ObjectNode) -> ObjectNode:
    slots = {slot.name: slot for slot in node.slots}
    fields = [
        field if relation is None else _field(number, field, relation, slots)
        for number, (field, relation) in enumerate(zip(node.fields, kept, strict=True))
    ]
    return replace(
        node,
        fields=tuple(fields),
        slots=tuple(slots.values()),
        names={**node.names, **_NAMES},
    )


def _field(
    number: int, field: FieldNode, relation: KeptRelation, slots: dict[str, Slot]
) -> FieldNode:
    """Return a field that is read from a kept row if it can be; ``slots`` are changed for it."""
    read, kind = relation.read, field.kind
    otherwise = field.source.read(MODEL)
    if read.way in (ColumnAccess.NESTED, ColumnAccess.NESTED_LIST):
        slot = slots[str(kind.link)]
        make = _row_or_instance if read.way is ColumnAccess.NESTED else _rows_or_instances
        slots[slot.name] = replace(slot, resolve=partial(_link, make, slot.resolve, read.nested))
    elif read.way is ColumnAccess.VALUES:
        position = read.nested[0].position
        kind = replace(
            kind,
            python=_each("each[{}]", position, kind.python),
            json=_each("json_value(each[{}])", position, kind.json),
        )
    elif read.way is ColumnAccess.SLUG:
        kind = replace(_OF_ROW, label=kind.label)
        otherwise = Read(f"represent_field({field.field}, obj)")
    value = value_in_row("related", number, read, slots)
    expression = f"{_from_row(relation, value)} else ({otherwise.expression})"
    source = field.source
    reads = {**source.reads, MODEL: Read(expression, otherwise.handlers)}
    return replace(field, source=replace(source, reads=reads), kind=kind)


def _from_row(relation: KeptRelation, value: str) -> str:
    """Return the value if the row is kept, and the condition for that.

    :param value: what is read of the row, unless it is a list of rows
    """
    name, read = literal(relation.name), relation.read
    if read.way in _COLLECTIONS:
        return f"related if (related := related_rows(obj, {name})) is not None"
    # Where there is no related object, none is kept; the same further on is for stock.
    there = [f"related[{step.key}] is not None" for step in read.steps[1:]]
    conditions = [f"(related := related_row(obj, {name})) is not None", *there]
    return f"{value} if {' and '.join(conditions)}"


def _each(item: str, position: int, conversion: Conversion) -> Conversion:
    """Return a conversion that also takes the rows of related objects."""
    of_rows = f"[{item.format(position)} for each in {{value}}]"
    otherwise = f"{of_rows} if type({{value}}) is RelatedRows else {conversion.otherwise}"
    return Conversion(otherwise=otherwise)


def _link(
    make: Callable[[NestedDumper, Columns], CallDumper],
    resolve: Callable[..., NestedDumper],
    columns: Columns,
    subject: Any,
    cls: type,
    form: Form,
) -> NestedDumper:
    link = resolve(subject, cls, form)
    return NestedDumper(lambda: make(link, columns))


def _row_or_instance(link: NestedDumper, columns: Columns) -> CallDumper:
    dispatch = link.dispatch
    by_row = nested_row_dispatch(link, columns)

    def dump(value: Any) -> Any:
        cls = type(value)
        return by_row[cls](value) if cls is tuple else dispatch[cls](value)

    return CallDumper(dump, link, is_stock=False)


def _rows_or_instances(link: NestedDumper, columns: Columns) -> CallDumper:
    dispatch = link.dispatch
    inner = getattr(dispatch, "inner", None)
    if inner is None:
        raise NotRowReadableError("a nested serializer runs code of yours")
    each_row = NestedDumper(lambda: nested_row_dispatch(inner, columns))

    def dump(value: Any) -> Any:
        cls = type(value)
        return each_row.many(value) if cls is RelatedRows else dispatch[cls](value)

    return CallDumper(dump, inner, is_stock=False)
