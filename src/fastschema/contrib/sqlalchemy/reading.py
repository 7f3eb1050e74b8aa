"""How the fields of a schema are read from the rows of a select."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    :param has_default: whether there is a value for rows without an object
    """

    position: int | None
    keys: tuple[Key, ...] = ()
    nested: tuple[FieldRead, ...] = ()
    has_default: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Whether nobody notices how often a related object is dumped."""
        return not self.has_default and all(each.is_repeatable for each in self.nested)


NOT_READ = FieldRead(-1)
"""A field that reads nothing of the object: a constant."""
Reads = tuple[FieldRead, ...]
FindKey = Callable[[str], object]


def reads_of(dispatch: Dispatch, table: Table) -> Reads:
    """How the fields that a dispatch dumps are read from rows.

    :param table: what stands where in the rows
    :raises ObjectsNeededError: if a field needs more than the columns of a row
    """
    node = dispatch.program.node
    if node.access(table.cls) != MAPPED:
        raise ObjectsNeededError(f"objects of {table.cls.__name__} are read by code of their own")
    find = key_finder(table.cls)
    return tuple([_field(field, dispatch, table, find) for field in node.fields])


def _field(field: FieldNode, dispatch: Dispatch, table: Table, find: FindKey) -> FieldRead:
    """How a field is read.

    :param find: finds under which key objects of the table's class keep an attribute
    """
    path = field.source.path
    if path == ():
        return NOT_READ
    if path is None:
        raise ObjectsNeededError(f"{field.key} reads the object by code of its own")
    has_default = field.default is not None
    if field.kind.link is not None:
        if has_default:
            raise ObjectsNeededError(f"{field.key} has a dump_default, which is no row")
        keys, related, _ = _follow(path, field, table, find)
        return FieldRead(None, keys, reads_of(nested_dispatch(field, dispatch), related))
    *relations, name = path
    keys, table, find = _follow(relations, field, table, find)
    if name not in table.columns or find(name) != name:
        raise _not_loaded(field, table, name)
    return FieldRead(table.columns[name], keys, has_default=has_default)


def _follow(
    relations: Iterable[str], field: FieldNode, table: Table, find: FindKey
) -> tuple[tuple[Key, ...], Table, FindKey]:
    """The keys of the objects on the way along some relations, and the table at its end."""
    keys = []
    for name in relations:
        if name not in table.relations or find(name) != name:
            raise _not_loaded(field, table, name)
        table = table.relations[name]
        find = key_finder(table.cls)
        keys.append(table.key)
    return tuple(keys), table, find


def _not_loaded(field: FieldNode, table: Table, name: str) -> ObjectsNeededError:
    """What to tell of an attribute that is not in the rows."""
    attribute = f"{table.cls.__name__}.{name}"
    if name in table.lazy:
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
