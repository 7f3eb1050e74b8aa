"""How the fields of a serializer are read from the rows of a query."""

from __future__ import annotations

import enum
import functools
from typing import Any, NamedTuple

from rest_framework.relations import SlugRelatedField
from rest_framework.serializers import Serializer

from fastschema.compiler.nodes import FieldNode, ObjectNode, Rereading
from fastschema.contrib.django.attribute_access import column
from fastschema.contrib.django.construction import blueprint_of
from fastschema.contrib.django.rows.converting import converted_by_users
from fastschema.contrib.django.rows.tables import InstancesNeededError, Table, table_of
from fastschema.contrib.django.stock_serializers import is_stock_serializer
from fastschema.contrib.django.subjects import read_now


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
    :param nested: how the fields of a nested serializer are read
    """

    way: Way
    position: int
    steps: tuple[Step, ...] = ()
    nested: tuple[FieldRead, ...] = ()


Reads = tuple[FieldRead, ...]


def reads_of(fields: list[Any], node: ObjectNode, compiler: Any) -> Reads:
    """How the fields of a serializer are read from rows.

    :param fields: those of a serializer, or fields like them
    :param node: what the serializer reads as
    :param compiler: the one that has executed the query
    :raises InstancesNeededError: if a field needs more than the columns of a row
    """
    return _Reader(compiler).fields(fields, node, table_of(compiler))


def check_errors(reads: Reads) -> None:
    """Check that no field fails for a row in a way that names the class of the object.

    :raises InstancesNeededError: if one may
    """
    for read in reads:
        check_errors(read.nested)
        steps = read.steps[:-1] if read.way in TAKES_OBJECT else read.steps
        if any(step.none_has_no_attributes for step in steps):
            raise InstancesNeededError("a relation that may be null is followed to an attribute")


class _Reader:
    def __init__(self, compiler: Any) -> None:
        self._compiler = compiler

    @functools.cached_property
    def _of_users(self) -> frozenset[int]:
        return converted_by_users(self._compiler)

    def fields(self, fields: list[Any], node: ObjectNode, table: Table) -> Reads:
        pairs = zip(fields, node.fields, strict=True)
        return tuple([self._field(field, field_node, table) for field, field_node in pairs])

    def _field(self, field: Any, node: FieldNode, table: Table) -> FieldRead:
        path = node.source.path
        if path is None:
            raise InstancesNeededError(f"{node.key} reads the object by code of its own")
        if node.kind.link is not None:
            return self._nested(field, path, table)
        if node.kind.rereading is Rereading.ADDRESS:
            return self._address(field, node, path, table)
        if not path:
            raise InstancesNeededError(f"{node.key} takes the object itself")
        *relations, name = path
        if isinstance(field, SlugRelatedField) and node.reason is None:
            *more, name = field.slug_field.split("__")
            steps, table = self._follow([*path, *more], table)
            # Each of them but the last may be None: then reading the next attribute fails.
            if len(steps) > 1:
                raise InstancesNeededError(f"{node.key} follows more than one relation")
            return FieldRead(Way.SLUG, table.column(name), steps)
        if node.kind.rereading is Rereading.KEY:
            if relations:
                raise InstancesNeededError(f"{node.key} reads a key of another object")
            return FieldRead(Way.KEY, self._key(name, table))
        steps, table = self._follow(relations, table)
        return FieldRead(Way.VALUE, table.column(name), steps)

    def _nested(self, field: Any, path: tuple[str, ...], table: Table) -> FieldRead:
        if not isinstance(field, Serializer) or not is_stock_serializer(field):
            raise InstancesNeededError(f"{field.field_name} is not one nested object")
        steps, table = self._follow(path, table)
        blueprint = blueprint_of(field)
        if blueprint is not None:
            fields, node = blueprint.fields, blueprint.program.node
        else:
            program, fields = read_now(field)
            node = program.node
        return FieldRead(Way.NESTED, -1, steps, self.fields(fields, node, table))

    def _address(
        self, field: Any, node: FieldNode, path: tuple[str, ...], table: Table
    ) -> FieldRead:
        if field.lookup_field != "pk" or len(path) > 1:
            raise InstancesNeededError(f"{node.key} looks up more than a key of the object")
        position = self._key(path[0], table) if path else table.column("pk")
        return FieldRead(Way.ADDRESS, position)

    def _key(self, name: str, table: Table) -> int:
        """The position of the column of a foreign key."""
        attribute = column(table.model, name)
        if attribute is None:
            raise InstancesNeededError(f"{name} is no foreign key")
        position = table.column(attribute)
        if position in self._of_users:
            raise InstancesNeededError(f"{name} has keys of a class of its own")
        return position

    def _follow(self, relations: Any, table: Table) -> tuple[tuple[Step, ...], Table]:
        steps = []
        for name in relations:
            relation = table.relation(name)
            table = relation.table
            steps.append(Step(table.key, relation.none_has_no_attributes))
        return tuple(steps), table
