"""The layout of the rows of a select: the positions of columns and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from sqlalchemy.orm import Mapper, Session
from sqlalchemy.orm.interfaces import MANYTOONE

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.sqlalchemy.internals import LoadedEntity, is_listened_to, sends_queries


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
    """Return the layout of the rows of a class.

    :param session: the session that would hold the objects
    :raises NotRowReadableError: if somebody would notice that they are not made
    :raises UnknownVersionError: see :mod:`fastschema.contrib.sqlalchemy.internals`
    """
    layout = _layout(entity, session)
    if layout is None:
        raise NotRowReadableError(f"{entity.mapper.class_.__name__} is not loaded from the rows")
    classes = _classes(layout)
    for each in layout.relations.values():
        _check_criteria(each)
    if layout.with_criteria and classes.count(layout.cls) > 1:
        _check_criteria(layout)
    held = set(classes) & {key[0] for key in list(session.identity_map.keys())}
    if held:
        names = ", ".join(sorted(cls.__name__ for cls in held))
        raise NotRowReadableError(f"the session holds objects of these classes: {names}")
    return layout


def _layout(entity: LoadedEntity, session: Session) -> EntityLayout | None:
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
        layout = _layout(related, session)
        if layout is not None:
            relations[relation.key] = layout
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


def _classes(layout: EntityLayout) -> list[type]:
    """Return the class of a layout and those of all that it leads to, as often as there are."""
    related = [cls for each in layout.relations.values() for cls in _classes(each)]
    return [layout.cls, *related]


def _check_criteria(layout: EntityLayout) -> None:
    """Check that what a relation leads to depends on nothing but its keys.

    An object that several rows have, or several relations lead to, has but one related object: the
    one that the session meets first.

    :raises NotRowReadableError: if the statement has a say in it
    """
    for name in layout.with_criteria:
        raise NotRowReadableError(f"{layout.cls.__name__}.{name} is loaded by criteria of its own")
    for each in layout.relations.values():
        _check_criteria(each)
