"""Relationships that a schema reads, loaded when its objects are about to be dumped.

Level by level: of the objects of one class that lack a relationship, one ``SELECT`` of their keys
loads it by ``selectinload``, in their own session. It is an offer: what is not of a plain kind (see
:mod:`.plain`), or of an object or a session that is not as it came, is left to lazy loads.
"""

from __future__ import annotations

import logging
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any
from weakref import WeakSet

from sqlalchemy import inspect, select, tuple_
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import (
    MANYTOMANY,
    MANYTOONE,
    Load,
    Session,
    defer,
    load_only,
    selectinload,
    strategies,
)
from sqlalchemy.orm.attributes import instance_state, set_committed_value

from fastschema.contrib.sqlalchemy_relations.plain import (
    LATE,
    LAZY,
    has_exact_keys,
    is_in_one_order,
    why_left,
)
from fastschema.contrib.sqlalchemy_relations.reads import Reads, compiled_of, reads_of
from fastschema.marshmallow.schema_program import SchemaProgram
from fastschema.marshmallow.sqlalchemy import is_mapped, key_finder
from fastschema.runtime.settings import Loads

logger = logging.getLogger("fastschema")

_warned: WeakSet[type] = WeakSet()
_FEWEST_WARNED_OF = 2
# Private since SQLAlchemy 2.1.
_DEFERRED = [vars(strategies).get(f"{private}LoadDeferredColumns") for private in ("", "_")]
_RAISES = ("raiseload", True)
_EAGER = (None, "joined", "selectin", "subquery")
_MOST_AT_ONCE = 500
_MOST_LEVELS = 20
_MOST_LEVELS_KEPT = 4
Tree = tuple[tuple[str, Any], ...] | None
"""Names of relationships, each with those behind it; None: who asks must look closer."""


def load_for(
    schema: Any,
    objects: list[Any],
    compiled: SchemaProgram | None = None,
    loads: Loads = Loads.IN_ONE_ORDER,
) -> None:
    """Load what a schema is about to read of some objects; ``compiled`` is that of a plan."""
    try:
        compiled = compiled or compiled_of(schema)
        if compiled is None or _are_there(compiled, objects[0]):
            return
        loaded = load(objects, reads_of(schema, compiled), loads)
    except DBAPIError:
        raise  # the transaction may be broken: lazy loads would only say so
    except Exception:
        logger.debug("relationships are left to lazy loads", exc_info=True)
        return
    if loaded:
        name, count = type(schema).__name__, len(objects)
        logger.debug("%s: loaded %s on demand for %d rows", name, ", ".join(loaded), count)


def _are_there(compiled: SchemaProgram, obj: Any) -> bool:
    """Return whether an object has all relationships that a schema reads: one look for a list."""
    trees = compiled.relationships
    cls = type(obj)
    if cls not in trees:
        reads = reads_of(compiled.schema, compiled) if is_mapped(cls) else ()
        trees[cls] = _tree(inspect(cls), reads, _MOST_LEVELS_KEPT) if reads else ()
    return trees[cls] == () or _has(obj, trees[cls])


def _tree(mapper: Any, reads: Reads, levels: int) -> Tree:
    relationships = {
        key: relationship
        for descendant in mapper.self_and_descendants
        for key, relationship in descendant.relationships.items()
    }
    read = [(relationships[name], further) for name, further in reads if name in relationships]
    if read and not levels:
        return None
    return tuple(
        (relationship.key, _tree(relationship.mapper, further(), levels - 1))
        for relationship, further in read
    )


def _has(obj: Any, tree: Tree) -> bool:
    if tree is None:
        return False
    attributes = obj.__dict__
    for name, further in tree:
        if name not in attributes:
            return False
        if further != ():
            first = next(_objects_in(attributes[name]), None)
            if first is not None and not _has(first, further):
                return False
    return True


def warn_of_lazy_loads(schema: Any, objects: list[Any]) -> None:
    """Log, once for each schema class, that relationships are about to be loaded row by row."""
    if type(schema) in _warned or len(objects) < _FEWEST_WARNED_OF:
        return
    names = dict.fromkeys(name for name, _ in reads_of(schema))
    for cls, group in _by_class(objects):
        relationships = inspect(cls).relationships
        read = [relationships[name] for name in names if name in relationships]
        lacking = [
            relationship
            for session, asking in _by_session(group, [relationship.key for relationship in read])
            for relationship in read
            if relationship.lazy in LAZY
            and _lazy_loads(session, relationship, _lacking(asking, relationship.key), set()) > 1
        ]
        if lacking:
            _warned.add(type(schema))
            keys = [relationship.key for relationship in lacking]
            logger.warning(
                "%s loads %s of each %s lazily: a query for each row. Add %s to the statement%s.",
                *(type(schema).__name__, ", ".join(keys), cls.__name__),
                *(options_for(cls, keys), setting_for(lacking)),
            )
            return


def setting_for(relationships: Iterable[Any]) -> str:
    """Return what the setting does about relationships, or why it leaves them to lazy loads."""
    reasons = {relationship.key: why_left(relationship) for relationship in relationships}
    unordered = [
        relationship.key
        for relationship in relationships
        if reasons[relationship.key] is None and not is_in_one_order(relationship)
    ]
    value = '"all"' if unordered else "True"
    parts = [f", or set FASTSCHEMA_LOAD_RELATIONS = {value}" if None in reasons.values() else ""]
    parts += [f"; True leaves {key} (it has no total order)" for key in unordered]
    parts += [f"; no setting loads {key} ({why})" for key, why in reasons.items() if why]
    return "".join(parts)


def advice_on(schema: Any, cls: Any, loads: Loads) -> tuple[list[str], str]:
    """Return the relationships that a schema reads and nothing loads by itself, and what to do."""
    relationships = inspect(cls).relationships
    names = dict.fromkeys(name for name, _ in reads_of(schema))
    read = [
        relationships[name]
        for name in names
        if name in relationships
        and relationships[name].lazy in LATE
        and not (loads and is_loaded(relationships[name], loads))
    ]
    keys = [relationship.key for relationship in read]
    return keys, f"{options_for(cls, keys)}, add it{setting_for(read)}"


def is_loaded(relationship: Any, loads: Loads) -> bool:
    """Return whether a relationship is loaded on demand."""
    is_plain = why_left(relationship) is None
    return is_plain and (loads is Loads.ALL or is_in_one_order(relationship))


def options_for(cls: Any, names: Sequence[str]) -> str:
    return f".options({', '.join(f'selectinload({cls.__name__}.{name})' for name in names)})"


def load(
    objects: Sequence[Any], reads: Reads, loads: Loads, levels: int = _MOST_LEVELS
) -> list[str]:
    """Load what is about to be read of some objects, and of those behind them.

    :param levels: how many relationships lead further, at most
    :returns: the relationships that were loaded: ``Book.author``, say
    """
    loaded = []
    for cls, group in _by_class(objects):
        relationships = inspect(cls).relationships
        read = [(relationships[name], further) for name, further in reads if name in relationships]
        loadable = dict.fromkeys(
            relationship
            for relationship, _ in read
            if _is_read_as_mapped(cls, relationship) and is_loaded(relationship, loads)
        )
        for session, asking in _by_session(group, [relationship.key for relationship, _ in read]):
            loaded += _load_at_once(session, cls, asking, list(loadable))
        for relationship, further in read if levels else ():
            below = further()
            if _leads_on(relationship.mapper, below):
                _load_one_by_one(cls, group, relationship)
                related = list(_related(group, relationship.key))
                loaded += load(related, below, loads, levels - 1)
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
            yield session, [instance for instance in lacking if _may_ask(instance)]


def _leads_on(mapper: Any, reads: Reads) -> bool:
    return any(
        name in descendant.relationships
        for descendant in mapper.self_and_descendants
        for name, _ in reads
    )


def _is_plain(session: Any) -> bool:
    """Return whether a session executes statements unseen, and has nothing to flush before."""
    return (
        type(session).execute is Session.execute
        and not session.dispatch.do_orm_execute
        and not (session.new or session.dirty or session.deleted)
    )


def _may_ask(obj: Any) -> bool:
    """Return whether an object is as it came from the database, without options of its own."""
    state = instance_state(obj)
    return (
        state.persistent
        and not (state.modified or state.expired_attributes)
        and all(map(_is_deferred, dict(state.callables).values()))
        and state.async_session is None
        and all(map(_is_of_mutable, state.manager.dispatch.refresh))
        and all(map(_is_eager, state.load_options))
    )


def _is_of_mutable(listener: Any) -> bool:
    """Return whether it is of ``MutableDict`` and the like, which look at what is refreshed."""
    mutable = sys.modules.get("sqlalchemy.ext.mutable")
    is_function = mutable is not None and type(listener) is FunctionType
    return is_function and listener.__globals__ is vars(mutable)


def _is_deferred(loader: Any) -> bool:
    """Return whether what an object loads by itself is a column that a query left for later."""
    return type(loader) in _DEFERRED and not loader.raiseload


def _is_eager(option: Any) -> bool:
    """Return whether an option says only what is loaded with the objects of a query."""
    elements = _elements(option)
    return elements is not None and all(
        dict(element.strategy or ()).get("lazy") in _EAGER
        and _RAISES not in (element.strategy or ())
        and not element._extra_criteria
        for element in elements
    )


def _elements(option: Any) -> Iterable[Any] | None:
    """Return the parts of an option that says what is loaded; None for any other."""
    if type(option) is Load:  # SQLAlchemy 1.4 has a dictionary of them
        context = option.context
        return context.values() if isinstance(context, dict) else context
    parts: Iterable[Any] | None = getattr(option, "_to_bind", None)  # only in SQLAlchemy 1.4
    return parts


def _is_read_as_mapped(cls: Any, relationship: Any) -> bool:
    return bool(key_finder(cls)(relationship.key) == relationship.key)


def _load_at_once(session: Any, cls: Any, group: list[Any], relationships: list[Any]) -> list[str]:
    """Load relationships of objects that lack them, if that takes fewer queries than they do."""
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
        if count and has_exact_keys(relationship, dialect):
            names.append(relationship.key)
            queries += count
    if not names or queries <= 1 + len(names):
        return []
    objects = [obj for obj in group if any(name not in obj.__dict__ for name in names)]
    keys = [getattr(cls, mapper.get_property_by_column(key).key) for key in mapper.primary_key]
    key = keys[0] if len(keys) == 1 else tuple_(*keys)
    options = [*_only(cls, keys), *[selectinload(getattr(cls, name)) for name in names]]
    most = _MOST_AT_ONCE // len(keys)
    for start in range(0, len(objects), most):
        some = objects[start : start + most]
        identities: list[Any] = [instance_state(instance).identity for instance in some]
        values = identities if len(keys) > 1 else [identity[0] for identity in identities]
        session.execute(select(cls).where(key.in_(values)).options(*options)).unique().all()
    for relationship in missing:
        if relationship.key in names and relationship.direction is MANYTOMANY:
            _have_each_once(lacking[relationship], relationship.key)
    return [f"{cls.__name__}.{name}" for name in names]


def _only(cls: Any, keys: list[Any]) -> Iterator[Any]:
    """Yield the options of a query for some columns; objects have all others as before."""
    yield load_only(*keys)
    for column in inspect(cls).column_attrs:
        if _RAISES in column.strategy_key:
            yield defer(getattr(cls, column.key), raiseload=True)


def _have_each_once(objects: list[Any], name: str) -> None:
    """Let lists have each object once, as by a lazy load, if the database has a pair twice.

    Since SQLAlchemy 2.1, ``selectinload`` gives one for each pair.
    """
    for obj in objects:
        related = obj.__dict__.get(name, ())
        once = list({id(each): each for each in _objects_in(related)}.values())
        if len(once) < len(related):
            set_committed_value(obj, name, once)


def _load_one_by_one(cls: Any, group: list[Any], relationship: Any) -> None:
    """Load a relationship of objects that lack it as it is going to be loaded in any case."""
    if relationship.lazy in LAZY and _is_read_as_mapped(cls, relationship):
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
        yield from _objects_in(instance.__dict__.get(name))


def _objects_in(value: Any) -> Iterator[Any]:
    if isinstance(value, list | set | tuple):
        yield from value
    elif value is not None:
        yield value
