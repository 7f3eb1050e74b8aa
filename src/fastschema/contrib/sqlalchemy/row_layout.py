"""The layout of the rows of a select: the positions of columns and keys.

SQLAlchemy compiles a select of a mapped class, and notes for each attribute which column of the
result it is loaded from. This module reads those notes; nothing is changed. They are private, so it
is written for SQLAlchemy 2.0 and 2.1. Where a version has not what is looked for, an
``AttributeError``, ``LookupError``, ``TypeError`` or ``ValueError`` is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from sqlalchemy.engine import CursorResult
from sqlalchemy.engine.result import ChunkedIteratorResult
from sqlalchemy.orm import Mapper, RelationshipProperty, Session
from sqlalchemy.orm.instrumentation import ClassManager
from sqlalchemy.orm.interfaces import MANYTOONE

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.marshmallow.sqlalchemy import are_read_as_stock

_NO_FURTHER_QUERY = frozenset(
    ["joined", "select", True, "raise", "raise_on_sql", "noload", None, "dynamic", "write_only"]
)
"""The loading strategies that ask the database for nothing while rows are loaded."""
_UNUSUAL_LOADS = ("_identity_token", "_only_return_tuples", "_refresh_state", "_version_check")
_UNUSUAL_RESULT = "the statement, or a listener, asks for an unusual result"


@dataclass(frozen=True, slots=True)
class Key:
    """Where the primary key of a class stands in a row.

    :param may_be_partial: whether there is an object if only some of its columns are null
    """

    positions: tuple[int, ...]
    may_be_partial: bool

    def getter(self) -> Callable[[Any], Any]:
        """Return what takes the key of its object from a row; it gives None where there is none."""
        columns = itemgetter(*self.positions)
        if len(self.positions) == 1:
            return columns
        is_missing = all if self.may_be_partial else any

        def get(row: Any) -> Any:
            values = columns(row)
            return None if is_missing([value is None for value in values]) else values

        return get

    def null_condition(self, row: str) -> str:
        """Return the condition, as source, that a row has no such object."""
        conditions = [f"{row}[{position}] is None" for position in self.positions]
        return (" and " if self.may_be_partial else " or ").join(conditions)


@dataclass(frozen=True, slots=True)
class EntityLayout:
    """A mapped class in the rows of a select.

    :param columns: from its loaded attributes to their positions in a row
    :param relations: from the relations to one object that the statement loads to what they lead to
    :param has_criteria: whether the statement has a say in one of them, besides their keys
    :param lazy: its relations to one object that are asked for when they are read
    :param deferred: the names of columns that the statement does not load
    """

    cls: type
    columns: Mapping[str, int]
    key: Key
    relations: Mapping[str, EntityLayout]
    has_criteria: bool
    lazy: frozenset[str]
    deferred: frozenset[str]


def cursor_below(result: Any) -> CursorResult[Any]:
    """Return the rows from which a result is to make objects, as yet unread."""
    if type(result) is ChunkedIteratorResult and result._unique_filter_state is None:
        cursor = result.raw
        if type(cursor) is CursorResult and not cursor.closed:
            return cursor
    raise NotRowReadableError(_UNUSUAL_RESULT)


def entity_layout_of(
    cursor: CursorResult[Any], session: Session, *, is_streamed: bool
) -> EntityLayout:
    """Return the layout of the rows of the one class that they are loaded as.

    :raises NotRowReadableError: if code of users would notice that no objects are made
    """
    context: Any = cursor.context
    state = context.compiled.compile_state
    options = context.execution_options
    loads = options.get("_sa_orm_load_options")
    entities = state._entities
    if (
        (loads is not None and any(getattr(loads, name) for name in _UNUSUAL_LOADS))
        or bool(options.get("yield_per")) is not is_streamed
        or options.get("prebuffer_rows")
        or state.multi_row_eager_loaders
        or len(entities) != 1
        or not entities[0].supports_single_entity
    ):
        raise NotRowReadableError(_UNUSUAL_RESULT)
    mapper = entities[0].mapper
    layout = _layout(mapper, entities[0].path, state, session, is_related=False)
    if layout is None:
        raise NotRowReadableError(f"{mapper.class_.__name__} is not loaded from the rows")
    classes = _classes(layout)
    if layout.has_criteria and classes.count(layout.cls) > 1:
        name = layout.cls.__name__
        raise NotRowReadableError(f"a relation of {name}, which is joined, too, has criteria")
    held = set(classes) & {key[0] for key in list(session.identity_map.keys())}
    if held:
        names = ", ".join(sorted(cls.__name__ for cls in held))
        raise NotRowReadableError(f"the session holds objects of these classes: {names}")
    return layout


def _layout(
    mapper: Mapper[Any], path: Any, state: Any, session: Session, *, is_related: bool
) -> EntityLayout | None:
    """Return the layout of a class; None if it is not loaded from the rows."""
    _check_class(mapper, session)
    positions = _positions(mapper, path, state)
    if positions is None:
        return None
    for attribute in mapper.column_attrs:
        if attribute.key in positions and dict(attribute.strategy_key).get("query_expression"):
            raise NotRowReadableError(f"{mapper.class_.__name__}.{attribute.key} is an expression")
    keys = [mapper.get_property_by_column(column).key for column in mapper.primary_key]
    if not set(keys) <= positions.keys():
        raise NotRowReadableError(f"the primary key of {mapper.class_.__name__} is not loaded")
    relations, lazy, has_criteria = {}, set(), False
    for relation in mapper.relationships:
        name = f"{mapper.class_.__name__}.{relation.key}"
        strategy, is_narrowed = _strategy(relation, path, state)
        if strategy not in _NO_FURTHER_QUERY:
            raise NotRowReadableError(f"{name} is loaded by a query of its own ({strategy})")
        if strategy != "joined":
            if strategy in ("select", True) and relation.direction is MANYTOONE:
                lazy.add(relation.key)
            continue
        if relation.direction is not MANYTOONE:
            raise NotRowReadableError(f"{name} is joined, and leads to more than one object")
        if is_narrowed and is_related:
            # An object that several rows have, or several relations lead to, has but one related
            # object: the one that the session meets first.
            raise NotRowReadableError(f"{name} is loaded by criteria of its own")
        has_criteria = has_criteria or is_narrowed
        related_path = path[relation][relation.entity]
        layout = _layout(relation.mapper, related_path, state, session, is_related=True)
        if layout is not None:
            relations[relation.key] = layout
    return EntityLayout(
        mapper.class_,
        positions,
        Key(tuple([positions[key] for key in keys]), mapper.allow_partial_pks),
        relations,
        has_criteria,
        frozenset(lazy),
        frozenset(mapper.column_attrs.keys() - positions.keys()),
    )


def _check_class(mapper: Mapper[Any], session: Session) -> None:
    """Raise ``NotRowReadableError`` if code of users notices that objects of a class are made."""
    cls = mapper.class_
    if mapper.polymorphic_on is not None or mapper.polymorphic_map or mapper.inherits is not None:
        raise NotRowReadableError(f"{cls.__name__} is mapped with inheritance")
    if any("__new__" in base.__dict__ for base in cls.__mro__[:-1]):
        raise NotRowReadableError(f"{cls.__name__} has a __new__ of its own")
    manager: Any = mapper.class_manager
    events: Any = session.dispatch
    is_usual = type(manager) is ClassManager
    if not is_usual or manager.dispatch.load or events.loaded_as_persistent:
        raise NotRowReadableError(f"there are listeners for objects of {cls.__name__} being loaded")
    if not are_read_as_stock():
        raise NotRowReadableError("another library reads the attributes of objects")


_POSITIONS = range(100_000)


def _positions(mapper: Mapper[Any], path: Any, state: Any) -> dict[str, int] | None:
    """Return the position of each loaded attribute in a row; None if the class is not loaded."""
    getters = path.get(state.attributes, ("getters", mapper))
    if getters is None:
        return None
    positions = {}
    for key, getter in getters["cached_populators"]["quick"]:
        positions[key] = position = getter(_POSITIONS)
        if type(position) is not int:
            raise ValueError(f"{getter!r} does not take one column of a row")
    return positions


def _strategy(relation: RelationshipProperty[Any], path: Any, state: Any) -> tuple[Any, bool]:
    """Return how a relation is loaded ("joined", "select" ...), and whether criteria narrow it."""
    option: Any = relation._get_context_loader(state, path)
    if not (option and option.strategy):
        return dict(relation.strategy_key).get("lazy"), False
    is_narrowed = bool(option._extra_criteria) or "eager_from_alias" in option.local_opts
    return dict(option.strategy).get("lazy"), is_narrowed


def _classes(layout: EntityLayout) -> list[type]:
    """Return the class of a layout and those of all that it leads to, as often as there are."""
    related = [
        cls for related_layout in layout.relations.values() for cls in _classes(related_layout)
    ]
    return [layout.cls, *related]
