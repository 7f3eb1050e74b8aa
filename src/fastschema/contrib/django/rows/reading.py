"""How the fields of a serializer are read from the rows of a query."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from django.db.models.constants import LOOKUP_SEP
from rest_framework.relations import ManyRelatedField, PrimaryKeyRelatedField, SlugRelatedField
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import FieldNode, ObjectNode, Rereading
from fastschema.contrib.django.attribute_access import column
from fastschema.contrib.django.class_state import pending
from fastschema.contrib.django.rows.tables import InstancesNeededError, Table
from fastschema.contrib.django.stock_serializers import is_stock_list, is_stock_serializer
from fastschema.contrib.django.subjects import read_now
from fastschema.runtime.stock import stock_method

_TO_KEY = stock_method(PrimaryKeyRelatedField, "to_representation")
_TO_SLUG = stock_method(SlugRelatedField, "to_representation")


class Way(enum.Enum):
    """What a field is given of a row."""

    VALUE = "value"
    """The value of a column."""
    KEY = "key"
    """The value of a foreign key's column, for a field that takes no object."""
    SLUG = "slug"
    """The value of a related object's column, likewise."""
    ADDRESS = "address"
    """The key from which the address of an object is made."""
    NESTED = "nested"
    """The columns of a related object."""
    NESTED_LIST = "nested list"
    """The rows of related objects."""
    VALUES = "values"
    """The values of one column of related objects."""


TAKES_OBJECT = (Way.NESTED, Way.SLUG)
"""Where the last relation gives the object that the field takes, or None."""


class Step(NamedTuple):
    """A relation on the way to a value.

    :param key: the position of the related object's primary key: null if there is no such object
    :param none_has_no_attributes: see :class:`fastschema.contrib.django.rows.tables.Relation`
    """

    key: int
    none_has_no_attributes: bool


class FieldRead(NamedTuple):
    """How one field is read. It holds no model: programs are made of it, and live longer.

    :param way: what the field is given
    :param position: where that stands in the row; -1 for ``NESTED``
    :param steps: the relations that lead there
    :param nested: how the fields of a nested serializer are read; for ``VALUES``, how the one value
        of each related object is
    """

    way: Way
    position: int
    steps: tuple[Step, ...] = ()
    nested: tuple[FieldRead, ...] = ()


Reads = tuple[FieldRead, ...]


def reads_of(fields: list[Any], node: ObjectNode, table: Table) -> Reads:
    """How the fields of a serializer are read from rows.

    :param fields: those of a serializer, or fields like them
    :param node: what the serializer reads as
    :param table: what stands where in the rows
    :raises InstancesNeededError: if a field needs more than the columns of a row
    """
    pairs = zip(fields, node.fields, strict=True)
    return tuple([_field(field, field_node, table) for field, field_node in pairs])


def check_errors(reads: Reads) -> None:
    """Check that no field fails for a row in a way that names the class of the object.

    :raises InstancesNeededError: if one may
    """
    for read in reads:
        check_errors(read.nested)
        steps = read.steps[:-1] if read.way in TAKES_OBJECT else read.steps
        if any(step.none_has_no_attributes for step in steps):
            raise InstancesNeededError("a relation that may be null is followed to an attribute")


def _field(field: Any, node: FieldNode, table: Table) -> FieldRead:
    path = node.source.path
    if path is None:
        raise InstancesNeededError(f"{node.key} reads the object by code of its own")
    if node.kind.link is not None:
        return _nested(field, path, table)
    if node.kind.rereading is Rereading.ADDRESS:
        return _address(field, node, path, table)
    if not path:
        raise InstancesNeededError(f"{node.key} takes the object itself")
    *relations, name = path
    if isinstance(field, ManyRelatedField):
        return _many_related(field, node, path, table)
    if isinstance(field, SlugRelatedField) and node.reason is None:
        *more, name = field.slug_field.split("__")
        steps, table = _follow([*path, *more], table)
        # Each of them but the last may be None: then reading the next attribute fails.
        if len(steps) > 1:
            raise InstancesNeededError(f"{node.key} follows more than one relation")
        return FieldRead(Way.SLUG, table.column(name), steps)
    if node.kind.rereading is Rereading.KEY:
        if relations:
            raise InstancesNeededError(f"{node.key} reads a key of another object")
        return FieldRead(Way.KEY, _key(name, table))
    steps, table = _follow(relations, table)
    return FieldRead(Way.VALUE, table.column(name), steps)


def _nested(field: Any, path: tuple[str, ...], table: Table) -> FieldRead:
    if isinstance(field, ListSerializer):
        *relations, name = path or [""]
        steps, table = _follow(relations, table)
        collection = table.collection(name)
        if not is_stock_list(field):
            raise InstancesNeededError(f"{field.field_name} is a list of its own kind")
        reads = _serializer(field.child, collection.table)
        return FieldRead(Way.NESTED_LIST, collection.position, steps, reads)
    steps, table = _follow(path, table)
    return FieldRead(Way.NESTED, -1, steps, _serializer(field, table))


def _serializer(serializer: Any, table: Table) -> Reads:
    if not isinstance(serializer, Serializer) or not is_stock_serializer(serializer):
        raise InstancesNeededError(f"{type(serializer).__name__} represents in its own way")
    known = pending(serializer)
    if known is not None:
        return reads_of(known.fields, known.program.node, table)
    program, fields = read_now(serializer)
    return reads_of(fields, program.node, table)


def _many_related(
    field: ManyRelatedField, node: FieldNode, path: tuple[str, ...], table: Table
) -> FieldRead:
    """The keys or slugs of related objects."""
    name = slug_of(field.child_relation)
    if len(path) > 1 or node.reason is not None or name is None:
        raise InstancesNeededError(f"{node.key} takes objects")
    collection = table.collection(path[0])
    read = FieldRead(Way.VALUE, collection.table.column(name))
    return FieldRead(Way.VALUES, collection.position, nested=(read,))


def slug_of(relation: Any) -> str | None:
    """The attribute of related objects that a field takes of each; None if it takes more."""
    method = type(relation).to_representation
    if method is _TO_KEY:
        return "pk"
    if method is _TO_SLUG and LOOKUP_SEP not in relation.slug_field:
        name: str = relation.slug_field
        return name
    return None


def _address(field: Any, node: FieldNode, path: tuple[str, ...], table: Table) -> FieldRead:
    is_of_key = field.use_pk_only_optimization() if path else field.lookup_field == "pk"
    if not is_of_key or len(path) > 1:
        raise InstancesNeededError(f"{node.key} looks up more than a key of the object")
    position = _key(path[0], table) if path else table.column("pk")
    return FieldRead(Way.ADDRESS, position)


def _key(name: str, table: Table) -> int:
    """The position of the column of a foreign key."""
    attribute = column(table.model, name)
    if attribute is None:
        raise InstancesNeededError(f"{name} is no foreign key")
    position = table.column(attribute)
    if position in table.of_users():
        raise InstancesNeededError(f"{name} has keys of a class of its own")
    return position


def _follow(relations: Any, table: Table) -> tuple[tuple[Step, ...], Table]:
    steps = []
    for name in relations:
        relation = table.relation(name)
        table = relation.table
        steps.append(Step(table.key, relation.none_has_no_attributes))
    return tuple(steps), table
