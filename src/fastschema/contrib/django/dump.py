"""Dumping by DRF serializers: what stock does around the generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from itertools import chain
from typing import Any

from django.db.models import QuerySet
from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import Form
from fastschema.contrib.django import conf
from fastschema.contrib.django.before_rows import (
    FETCHES_PEERS,
    Loaded,
    before_rows,
    loads_relations,
)
from fastschema.contrib.django.front_end.access import rows
from fastschema.contrib.django.front_end.customization import (
    STOCK_LIST_TO_REPRESENTATION,
    STOCK_TO_REPRESENTATION,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.states import Runs, find_bound_program
from fastschema.contrib.django.internals.queries import (
    evaluated,
    iterates_as_django,
    results_of,
)
from fastschema.contrib.django.lists.list_plan import dump_rows
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.plain_values import is_a
from fastschema.runtime.statistics import recorder
from fastschema.runtime.switch import is_disabled
from fastschema.runtime.thresholds import MANY

_NOTHING = nullcontext()
_PYTHON = Form.PYTHON
_LISTS = (list, LazyInstanceList)

Represent = Callable[[Any, Any], Any]
AROUND: list[Callable[[Represent, Any, Any], Any]] = []
"""What goes around each dump by a serializer that is no field of another. Plugins add theirs."""


def represent(serializer: Any, obj: Any, *, is_within: bool = False) -> Any:
    """Return what ``Serializer.to_representation`` returns, by generated code where that pays.

    :param is_within: whether ``AROUND`` has been called
    """
    if AROUND and not is_within and serializer.parent is None:
        return _within_all(represent, serializer, obj)
    bound_program = None if is_disabled() else find_bound_program(serializer, 1)
    if bound_program is not None:
        dispatch = bound_program.checkout()
        if dispatch is not None:
            loaded = _before_one(serializer, obj, dispatch)
            if loaded is None:
                result = dispatch[type(obj)](obj)
            else:
                with loaded:
                    result = dispatch[type(obj)](obj)
            if _represents_rows(serializer):
                recorder.compiled(bound_program.program)
            dispatch.end()
            return result
        serializer.__dict__[STATE_KEY] = Runs(serializer, left=MANY)
    loaded = _before_one(serializer, obj)
    if loaded is None:
        return stock_row(serializer, obj)
    with loaded:
        return stock_row(serializer, obj)


def _before_one(serializer: Any, obj: Any, dispatch: Dispatch | None = None) -> Loaded | None:
    parent = serializer.parent
    if parent is None:
        return before_rows(serializer, (obj,), dispatch)
    if parent.parent is not None or not isinstance(parent, ListSerializer):
        return None  # it may be one of many
    peers = _rows_kept_by(parent)
    is_first = peers is not None and len(peers) > 1 and peers[0] is obj
    return before_rows(serializer, peers, dispatch, one_by_one=True) if is_first else None


def _rows_kept_by(list_serializer: Any) -> Any:
    """Return the rows of a list that code of users represents one by one; None without any."""
    instance = list_serializer.__dict__.get("instance")
    if is_a(instance, QuerySet):
        return results_of(instance)
    return instance if type(instance) in _LISTS else None


def _before_code_of_users(list_serializer: Any, data: Any) -> Loaded | None:
    """Return what is done before a method of users represents each row of a list.

    What it belongs to is not asked for anything: it may be no serializer.
    """
    if not (FETCHES_PEERS and loads_relations(conf.view_of(list_serializer))):
        return None
    # Stock evaluates it now, too.
    objects = evaluated(data) if iterates_as_django(data) else data
    return before_rows(list_serializer, objects) if type(objects) in _LISTS else None


def represent_list(serializer: Any, data: Any, *, is_within: bool = False) -> Any:
    """Return what ``ListSerializer.to_representation`` returns, compiled where that pays.

    :param is_within: whether ``AROUND`` has been called
    """
    if AROUND and not is_within and serializer.parent is None:
        return _within_all(represent_list, serializer, data)
    child = serializer.child
    if not is_stock_serializer(child):
        with _before_code_of_users(serializer, data) or _NOTHING:
            return STOCK_LIST_TO_REPRESENTATION(serializer, data)
    return represent_many(child, data)


def _within_all(represent: Callable[..., Any], serializer: Any, data: Any) -> Any:
    within: Represent = partial(represent, is_within=True)
    for around in AROUND:
        within = partial(around, within)
    return within(serializer, data)


def represent_many(serializer: Any, data: Any) -> list[Any]:
    """Return what ``to_representation`` returns for each row of a collection, or manager."""
    objects = rows(data)
    if is_disabled():
        return [represent(serializer, obj) for obj in objects]
    is_counted = False
    if type(objects) is not list:
        results, objects = dump_rows(serializer, objects)
        if results is not None:
            return results
        is_counted = type(objects) is LazyInstanceList
        if is_counted:
            objects = list(objects)
    if type(objects) is not list:
        return _represent_each(serializer, objects)
    return _represent_all(serializer, objects, is_counted=is_counted)


def _represent_all(serializer: Any, objects: list[Any], *, is_counted: bool) -> list[Any]:
    """Represent objects; ``is_counted``: they were when their rows were fetched: stock must."""
    if not objects:
        return []
    bound_program = None if is_counted else find_bound_program(serializer, len(objects))
    dispatch = None if bound_program is None else bound_program.begin(_PYTHON)
    with before_rows(serializer, objects, dispatch) or _NOTHING:
        if dispatch is not None:
            results = dispatch.many(objects)
            if _represents_rows(serializer):
                dispatch.count(len(results))
            dispatch.end()
            return results
        if _represents_rows(serializer):
            recorder.stock(len(objects))
        return [STOCK_TO_REPRESENTATION(serializer, obj) for obj in objects]


def _represent_each(serializer: Any, objects: Iterable[Any]) -> list[Any]:
    """Represent objects whose number is not known: the first may be stock's."""
    results: list[Any] = []
    iterator = iter(objects)
    for obj in iterator:
        bound_program = find_bound_program(serializer, None)
        if bound_program is not None:
            rest = chain(iter((obj,)), iterator)
            del obj  # as any object, it goes when the next one is there
            return results + bound_program.new_dispatch(_PYTHON).all_rows(rest)
        results.append(stock_row(serializer, obj))
    return results


def stock_row(serializer: Any, obj: Any) -> Any:
    if _represents_rows(serializer):
        recorder.stock()
    return STOCK_TO_REPRESENTATION(serializer, obj)


def _represents_rows(serializer: Any) -> bool:
    """Return whether a serializer is no field of another, but for a list that is none either."""
    parent = serializer.parent
    return parent is None or (parent.parent is None and isinstance(parent, ListSerializer))
