"""Programs that read rows of the database, derived from those that read objects.

:func:`by_row` makes the program for rows. Each field is read from the row. A column, and a nested
category that ``select_related`` has loaded, are read like this::

    name = obj[2]
    ...
    category = None if obj[11] is None else obj    # which the nested serializer reads on

:func:`with_kept_relations` makes the one for instances, for code of users sees them. Their columns
are read from the instance as ever, so what that code has changed is seen. What lies behind it is in
a :class:`~fastschema.contrib.django.lists.row_instances.LazyCache`. As long as a row is there,
no code has seen the related object, so none can have changed it, and the row is dumped in its
place; else the field is read as from any instance::

    name = obj.name
    ...
    related = kept_row(obj._state.fields_cache, 'category')
    category = related if related is not None else obj.category

Where a nested list needs instances as well, they are made without the queryset that has them in
stock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from fastschema.compiler.kinds import STRING, for_all, unchanged
from fastschema.compiler.nodes import (
    PLAIN,
    Conversion,
    FieldNode,
    Form,
    Kind,
    ObjectNode,
    Read,
    literal,
)
from fastschema.contrib.django.front_end.access import MODEL, relation_to_many
from fastschema.contrib.django.front_end.bound_serializer import dumps_each
from fastschema.contrib.django.front_end.hyperlinks import link_from_value
from fastschema.contrib.django.internals.instances import single_relation
from fastschema.contrib.django.lists.columns import (
    TAKES_OBJECT,
    ColumnAccess,
    Columns,
    FieldColumns,
    may_fail,
    value_maker,
)
from fastschema.contrib.django.lists.row_instances import (
    RelatedRows,
    kept_objects,
    kept_row,
    prefetched_cache,
)
from fastschema.contrib.django.lists.row_layout import RowLayout
from fastschema.runtime.bound_program import CallDumper, Dispatch, Dispatcher, NestedDumper
from fastschema.runtime.derived_node import DerivedNode, at, row_field
from fastschema.runtime.programs import DumpProgram

_VALUE = unchanged("value of a related object", STRING)
_COLLECTIONS = (ColumnAccess.NESTED_LIST, ColumnAccess.VALUES)
# A new one each time: an exception keeps the frames that it has passed.
_NO_ATTRIBUTES = "AttributeError('None has no attributes')"


def by_row(program: DumpProgram, columns: Columns) -> DumpProgram:
    """Return what dumps rows as a program dumps the objects that would be made of them."""
    return program.derived(("by row", columns), partial(_row_node, columns))


def _row_node(columns: Columns, node: ObjectNode) -> ObjectNode:
    reader = _RowReader(node, "obj")
    pairs = enumerate(zip(node.fields, columns, strict=True))
    return reader.of_rows([_row_field(number, *pair, reader) for number, pair in pairs])


def _row_field(
    number: int, field: FieldNode, columns: FieldColumns, reader: _RowReader
) -> FieldNode:
    value, kind = reader.value(number, field, columns)
    fails = f"unreadable({field.field}, obj, {_NO_ATTRIBUTES})"
    nothing = [
        (f"{at('obj', check.place)} is None", fails if check.is_nullable else "None")
        for check in columns.null_checks
    ]
    if nothing and columns.access in TAKES_OBJECT:
        nothing[-1] = (nothing[-1][0], "None")
    return replace(row_field(field, value, nothing), kind=kind, call_if_callable=None)


class KeptRelation(NamedTuple):
    """How a field is read from what an instance keeps; no columns: it gets several instances."""

    name: str
    columns: FieldColumns | None


def with_kept_relations(
    dispatch: Dispatch, fields: Sequence[FieldColumns | str], layout: RowLayout
) -> DumpProgram | None:
    """Return what reads relations from the rows that instances keep; None if there are none."""
    kept = tuple(
        [_kept_relation(dispatch, number, field, layout) for number, field in enumerate(fields)]
    )
    if not any(kept):
        return None
    return dispatch.program.derived(("kept relations", kept), partial(_kept_node, kept))


def _kept_relation(
    dispatch: Dispatch, number: int, columns: FieldColumns | str, layout: RowLayout
) -> KeptRelation | None:
    """Return how a field is read from what an instance keeps; None if it is read from itself."""
    first, *more = dispatch.program.node.fields[number].source.path or [""]
    if isinstance(columns, str) or may_fail(columns.nested):
        field = dispatch.bound_schema.exemplar_fields[number]
        many = None if more or not dumps_each(field) else relation_to_many(layout.model, first)
        return None if many is None else KeptRelation(many[0], None)
    if columns.access in _COLLECTIONS and not columns.null_checks:
        many = relation_to_many(layout.model, first)
        return None if many is None else KeptRelation(many[0], columns)
    if not columns.null_checks or columns.access is ColumnAccess.NESTED_LIST:
        return None
    single = single_relation(layout.model, first)
    return None if single is None else KeptRelation(single.cache_name, columns)


def _kept_node(kept: tuple[KeptRelation | None, ...], node: ObjectNode) -> ObjectNode:
    reader = _RowReader(node, "related", or_instance=True)
    fields = [
        field if relation is None else _kept_field(number, field, relation, reader)
        for number, (field, relation) in enumerate(zip(node.fields, kept, strict=True))
    ]
    names = {function.__name__: function for function in (kept_row, kept_objects, prefetched_cache)}
    return reader.with_fields(fields, names={**node.names, **names})


def _kept_field(
    number: int, field: FieldNode, relation: KeptRelation, reader: _RowReader
) -> FieldNode:
    """Return a field that is read from a kept row if it is there."""
    name, columns = literal(relation.name), relation.columns
    if columns is None:
        kept = f"(related := kept_objects(prefetched_cache(obj), {name})) is not None"
        return _from_model(field, "related", kept, field.source.read(MODEL))
    is_many = columns.access in _COLLECTIONS
    value, kind = reader.value(number, field, columns)
    cache = "prefetched_cache(obj)" if is_many else "obj._state.fields_cache"
    # Where there is no related object, none is kept; the same further on is for stock.
    there = [f"{at('related', check.place)} is not None" for check in columns.null_checks[1:]]
    kept = " and ".join([f"(related := kept_row({cache}, {name})) is not None", *there])
    otherwise = field.source.read(MODEL)
    if columns.access is ColumnAccess.SLUG:
        otherwise = Read(f"represent_field({field.field}, obj)")
    return replace(_from_model(field, value, kept, otherwise), kind=kind)


def _from_model(field: FieldNode, value: str, kept: str, otherwise: Read) -> FieldNode:
    """Return a field that is read from a model instance in one way if something is kept there."""
    read = Read(f"{value} if {kept} else ({otherwise.expression})", otherwise.handlers)
    source = replace(field.source, reads={**field.source.reads, MODEL: read})
    return replace(field, source=source)


class _RowReader(DerivedNode):
    """Derives a node whose fields are read from rows, or also from instances (``or_instance``)."""

    def __init__(self, node: ObjectNode, row: str, *, or_instance: bool = False) -> None:
        super().__init__(node)
        self._row = row
        self._or_instance = or_instance

    def value(self, number: int, field: FieldNode, columns: FieldColumns) -> tuple[str, Kind]:
        """Return the expression for the value of a field, and what is done to it."""
        access, kind = columns.access, field.kind
        value = at(self._row, columns.place)
        if access in (ColumnAccess.LABEL, ColumnAccess.FILE):
            make = self.add_slot(
                f"{access.value}_of_row_{number}", lambda bound, cls, form: value_maker(columns)
            )
            return f"{make}({value})", kind
        if access is ColumnAccess.ADDRESS:
            link = self.add_slot(f"row_link_{number}", partial(_address_link, number))
            key = f"None if {value} is None else PKOnlyObject({value})"
            return key, for_all(kind.label, f"{link}($value)", PLAIN)
        if access in (ColumnAccess.NESTED, ColumnAccess.NESTED_LIST):
            many = access is ColumnAccess.NESTED_LIST
            dumper = partial(_dumper_of_rows, number, columns.nested, many, self._or_instance)
            self.nest(kind.nested_slot, dumper)
        elif access is ColumnAccess.VALUES:
            item = at("each", columns.nested[0].place)
            python = self._each(item, kind.python)
            json = self._each(f"json_value({item})", kind.json)
            names = {**kind.names, "RelatedRows": RelatedRows}
            kind = replace(kind, python=python, json=json, names=names)
        elif access in (ColumnAccess.KEY, ColumnAccess.SLUG):
            kind = replace(_VALUE, label=kind.label)
        return value, kind

    def _each(self, item: str, conversion: Conversion) -> Conversion:
        """Return a conversion that takes the rows of related objects."""
        of_rows = f"[{item} for each in $value]"
        if self._or_instance:
            of_rows = f"{of_rows} if type($value) is RelatedRows else {conversion.otherwise}"
        return Conversion(otherwise=of_rows)


def _address_link(number: int, bound: Any, cls: type, form: Form) -> Callable[[Any], Any]:
    def by_field(value: Any) -> Any:
        return bound.fields[number].to_representation(value)

    return link_from_value(bound.exemplar_fields[number], bound, by_field, form)


def _dumper_of_rows(
    number: int,
    columns: Columns,
    many: bool,
    or_instance: bool,
    bound: Any,
    dumper: NestedDumper,
    form: Form,
) -> Dispatcher:
    """Return what dumps the row of a related object, or the rows of several.

    :param or_instance: whether it also dumps what an instance has, by ``dumper``
    """
    nested = bound.nested(number)
    dispatch = Dispatch(by_row(nested.compiled.program, columns), form, nested)

    def dump_row(row: Any) -> Any:
        return dispatch[tuple](row)

    def dump_rows(rows: RelatedRows) -> list[Any]:
        return dispatch.many(rows)

    dump_related: Callable[[Any], Any] = dump_rows if many else dump_row
    if not or_instance:
        return CallDumper(dump_related, is_stock=False)
    row_class = RelatedRows if many else tuple

    def dump(value: Any) -> Any:
        return dump_related(value) if type(value) is row_class else dumper(value)

    return CallDumper(dump, is_stock=False)
