"""Dump the rows of a serializer as the database gave them, by a program that reads rows.

A :class:`ListDumper` takes rows of the database if the serializer reads nothing but their columns;
else the instances that are made of them, which may keep their rows for the relations that it reads.

:func:`by_row` makes the program for the former. Each field is read from the row. A column, and a
nested category that ``select_related`` has loaded, are read like this::

    name = obj[2]
    ...
    category = None if obj[11] is None else obj    # which the nested serializer reads on

:func:`with_kept_relations` makes the one for instances, for code of users sees them. Their columns
are read from the instance as ever, so what that code has changed is seen. What lies behind it is in
a :class:`~fastschema.contrib.django.lists.row_instances.LazyCache`. As long as a row is there,
nobody has seen the related object, so nobody can have changed it, and the row is dumped in its
place; else the field is read as from any instance::

    name = obj.name
    ...
    category = related if (related := related_row(obj, 'category')) is not None else (obj.category)

Where a nested list needs instances as well, they are made without the queryset that has them in
stock.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, suppress
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
    NotRowReadableError,
    ObjectNode,
    Read,
    UnreadableError,
    literal,
)
from fastschema.contrib.django.front_end.access import MODEL, relation_to_many
from fastschema.contrib.django.front_end.bound_serializer import (
    dispatch_for,
    dumps_each,
    mark_compiled,
    nested_dumper_of,
)
from fastschema.contrib.django.front_end.class_state import class_state
from fastschema.contrib.django.front_end.hyperlinks import link_from_value
from fastschema.contrib.django.internals.instances import single_relation
from fastschema.contrib.django.internals.queries import is_stock_queryset
from fastschema.contrib.django.lists.columns import (
    TAKES_OBJECT,
    ColumnAccess,
    Columns,
    FieldColumns,
    calls_user_code,
    check_no_field_fails,
    columns_of,
    field_columns,
    value_maker,
)
from fastschema.contrib.django.lists.prefetching import evaluate
from fastschema.contrib.django.lists.queryset_rows import FetchedRows, LazyInstanceList
from fastschema.contrib.django.lists.row_instances import (
    RelatedRows,
    related_objects,
    related_row,
    related_rows,
)
from fastschema.contrib.django.lists.row_layout import RowLayout
from fastschema.contrib.django.relations import loading_by
from fastschema.runtime.bound_program import CallDumper, Dispatch, Dispatcher, NestedDumper
from fastschema.runtime.derived_node import DerivedNode, at, row_field

_VALUE = unchanged("value of a related object", STRING)
_COLLECTIONS = (ColumnAccess.NESTED_LIST, ColumnAccess.VALUES)
# A new one each time: an exception keeps the frames that it has passed.
_NO_ATTRIBUTES = "AttributeError('None has no attributes')"


class ListDumper:
    """Dumps the rows of a list: as the database gave them if that will do, else as instances.

    To make one may let instances keep their rows, as long as there are none.

    :param dispatch: what dumps the instances
    :param rows: the instances, or a :class:`LazyInstanceList`
    """

    def __init__(self, dispatch: Dispatch, rows: list[Any]) -> None:
        dispatch = Dispatch(dispatch.program, dispatch.form, dispatch.bound_schema.for_one_list())
        columns = _columns_of_rows(dispatch, rows)
        self.by_row = None if columns is None else by_row(dispatch, columns)
        """What dumps the rows of the database, if these will do."""
        self.by_instance = with_kept_relations(dispatch, rows) if columns is None else dispatch
        """What dumps the instances."""
        self.calls_user_code = columns is not None and calls_user_code(columns)
        """Whether code of users runs while rows of the database are dumped."""

    def all_rows(self, rows: LazyInstanceList) -> list[Any]:
        """Dump rows, in one way or the other.

        :raises Exception: what stock raises for one of them
        """
        if self.by_row is not None:
            try:
                return self.by_row.all_rows(rows.rows())
            except Exception:
                if self.calls_user_code:
                    raise  # none of it runs twice
        instances = list(rows)
        with loading_by(self.by_instance, instances):
            return self.by_instance.all_rows(instances)


def dump_rows(
    serializer: Any, data: Any, dispatch: Dispatch | None = None
) -> tuple[list[Any] | None, Any]:
    """Return what a serializer makes of each row, and the rows.

    The former is None if they do not come from the database, or the serializer is not compiled.

    :param serializer: a stock serializer, which represents one row
    :param data: anything that is iterated over; a queryset has its rows afterwards, as in stock
    :param dispatch: what dumps objects; None: the serializer as it is now
    :raises Exception: what running a query raises, or code of users, as in stock
    """
    if is_stock_queryset(data):
        data = evaluate(data)
    if type(data) is not LazyInstanceList:
        return None, data
    if dispatch is None:
        dispatch = dispatch_for_rows(serializer, len(data), Form.PYTHON)
        if dispatch is None:
            return None, list(data)
        mark_compiled(serializer)
    return ListDumper(dispatch, data).all_rows(data), data


def dispatch_for_rows(serializer: Any, rows: int, form: Form) -> Dispatch | None:
    """Count rows, and return what dumps them by a serializer.

    None if stock must dump them, or takes less time.
    """
    state = class_state(type(serializer))
    state.count(rows)
    if not state.is_in_use:
        return None
    try:
        return dispatch_for(serializer, form)
    except UnreadableError:
        return None


def dump_in_blocks(
    blocks: Generator[FetchedRows], serializer: Any, form: Form, chunk_size: int
) -> Generator[list[Any]]:
    """Yield what a serializer makes of the rows of a query, some of them at a time.

    Closing it closes the blocks.

    :param blocks: the rows
    :param serializer: a stock serializer; its fields are not looked at before there is a row
    :param form: the form of the output
    :param chunk_size: how many rows to dump at a time, at most
    :raises Exception: what stock raises for one of them
    """
    by_stock = nested_dumper_of(serializer, form)
    dispatch: Dispatch | None = None
    with closing(blocks):
        for nth, block in enumerate(blocks):
            if nth == 0:
                with suppress(UnreadableError):
                    dispatch = dispatch_for(serializer, form)
            # What is prefetched beside the rows may have another layout than the last block's.
            dumper = None if dispatch is None else ListDumper(dispatch, LazyInstanceList(block))
            for start in range(0, len(block), chunk_size):
                numbers = range(start, min(start + chunk_size, len(block)))
                rows = LazyInstanceList(block, numbers)
                yield by_stock.all_rows(list(rows)) if dumper is None else dumper.all_rows(rows)


def _columns_of_rows(dispatch: Dispatch, rows: list[Any]) -> Columns | None:
    """Return how a serializer reads rows of the database; None if it is given instances.

    :param dispatch: what dumps the instances
    """
    if type(rows) is not LazyInstanceList or rows.fetched is None:
        return None
    try:
        return read_by_column(dispatch, rows.fetched)
    except NotRowReadableError:
        return None


def read_by_column(dispatch: Dispatch, rows: FetchedRows) -> Columns:
    """Return how a serializer reads rows of the database.

    :raises NotRowReadableError: if it must be given instances
    """
    columns = columns_of(dispatch, rows.layout)
    if calls_user_code(columns):
        # What such code raises is raised as it reads the rows: it must not run twice.
        check_no_field_fails(columns)
    return columns


# Programs that read rows


def by_row(dispatch: Dispatch, columns: Columns) -> Dispatch:
    """Return what dumps rows of a query as a dispatch dumps the objects that would be made of them.

    :param columns: how the fields of the dispatch's program are read
    """
    return dispatch.derived(("by row", columns), partial(_row_node, columns))


def _row_node(columns: Columns, node: ObjectNode) -> ObjectNode:
    reader = _RowReader(node, "obj")
    pairs = enumerate(zip(node.fields, columns, strict=True))
    return reader.of_rows([_row_field(number, *pair, reader) for number, pair in pairs])


def _row_field(
    number: int, field: FieldNode, columns: FieldColumns, reader: _RowReader
) -> FieldNode:
    """Return a field that is read from a row."""
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
    """How a field is read from what an instance keeps.

    :param name: the name under which the instance keeps it
    :param columns: how it is read from there; None if it is given the instances of several rows
    """

    name: str
    columns: FieldColumns | None


def with_kept_relations(dispatch: Dispatch, rows: list[Any]) -> Dispatch:
    """Return what dumps instances as a dispatch does, but reads relations from rows they keep.

    :param rows: the instances; if they are not made yet, and a field can be read from rows, they
        will keep them
    """
    fetched = rows.fetched if type(rows) is LazyInstanceList else None
    if fetched is None or not fetched.may_keep_rows:
        return dispatch
    numbers = range(len(dispatch.program.node.fields))
    kept = tuple([_kept_relation(dispatch, number, fetched.layout) for number in numbers])
    if not any(kept):
        return dispatch
    fetched.keep_rows()
    return dispatch.derived(("kept relations", kept), partial(_kept_node, kept))


def _kept_relation(dispatch: Dispatch, number: int, layout: RowLayout) -> KeptRelation | None:
    """Return how a field is read from what an instance keeps; None if it is read from itself."""
    field = dispatch.bound_schema.exemplar_fields[number]
    first, *more = dispatch.program.node.fields[number].source.path or [""]
    try:
        columns = field_columns(dispatch, number, layout)
        check_no_field_fails(columns.nested)
    except NotRowReadableError:
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
    names = {each.__name__: each for each in (related_row, related_rows, related_objects)}
    return reader.with_fields(fields, names={**node.names, **names})


def _kept_field(
    number: int, field: FieldNode, relation: KeptRelation, reader: _RowReader
) -> FieldNode:
    """Return a field that is read from a kept row if it is there."""
    name, columns = literal(relation.name), relation.columns
    if columns is None:
        kept = f"(related := related_objects(obj, {name})) is not None"
        return _from_model(field, "related", kept, field.source.read(MODEL))
    is_many = columns.access in _COLLECTIONS
    value, kind = reader.value(number, field, columns)
    get = "related_rows" if is_many else "related_row"
    # Where there is no related object, none is kept; the same further on is for stock.
    there = [f"{at('related', check.place)} is not None" for check in columns.null_checks[1:]]
    kept = " and ".join([f"(related := {get}(obj, {name})) is not None", *there])
    otherwise = field.source.read(MODEL)
    if columns.access is ColumnAccess.SLUG:
        otherwise = Read(f"represent_field({field.field}, obj)")
    value = "related" if is_many else value
    return replace(_from_model(field, value, kept, otherwise), kind=kind)


def _from_model(field: FieldNode, value: str, kept: str, otherwise: Read) -> FieldNode:
    """Return a field that is read from a model instance in one way if something is kept there."""
    read = Read(f"{value} if {kept} else ({otherwise.expression})", otherwise.handlers)
    source = replace(field.source, reads={**field.source.reads, MODEL: read})
    return replace(field, source=source)


class _RowReader(DerivedNode):
    """Derives a node whose fields are read from rows.

    :param node: the node of the serializer
    :param row: the expression for a row
    :param or_instance: whether a value may also come from an instance
    """

    def __init__(self, node: ObjectNode, row: str, *, or_instance: bool = False) -> None:
        super().__init__(node)
        self._row = row
        self._or_instance = or_instance

    def value(self, number: int, field: FieldNode, columns: FieldColumns) -> tuple[str, Kind]:
        """Return the expression for the value of a field, and what is done to it.

        :param number: that of the field
        """
        access, kind = columns.access, field.kind
        value = at(self._row, columns.place)
        if access in (ColumnAccess.LABEL, ColumnAccess.FILE):
            made = self.add_slot(f"{access.value}_of_row_{number}", partial(_value_maker, columns))
            return f"{made}({value})", kind
        if access is ColumnAccess.ADDRESS:
            link = self.add_slot(f"row_link_{number}", partial(_address_link, number))
            key = f"None if {value} is None else PKOnlyObject({value})"
            return key, for_all(kind.label, f"{link}({{value}})", PLAIN)
        if access in (ColumnAccess.NESTED, ColumnAccess.NESTED_LIST):
            many = access is ColumnAccess.NESTED_LIST
            make = partial(_dumper_of_rows, number, columns.nested, many, self._or_instance)
            self.nest(kind.nested_slot, make)
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
        of_rows = f"[{item} for each in {{value}}]"
        if self._or_instance:
            of_rows = f"{of_rows} if type({{value}}) is RelatedRows else {conversion.otherwise}"
        return Conversion(otherwise=of_rows)


def _value_maker(columns: FieldColumns, bound: Any, cls: type, form: Form) -> Callable[[Any], Any]:
    return value_maker(columns)


def _address_link(number: int, bound: Any, cls: type, form: Form) -> Callable[[Any], Any]:
    def own(value: Any) -> Any:
        return bound.fields[number].to_representation(value)

    return link_from_value(bound.exemplar_fields[number], bound, own, form)


def _dumper_of_rows(
    number: int, columns: Columns, many: bool, or_instance: bool, bound: Any, dumper: NestedDumper
) -> Dispatcher:
    """Return what dumps the row of a related object, or the rows of several.

    :param number: that of the nested serializer's field
    :param columns: how the fields of the nested serializer are read
    :param or_instance: whether it also dumps what an instance has
    :param dumper: dumps what an instance has, single or many, found when there is one
    """
    dispatch = by_row(bound.nested[number], columns)
    if not or_instance:
        return CallDumper.of_each(NestedDumper(lambda: dispatch)) if many else dispatch
    dump_row: Callable[[Any], Any] = dispatch.many if many else dispatch
    row_class = RelatedRows if many else tuple

    def dump(value: Any) -> Any:
        return dump_row(value) if type(value) is row_class else dumper(value)

    return CallDumper(dump, is_stock=False)
