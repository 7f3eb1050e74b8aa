"""What is done before rows are dumped, and undone afterwards: relations are loaded.

A plugin does it, which is asked only where ``LOAD_RELATIONS``, or the view, says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from fastschema.contrib.django import conf
from fastschema.contrib.django.internals.queries import CompiledQuery
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.plugins import plugin
from fastschema.runtime.settings import Loads
from fastschema.runtime.switch import is_disabled

_relations = plugin("fastschema.contrib.django.relations.on_demand")
_peers = plugin("fastschema.contrib.django.relations.peers")

FETCHES_PEERS: bool = _peers is not None and _peers.FETCHES_PEERS
"""Whether something is done before code of users represents rows."""

Loaded = AbstractContextManager[None]
"""What is loaded while it is entered; None where nothing is to be loaded."""


def loads_relations(view: Any) -> Loads:
    """Return which relations are loaded that the serializers of a view, if any, read."""
    if _relations is None or is_disabled():
        return Loads.NONE
    setting = conf.value_for(view, "load_relations")
    return Loads.NONE if setting is False else Loads.of(setting)


def loads_relations_of(dispatch: Dispatch) -> Loads:
    """Return which relations are loaded that are read by what is about to dump rows."""
    context = dispatch.bound_schema.context
    return loads_relations(context.get("view") if type(context) is dict else None)


def before_rows(
    serializer: Any,
    rows: Sequence[Any],
    dispatch: Dispatch | None = None,
    *,
    one_by_one: bool = False,
) -> Loaded | None:
    """Return what loads the relations that a serializer is about to read of some rows.

    :param dispatch: what represents them; None: stock does, and the serializer makes its fields now
    :param one_by_one: whether only the first is, and code of users goes on from row to row
    """
    loads = loads_relations(conf.view_of(serializer))
    if not loads:
        return None
    how = {"loads": loads, "one_by_one": one_by_one}
    if dispatch is None:
        loaded: Loaded | None = _relations.before_stock(serializer, rows, **how)
    else:
        loaded = _relations.before_dispatch(dispatch, rows, **how)
    return loaded


def before_dispatch(dispatch: Dispatch, rows: Sequence[Any]) -> Loaded | None:
    """Return what loads the relations that a dispatch is about to read of some rows."""
    loads = loads_relations_of(dispatch)
    if not loads:
        return None
    loaded: Loaded | None = _relations.before_dispatch(dispatch, rows, loads)
    return loaded


def loads_more(dispatch: Dispatch, query: CompiledQuery) -> bool:
    """Return whether relations are read of the rows of a query that it does not load."""
    return _relations is not None and bool(_relations.loads_more(dispatch, query))
