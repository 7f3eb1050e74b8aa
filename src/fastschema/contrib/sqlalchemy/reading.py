"""How the fields of a schema are read from the rows of a select."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fastschema.compiler.nodes import FieldNode
from fastschema.contrib.sqlalchemy.tables import Key, ObjectsNeededError, Table
from fastschema.marshmallow.mapped_attributes import MAPPED, key_finder
from fastschema.runtime.dispatch import Dispatch, Link


class UnloadedError(ObjectsNeededError):
    """A schema reads what the statement does not load."""


class FieldRead(NamedTuple):
    """How one field is read. It holds no class: programs are made of it, and live longer.

    :param position: where the value stands in a row; None for a nested schema, which is given the
        row itself
    :param keys: the primary keys of the related objects on the way to it
    :param nested: how the fields of a nested schema are read
    """

    position: int | None
    keys: tuple[Key, ...] = ()
    nested: tuple[FieldRead, ...] = ()


Reads = tuple[FieldRead, ...]


def reads_of(dispatch: Dispatch, table: Table) -> Reads:
    """How the fields that a dispatch dumps are read from rows.

    :param table: what stands where in the rows
    :raises ObjectsNeededError: if a field needs more than the columns of a row
    """
    node = dispatch.program.node
    if node.access(table.cls) != MAPPED:
        raise ObjectsNeededError(f"objects of {table.cls.__name__} are read by code of their own")
    return tuple([_field(field, dispatch, table) for field in node.fields])


def _field(field: FieldNode, dispatch: Dispatch, table: Table) -> FieldRead:
    path = field.source.path
    if path is None:
        raise ObjectsNeededError(f"{field.key} reads the object by code of its own")
    if field.kind.link is not None:
        keys, related = _follow(path, field, table)
        return FieldRead(None, keys, reads_of(nested_dispatch(field, dispatch), related))
    *relations, name = path
    keys, table = _follow(relations, field, table)
    return FieldRead(_column(name, field, table), keys)


def _column(name: str, field: FieldNode, table: Table) -> int:
    position = table.columns.get(name)
    if position is None or key_finder(table.cls)(name) != name:
        raise _not_loaded(field, table, name)
    return position


def _follow(
    relations: Iterable[str], field: FieldNode, table: Table
) -> tuple[tuple[Key, ...], Table]:
    keys = []
    for name in relations:
        if name not in table.relations or key_finder(table.cls)(name) != name:
            raise _not_loaded(field, table, name)
        table = table.relations[name]
        keys.append(table.key)
    return tuple(keys), table


def _not_loaded(field: FieldNode, table: Table, name: str) -> ObjectsNeededError:
    """What to tell of an attribute that is not in the rows."""
    attribute = f"{table.cls.__name__}.{name}"
    if name in table.to_one:
        advice = f"add options(joinedload({attribute}))"
        return UnloadedError(f"{field.key} reads {attribute}, which is not loaded: {advice}")
    if name in table.deferred:
        return UnloadedError(f"{field.key} reads {attribute}, a column that is not loaded")
    return ObjectsNeededError(f"{field.key} reads {attribute}, which is not a column of the rows")


def nested_dispatch(field: FieldNode, dispatch: Dispatch) -> Dispatch:
    """What dumps the objects of a nested field.

    :raises ObjectsNeededError: if that is more than generated code
    """
    (slot,) = [slot for slot in dispatch.program.node.slots if slot.name == field.kind.link]
    link = slot.resolve(dispatch.subject, object, dispatch.form)
    return dispatch_of(link, field.key)


def dispatch_of(link: Link, key: str) -> Dispatch:
    """The generated code that a link leads to.

    :raises ObjectsNeededError: if it leads to something else
    """
    try:
        found = link.dispatch
    except Exception as error:  # stock raises it when it comes to the first value
        raise ObjectsNeededError(f"the schema of {key} is not found: {error}") from error
    if not isinstance(found, Dispatch):
        raise ObjectsNeededError(f"{key} is dumped by code of its own")
    return found
