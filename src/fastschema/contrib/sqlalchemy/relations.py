"""Relationships that a schema reads, loaded when its objects are about to be dumped.

Level by level: of the objects of one class that lack a relationship, one ``SELECT`` of their keys
loads it by ``selectinload``, in their own session. What could be otherwise than by a lazy load for
each object is left to that: see :func:`_is_loadable` and :func:`_may_ask`.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakSet

from sqlalchemy import (
    CHAR,
    Integer,
    String,
    UniqueConstraint,
    Uuid,
    inspect,
    select,
    tuple_,
)
from sqlalchemy.orm import MANYTOONE, Session, load_only, selectinload
from sqlalchemy.orm.attributes import instance_state
from sqlalchemy.orm.strategy_options import Load

from fastschema.marshmallow.relations import Reads, reads_of
from fastschema.marshmallow.schema_state import Compiled
from fastschema.marshmallow.sqlalchemy import is_mapped, key_finder

logger = logging.getLogger("fastschema")

_warned: WeakSet[type] = WeakSet()
_FEWEST_WARNED_OF = 2
_LATE = (True, "select")
_LAZY = (*_LATE, "joined", "selectin", "subquery", "immediate")
"""Relationships that are loaded when they are read and are not there."""
_EAGER = (None, "joined", "selectin", "subquery")
_EXACT = (Integer, Uuid, String)
_EXACT_TEXT = ("sqlite", "postgresql")
"""Databases that take two texts for equal only if they are."""
_WITH_TUPLES = ("sqlite", "postgresql", "mysql", "mariadb")
_MOST_AT_ONCE = 500
_MOST_LEVELS = 20


def load_for(schema: Any, objects: list[Any], compiled: Compiled | None = None) -> None:
    """Load what a schema is about to read of some objects; ``compiled`` is that of a plan."""
    loaded = load(objects, reads_of(schema, compiled))
    if loaded:
        name, count = type(schema).__name__, len(objects)
        logger.debug("%s: loaded %s on demand for %d rows", name, ", ".join(loaded), count)


def warn_of_lazy_loads(schema: Any, objects: list[Any], advice: str) -> None:
    """Log, once for each schema class, that relationships are about to be loaded row by row."""
    if type(schema) in _warned or len(objects) < _FEWEST_WARNED_OF:
        return
    names = dict.fromkeys(name for name, _ in reads_of(schema))
    for cls, group in _by_class(objects):
        relationships = inspect(cls).relationships
        read = [relationships[name] for name in names if name in relationships]
        lacking = [
            relationship.key
            for session, asking in _by_session(group, [relationship.key for relationship in read])
            for relationship in read
            if relationship.lazy in _LAZY
            and _lazy_loads(session, relationship, _lacking(asking, relationship.key), set()) > 1
        ]
        if lacking:
            _warned.add(type(schema))
            logger.warning(
                "%s loads %s of each %s lazily: a query for each row. Add %s to the statement%s.",
                *(type(schema).__name__, ", ".join(lacking), cls.__name__),
                *(options_for(cls, lacking), advice),
            )
            return


def lazily_read(schema: Any, cls: Any) -> list[str]:
    """Return the relationships that a schema reads and that a statement does not load by itself."""
    relationships = inspect(cls).relationships
    names = dict.fromkeys(name for name, _ in reads_of(schema))
    return [name for name in names if name in relationships and relationships[name].lazy in _LATE]


def options_for(cls: Any, names: Sequence[str]) -> str:
    return f".options({', '.join(f'selectinload({cls.__name__}.{name})' for name in names)})"


def load(objects: Sequence[Any], reads: Reads, levels: int = _MOST_LEVELS) -> list[str]:
    """Load what is about to be read of some objects, and of those behind them.

    :param levels: how many relationships lead further, at most
    :returns: the relationships that were loaded: ``Book.author``, say
    """
    loaded = []
    for cls, group in _by_class(objects):
        relationships = inspect(cls).relationships
        read = [(relationships[name], further) for name, further in reads if name in relationships]
        for session, asking in _by_session(group, [relationship.key for relationship, _ in read]):
            loadable = dict.fromkeys(
                relationship for relationship, _ in read if _is_loadable(cls, relationship)
            )
            loaded += _load_at_once(session, cls, asking, list(loadable))
        for relationship, further in read if levels else ():
            below = further()
            if _leads_on(relationship.mapper, below):
                _load_one_by_one(cls, group, relationship)
                loaded += load(list(_related(group, relationship.key)), below, levels - 1)
    return list(dict.fromkeys(loaded))


def _by_class(objects: Sequence[Any]) -> Iterator[tuple[Any, list[Any]]]:
    groups: defaultdict[Any, dict[int, Any]] = defaultdict(dict)
    for instance in objects:
        groups[type(instance)][id(instance)] = instance
    return ((cls, list(group.values())) for cls, group in groups.items() if is_mapped(cls))


def _by_session(group: list[Any], names: list[str]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the sessions of objects that lack relationships, each with those that may be asked."""
    groups: defaultdict[Any, list[Any]] = defaultdict(list)
    for instance in group:
        if any(name not in instance.__dict__ for name in names):
            groups[instance_state(instance).session].append(instance)
    for session, lacking in groups.items():
        if session is not None and _is_plain(session):
            deleted = session.deleted
            yield session, [instance for instance in lacking if _may_ask(instance, deleted)]


def _leads_on(mapper: Any, reads: Reads) -> bool:
    return any(
        name in descendant.relationships
        for descendant in mapper.self_and_descendants
        for name, _ in reads
    )


def _is_plain(session: Any) -> bool:
    """Return whether nobody else sees which statements a session executes."""
    return type(session).execute is Session.execute and not session.dispatch.do_orm_execute


def _may_ask(obj: Any, deleted: Any) -> bool:
    """Return whether an object is as it came from the database, without options of its own."""
    state = instance_state(obj)
    return (
        state.persistent
        and not (state.modified or state.expired_attributes or state.callables)
        and obj not in deleted
        and state.async_session is None
        and not state.manager.dispatch.refresh
        and all(map(_is_eager, state.load_options))
    )


def _is_eager(option: Any) -> bool:
    """Return whether an option says only what is loaded with the objects of a query."""
    return type(option) is Load and all(
        dict(element.strategy or ()).get("lazy") in _EAGER
        and ("raiseload", True) not in (element.strategy or ())
        and not element._extra_criteria
        for element in option.context
    )


def _is_loadable(cls: Any, relationship: Any) -> bool:
    """Return whether the objects of a relationship are the same, be they loaded now or one by one.

    It is loaded when it is read: not ``raise``, ``noload``, ``dynamic`` or ``write_only``. Its
    order says of any two objects of a list which is first.
    """
    is_read = key_finder(cls)(relationship.key) == relationship.key
    return is_read and relationship.lazy in _LAZY and _is_in_one_order(relationship)


def _has_exact_keys(relationship: Any, dialect: str) -> bool:
    """Return whether Python finds the objects by their keys, as the database does."""
    keys = relationship.parent.primary_key
    columns = [column for pair in relationship.local_remote_pairs for column in pair]
    is_exact = all(_is_exact(column.type, dialect) for column in (*columns, *keys))
    return is_exact and (len(keys) == 1 or dialect in _WITH_TUPLES)


def _is_exact(of_column: Any, dialect: str) -> bool:
    if isinstance(of_column, String):
        is_plain = of_column.collation is None and not isinstance(of_column, CHAR)
        return is_plain and dialect in _EXACT_TEXT
    return isinstance(of_column, _EXACT)


def _is_in_one_order(relationship: Any) -> bool:
    if not relationship.uselist or relationship.collection_class is set:
        return True
    table = relationship.mapper.local_table
    order = [
        getattr(expression, "element", expression) for expression in relationship.order_by or ()
    ]
    ordered_by = {
        column.name
        for column in (*order, *relationship.remote_side)
        if column.table.name == table.name
    }
    keys = [set(table.primary_key.columns)]
    keys += [{column} for column in table.columns if column.unique]
    keys += [
        set(constraint.columns)
        for constraint in table.constraints
        if type(constraint) is UniqueConstraint
    ]
    return any(
        ordered_by.issuperset(column.name for column in key)
        and not any(column.nullable for column in key)
        for key in keys
    )


def _load_at_once(session: Any, cls: Any, group: list[Any], relationships: list[Any]) -> list[str]:
    """Load relationships of objects that lack them, if that takes no more queries than they do."""
    lacking = {relationship: _lacking(group, relationship.key) for relationship in relationships}
    missing = [relationship for relationship in relationships if lacking[relationship]]
    if not missing:
        return []
    mapper = inspect(cls)
    dialect = session.get_bind(mapper).dialect.name
    names, queries = [], 0
    coming: set[Any] = set()
    for relationship in missing:
        count = _lazy_loads(session, relationship, lacking[relationship], coming)
        if count and _has_exact_keys(relationship, dialect):
            names.append(relationship.key)
            queries += count
    if not names or queries < 1 + len(names):
        return []
    objects = [obj for obj in group if any(name not in obj.__dict__ for name in names)]
    keys = [getattr(cls, mapper.get_property_by_column(key).key) for key in mapper.primary_key]
    key = keys[0] if len(keys) == 1 else tuple_(*keys)
    options = [load_only(*keys), *[selectinload(getattr(cls, name)) for name in names]]
    for start in range(0, len(objects), _MOST_AT_ONCE):
        some = objects[start : start + _MOST_AT_ONCE]
        identities: list[Any] = [instance_state(instance).identity for instance in some]
        values = identities if len(keys) > 1 else [identity[0] for identity in identities]
        session.execute(select(cls).where(key.in_(values)).options(*options)).unique().all()
    return [f"{cls.__name__}.{name}" for name in names]


def _load_one_by_one(cls: Any, group: list[Any], relationship: Any) -> None:
    """Load a relationship of objects that lack it as it is going to be loaded in any case."""
    if relationship.lazy in _LAZY and key_finder(cls)(relationship.key) == relationship.key:
        for _, asking in _by_session(group, [relationship.key]):
            for instance in asking:
                getattr(instance, relationship.key)


def _lacking(group: list[Any], name: str) -> list[Any]:
    return [instance for instance in group if name not in instance.__dict__]


def _lazy_loads(session: Any, relationship: Any, objects: list[Any], coming: set[Any]) -> int:
    """Return how many queries lazy loads of a relationship take.

    None for an object that the session has, or will have by then: ``coming``, which grows.
    """
    remote_to_local = {remote: local for local, remote in relationship.local_remote_pairs}
    keys = relationship.mapper.primary_key
    if relationship.direction is not MANYTOONE or set(remote_to_local) != set(keys):
        return len(objects)
    property_of = relationship.parent.get_property_by_column
    names = [property_of(remote_to_local[key]).key for key in keys]
    identities = {tuple([instance.__dict__.get(name) for name in names]) for instance in objects}
    to_key = relationship.mapper.identity_key_from_primary_key
    related = {to_key(identity) for identity in identities if None not in identity} - coming
    related = {key for key in related if key not in session.identity_map}
    coming |= related
    return len(related)


def _related(group: list[Any], name: str) -> Iterator[Any]:
    for instance in group:
        value = instance.__dict__.get(name)
        if isinstance(value, list | set | tuple):
            yield from value
        elif value is not None:
            yield value
