"""What stands where in the rows of a select, and the programs that read fields from them."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy.orm import Mapper, Session
from sqlalchemy.orm.interfaces import MANYTOONE

from fastschema.compiler.nodes import FieldNode, Form, NotRowReadableError, ObjectNode, Read
from fastschema.contrib.sqlalchemy.internals import LoadedEntity, is_listened_to, sends_queries
from fastschema.marshmallow.sqlalchemy import MAPPED, key_finder
from fastschema.runtime.bound_program import CallDumper, Dispatch, Dump, NestedDumper
from fastschema.runtime.json_engine import PLAIN_CLASSES


@dataclass(frozen=True, slots=True)
class Key:
    """Where the primary key of a class stands in a row.

    :param positions: its columns
    :param may_be_partial: whether there is an object if only some of its columns are null
    """

    positions: tuple[int, ...]
    may_be_partial: bool

    def getter(self) -> Callable[[Any], Any]:
        """Return what takes the key of its object from a row; it gives None where there
        is no object.
        """
        columns = itemgetter(*self.positions)
        if len(self.positions) == 1:
            return columns
        is_missing = all if self.may_be_partial else any

        def get(row: Any) -> Any:
            values = columns(row)
            return None if is_missing([value is None for value in values]) else values

        return get

    def null_condition(self, row: str) -> str:
        """Return the condition, as source, that a row has no such object.

        :param row: the expression for the row
        """
        each = [f"{row}[{position}] is None" for position in self.positions]
        return (" and " if self.may_be_partial else " or ").join(each)


@dataclass(frozen=True, slots=True)
class EntityLayout:
    """A mapped class in the rows of a select.

    :param cls: the class
    :param columns: from its loaded attributes to their positions in a row
    :param key: where its primary key stands
    :param relations: from the relations to one object that the statement loads to what they lead to
    :param with_criteria: those of them that the statement has a say in, besides their keys
    :param lazy: its relations to one object that are asked for when somebody reads them
    :param deferred: the names of columns that the statement does not load
    """

    cls: type
    columns: Mapping[str, int]
    key: Key
    relations: Mapping[str, EntityLayout]
    with_criteria: frozenset[str]
    lazy: frozenset[str]
    deferred: frozenset[str]


def entity_layout_of(entity: LoadedEntity, session: Session) -> EntityLayout:
    """Return what stands where in the rows of a class.

    :param session: the session that would hold the objects
    :raises NotRowReadableError: if somebody would notice that they are not made
    :raises UnknownVersionError: see :mod:`fastschema.contrib.sqlalchemy.internals`
    """
    table = _table(entity, session)
    if table is None:
        raise NotRowReadableError(f"{entity.mapper.class_.__name__} is not loaded from the rows")
    classes = _classes(table)
    for each in table.relations.values():
        _check_criteria(each)
    if table.with_criteria and classes.count(table.cls) > 1:
        _check_criteria(table)
    held = set(classes) & {key[0] for key in list(session.identity_map.keys())}
    if held:
        names = ", ".join(sorted(cls.__name__ for cls in held))
        raise NotRowReadableError(f"the session holds objects of these classes: {names}")
    return table


def _table(entity: LoadedEntity, session: Session) -> EntityLayout | None:
    mapper = entity.mapper
    _check_class(mapper, session)
    positions = entity.positions()
    if positions is None:
        return None
    for attribute in mapper.column_attrs:
        if attribute.key in positions and dict(attribute.strategy_key).get("query_expression"):
            raise NotRowReadableError(f"{mapper.class_.__name__}.{attribute.key} is an expression")
    keys = [mapper.get_property_by_column(column).key for column in mapper.primary_key]
    if not set(keys) <= positions.keys():
        raise NotRowReadableError(f"the primary key of {mapper.class_.__name__} is not loaded")
    relations, lazy, with_criteria = {}, set(), set()
    for relation, strategy, has_criteria, related in entity.relations():
        name = f"{mapper.class_.__name__}.{relation.key}"
        if sends_queries(strategy):
            raise NotRowReadableError(f"{name} is loaded by a query of its own ({strategy})")
        if strategy != "joined":
            if strategy in ("select", True) and relation.direction is MANYTOONE:
                lazy.add(relation.key)
            continue
        if relation.direction is not MANYTOONE:
            raise NotRowReadableError(f"{name} is joined, and leads to more than one object")
        table = _table(related, session)
        if table is not None:
            relations[relation.key] = table
        if has_criteria:
            with_criteria.add(relation.key)
    return EntityLayout(
        mapper.class_,
        positions,
        Key(tuple([positions[key] for key in keys]), mapper.allow_partial_pks),
        relations,
        frozenset(with_criteria),
        frozenset(lazy),
        frozenset(mapper.column_attrs.keys() - positions.keys()),
    )


def _check_class(mapper: Mapper[Any], session: Session) -> None:
    """Check that nobody notices whether objects of a class are made.

    :raises NotRowReadableError: if somebody does
    """
    cls = mapper.class_
    if mapper.polymorphic_on is not None or mapper.polymorphic_map or mapper.inherits is not None:
        raise NotRowReadableError(f"{cls.__name__} is mapped with inheritance")
    if any("__new__" in base.__dict__ for base in cls.__mro__[:-1]):
        raise NotRowReadableError(f"{cls.__name__} has a __new__ of its own")
    if is_listened_to(mapper, session):
        raise NotRowReadableError(f"there are listeners for objects of {cls.__name__} being loaded")


def _classes(table: EntityLayout) -> list[type]:
    """Return the class of a table and those of all that it leads to, as often as there are."""
    related = [cls for each in table.relations.values() for cls in _classes(each)]
    return [table.cls, *related]


def _check_criteria(table: EntityLayout) -> None:
    """Check that what a relation leads to depends on nothing but its keys.

    An object that several rows have, or several relations lead to, has but one related object: the
    one that the session meets first.

    :raises NotRowReadableError: if the statement has a say in it
    """
    for name in table.with_criteria:
        raise NotRowReadableError(f"{table.cls.__name__}.{name} is loaded by criteria of its own")
    for each in table.relations.values():
        _check_criteria(each)


class UnloadedError(NotRowReadableError):
    """A schema reads what the statement does not load."""


class FieldColumns(NamedTuple):
    """How one field is read. It holds no class: programs are made of it, and live longer.

    :param position: where the value stands in a row; None for a nested schema, which is given the
        row itself
    :param keys: the primary keys of the related objects on the way to it
    :param nested: how the fields of a nested schema are read
    :param has_default: whether there is a value for rows without an object
    """

    position: int | None
    keys: tuple[Key, ...] = ()
    nested: tuple[FieldColumns, ...] = ()
    has_default: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Whether nobody notices how often a related object is dumped."""
        return not self.has_default and all(each.is_repeatable for each in self.nested)


NOT_READ = FieldColumns(-1)
"""A field that reads nothing of the object: a constant."""
Columns = tuple[FieldColumns, ...]
FindKey = Callable[[str], object]


def columns_of(dispatch: Dispatch, table: EntityLayout) -> Columns:
    """How the fields that a dispatch dumps are read from rows.

    :param table: what stands where in the rows
    :raises NotRowReadableError: if a field needs more than the columns of a row
    """
    node = dispatch.program.node
    if node.access(table.cls) != MAPPED:
        raise NotRowReadableError(f"objects of {table.cls.__name__} are read by code of their own")
    find = key_finder(table.cls)
    return tuple([_field(field, dispatch, table, find) for field in node.fields])


def _field(
    field: FieldNode, dispatch: Dispatch, table: EntityLayout, find: FindKey
) -> FieldColumns:
    """How a field is read.

    :param find: finds under which key objects of the table's class keep an attribute
    """
    path = field.source.path
    if path == ():
        return NOT_READ
    if path is None:
        raise NotRowReadableError(f"{field.key} runs code of yours on each object")
    has_default = field.default is not None
    if field.kind.link is not None:
        if has_default:
            raise NotRowReadableError(f"{field.key} has a dump_default, which is no row")
        keys, related, _ = _follow(path, field, table, find)
        return FieldColumns(None, keys, columns_of(nested_dispatch(field, dispatch), related))
    *relations, name = path
    keys, table, find = _follow(relations, field, table, find)
    if name not in table.columns or find(name) != name:
        raise _not_loaded(field, table, name)
    return FieldColumns(table.columns[name], keys, has_default=has_default)


def _follow(
    relations: Iterable[str], field: FieldNode, table: EntityLayout, find: FindKey
) -> tuple[tuple[Key, ...], EntityLayout, FindKey]:
    """Return the keys of the objects on the way along some relations, and the table at its end."""
    keys = []
    for name in relations:
        if name not in table.relations or find(name) != name:
            raise _not_loaded(field, table, name)
        table = table.relations[name]
        find = key_finder(table.cls)
        keys.append(table.key)
    return tuple(keys), table, find


def _not_loaded(field: FieldNode, table: EntityLayout, name: str) -> NotRowReadableError:
    """Return what to tell of an attribute that is not in the rows."""
    attribute = f"{table.cls.__name__}.{name}"
    if name in table.lazy:
        advice = f"add options(joinedload({attribute}))"
        return UnloadedError(f"{field.key} reads {attribute}, which is not loaded: {advice}")
    if name in table.deferred:
        return UnloadedError(f"{field.key} reads {attribute}, a column that is not loaded")
    return NotRowReadableError(f"{field.key} reads {attribute}, which is not a column of the rows")


def nested_dispatch(field: FieldNode, dispatch: Dispatch) -> Dispatch:
    """Return what dumps the objects of a nested field.

    :raises NotRowReadableError: if that is more than generated code
    """
    (slot,) = [slot for slot in dispatch.program.node.slots if slot.name == field.kind.link]
    link = slot.resolve(dispatch.subject, object, dispatch.form)
    return dispatch_of(link, field.key)


def dispatch_of(link: NestedDumper, key: str) -> Dispatch:
    """Return the generated code that a link leads to.

    :raises NotRowReadableError: if it leads to something else
    """
    try:
        found = link.dispatch
    except Exception as error:  # stock raises it when it comes to the first value
        raise NotRowReadableError(f"the schema of {key} is not found: {error}") from error
    if not isinstance(found, Dispatch):
        raise NotRowReadableError(f"{key} is dumped by code of its own")
    return found


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
_MOST_DUMPED = 10_000
"""How many related objects are kept dumped, for the rows that have them, too."""


def by_row(dispatch: Dispatch, reads: Columns) -> Dispatch:
    """Return what dumps rows of a select as a dispatch dumps the objects that would be made of
    them.

    Where there is no object, the row is None.

    :param reads: how the fields of the dispatch's program are read
    """
    return dispatch.derived(("by row", reads), partial(_row_node, reads))


def _row_node(reads: Columns, node: ObjectNode) -> ObjectNode:
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


def _row_field(field: FieldNode, read: FieldColumns) -> FieldNode:
    """Return the same field, which can be read from a row as well."""
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
    resolve: Callable[..., NestedDumper],
    read: FieldColumns,
    key: str,
    subject: Any,
    cls: type,
    form: Form,
) -> NestedDumper:
    link = resolve(subject, cls, form)

    def find() -> CallDumper:
        dispatch = by_row(dispatch_of(link, key), read.nested)
        dump = _once_for_each(dispatch, read) if read.is_repeatable else _each(dispatch)
        return CallDumper(dump)

    return NestedDumper(find)


def _each(dispatch: Dispatch) -> Dump:
    return lambda row: dispatch[type(row)](row)


def _once_for_each(dispatch: Dispatch, read: FieldColumns) -> Dump:
    """Return what dumps each related object once, though many rows have it.

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
            if len(dumped) >= _MOST_DUMPED:  # a stream may have any number of them
                dumped.clear()
            dumped[found] = result
        return result

    return dump


def _positions(reads: Columns) -> list[int]:
    own = [read.position for read in reads if read.position is not None and read is not NOT_READ]
    return own + [position for read in reads for position in _positions(read.nested)]
