"""Relationships of the plain kind: the same objects, be they loaded now or by a lazy load of each.

Everything else is left to lazy loads, with a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy
from sqlalchemy import Column, Table, UniqueConstraint, orm, types
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import MANYTOMANY, MANYTOONE
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BinaryExpression, BooleanClauseList, UnaryExpression

LATE = (True, "select")
LAZY = (*LATE, "joined", "selectin", "subquery", "immediate")
"""Relationships that are loaded when they are read and are not there."""
_RELATIONSHIPS = {orm.RelationshipProperty, type(orm.relationship("Any"))}
_NUMBERS = {
    *(types.Integer, types.BigInteger, types.SmallInteger),
    *(types.INTEGER, types.BIGINT, types.SMALLINT),
    *(getattr(sqlalchemy, "Uuid", postgresql.UUID), postgresql.UUID),
}
_TEXTS = {types.String, types.Text, types.Unicode, types.VARCHAR, types.TEXT}
"""Types whose values are equal to a database if they are equal to Python, and only then."""
_EXACT_TEXT = ("sqlite", "postgresql")
"""Databases that take two texts for equal only if they are."""
_WITH_TUPLES = ("sqlite", "postgresql", "mysql", "mariadb")


def why_left(relationship: Any) -> str | None:
    """Return why the objects of a relationship might be others if they were loaded at once.

    None if they are the same; those of a list may come in another order, see
    :func:`is_in_one_order`.
    """
    if type(relationship) not in _RELATIONSHIPS or relationship.lazy not in LAZY:
        return f"it is loaded in a way of its own (lazy={relationship.lazy!r})"
    if relationship.collection_class not in (None, list, set):
        return "it has a collection class of its own"
    if relationship.direction is MANYTOONE:
        if not relationship._use_get:
            return "it leads to other columns than a primary key"
        return None
    parents = {local for local, _ in relationship.synchronize_pairs}
    if not _joins_pairs(relationship) or parents != set(relationship.parent.primary_key):
        return "it is joined by more than a foreign key to the primary key"
    if relationship.direction is MANYTOMANY and type(relationship.secondary) is not Table:
        return "its pairs are in no plain table"
    if not relationship.uselist and not (
        relationship.direction is not MANYTOMANY
        and _is_unique(relationship.mapper.local_table, relationship.remote_side)
    ):
        return "there may be several objects where one is read"
    if any(_ordered_column(expression) is None for expression in relationship.order_by or ()):
        return "it is ordered by more than columns"
    return None


def _joins_pairs(relationship: Any) -> bool:
    """Return whether rows belong together if some columns are equal, and only by that."""
    joins = (relationship.primaryjoin, relationship.secondaryjoin)
    conditions = [part for join in joins if join is not None for part in _parts(join)]
    return len(conditions) == len(relationship.local_remote_pairs) and all(
        type(condition) is BinaryExpression
        and condition.operator is operators.eq
        and isinstance(condition.left, Column)
        and isinstance(condition.right, Column)
        for condition in conditions
    )


def _parts(join: Any) -> Iterator[Any]:
    if isinstance(join, BooleanClauseList) and join.operator is operators.and_:
        for clause in join.clauses:
            yield from _parts(clause)
    else:
        yield join


def _ordered_column(expression: Any) -> Any:
    """Return the column of an order, ascending or descending; None for anything else."""
    if isinstance(expression, UnaryExpression) and expression.modifier in (
        operators.asc_op,
        operators.desc_op,
    ):
        expression = expression.element
    return expression if isinstance(expression, Column) else None


def is_in_one_order(relationship: Any) -> bool:
    """Return whether the order says of any two objects of a list which is first."""
    if not relationship.uselist or relationship.collection_class is set:
        return True
    table = relationship.mapper.local_table
    order = map(_ordered_column, relationship.order_by or ())
    columns = [*order, *relationship.remote_side]
    return _is_unique(table, [column for column in columns if column.table.name == table.name])


def _is_unique(table: Any, columns: Iterable[Any]) -> bool:
    """Return whether a table has no two rows with the same values in some columns."""
    names = {column.name for column in columns}
    keys = [set(table.primary_key.columns)]
    keys += [{column} for column in table.columns if column.unique]
    keys += [
        set(constraint.columns)
        for constraint in table.constraints
        if type(constraint) is UniqueConstraint
    ]
    keys += [set(index.columns) for index in table.indexes if _is_plain_unique(index)]
    return any(
        names.issuperset(column.name for column in key)
        and not any(column.nullable for column in key)
        for key in keys
        if key
    )


def _is_plain_unique(index: Any) -> bool:
    is_of_columns = all(isinstance(expression, Column) for expression in index.expressions)
    return bool(index.unique) and is_of_columns and not index.dialect_kwargs


def has_exact_keys(relationship: Any, dialect: str) -> bool:
    """Return whether Python finds the objects by their keys, as the database does."""
    keys = relationship.parent.primary_key
    columns = [column for pair in relationship.local_remote_pairs for column in pair]
    is_exact = all(_is_exact(column.type, dialect) for column in (*columns, *keys))
    return is_exact and (len(keys) == 1 or dialect in _WITH_TUPLES)


def _is_exact(of_column: Any, dialect: str) -> bool:
    if type(of_column) in _TEXTS:
        return of_column.collation is None and dialect in _EXACT_TEXT
    return type(of_column) in _NUMBERS
