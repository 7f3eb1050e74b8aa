"""All that fastschema uses of SQLAlchemy's private interface.

SQLAlchemy compiles a select of a mapped class, and notes for each attribute which column of the
result it is loaded from. This module reads those notes; nothing is changed. It is written for
SQLAlchemy 2.0 and 2.1. Where a version has not what is looked for, :class:`UnknownVersionError` is
raised, and SQLAlchemy makes its objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from sqlalchemy.engine import CursorResult, ScalarResult
from sqlalchemy.engine.result import ChunkedIteratorResult
from sqlalchemy.orm import Mapper, Query, RelationshipProperty, Session
from sqlalchemy.orm.instrumentation import ClassManager

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

_NO_FURTHER_QUERY = frozenset(
    ["joined", "select", True, "raise", "raise_on_sql", "noload", None, "dynamic", "write_only"]
)
"""The loading strategies that ask the database for nothing while rows are loaded."""
_UNUSUAL_LOADS = ("_identity_token", "_only_return_tuples", "_refresh_state", "_version_check")


class UnknownVersionError(Exception):
    """What is looked for is not in this version of SQLAlchemy."""


def _as_known(
    function: Callable[Arguments, Returned],
) -> Callable[Arguments, Returned]:
    """Return a function that raises ``UnknownVersionError`` where what it looks for is
    not there.
    """

    @wraps(function)
    def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        try:
            return function(*args, **kwargs)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise UnknownVersionError(str(error)) from error

    return checked


class LoadedEntity:
    """A mapped class as it stands in the rows of a result.

    :param mapper: the mapper of the class
    :param path: SQLAlchemy's path from the statement to it
    :param state: the compiled statement's state
    """

    def __init__(self, mapper: Mapper[Any], path: Any, state: Any) -> None:
        self.mapper = mapper
        self._path = path
        self._state = state

    @_as_known
    def positions(self) -> Mapping[str, int] | None:
        """From the loaded attributes to the position of each in a row.

        None if the class is not loaded from these rows.
        """
        getters = self._path.get(self._state.attributes, ("getters", self.mapper))
        if getters is None:
            return None
        return {key: _position(getter) for key, getter in getters["cached_populators"]["quick"]}

    @_as_known
    def relations(self) -> list[LoadedRelation]:
        """All relations of the class."""
        return [self._relation(each) for each in self.mapper.relationships]

    def _relation(self, relation: RelationshipProperty[Any]) -> LoadedRelation:
        option: Any = relation._get_context_loader(self._state, self._path)
        strategy, has_criteria = relation.strategy_key, False
        if option and option.strategy:
            strategy = option.strategy
            has_criteria = bool(option._extra_criteria) or "eager_from_alias" in option.local_opts
        related = LoadedEntity(relation.mapper, self._path[relation][relation.entity], self._state)
        return LoadedRelation(relation, dict(strategy).get("lazy"), has_criteria, related)


class LoadedRelation(NamedTuple):
    """A relation of a mapped class, as a statement loads it.

    :param relation: the relation
    :param strategy: how it is loaded: "joined", "select" ...
    :param has_criteria: whether the statement has a say in what it leads to, besides its keys
    :param related: the class that it leads to
    """

    relation: RelationshipProperty[Any]
    strategy: Any
    has_criteria: bool
    related: LoadedEntity


_POSITIONS = range(100_000)


def _position(getter: Any) -> int:
    """Return the position of the column that a getter takes from a row.

    :raises ValueError: if it is no such getter
    """
    position = getter(_POSITIONS)
    if type(position) is not int:
        raise ValueError(f"{getter!r} does not take one column of a row")
    return position


@_as_known
def cursor_result(result: Any) -> CursorResult[Any] | None:
    """Return the rows from which a result is to make objects, as yet unread; None for
    another result.
    """
    if type(result) is not ChunkedIteratorResult or result._unique_filter_state is not None:
        return None
    raw = result.raw
    return raw if type(raw) is CursorResult and not raw.closed else None


@_as_known
def loaded_entity(cursor: CursorResult[Any], *, is_streamed: bool) -> LoadedEntity | None:
    """Return the one class that rows are loaded as; None if they are loaded in another way.

    :param is_streamed: whether they are to be fetched some at a time
    """
    context: Any = cursor.context
    state = context.compiled.compile_state
    options = context.execution_options
    loads = options.get("_sa_orm_load_options")
    if loads is not None and any(getattr(loads, name) for name in _UNUSUAL_LOADS):
        return None
    if bool(options.get("yield_per")) is not is_streamed:
        return None
    if options.get("prebuffer_rows") or state.multi_row_eager_loaders:
        return None
    entities = state._entities
    if len(entities) != 1 or not entities[0].supports_single_entity:
        return None
    return LoadedEntity(entities[0].mapper, entities[0].path, state)


def sends_queries(strategy: Any) -> bool:
    """Return whether loading a relation in this way asks the database once more."""
    return strategy not in _NO_FURTHER_QUERY


@_as_known
def is_listened_to(mapper: Mapper[Any], session: Session) -> bool:
    """Return whether somebody is told of the objects that are made of a class."""
    manager: Any = mapper.class_manager
    events: Any = session.dispatch
    is_usual = type(manager) is ClassManager
    return not is_usual or bool(manager.dispatch.load) or bool(events.loaded_as_persistent)


def is_query_known() -> bool:
    """Return whether a legacy ``Query`` is run as it is known."""
    return hasattr(Query, "_iter")


def run_query(query: Query[Any]) -> Any:
    """Run a legacy ``Query``, and return what it iterates over.

    :raises Exception: what SQLAlchemy raises
    """
    return query._iter()


@_as_known
def result_below(scalars: Any) -> Any:
    """Return the result that the first columns are taken from; None if there is none."""
    return scalars._real_result if isinstance(scalars, ScalarResult) else None
